/* Values of many scalars (transform/memory/large_values.c): memory is used in their place, and
 * holds what the interpreter makes of the values. The kernels are in
 * fixtures/large_values.spvasm. */
#include "interpret.h"
#include "program.h"
#include "support.h"

#include "compiler/transform/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GROUPS 2u
#define LOCAL  11u /* not a multiple of any width */
#define WORDS  522u
#define RUNS   3u

struct memory {
    uint32_t out[GROUPS * LOCAL * WORDS], in[GROUPS * LOCAL * WORDS];
};

static struct memory expected, found;

static uint32_t memory_fill(struct memory *memory, uint32_t run)
{
    struct support_random random = {run + 1};
    for (uint32_t i = 0; i < GROUPS * LOCAL * WORDS; i++) {
        memory->out[i] = (uint32_t)support_random(&random);
        memory->in[i] = (uint32_t)support_random(&random);
    }
    return run * 5;
}

static void kernel_interpret(struct geo_ir_module *module, struct geo_ir_function *kernel,
                             uint32_t run, struct memory *memory)
{
    uint32_t n = memory_fill(memory, run);
    struct interp *interp = interp_create(module);
    uint64_t arguments[3] = {interp_map(interp, memory->out, sizeof(memory->out)),
                             interp_map(interp, memory->in, sizeof(memory->in)), n};
    if (!interp_launch(interp, kernel, arguments, (uint32_t[]){GROUPS, 1, 1},
                       (uint32_t[]){LOCAL, 1, 1})) {
        fail_msg("%s, run %u: %s", kernel->entry_name, run, interp_error(interp));
    }
    interp_destroy(interp);
}

static void assert_same(const char *kernel, const char *when, uint32_t run)
{
    for (uint32_t i = 0; i < 2 * GROUPS * LOCAL * WORDS; i++) {
        uint32_t at = i % (GROUPS * LOCAL * WORDS);
        bool out = i < GROUPS * LOCAL * WORDS;
        uint32_t value = out ? found.out[at] : found.in[at];
        uint32_t wanted = out ? expected.out[at] : expected.in[at];
        if (value != wanted) {
            fail_msg("%s %s, run %u: item %u, %s word %u is %#x, not %#x", kernel, when, run,
                     at / WORDS, out ? "out" : "in", at % WORDS, value, wanted);
        }
    }
}

static void canonicalize(struct geo_ir_module *module, bool optimize)
{
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    if (geo_transform_canonicalize(module, optimize, &log) != ZE_RESULT_SUCCESS) {
        fail_msg("%s", geo_strbuf_text(&log));
    }
    geo_strbuf_finish(&log);
    support_assert_valid(module);
}

/* Nothing has or takes a value of many scalars. */
static void assert_small(const struct geo_ir_module *module)
{
    geo_ir_for_each_function(function, module) {
        geo_ir_for_each_block(block, function) {
            geo_ir_for_each_inst(inst, block) {
                bool large = inst->value.type->leaves > 99;
                for (uint32_t i = 0; i < inst->operand_count; i++) {
                    large |= inst->operands[i]->type->leaves > 99;
                }
                if (large) {
                    fail_msg("%s in %s", geo_op_name(inst->op), function->entry_name);
                }
            }
        }
    }
}

static void large_values_are_in_memory(void **state)
{
    (void)state;
    struct geo_ir_module *source = support_fixture("large_values");
    for (int optimize = 0; optimize < 2; optimize++) {
        struct geo_ir_module *module = support_fixture("large_values");
        canonicalize(module, optimize);
        assert_small(module);
        geo_ir_for_each_function(kernel, source) {
            for (uint32_t run = 0; kernel->is_kernel && run < RUNS; run++) {
                kernel_interpret(source, kernel, run, &expected);
                kernel_interpret(module, interp_find(module, kernel->entry_name), run, &found);
                assert_same(kernel->entry_name, "as a model", run);
            }
        }
        geo_ir_module_destroy(module);
    }
    geo_ir_module_destroy(source);
}

static void programs_check(const struct program_options *options)
{
    static const struct program_launch launch = {.groups = {GROUPS, 1, 1}, .local = {LOCAL, 1, 1}};
    struct geo_ir_module *source = support_fixture("large_values");
    struct geo_ir_module *module = support_fixture("large_values");
    struct program *program = program_build_model(module, options);
    char when[32];
    snprintf(when, sizeof(when), "at width %u%s", options->lanes, options->optimize ? "" : ", -O0");
    geo_ir_for_each_function(kernel, source) {
        for (uint32_t run = 0; kernel->is_kernel && program_runs(program) && run < RUNS; run++) {
            kernel_interpret(source, kernel, run, &expected);
            uint32_t n = memory_fill(&found, run);
            const struct program_argument arguments[] = {
                PROGRAM_POINTER(found.out), PROGRAM_POINTER(found.in), PROGRAM_VALUE(n)};
            program_run(program, kernel->entry_name, &launch, arguments, 3);
            assert_same(kernel->entry_name, when, run);
        }
    }
    program_destroy(program);
    geo_ir_module_destroy(module);
    geo_ir_module_destroy(source);
}

static void large_values_move_as_the_interpreter_says(void **state)
{
    (void)state;
    static const struct program_options options[] = {
        {.lanes = 1, .cpu = "x86-64"},
        {.lanes = 1, .optimize = true},
        {.lanes = 8, .optimize = true, .cpu = "x86-64-v3"},
        {.lanes = 16, .optimize = true},
    };
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        programs_check(&options[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_values_are_in_memory),
        cmocka_unit_test(large_values_move_as_the_interpreter_says),
    };
    return cmocka_run_group_tests_name("large_values", tests, NULL, NULL);
}
