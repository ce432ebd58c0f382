/* Scans by doubling distances: which are replaced, and what the kernels compute in groups that the
 * scan covers and in larger ones. The kernels run in the reference interpreter. */
#include "canonical.h"
#include "interpret.h"
#include "support.h"

#include "compiler/transform/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ITEMS        64u /* that a scan of the fixture covers */
#define ROOM         128u

static struct geo_ir_module *canonicalized(void)
{
    struct geo_ir_module *module = support_fixture("scans_O2");
    canonical_make(module);
    return module;
}

static uint32_t atomics_in(const struct geo_ir_function *function)
{
    uint32_t count = 0;
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            count += inst->op == SpvOpAtomicIAdd;
        }
    }
    return count;
}

static void scans_of_integers_are_replaced(void **state)
{
    (void)state;
    struct geo_ir_module *module = canonicalized();
    assert_int_equal(atomics_in(interp_find(module, "doubling")), 1);
    assert_int_equal(atomics_in(interp_find(module, "by_signed_ids")), 1);
    assert_int_equal(atomics_in(interp_find(module, "of_wide_numbers")), 1);
    assert_int_equal(atomics_in(interp_find(module, "two_scans")), 2);
    geo_ir_module_destroy(module);
}

static void others_stay(void **state)
{
    (void)state;
    struct geo_ir_module *module = canonicalized();
    uint32_t others = 0;
    geo_ir_for_each_function(function, module) {
        if (function->is_kernel && strncmp(function->entry_name, "not", 3) == 0) {
            print_message("%s\n", function->entry_name);
            assert_int_equal(atomics_in(function), 0);
            others++;
        }
    }
    assert_int_equal(others, 13);
    geo_ir_module_destroy(module);
}

/* Where items run at the same time, atomics do not follow the order of the items. */
static void concurrent_items_keep_their_scans(void **state)
{
    (void)state;
    struct geo_ir_module *module = support_fixture("scans_O2");
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_transform_canonicalize_calls(module, &log), ZE_RESULT_SUCCESS);
    assert_int_equal(geo_transform_canonicalize_code(module, true, true, &log), ZE_RESULT_SUCCESS);
    assert_int_equal(support_count(module, NULL, SpvOpAtomicIAdd), 0);
    geo_strbuf_finish(&log);
    geo_ir_module_destroy(module);
}

/* ---- results ---- */

/* Scans `values` as the kernels are written. */
static void scan(uint64_t *values, uint32_t items)
{
    uint64_t before[ROOM];
    for (uint32_t d = 1; d < ITEMS; d *= 2) {
        memcpy(before, values, sizeof(before));
        for (uint32_t i = d; i < items; i++) {
            values[i] += before[i - d];
        }
    }
}

static void check(const char *kernel, uint32_t bytes, uint32_t scans, uint32_t items)
{
    const uint32_t groups[3] = {2, 1, 1}, local[3] = {items, 1, 1};
    uint64_t values[2 * ROOM], out[2 * ROOM], expected[2][ROOM] = {{0}};
    struct support_random random = {items + bytes};
    struct geo_ir_module *module = canonicalized();
    struct interp *interp = interp_create(module);
    for (uint32_t i = 0; i < 2 * items; i++) {
        uint64_t value = support_random_below(&random, UINT32_MAX) * UINT64_C(0x100000001);
        memcpy((uint8_t *)values + (size_t)i * bytes, &value, bytes);
        expected[i / items][i % items] = value;
    }
    uint64_t shared[ROOM];
    const uint64_t arguments[] = {interp_map(interp, values, sizeof(values)),
                                  interp_map(interp, out, sizeof(out)),
                                  interp_map(interp, shared, sizeof(shared))};
    if (!interp_launch(interp, interp_find(module, kernel), arguments, groups, local)) {
        fail_msg("%s: %s", kernel, interp_error(interp));
    }
    for (uint32_t g = 0; g < 2; g++) {
        for (uint32_t i = 0; i < scans; i++) {
            scan(expected[g], items);
        }
        for (uint32_t i = 0; i < items; i++) {
            assert_memory_equal((uint8_t *)out + (size_t)(g * items + i) * bytes, &expected[g][i],
                                bytes);
        }
    }
    /* Barriers in front of each scan, and two of it or of each of its six steps. */
    uint64_t barriers = scans * (1 + 2 * (items <= ITEMS ? 1 : 6));
    assert_int_equal(interp_barriers(interp), 2 * items * barriers);
    interp_destroy(interp);
    geo_ir_module_destroy(module);
}

static void results_are_those_of_the_steps(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 5, 16, 63, 64, 65, 100};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        check("doubling", 4, 1, sizes[i]);
        check("by_signed_ids", 4, 1, sizes[i]);
        check("of_wide_numbers", 8, 1, sizes[i]);
        check("two_scans", 4, 2, sizes[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scans_of_integers_are_replaced),
        cmocka_unit_test(others_stay),
        cmocka_unit_test(concurrent_items_keep_their_scans),
        cmocka_unit_test(results_are_those_of_the_steps),
    };
    return cmocka_run_group_tests_name("scans", tests, NULL, NULL);
}
