/* Unit test of lowering: random kernels (generator.h) at several widths against the interpreter,
 * which runs the model as it was generated. GEOID_TEST_SEEDS=first:count takes other seeds. */
#include "generator.h"
#include "interpret.h"
#include "program.h"
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GROUPS 3u
#define GROUP  21u
#define ITEMS  (GROUPS * GROUP)

/* Each kernel runs at some of them. */
static const struct program_options configurations[] = {
    {.lanes = 8, .optimize = true},  {.lanes = 1, .optimize = true},
    {.lanes = 16, .optimize = true}, {.lanes = 16, .optimize = false},
    {.lanes = 32, .optimize = true}, {.lanes = 8, .optimize = false, .cpu = "x86-64"},
    {.lanes = 2, .optimize = true},  {.lanes = 4, .optimize = true, .cpu = "x86-64-v3"},
    {.lanes = 8, .optimize = true},
};
#define CONFIGURATION_COUNT (sizeof(configurations) / sizeof(configurations[0]))
#define RUNS                3u

static int32_t input[GENERATOR_INPUTS];
static int32_t expected[ITEMS * GENERATOR_OUTPUTS], got[ITEMS * GENERATOR_OUTPUTS];

static void seeds(uint64_t *first, uint64_t *count)
{
    const char *text = getenv("GEOID_TEST_SEEDS");
    unsigned long long a, b;
    if (text && sscanf(text, "%llu:%llu", &a, &b) == 2) {
        *first = a;
        *count = b;
    }
}

static bool reference(const struct generator_options *options, int32_t u)
{
    struct geo_ir_module *module = generator_run(options);
    support_assert_valid(module);
    struct interp *interp = interp_create(module);
    assert_non_null(interp);
    memset(expected, 0, sizeof(expected));
    const uint64_t arguments[] = {interp_map(interp, input, sizeof(input)),
                                  interp_map(interp, expected, sizeof(expected)), (uint32_t)u,
                                  interp_alloc(interp, GROUP * 4)};
    const uint32_t groups[] = {GROUPS, 1, 1}, local[] = {GROUP, 1, 1};
    bool good = interp_launch(interp, interp_find(module, "random"), arguments, groups, local);
    if (!good) {
        print_error("seed %llu: %s\n", (unsigned long long)options->seed, interp_error(interp));
    }
    interp_destroy(interp);
    geo_ir_module_destroy(module);
    return good;
}

static void run(const struct generator_options *options, const struct program_options *width,
                int32_t u)
{
    struct geo_ir_module *module = generator_run(options);
    struct program *program = program_build_model(module, width);
    const struct program_launch launch = {.groups = {GROUPS, 1, 1}, .local = {GROUP, 1, 1}};
    const struct program_argument arguments[] = {PROGRAM_POINTER(input), PROGRAM_POINTER(got),
                                                 PROGRAM_VALUE(u), PROGRAM_LOCAL(GROUP * 4)};
    memset(got, 0, sizeof(got));
    if (!program_runs(program)) {
        program_destroy(program);
        geo_ir_module_destroy(module);
        return;
    }
    program_run(program, "random", &launch, arguments, 4);
    for (uint32_t i = 0; i < ITEMS * GENERATOR_OUTPUTS; i++) {
        if (got[i] != expected[i]) {
            print_error("seed %llu%s W=%u u=%d: item %u writes %d, not %d\n",
                        (unsigned long long)options->seed, options->barriers ? " barriers" : "",
                        width->lanes, u, i / GENERATOR_OUTPUTS, got[i], expected[i]);
            fail();
        }
    }
    program_destroy(program);
    geo_ir_module_destroy(module);
}

static void run_seeds(bool barriers, uint64_t count)
{
    uint64_t first = 1;
    struct support_random random = {42};
    seeds(&first, &count);
    for (uint32_t i = 0; i < GENERATOR_INPUTS; i++) {
        input[i] = (int32_t)support_random_below(&random, 64) - 16;
    }
    for (uint64_t seed = first; seed < first + count; seed++) {
        const struct generator_options options = {.seed = seed, .barriers = barriers};
        int32_t u = (int32_t)(seed % 11);
        assert_true(reference(&options, u));
        for (size_t i = 0; i < RUNS; i++) {
            run(&options, &configurations[(seed * RUNS + i) % CONFIGURATION_COUNT], u);
        }
    }
}

static void random_control_flow(void **state)
{
    (void)state;
    run_seeds(false, 60);
}

static void random_flow_around_barriers(void **state)
{
    (void)state;
    run_seeds(true, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_control_flow),
        cmocka_unit_test(random_flow_around_barriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
