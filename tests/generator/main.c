/* Command line and the runs of many seeds, in child processes: a crash costs one kernel. See
 * check.h.
 *
 *     [--seed FIRST] [--count N] [--lanes 1,8,16] [--levels x86-64-v3,...] [--jobs J] [--seconds T]
 *     [--spread] [--keep-going] [--require PERCENT]
 *     [--with subgroups|collectives|halves|generics|irreducible|rows|modes|meetings|scopes|
 *             spaces|volatiles|wraps|returns|corners|shapes|far|forms]
 *     --seed S --print | --spirv FILE | --reduce
 *     --seed FIRST --count N --forms
 *
 * A run of many kernels can be cut into ranges of seeds and taken up again anywhere; --seconds ends
 * it early (each job says where). --levels: code is for such processors (GEOID_CPU), another one at
 * each lane count, and otherwise with another seed; those that this machine lacks are named and
 * left out, and status 77 says that none was left. --spread: each seed at one lane count.
 * --with: only programs that have operations of sub-groups (a third of all), of groups (a quarter),
 * floats of 16 bits (a fifth), generic pointers (a seventh), loops with two entries (a sixteenth),
 * rows of items (a seventh), modes of floats (a fifth), barriers at which all groups meet (one in
 * twenty), barriers that order memory for the device (a third), pointers to several kinds of memory
 * (a ninth), volatile pointers (a tenth), indices that wrap (an eighth), returns before barriers (a
 * fourteenth); corners: one of these four; groups of every shape (seeds from GEN_FIRST_SHAPED on),
 * and in one of twenty of these buffers of some GiB; all forms of accesses, atomics and calls (from
 * GEN_FIRST_FORMED on).
 * --forms: runs nothing, counts what the programs have (forms.c).
 * --require: fails when fewer of the runs were not skipped. With --reduce, --spirv writes what is
 * left. */
#include "check.h"

#include "generate.h"
#include "level.h"
#include "limit.h"
#include "opencl_c.h"
#include "random.h"
#include "spirv.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_LANES = 4, MAX_LEVELS = 8, STEP_SECONDS = 60, FAILURES_SHOWN = 5 };

struct arguments {
    uint64_t seed, count, end_time; /* end_time: seconds since the epoch, 0: none */
    uint32_t lanes[MAX_LANES], lane_count, jobs, require;
    const char *levels[MAX_LEVELS];
    uint32_t level_count; /* 0: as the environment says */
    bool reduce, print, keep_going, spread, forms;
    const char *with;
    const char *spirv;
};

/* What a child tells its parent. */
struct progress {
    uint64_t seed;
    uint32_t lane; /* index */
    uint64_t kernels, passed, skipped, left_out, failed;
    bool absent; /* there is no such device on this machine */
    char text[GEN_TEXT];
};

/* What divides seeds evenly, whatever their programs have. */
static uint64_t share_of(uint64_t seed)
{
    struct gen_random random = {seed};
    return gen_random(&random) >> 8;
}

/* What the lane count of this index is made for; NULL: as the environment says. */
static const char *level_of(const struct arguments *arguments, uint64_t seed, uint32_t lane)
{
    uint64_t share = share_of(seed) / MAX_LANES;
    return arguments->level_count ? arguments->levels[(share + lane) % arguments->level_count]
                                  : NULL;
}

/* In programs with sub-groups W is their size, whatever is asked for. */
static bool leaves_out(const struct arguments *arguments, const struct gen_program *program,
                       uint32_t lane)
{
    uint64_t share = arguments->spread ? share_of(program->seed) : program->seed / 3;
    return (program->subgroup_size || arguments->spread) && lane != share % arguments->lane_count;
}

static void level_set(const struct arguments *arguments, uint64_t seed, uint32_t lane)
{
    const char *level = level_of(arguments, seed, lane);
    if (level) {
        setenv("GEOID_CPU", level, 1);
    }
}

static void report(const struct gen_device *device, const struct arguments *arguments,
                   const struct progress *progress)
{
    const char *level = level_of(arguments, progress->seed, progress->lane);
    printf("FAILED seed %llu", (unsigned long long)progress->seed);
    if (device->has_lanes) {
        printf(" lanes %u", arguments->lanes[progress->lane]);
    }
    if (level) {
        printf(" levels %s", level);
    }
    printf(": %s\n", progress->text);
    fflush(stdout);
}

static void print_program(const struct gen_program *program)
{
    char *text = gen_emit_opencl(program);
    fputs(text, stdout);
    free(text);
}

/* Whether the program has what the word of --with asks for; *known: there is such a word. */
static bool has_feature(const struct gen_program *program, const char *with, bool *known)
{
    bool corners = program->spaces || program->volatiles || program->wraps || program->returns;
    const struct {
        const char *word;
        bool has;
    } features[] = {
        {"subgroups", program->subgroup_size != 0},
        {"collectives", program->collectives},
        {"halves", program->halves},
        {"generics", program->generics},
        {"irreducible", program->irreducible},
        {"rows", program->rows},
        {"spaces", program->spaces},
        {"volatiles", program->volatiles},
        {"wraps", program->wraps},
        {"returns", program->returns},
        {"corners", corners},
        {"modes", program->modes},
        {"meetings", program->functions.count && gen_meets(program)},
        {"scopes", program->scopes},
        {"shapes", program->shapes},
        {"far", program->far},
        {"forms", program->forms},
    };
    for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
        if (strcmp(features[i].word, with) == 0) {
            *known = true;
            return features[i].has;
        }
    }
    *known = false;
    return false;
}

static bool is_wanted(const struct gen_program *program, const char *with)
{
    bool known;
    return !with || has_feature(program, with, &known);
}

/* Runs seeds [progress->seed, end) until the first failure; true when none is left. */
static bool run_seeds(const struct gen_device *device, const struct arguments *arguments,
                      uint64_t end, struct progress *progress)
{
    for (; progress->seed < end; progress->seed++, progress->lane = 0) {
        if (arguments->end_time && (uint64_t)time(NULL) >= arguments->end_time) {
            printf("%s: out of time before seed %llu\n", device->name,
                   (unsigned long long)progress->seed);
            return true;
        }
        struct gen_program *program = gen_program_make(progress->seed);
        bool wanted = is_wanted(program, arguments->with);
        progress->kernels += wanted;
        for (; wanted && progress->lane < arguments->lane_count; progress->lane++) {
            if (leaves_out(arguments, program, progress->lane)) {
                continue;
            }
            limit_work(STEP_SECONDS);
            level_set(arguments, progress->seed, progress->lane);
            enum gen_verdict verdict =
                gen_check(device, program, arguments->lanes[progress->lane], progress->text);
            if (verdict == GEN_PASSED) {
                progress->passed++;
            } else if (verdict == GEN_SKIPPED) {
                progress->skipped++;
            } else if (verdict == GEN_LEFT_OUT) {
                progress->left_out++;
            } else {
                return false;
            }
        }
        gen_program_destroy(program);
    }
    return true;
}

static int run_child(const struct gen_device *device, const struct arguments *arguments,
                     uint64_t end, struct progress *progress)
{
    if (!gen_device_open(device, progress->text)) {
        progress->absent = device->optional;
        return 2;
    }
    bool good = run_seeds(device, arguments, end, progress);
    if (good) {
        gen_device_close(device);
    }
    return good ? 0 : 1;
}

/* Runs a range of seeds, with a new child after each failure. */
static bool run_range(const struct gen_device *device, const struct arguments *arguments,
                      uint64_t end, struct progress *progress)
{
    bool opened = true;
    while (opened && progress->seed < end) {
        fflush(stdout);
        pid_t child = fork();
        int status = 0;
        if (child == 0) {
            exit(run_child(device, arguments, end, progress));
        }
        if (child < 0 || waitpid(child, &status, 0) != child) {
            perror("generator");
            return false;
        }
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
            break;
        }
        opened = !(WIFEXITED(status) && WEXITSTATUS(status) == 2);
        if (progress->absent) {
            return true;
        }
        if (WIFSIGNALED(status)) {
            const char *limit = limit_name(WTERMSIG(status));
            snprintf(progress->text, GEN_TEXT, "killed by signal %d (%s)", WTERMSIG(status),
                     limit ? limit : "crash");
        }
        report(device, arguments, progress);
        progress->failed++;
        if (progress->failed <= FAILURES_SHOWN && !arguments->keep_going && opened) {
            struct gen_program *program = gen_program_make(progress->seed);
            print_program(program);
            gen_program_destroy(program);
        }
        if (++progress->lane >= arguments->lane_count) {
            progress->lane = 0;
            progress->seed++;
        }
    }
    return progress->failed == 0;
}

static int run_all(const struct gen_device *device, const struct arguments *arguments)
{
    size_t bytes = arguments->jobs * sizeof(struct progress);
    struct progress *progress =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint64_t kernels = 0, passed = 0, skipped = 0, left_out = 0, failed = 0;
    bool absent = false;
    if (progress == MAP_FAILED) {
        perror("generator");
        return 2;
    }
    for (uint32_t j = 0; j < arguments->jobs; j++) {
        uint64_t first = arguments->seed + arguments->count * j / arguments->jobs;
        uint64_t end = arguments->seed + arguments->count * (j + 1) / arguments->jobs;
        progress[j].seed = first;
        fflush(stdout);
        if (arguments->jobs == 1) {
            run_range(device, arguments, end, progress);
        } else if (fork() == 0) {
            _exit(run_range(device, arguments, end, &progress[j]) ? 0 : 1);
        }
    }
    while (arguments->jobs > 1 && wait(NULL) > 0) {
    }
    for (uint32_t j = 0; j < arguments->jobs; j++) {
        kernels += progress[j].kernels;
        passed += progress[j].passed;
        skipped += progress[j].skipped;
        left_out += progress[j].left_out;
        failed += progress[j].failed;
        absent |= progress[j].absent;
    }
    if (absent) {
        printf("%s: skipped: %s\n", device->name, progress[0].text);
        munmap(progress, bytes);
        return LEVEL_SKIPPED;
    }
    printf("%s: %llu kernels from seed %llu: %llu runs passed, %llu skipped, %llu failed",
           device->name, (unsigned long long)kernels, (unsigned long long)arguments->seed,
           (unsigned long long)passed, (unsigned long long)skipped, (unsigned long long)failed);
    if (left_out) {
        printf(", %llu left out: the device has not what they need", (unsigned long long)left_out);
    }
    printf("\n");
    munmap(progress, bytes);
    if (passed * 100 < arguments->require * (passed + skipped)) {
        printf("%s: less than %u %% of the runs could be compared\n", device->name,
               arguments->require);
        return 1;
    }
    /* A run that only skips proves nothing. */
    return failed == 0 && passed > 0 ? 0 : 1;
}

static int write_spirv(const struct gen_program *program, const char *path)
{
    size_t count;
    uint32_t *words = gen_emit_spirv(program, &count);
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(words, 4, count, file) == count;
    good = file && fclose(file) == 0 && good;
    free(words);
    return good ? 0 : 1;
}

static int run_one(const struct gen_device *device, const struct arguments *arguments)
{
    struct gen_program *program = gen_program_make(arguments->seed);
    int status = 0;
    if (arguments->print) {
        print_program(program);
    }
    if (arguments->reduce) {
        level_set(arguments, 0, 0);
        gen_reduce(device, program, arguments->lanes[0]);
    }
    if (arguments->spirv) {
        status = write_spirv(program, arguments->spirv);
    }
    gen_program_destroy(program);
    return status;
}

static bool parse_lanes(struct arguments *arguments, char *text)
{
    arguments->lane_count = 0;
    for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
        if (arguments->lane_count == MAX_LANES) {
            return false;
        }
        arguments->lanes[arguments->lane_count++] = (uint32_t)strtoul(word, NULL, 10);
    }
    return arguments->lane_count > 0;
}

/* Keeps the levels that this machine runs; false where that leaves none of those named. */
static bool keep_levels(struct arguments *arguments)
{
    uint32_t named = arguments->level_count;
    arguments->level_count = 0;
    for (uint32_t i = 0; i < named; i++) {
        if (level_runs(arguments->levels[i])) {
            arguments->levels[arguments->level_count++] = arguments->levels[i];
        }
    }
    return named == 0 || arguments->level_count > 0;
}

static bool parse_levels(struct arguments *arguments, char *text)
{
    arguments->level_count = 0;
    for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
        if (arguments->level_count == MAX_LEVELS) {
            return false;
        }
        arguments->levels[arguments->level_count++] = word;
    }
    return arguments->level_count > 0;
}

static bool parse(struct arguments *arguments, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--reduce") == 0) {
            arguments->reduce = true;
        } else if (strcmp(argv[i], "--print") == 0) {
            arguments->print = true;
        } else if (strcmp(argv[i], "--forms") == 0) {
            arguments->forms = true;
        } else if (strcmp(argv[i], "--spread") == 0) {
            arguments->spread = true;
        } else if (strcmp(argv[i], "--keep-going") == 0) {
            arguments->keep_going = true;
        } else if (value && strcmp(argv[i], "--seed") == 0) {
            arguments->seed = strtoull(argv[++i], NULL, 10);
        } else if (value && strcmp(argv[i], "--count") == 0) {
            arguments->count = strtoull(argv[++i], NULL, 10);
        } else if (value && strcmp(argv[i], "--jobs") == 0) {
            arguments->jobs = (uint32_t)strtoul(argv[++i], NULL, 10);
        } else if (value && strcmp(argv[i], "--require") == 0) {
            arguments->require = (uint32_t)strtoul(argv[++i], NULL, 10);
        } else if (value && strcmp(argv[i], "--seconds") == 0) {
            arguments->end_time = (uint64_t)time(NULL) + strtoull(argv[++i], NULL, 10);
        } else if (value && strcmp(argv[i], "--with") == 0) {
            arguments->with = argv[++i];
            bool known;
            has_feature(&(struct gen_program){0}, value, &known);
            if (!known) {
                return false;
            }
        } else if (value && strcmp(argv[i], "--spirv") == 0) {
            arguments->spirv = argv[++i];
        } else if (value && strcmp(argv[i], "--lanes") == 0) {
            if (!parse_lanes(arguments, argv[++i])) {
                return false;
            }
        } else if (value && strcmp(argv[i], "--levels") == 0) {
            if (!parse_levels(arguments, argv[++i])) {
                return false;
            }
        } else {
            return false;
        }
    }
    return arguments->jobs >= 1 && arguments->jobs <= 256;
}

int gen_main(int argc, char **argv, const struct gen_device *device)
{
    struct arguments arguments = {.count = 1, .jobs = 1, .lanes = {1, 8, 16}, .lane_count = 3};
    if (!device->has_lanes) {
        arguments.lane_count = 1;
    }
    if (!parse(&arguments, argc, argv)) {
        fprintf(
            stderr,
            "usage: %s [--seed FIRST] [--count N] [--lanes 1,8,16] [--levels x86-64-v3,...]\n"
            "           [--jobs J] [--seconds T] [--spread] [--keep-going] [--require PERCENT]\n"
            "           [--with "
            "subgroups|collectives|halves|generics|irreducible|rows|\n"
            "                                               "
            "modes|meetings|scopes|spaces|volatiles|wraps|returns|corners|\n"
            "                                               shapes|far|forms]\n"
            "       %s --seed S [--print] [--spirv FILE] [--lanes W [--levels L] --reduce]\n"
            "       %s --seed FIRST --count N --forms\n",
            argv[0], argv[0], argv[0]);
        return 2;
    }
    level_demand();
    if (!keep_levels(&arguments)) {
        return LEVEL_SKIPPED;
    }
    if (arguments.reduce || arguments.print || arguments.spirv) {
        return run_one(device, &arguments);
    }
    if (arguments.forms) {
        return gen_count_forms(arguments.seed, arguments.count) ? 0 : 1;
    }
    return run_all(device, &arguments);
}
