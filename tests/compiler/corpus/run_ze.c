/* Runs a topic of the corpus through Level Zero at the lane count of GEOID_LANES, for each producer
 * of SPIR-V whose file is there (clang-22 at -O0 and -O2, llvm-spirv-15), and compares with the
 * reference results and with what one lane gave. The run at one lane leaves its outputs for the
 * wider ones, so it goes first. Usage: corpus_ze TOPIC SPIRV_FOLDER RESULT_FOLDER [-1]
 * [KERNEL[.PRODUCER]] (-1: in this process, for a debugger). If CORPUS_FEW is set, a file runs from
 * one compiler only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "data.h"
#include "device_ze.h"
#include "isolate.h"
#include "level.h"
#include "maths.h"

static const char *const producers[] = {"O0", "O2", "L15", "DPC"};

/* One module: a file of kernels from one producer. */
struct unit {
    const char *producer;
    char spirv[4096];
    char single[4096]; /* folder of what one lane gave */
    const char *references;
    const struct corpus_file *file;
    const char *only; /* run this kernel alone, or NULL */
    bool is_single;   /* this run is the one at one lane */
    struct isolate_result *results;
    struct corpus_ze ze;
    ze_module_handle_t module;
};

static bool begin(void *context, char *text)
{
    struct unit *unit = context;
    return corpus_ze_open(&unit->ze, text, ISOLATE_TEXT) &&
           corpus_ze_build(&unit->ze, unit->spirv, unit->file->options ? unit->file->options : "",
                           &unit->module, text, ISOLATE_TEXT);
}

static bool end(void *context, char *text)
{
    struct unit *unit = context;
    zeModuleDestroy(unit->module);
    return corpus_ze_close(&unit->ze, text, ISOLATE_TEXT);
}

static bool compare_file(const struct corpus_run *got, const char *path, bool exact,
                         const char *with, char *text)
{
    struct corpus_run expected;
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        isolate_explain(text, "%s: there is no %s", with, path);
        return false;
    }
    corpus_run_init(&expected, got->test, got->shape);
    bool good = corpus_outputs_read(&expected, stream);
    fclose(stream);
    if (!good) {
        isolate_explain(text, "%s: %s has another size", with, path);
    } else {
        int used = snprintf(text, ISOLATE_TEXT, "against %s: ", with);
        good =
            corpus_outputs_equal(got, &expected, exact, text + used, ISOLATE_TEXT - (size_t)used);
    }
    corpus_run_finish(&expected);
    return good;
}

static bool compare_expected(const struct corpus_run *got, char *text)
{
    struct corpus_run expected;
    corpus_run_init(&expected, got->test, got->shape);
    got->test->expect(&expected);
    int used = snprintf(text, ISOLATE_TEXT, "against C: ");
    bool good =
        corpus_outputs_equal(got, &expected, false, text + used, ISOLATE_TEXT - (size_t)used);
    corpus_run_finish(&expected);
    return good;
}

static bool compare_reference(const struct unit *unit, const struct corpus_run *run, size_t shape,
                              char *text)
{
    char path[4200];
    const struct corpus_case *test = run->test;
    if (test->maths) {
        return corpus_maths_check(run, text, ISOLATE_TEXT);
    }
    if (test->expect) {
        return compare_expected(run, text);
    }
    corpus_path(path, sizeof(path), unit->references, unit->file->file, test->kernel, shape,
                ".bin");
    return compare_file(run, path, false, "the reference", text);
}

static bool keep(const struct corpus_run *run, const char *path, char *text)
{
    FILE *stream = fopen(path, "wb");
    bool good = stream && corpus_outputs_write(run, stream);
    if (stream) {
        good &= fclose(stream) == 0;
    }
    if (!good) {
        isolate_explain(text, "cannot write %s", path);
    }
    return good;
}

static bool run_shape(struct unit *unit, const struct corpus_case *test, size_t shape, char *text)
{
    struct corpus_run run;
    char path[4200], suffix[32];
    snprintf(suffix, sizeof(suffix), ".%s.bin", unit->producer);
    corpus_path(path, sizeof(path), unit->single, unit->file->file, test->kernel, shape, suffix);
    corpus_run_init(&run, test, &test->shapes[shape]);
    bool good = corpus_ze_run(&unit->ze, unit->module, &run, text, ISOLATE_TEXT);
    if (good && unit->is_single) {
        good = keep(&run, path, text);
    }
    good = good && compare_reference(unit, &run, shape, text);
    if (good && !unit->is_single && !(test->flags & CORPUS_WIDTH_FREE)) {
        good = compare_file(&run, path, true, "one lane", text);
    }
    corpus_run_finish(&run);
    return good;
}

static bool step(void *context, size_t index, char *text, bool *skipped)
{
    struct unit *unit = context;
    const struct corpus_case *test = &unit->file->cases[index];
    char reason[ISOLATE_TEXT] = "";
    size_t ran = 0;
    for (size_t i = 0; test->shapes[i].local[0]; i++) {
        if (!corpus_ze_can(&unit->ze, &test->shapes[i])) {
            continue;
        }
        ran++;
        if (!run_shape(unit, test, i, reason)) {
            const struct corpus_shape *shape = &test->shapes[i];
            isolate_explain(text, "%u,%u,%u groups of %u,%u,%u: %.1800s", shape->groups[0],
                            shape->groups[1], shape->groups[2], shape->local[0], shape->local[1],
                            shape->local[2], reason);
            return false;
        }
    }
    *skipped = ran == 0;
    return true;
}

/* A cmocka test: one kernel from one producer, over all shapes. It ran before; this reports. */
static void report(void **state)
{
    const struct isolate_result *result = *state;
    if (result->state == ISOLATE_SKIPPED) {
        skip();
    }
    if (result->state != ISOLATE_PASSED) {
        fail_msg("%s", result->text);
    }
}

/* Whether the command line names this kernel: KERNEL, or KERNEL.PRODUCER. */
static bool is_asked_for(const struct unit *unit, const char *kernel)
{
    char full[128];
    snprintf(full, sizeof(full), "%s.%s", kernel, unit->producer);
    return !unit->only || strcmp(unit->only, kernel) == 0 || strcmp(unit->only, full) == 0;
}

/* Runs the kernels of a unit that are asked for, and returns how many they are. */
static size_t unit_run(struct unit *unit, unsigned seconds)
{
    const struct isolate_ops ops = {begin, step, end, seconds};
    size_t asked_for = 0;
    for (size_t i = 0; i < unit->file->count; i++) {
        if (is_asked_for(unit, unit->file->cases[i].kernel)) {
            asked_for++;
        } else {
            unit->results[i].state = ISOLATE_SKIPPED;
        }
    }
    isolate_run(&ops, unit, unit->results, unit->file->count);
    return asked_for;
}

enum { MAX_UNITS = 64, MAX_TESTS = 1024 };

/* What is run, and what cmocka is told about it. */
static struct unit units[MAX_UNITS];
static struct CMUnitTest tests[MAX_TESTS];
static char names[MAX_TESTS][128];
static size_t unit_count, test_count, asked_count;

static void unit_report(struct unit *unit)
{
    for (size_t i = 0; i < unit->file->count && test_count < MAX_TESTS; i++) {
        char *name = names[test_count];
        snprintf(name, sizeof(names[0]), "%s.%s.%s", unit->file->file, unit->file->cases[i].kernel,
                 unit->producer);
        tests[test_count++] = (struct CMUnitTest){name, report, NULL, NULL, &unit->results[i]};
    }
}

static bool spirv_find(char *path, size_t bytes, const char *folder, const char *file,
                       const char *producer)
{
    snprintf(path, bytes, "%s/%s.%s.spv", folder, file, producer);
    return access(path, R_OK) == 0;
}

/* Returns whether CORPUS_FEW excludes a producer. clang-22 at -O2 runs, or llvm-spirv-15 if a file
 * has no SPIR-V of clang-22. Hand-written SPIR-V always runs. */
static bool is_left_out(const char *folder, const char *file, const char *producer)
{
    char optimised[4096];
    return getenv("CORPUS_FEW") && (strcmp(producer, "O0") == 0 ||
                                    (strcmp(producer, "L15") == 0 &&
                                     spirv_find(optimised, sizeof(optimised), folder, file, "O2")));
}

/* Runs a file from every producer whose SPIR-V is there; false when there is none at all. */
static bool file_run(const struct corpus_file *file, char **folders, const char *only,
                     unsigned seconds)
{
    const char *lanes = getenv("GEOID_LANES"), *single = getenv("CORPUS_SINGLE");
    size_t before = unit_count;
    for (size_t i = 0; i < CORPUS_COUNT(producers) && unit_count < MAX_UNITS; i++) {
        struct unit *unit = &units[unit_count];
        *unit = (struct unit){.file = file,
                              .producer = producers[i],
                              .references = folders[1],
                              .is_single = lanes && strcmp(lanes, "1") == 0,
                              .only = only};
        snprintf(unit->single, sizeof(unit->single), "%s/%s", folders[1],
                 single ? single : "one-lane");
        if (!spirv_find(unit->spirv, sizeof(unit->spirv), folders[0], file->file, producers[i]) ||
            is_left_out(folders[0], file->file, producers[i])) {
            continue;
        }
        unit_count++;
        unit->results = isolate_results_create(file->count);
        asked_count += unit_run(unit, seconds);
        unit_report(unit);
    }
    if (unit_count == before) {
        fprintf(stderr, "corpus_ze: there is no SPIR-V of %s in %s\n", file->file, folders[0]);
    }
    return unit_count > before;
}

int main(int argc, char **argv)
{
    level_demand();
    const struct corpus_topic *topic = argc >= 4 ? corpus_topic_find(argv[1]) : NULL;
    if (!topic) {
        fprintf(stderr,
                "usage: corpus_ze TOPIC SPIRV_FOLDER RESULT_FOLDER [-1] [KERNEL[.PRODUCER]]\n");
        return 2;
    }
    const char *only = NULL;
    unsigned seconds = 120;
    for (int i = 4; i < argc; i++) {
        if (strcmp(argv[i], "-1") == 0) {
            seconds = 0;
        } else {
            only = argv[i];
        }
    }
    bool complete = true;
    for (size_t i = 0; i < topic->count; i++) {
        complete &= file_run(&topic->files[i], argv + 2, only, seconds);
    }
    if (asked_count == 0 && only) {
        fprintf(stderr, "corpus_ze: no SPIR-V of topic %s has a kernel %s\n", topic->name, only);
    }
    int failed = _cmocka_run_group_tests(topic->name, tests, test_count, NULL, NULL);
    for (size_t i = 0; i < unit_count; i++) {
        isolate_results_destroy(units[i].results, units[i].file->count);
    }
    return failed || !complete || asked_count == 0 || test_count == MAX_TESTS;
}
