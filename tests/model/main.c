/* Random programs of API calls on a driver, beside a model that knows what must come of them. See
 * README.md. */
#include "generate.h"
#include "rules.h"
#include "watch.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usage[] =
    "model_ze [--driver cpu|null] [--seed N] [--count N] [--jobs N]   programs of these seeds\n"
    "         [--starve]           allocations fail now and then\n"
    "         [--only N,N...]      of a program only these operations\n"
    "         [--print]            shows programs instead of running them\n"
    "         [--failures N]       stops after so many (1)\n"
    "         [--patience S]       seconds without progress that are a hang (300)\n"
    "         [--whole]            does not make failing programs smaller\n";

static _Noreturn void usage_exit(void)
{
    fputs(usage, stderr);
    exit(2);
}

static struct options options_read(int argc, char **argv)
{
    static const struct option known[] = {{"driver", 1, NULL, 'd'},
                                          {"seed", 1, NULL, 's'},
                                          {"count", 1, NULL, 'c'},
                                          {"jobs", 1, NULL, 'j'},
                                          {"starve", 0, NULL, 'a'},
                                          {"only", 1, NULL, 'o'},
                                          {"print", 0, NULL, 'p'},
                                          {"failures", 1, NULL, 'f'},
                                          {"patience", 1, NULL, 't'},
                                          {"whole", 0, NULL, 'n'},
                                          {0}};
    struct options options = {.command = argv[0],
                              .driver = "cpu",
                              .count = 300,
                              .step = 1,
                              .patience_s = 300,
                              .jobs = 1,
                              .failures = 1,
                              .reduce = true};
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        switch (option) {
        case 'd':
            options.driver = optarg;
            break;
        case 's':
            options.seed = strtoull(optarg, NULL, 0);
            break;
        case 'c':
            options.count = strtoull(optarg, NULL, 0);
            break;
        case 'j':
            options.jobs = (uint32_t)strtoul(optarg, NULL, 0);
            break;
        case 'a':
            options.starve = true;
            break;
        case 'o':
            options.only = optarg;
            options.count = 1;
            break;
        case 'p':
            options.print = true;
            break;
        case 'f':
            options.failures = (uint32_t)strtoul(optarg, NULL, 0);
            break;
        case 't':
            options.patience_s = (uint32_t)strtoul(optarg, NULL, 0);
            break;
        case 'n':
            options.reduce = false;
            break;
        default:
            usage_exit();
        }
    }
    return options;
}

/* ---- one program ---- */

static bool listed(const char *only, uint32_t number)
{
    while (*only) {
        char *end;
        if (strtoul(only, &end, 0) == number && end != only) {
            return true;
        }
        only = *end ? end + 1 : end;
    }
    return false;
}

static void program_make(const struct options *options, uint64_t seed, struct program *program)
{
    program_generate(program, seed, strcmp(options->driver, "null") != 0);
    uint32_t count = program->count;
    program->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!options->only || listed(options->only, i)) {
            program->ops[program->count++] = program->ops[i];
        }
    }
}

static void command_print(const struct options *options, const struct program *program)
{
    printf("%s --driver %s --seed %" PRIu64, options->command, options->driver, program->seed);
    printf("%s --only ", options->starve ? " --starve" : "");
    const char *comma = "";
    for (uint32_t i = 0; i < program->count && program->ops[i].index != UINT16_MAX; i++) {
        printf("%s%u", comma, program->ops[i].index);
        comma = ",";
    }
    printf("\n");
}

static void settled_print(struct program *program)
{
    static struct model model;
    program_settle(program, &model);
    program_print(stdout, program);
}

static void place_print(const struct report *report, const struct program *program,
                        uint32_t position)
{
    if (position < program->count) {
        printf("  %4d ",
               program->ops[position].index == UINT16_MAX ? -1 : (int)program->ops[position].index);
        op_print(stdout, &program->ops[position]);
        printf("\n");
    }
    if (report->message[0]) {
        printf("       %s\n", report->message);
    }
}

static void failure_print(const struct options *options, struct report *report,
                          struct program *program, enum ending ending)
{
    static const char *const words[] = {[ENDED_WRONG] = "went wrong",
                                        [ENDED_CRASHED] = "crashed",
                                        [ENDED_HUNG] = "hung",
                                        [ENDED_SETUP] = "could not be run"};
    printf("seed %" PRIu64 " %s\n", program->seed, words[ending]);
    settled_print(program);
    printf("%s:\n", words[ending]);
    if (ending == ENDED_WRONG) {
        place_print(report, program, report->wrong - 1);
    } else {
        for (uint32_t i = 0; i < program->threads; i++) {
            place_print(report, program, report->at[i]);
        }
    }
    command_print(options, program);
    fflush(stdout);
}

static bool ending_good(enum ending ending)
{
    return ending == ENDED_WELL || ending == ENDED_LOST;
}

static void failure_show(const struct options *options, struct report *report, enum ending ending)
{
    static struct program program;
    program_make(options, report->seed, &program);
    if (options->reduce && ending != ENDED_SETUP) {
        reduce_program(options, report, &program);
        ending = watch_program(options, report, &program, 24, options->patience_s);
        ending = ending_good(ending) ? ENDED_WRONG : ending;
    }
    failure_print(options, report, &program, ending);
}

/* ---- many ---- */

/* The seeds of one job; how many failed. */
static uint32_t seeds_watch(const struct options *options, uint64_t first)
{
    struct report *report =
        mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint64_t end = options->seed + options->count;
    uint32_t failures = 0;
    if (report == MAP_FAILED) {
        return 1;
    }
    report->seed = first;
    while (report->seed < end && failures < options->failures) {
        enum ending ending = watch_seeds(options, report, end);
        uint64_t seed = report->seed;
        if (!ending_good(ending)) {
            failures++;
            failure_show(options, report, ending);
        }
        report->seed = ending == ENDED_WELL ? end : seed + options->step;
        if (ending == ENDED_SETUP) {
            break;
        }
    }
    munmap(report, sizeof(*report));
    return failures;
}

static int jobs_run(struct options *options)
{
    bool failed = false;
    options->step = options->jobs;
    fflush(NULL);
    for (uint32_t i = 0; i < options->jobs; i++) {
        if (fork() == 0) {
            _exit(seeds_watch(options, options->seed + i) != 0);
        }
    }
    for (int status; wait(&status) > 0;) {
        failed |= status != 0;
    }
    return failed;
}

static int one_run(const struct options *options, struct program *program)
{
    struct report *report =
        mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (report == MAP_FAILED) {
        return 1;
    }
    enum ending ending = watch_program(options, report, program, 24, options->patience_s);
    if (!ending_good(ending)) {
        failure_print(options, report, program, ending);
    }
    return !ending_good(ending);
}

int main(int argc, char **argv)
{
    struct options options = options_read(argc, argv);
    struct program program;
    if (options.only || options.print) {
        int failed = 0;
        for (uint64_t i = 0; i < options.count; i++) {
            program_make(&options, options.seed + i, &program);
            if (options.print) {
                settled_print(&program);
            } else {
                failed |= one_run(&options, &program);
            }
        }
        return failed;
    }
    int failed = options.jobs > 1 ? jobs_run(&options) : seeds_watch(&options, options.seed) != 0;
    printf("%s: %" PRIu64 " programs from seed %" PRIu64 "%s\n", options.driver, options.count,
           options.seed, failed ? ": FAILED" : "");
    return failed;
}
