/* Every pass keeps the meaning: kernels are interpreted before and after each pass on random
 * inputs, and must leave the same memory. */
#include "canonical.h"
#include "interpret.h"
#include "support.h"

#include "compiler/builtins/builtins.h"
#include "compiler/transform/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WORDS 256u
#define RUNS  6

struct memory {
    uint32_t out[WORDS], in[WORDS];
};

/* The inputs of run r, the same each time. */
static uint32_t memory_fill(struct memory *memory, int run)
{
    struct support_random random = {(uint64_t)run * 7919 + 1};
    for (uint32_t i = 0; i < WORDS; i++) {
        memory->out[i] = (uint32_t)support_random(&random);
        memory->in[i] = (uint32_t)support_random_value(&random);
    }
    return (uint32_t)support_random_value(&random);
}

/* Runs one kernel of a module; fails the test when the interpreter does. */
static void kernel_run(struct geo_ir_module *module, struct geo_ir_function *kernel, int run,
                       struct memory *memory, const char *when)
{
    const uint32_t groups[3] = {2, 2, 1}, local[3] = {8, 1, 2};
    uint32_t n = memory_fill(memory, run);
    struct interp *interp = interp_create(module);
    uint64_t arguments[3] = {interp_map(interp, memory->out, sizeof(memory->out)),
                             interp_map(interp, memory->in, sizeof(memory->in)), n};
    if (!interp_launch(interp, kernel, arguments, groups, local)) {
        fail_msg("%s, %s, run %d: %s", kernel->entry_name, when, run, interp_error(interp));
    }
    interp_destroy(interp);
}

/* All kernels, all runs: what they leave behind. The reference is made when *reference is NULL. */
static void module_check(struct geo_ir_module *module, struct memory **reference, const char *when)
{
    bool make = *reference == NULL;
    uint32_t count = 0, at = 0;
    geo_ir_for_each_function(function, module) {
        count += function->is_kernel;
    }
    assert_true(count > 0);
    if (make) {
        *reference = calloc((size_t)count * RUNS, sizeof(**reference));
        assert_non_null(*reference);
    }
    geo_ir_for_each_function(function, module) {
        for (int run = 0; function->is_kernel && run < RUNS; run++, at++) {
            struct memory memory;
            kernel_run(module, function, run, make ? &(*reference)[at] : &memory, when);
            if (!make && memcmp(&memory, &(*reference)[at], sizeof(memory)) != 0) {
                fail_msg("%s differs %s, run %d", function->entry_name, when, run);
            }
        }
    }
}

typedef ze_result_t (*pass_fn)(struct geo_ir_module *module, struct geo_strbuf *log);

static ze_result_t inline_all(struct geo_ir_module *module, struct geo_strbuf *log)
{
    return geo_transform_inline(module, true, log);
}

static ze_result_t inline_needed(struct geo_ir_module *module, struct geo_strbuf *log)
{
    return geo_transform_inline(module, false, log);
}

static ze_result_t simplify(struct geo_ir_module *module, struct geo_strbuf *log)
{
    return geo_transform_simplify(module, true, log);
}

static ze_result_t simplify_little(struct geo_ir_module *module, struct geo_strbuf *log)
{
    return geo_transform_simplify(module, false, log);
}

struct step {
    const char *name;
    pass_fn pass;
};

static void steps_check(const char *fixture, const struct step *steps, size_t count)
{
    struct geo_ir_module *module = support_fixture(fixture);
    struct memory *reference = NULL;
    module_check(module, &reference, "as read");
    for (size_t i = 0; i < count; i++) {
        struct geo_strbuf log;
        char when[128];
        geo_strbuf_init(&log, 0);
        if (steps[i].pass(module, &log) != ZE_RESULT_SUCCESS) {
            fail_msg("%s: %s", steps[i].name, geo_strbuf_text(&log));
        }
        geo_strbuf_finish(&log);
        support_assert_valid(module);
        if (steps[i].pass == geo_transform_loops) {
            assert_canonical(module);
        }
        snprintf(when, sizeof(when), "after %s (step %zu of %s)", steps[i].name, i, fixture);
        module_check(module, &reference, when);
    }
    free(reference);
    geo_ir_module_destroy(module);
}

static const struct step optimized[] = {
    {"reachability", geo_transform_reachability},
    {"built-ins", geo_builtins_resolve},
    {"built-in variables", geo_transform_resolve_builtin_variables},
    {"inlining", inline_all},
    {"sroa", geo_transform_sroa},
    {"mem2reg", geo_transform_mem2reg},
    {"simplify", simplify},
    {"sroa", geo_transform_sroa},
    {"mem2reg", geo_transform_mem2reg},
    {"simplify", simplify},
    {"loops", geo_transform_loops},
    {"sroa on loop form", geo_transform_sroa},
    {"loops again", geo_transform_loops},
};

static const struct step plain[] = {
    {"built-in variables", geo_transform_resolve_builtin_variables},
    {"inlining", inline_needed},
    {"mem2reg", geo_transform_mem2reg},
    {"loops", geo_transform_loops},
    {"sroa", geo_transform_sroa},
    {"simplify", simplify_little},
    {"mem2reg", geo_transform_mem2reg},
    {"simplify", simplify},
    {"loops", geo_transform_loops},
};

static void fixture_check(const char *name)
{
    static const char *const levels[] = {"O0", "O2"};
    for (int i = 0; i < 2; i++) {
        char fixture[64];
        snprintf(fixture, sizeof(fixture), "%s_%s", name, levels[i]);
        steps_check(fixture, optimized, sizeof(optimized) / sizeof(optimized[0]));
        steps_check(fixture, plain, sizeof(plain) / sizeof(plain[0]));
    }
}

static void control_flow(void **state)
{
    (void)state;
    fixture_check("control");
}

static void private_memory(void **state)
{
    (void)state;
    fixture_check("aggregates");
}

static void calls_and_groups(void **state)
{
    (void)state;
    fixture_check("groups");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_flow),
        cmocka_unit_test(private_memory),
        cmocka_unit_test(calls_and_groups),
    };
    return cmocka_run_group_tests_name("semantics", tests, NULL, NULL);
}
