/* Random functions compute the same before and after each pass, on random arguments. */
#include "canonical.h"
#include "generate.h"
#include "interpret.h"
#include "support.h"

#include "compiler/transform/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RUNS 4

/* What a function gives for the arguments of run r. */
struct outcome {
    bool done;
    uint64_t value;
};

static struct outcome run(struct geo_ir_module *module, uint64_t seed, int number, uint64_t limit)
{
    struct support_random random = {seed * 31 + (uint64_t)number};
    uint64_t arguments[3];
    arguments[0] = (uint32_t)support_random_value(&random);
    arguments[1] = support_random_value(&random);
    arguments[2] = 0x3F800000 + support_random_below(&random, 1000) * 4096;
    struct interp *interp = interp_create(module);
    struct outcome outcome = {.value = 0};
    interp_set_step_limit(interp, limit);
    outcome.done = interp_call(interp, interp_find(module, "random"), arguments, &outcome.value);
    if (!outcome.done && strcmp(interp_error(interp), "step limit") != 0) {
        fail_msg("seed %llu, run %d: %s", (unsigned long long)seed, number, interp_error(interp));
    }
    interp_destroy(interp);
    return outcome;
}

static ze_result_t apply_inline(struct geo_ir_module *module, struct geo_strbuf *log)
{
    return geo_transform_inline(module, true, log);
}

static ze_result_t apply_simplify(struct geo_ir_module *module, struct geo_strbuf *log)
{
    return geo_transform_simplify(module, true, log);
}

static ze_result_t apply_canonicalize(struct geo_ir_module *module, struct geo_strbuf *log)
{
    return geo_transform_canonicalize(module, true, log);
}

static ze_result_t apply_canonicalize_little(struct geo_ir_module *module, struct geo_strbuf *log)
{
    return geo_transform_canonicalize(module, false, log);
}

struct step {
    const char *name;
    ze_result_t (*apply)(struct geo_ir_module *module, struct geo_strbuf *log);
};

static const struct step in_order[] = {
    {"inlining", apply_inline},         {"sroa", geo_transform_sroa},
    {"mem2reg", geo_transform_mem2reg}, {"simplify", apply_simplify},
    {"loops", geo_transform_loops},     {"loops again", geo_transform_loops},
};
static const struct step early_loops[] = {
    {"mem2reg", geo_transform_mem2reg}, {"loops", geo_transform_loops},
    {"sroa", geo_transform_sroa},       {"mem2reg", geo_transform_mem2reg},
    {"inlining", apply_inline},         {"simplify", apply_simplify},
    {"loops", geo_transform_loops},
};
static const struct step whole[] = {{"canonicalize", apply_canonicalize}};
static const struct step little[] = {{"canonicalize -O0", apply_canonicalize_little}};

static void steps_check(const struct generate_options *options, const struct step *steps,
                        size_t count)
{
    struct geo_ir_module *module = generate_module(options);
    struct outcome expected[RUNS];
    support_assert_valid(module);
    for (int r = 0; r < RUNS; r++) {
        expected[r] = run(module, options->seed, r, 20000);
    }
    for (size_t i = 0; i < count; i++) {
        struct geo_strbuf log;
        geo_strbuf_init(&log, 0);
        if (steps[i].apply(module, &log) != ZE_RESULT_SUCCESS) {
            fail_msg("seed %llu, %s: %s", (unsigned long long)options->seed, steps[i].name,
                     geo_strbuf_text(&log));
        }
        geo_strbuf_finish(&log);
        support_assert_valid(module);
        if (steps[i].apply == geo_transform_loops || count == 1) {
            assert_canonical(module);
        }
        for (int r = 0; r < RUNS; r++) {
            if (!expected[r].done) {
                continue; /* endless */
            }
            struct outcome outcome = run(module, options->seed, r, 200000);
            if (!outcome.done || outcome.value != expected[r].value) {
                fail_msg("seed %llu, run %d, after %s: %#llx instead of %#llx",
                         (unsigned long long)options->seed, r, steps[i].name,
                         (unsigned long long)outcome.value, (unsigned long long)expected[r].value);
            }
        }
    }
    geo_ir_module_destroy(module);
}

static void check(uint64_t first, uint64_t count, uint32_t blocks, uint32_t instructions,
                  bool any_graph, uint32_t functions)
{
    const char *shift = getenv("GEOID_TEST_SEED");
    first += shift ? strtoull(shift, NULL, 0) : 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        const struct generate_options options = {seed, blocks, instructions, any_graph, functions};
        steps_check(&options, in_order, sizeof(in_order) / sizeof(in_order[0]));
        steps_check(&options, early_loops, sizeof(early_loops) / sizeof(early_loops[0]));
        steps_check(&options, whole, 1);
        steps_check(&options, little, 1);
    }
}

static void straight_code(void **state)
{
    (void)state;
    check(1, 150, 1, 60, false, 0);
}

static void structured_graphs(void **state)
{
    (void)state;
    check(1000, 150, 30, 6, false, 0);
}

static void any_graphs(void **state)
{
    (void)state;
    check(2000, 200, 16, 6, true, 0);
}

static void calls(void **state)
{
    (void)state;
    check(3000, 80, 12, 6, false, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_code),
        cmocka_unit_test(structured_graphs),
        cmocka_unit_test(any_graphs),
        cmocka_unit_test(calls),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
