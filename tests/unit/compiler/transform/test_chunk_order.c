/* Barriers that the order of chunks makes needless: which of them go, and what the kernels compute.
 * The kernels run in the reference interpreter, which runs items in the order of the kernel. */
#include "canonical.h"
#include "interpret.h"
#include "support.h"

#include "compiler/analysis/barriers.h"
#include "compiler/transform/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ROOM         128u
#define TURNS        4u

static struct geo_ir_module *canonicalized(void)
{
    struct geo_ir_module *module = support_fixture("chunk_order_O2");
    canonical_make(module);
    return module;
}

/* Returns the number of barriers of the work-group in a kernel. */
static uint32_t barriers_in(const struct geo_ir_function *kernel)
{
    uint32_t count = 0;
    geo_ir_for_each_block(block, kernel) {
        geo_ir_for_each_inst(inst, block) {
            count += geo_barrier_is_group_wide(inst);
        }
    }
    return count;
}

static void check_order(struct geo_ir_module *module, const char *name, uint32_t barriers,
                        bool descending)
{
    const struct geo_ir_function *kernel = interp_find(module, name);
    print_message("%s\n", name);
    assert_int_equal(barriers_in(kernel), barriers);
    assert_int_equal(kernel->descending, descending);
}

static void loads_of_neighbours_need_no_barrier(void **state)
{
    (void)state;
    struct geo_ir_module *module = canonicalized();
    check_order(module, "ascending", 1 + TURNS, false);
    check_order(module, "descending", 1 + TURNS, true);
    check_order(module, "own", 1 + TURNS, false);
    geo_ir_module_destroy(module);
}

static void loads_at_growing_distances_need_no_barrier(void **state)
{
    (void)state;
    struct geo_ir_module *module = canonicalized();
    check_order(module, "doubling", 2, true);
    check_order(module, "doubling_unsigned", 2, true);
    check_order(module, "halving", 2, true);
    geo_ir_module_destroy(module);
}

static void others_stay(void **state)
{
    (void)state;
    struct geo_ir_module *module = support_fixture("chunk_order_O2"), *changed = canonicalized();
    uint32_t others = 0;
    geo_ir_for_each_function(function, module) {
        if (!function->is_kernel || strncmp(function->entry_name, "not", 3) != 0) {
            continue;
        }
        const struct geo_ir_function *kernel = interp_find(changed, function->entry_name);
        print_message("%s\n", function->entry_name);
        assert_int_equal(barriers_in(kernel), barriers_in(function));
        assert_false(kernel->descending);
        others++;
    }
    assert_int_equal(others, 12);
    geo_ir_module_destroy(module);
    geo_ir_module_destroy(changed);
}

/* Items that run at the same time need their barriers. */
static void concurrent_items_keep_their_barriers(void **state)
{
    (void)state;
    struct geo_ir_module *module = support_fixture("chunk_order_O2");
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_transform_canonicalize_calls(module, &log), ZE_RESULT_SUCCESS);
    assert_int_equal(geo_transform_canonicalize_code(module, true, true, &log), ZE_RESULT_SUCCESS);
    assert_int_equal(barriers_in(interp_find(module, "ascending")), 1 + 2 * TURNS);
    assert_int_equal(barriers_in(interp_find(module, "doubling")), 3);
    geo_strbuf_finish(&log);
    geo_ir_module_destroy(module);
}

/* ---- results ---- */

/* Runs one group. */
static void run(struct geo_ir_module *module, const char *name, uint32_t items, const uint32_t *in,
                uint32_t *out)
{
    const uint32_t groups[3] = {1, 1, 1}, local[3] = {items, 1, 1};
    struct interp *interp = interp_create(module);
    uint32_t copy[ROOM];
    memcpy(copy, in, sizeof(copy));
    const uint64_t arguments[] = {interp_map(interp, copy, sizeof(copy)),
                                  interp_map(interp, out, ROOM * sizeof(*out))};
    if (!interp_launch(interp, interp_find(module, name), arguments, groups, local)) {
        fail_msg("%s: %s", name, interp_error(interp));
    }
    interp_destroy(interp);
}

/* The results are those of the module as it was compiled. */
static void results_stay(void **state)
{
    (void)state;
    static const char *const names[] = {"ascending", "descending",        "own",    "not_both",
                                        "doubling",  "doubling_unsigned", "halving"};
    static const uint32_t sizes[] = {1, 5, 16, 63, 64, 65, 100};
    struct support_random random = {7};
    struct geo_ir_module *module = support_fixture("chunk_order_O2"), *changed = canonicalized();
    for (size_t i = 0; i < COUNT(sizes) * COUNT(names); i++) {
        uint32_t in[ROOM], out[ROOM] = {0}, expected[ROOM] = {0}, items = sizes[i % COUNT(sizes)];
        for (uint32_t k = 0; k < ROOM; k++) {
            in[k] = (uint32_t)support_random_below(&random, UINT32_MAX);
        }
        run(module, names[i / COUNT(sizes)], items, in, expected);
        run(changed, names[i / COUNT(sizes)], items, in, out);
        assert_memory_equal(out, expected, sizeof(out));
    }
    geo_ir_module_destroy(module);
    geo_ir_module_destroy(changed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_of_neighbours_need_no_barrier),
        cmocka_unit_test(loads_at_growing_distances_need_no_barrier),
        cmocka_unit_test(others_stay),
        cmocka_unit_test(concurrent_items_keep_their_barriers),
        cmocka_unit_test(results_stay),
    };
    return cmocka_run_group_tests_name("chunk_order", tests, NULL, NULL);
}
