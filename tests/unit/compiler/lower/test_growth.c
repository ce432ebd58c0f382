/* The compiler's own work grows no faster than n log n: modules of many shapes (families_*.c), each
 * once more at half the size. Steps are counted (steps.h) in each stage: read, resolve,
 * restructure, lower at several widths.
 *
 * Twice the size may take 2.3 times the steps; what has a bound may grow with the square below it,
 * and no faster. */
#include "families.h"
#include "steps.h"

#include "compiler/ir/budget.h"
#include "compiler/lower/lower.h"
#include "compiler/lower/machine.h"
#include "compiler/spirv/reader.h"
#include "compiler/transform/transform.h"
#include "compiler/validate/validate.h"

#include "compiler/link/link.h"

#include <llvm-c/Core.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FACTOR 2.3
#define SQUARE 4.3
/* What the smallest module takes; less than this tells nothing. */
#define FLOOR 30000u

enum { READ, RESOLVE, RESTRUCTURE, LOWER, STAGES };
static const char *const stages[STAGES] = {"read", "resolve", "restructure", "lower"};

struct work {
    uint64_t steps[STAGES];
};

/* Steps since the last call. */
static uint64_t taken(void)
{
    uint64_t count = steps;
    steps = 0;
    return count;
}

/* Of a block of what was lowered last. */
static uint32_t most_successors;

/* The number of lanes for which the last kernel was lowered. */
static uint32_t kernel_lanes;

static void successors_count(LLVMModuleRef module)
{
    most_successors = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
             block = LLVMGetNextBasicBlock(block)) {
            uint32_t count = LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(block));
            most_successors = count > most_successors ? count : most_successors;
        }
    }
}

static ze_result_t lowered(struct geo_ir_module *module, uint32_t lanes, struct geo_strbuf *log)
{
    LLVMContextRef context = LLVMContextCreate();
    struct geo_lower_result result;
    LLVMContextSetDiscardValueNames(context, true); /* unique names are LLVM's work, not counted */
    const struct geo_lower_options options = {
        .lanes = lanes,
        .optimize = true,
        .target = {.arch = &geo_lower_x86_64,
                   .machine = &geo_lower_cpu,
                   .vector_bits = 256,
                   .gathers = GEO_GATHERS_ALWAYS,
                   .has_fma = true,
                   .has_half = true},
    };
    ze_result_t code = geo_lower_module(module, &options, context, &result, log);
    if (result.module) {
        successors_count(result.module);
        kernel_lanes = result.kernel_count ? result.kernels[0].lanes : 0;
        LLVMDisposeModule(result.module);
    }
    LLVMContextDispose(context);
    return code;
}

static ze_result_t build(const void *words, size_t bytes, uint32_t lanes, struct work *work,
                         struct geo_strbuf *log)
{
    struct geo_ir_module *module = NULL;
    taken();
    ze_result_t result = geo_spirv_read(words, bytes, &module, log);
    result = result == ZE_RESULT_SUCCESS ? geo_validate(module, "reading", log) : result;
    result = result == ZE_RESULT_SUCCESS ? geo_link_module(module, log) : result;
    work->steps[READ] = taken();
    result = result == ZE_RESULT_SUCCESS ? geo_transform_canonicalize_calls(module, log) : result;
    work->steps[RESOLVE] = taken();
    result = result == ZE_RESULT_SUCCESS ? geo_transform_canonicalize_code(module, true, false, log)
                                         : result;
    work->steps[RESTRUCTURE] = taken();
    result = result == ZE_RESULT_SUCCESS ? lowered(module, lanes, log) : result;
    work->steps[LOWER] = taken();
    geo_ir_module_destroy(module);
    return result;
}

static struct work work_of(const struct family *family, uint32_t size, uint32_t lanes,
                           bool may_be_built)
{
    struct spv s;
    struct work work;
    struct geo_strbuf log;
    size_t bytes;
    spv_begin(&s);
    family->write(&s, size);
    uint32_t *words = spv_end(&s, &bytes);
    geo_strbuf_init(&log, 1 << 16);
    ze_result_t result = build(words, bytes, lanes, &work, &log);
    bool refused = family->refusal && result != ZE_RESULT_SUCCESS &&
                   strstr(geo_strbuf_text(&log), family->refusal);
    if (!refused && ((family->refusal && !may_be_built) || result != ZE_RESULT_SUCCESS)) {
        fail_msg("%s of %u: result %#x, log: %s", family->name, size, (unsigned)result,
                 geo_strbuf_text(&log));
    }
    geo_strbuf_finish(&log);
    free(words);
    return work;
}

/* Whether it grew as it may. */
static bool family_grows(const struct family *family, uint32_t lanes)
{
    struct work small = work_of(family, family->size / 2, lanes, true);
    struct work large = work_of(family, family->size, lanes, false);
    bool good = true;
    for (int i = 0; i < STAGES; i++) {
        double ratio = (double)large.steps[i] / (double)(small.steps[i] + FLOOR);
        bool fits = ratio <= (family->bound ? SQUARE : FACTOR);
        print_message("%s %s of %u at %u, %s: %.2f million steps, %.2f times those of half\n",
                      fits ? "         " : "TOO FAST:", family->name, family->size, lanes,
                      stages[i], (double)large.steps[i] * 1e-6, ratio);
        good &= fits;
    }
    return good;
}

static const struct family *family_find(const struct family *families, size_t count,
                                        const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(families[i].name, name) == 0) {
            return &families[i];
        }
    }
    fail_msg("no family %s", name);
    return NULL;
}

static void check(const struct family *families, size_t count, uint32_t lanes)
{
    const char *only = getenv("FAMILY");
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        if (!only || strcmp(only, families[i].name) == 0) {
            good &= family_grows(&families[i], lanes);
        }
    }
    assert_true(good);
}

static void work_of_control_flow_grows_with_its_size(void **state)
{
    (void)state;
    check(families_flow, families_flow_count, 8);
}

static void work_of_control_flow_grows_with_its_size_item_by_item(void **state)
{
    (void)state;
    check(families_flow, families_flow_count, 1);
}

static void work_of_data_grows_with_its_size(void **state)
{
    (void)state;
    check(families_data, families_data_count, 8);
}

/* Some thousand bytes that ask for a million instructions end at the budget before LLVM sees them.
 */
static void wide_values_spend_the_budget_of_a_build(void **state)
{
    (void)state;
    struct spv s;
    struct work work;
    struct geo_strbuf log;
    struct geo_budget budget;
    size_t bytes;
    spv_begin(&s);
    family_find(families_data, families_data_count, "structs_read")->write(&s, 400);
    uint32_t *words = spv_end(&s, &bytes);
    geo_strbuf_init(&log, 1 << 16);
    geo_budget_init(&budget, 10);
    geo_budget_begin(&budget);
    ze_result_t result = build(words, bytes, 8, &work, &log);
    geo_budget_end();
    assert_int_not_equal(result, ZE_RESULT_SUCCESS);
    assert_true(budget.work > budget.work_limit);
    geo_budget_finish(&budget);
    geo_strbuf_finish(&log);
    free(words);
}

/* LLVM takes n looks at each of a block's n successors. The last of 200 barriers is needless,
 * because nothing is accessed behind it, and the start is a successor, too. */
static void many_barriers_are_no_wide_switch(void **state)
{
    (void)state;
    const struct family *barriers =
        family_find(families_flow, families_flow_count, "barriers_passed");
    work_of(barriers, 200, 8, false);
    assert_int_equal(most_successors, 200);
    work_of(barriers, 600, 8, false);
    assert_true(most_successors <= 65);
    work_of(barriers, 5000, 8, false);
    assert_true(most_successors <= 65);
}

/* Masks multiply the code of branches. A width that was asked for is kept, however large it is. */
static void very_large_kernels_run_one_item_at_a_time(void **state)
{
    (void)state;
    const struct family *ifs = family_find(families_flow, families_flow_count, "ifs_varying");
    work_of(ifs, 100, 0, false);
    assert_int_equal(kernel_lanes, 8);
    work_of(ifs, 12000, 0, false);
    assert_int_equal(kernel_lanes, 1);
    work_of(ifs, 12000, 8, false);
    assert_int_equal(kernel_lanes, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_of_control_flow_grows_with_its_size),
        cmocka_unit_test(work_of_control_flow_grows_with_its_size_item_by_item),
        cmocka_unit_test(work_of_data_grows_with_its_size),
        cmocka_unit_test(wide_values_spend_the_budget_of_a_build),
        cmocka_unit_test(many_barriers_are_no_wide_switch),
        cmocka_unit_test(very_large_kernels_run_one_item_at_a_time),
    };
    return cmocka_run_group_tests_name("growth", tests, NULL, NULL);
}
