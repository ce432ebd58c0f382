/* The work of an item: each block of a kernel counted once. */
#include "compiler/analysis/work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysed.h"

#include <string.h>

/* Counts the work of a kernel at 8 lanes. */
static void work_of(const char *kernel, uint64_t work[GEO_COUNTED_COUNT])
{
    struct analysed a;
    analysed_begin(&a, "work_O2", kernel, 8);
    memset(work, 0, GEO_COUNTED_COUNT * sizeof(*work));
    for (uint32_t i = 0; i < a.cfg.reachable_count; i++) {
        geo_work_of_block(a.loops.order[i], &a.shapes, work);
    }
    assert_true(work[GEO_COUNTED_INSTRUCTIONS] > 0);
    assert_int_equal(work[GEO_COUNTED_SLOTS], 0); /* of a chunk, not of an item */
    analysed_end(&a);
}

static void floats_count_by_width(void **state)
{
    uint64_t work[GEO_COUNTED_COUNT];
    (void)state;
    work_of("floats", work);
    assert_int_equal(work[GEO_COUNTED_FLOAT], 4);
    assert_int_equal(work[GEO_COUNTED_DOUBLE], 2);
    assert_int_equal(work[GEO_COUNTED_HALF], 1);
    assert_int_equal(work[GEO_COUNTED_READ], 2 * 4 + 8 + 2);
    assert_int_equal(work[GEO_COUNTED_WRITE], 4 + 8 + 2);
}

static void integers_count(void **state)
{
    uint64_t work[GEO_COUNTED_COUNT];
    (void)state;
    work_of("integers", work);
    assert_int_equal(work[GEO_COUNTED_INTEGER], 5);
    assert_int_equal(work[GEO_COUNTED_FLOAT], 0);
}

static void components_count(void **state)
{
    uint64_t work[GEO_COUNTED_COUNT];
    (void)state;
    work_of("vectors", work);
    assert_int_equal(work[GEO_COUNTED_FLOAT], 8);
    assert_int_equal(work[GEO_COUNTED_READ], 16 + 12);
    assert_int_equal(work[GEO_COUNTED_CONSECUTIVE],
                     work[GEO_COUNTED_READ] + work[GEO_COUNTED_WRITE]);
}

static void comparisons_and_conversions_do_not_count(void **state)
{
    uint64_t work[GEO_COUNTED_COUNT];
    (void)state;
    work_of("free_of_charge", work);
    assert_int_equal(work[GEO_COUNTED_FLOAT], 0);
    assert_int_equal(work[GEO_COUNTED_READ], 8);
}

static void bytes_have_classes(void **state)
{
    uint64_t work[GEO_COUNTED_COUNT];
    (void)state;
    work_of("places", work);
    assert_int_equal(work[GEO_COUNTED_UNIFORM], 4);
    assert_int_equal(work[GEO_COUNTED_CONSECUTIVE], 4 + 4);
    assert_int_equal(work[GEO_COUNTED_STRIDED], 4);
    assert_int_equal(work[GEO_COUNTED_SCATTERED], 4 + 4);
    assert_int_equal(work[GEO_COUNTED_READ], 20);
}

static void groups_have_barriers_atomics_and_local_memory(void **state)
{
    uint64_t work[GEO_COUNTED_COUNT];
    (void)state;
    work_of("group", work);
    assert_int_equal(work[GEO_COUNTED_BARRIERS], 1);
    assert_int_equal(work[GEO_COUNTED_ATOMICS], 2);
    assert_int_equal(work[GEO_COUNTED_LOCAL], 8);
    assert_int_equal(work[GEO_COUNTED_READ] + work[GEO_COUNTED_WRITE], 0);
}

static void arrays_of_an_item_are_private(void **state)
{
    uint64_t work[GEO_COUNTED_COUNT];
    (void)state;
    work_of("private_array", work);
    assert_int_equal(work[GEO_COUNTED_PRIVATE], 8);
    assert_int_equal(work[GEO_COUNTED_WRITE], 4);
    assert_int_equal(work[GEO_COUNTED_READ], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_count_by_width),
        cmocka_unit_test(integers_count),
        cmocka_unit_test(components_count),
        cmocka_unit_test(comparisons_and_conversions_do_not_count),
        cmocka_unit_test(bytes_have_classes),
        cmocka_unit_test(groups_have_barriers_atomics_and_local_memory),
        cmocka_unit_test(arrays_of_an_item_are_private),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
