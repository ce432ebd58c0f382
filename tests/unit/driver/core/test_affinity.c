/* Unit test of the driver: ZE_AFFINITY_MASK, text that comes from outside. */
#include "unit.h"

#include "driver/core/affinity.h"

static uint32_t selected_bits(const char *mask, uint32_t count)
{
    bool selected[16];
    uint32_t bits = 0, chosen = geo_affinity_select(mask, count, selected), found = 0;
    for (uint32_t i = 0; i < count; i++) {
        bits |= (uint32_t)selected[i] << i;
        found += selected[i];
    }
    assert_int_equal(found, chosen);
    return bits;
}

/* ENV-6, ENV-8 */
static void the_mask_lists_ordinals_in_any_order(void **state)
{
    (void)state;
    assert_int_equal(selected_bits(NULL, 4), 0xf);
    assert_int_equal(selected_bits("", 4), 0xf);
    assert_int_equal(selected_bits("0", 4), 0x1);
    assert_int_equal(selected_bits("3,1", 4), 0xa);
    assert_int_equal(selected_bits("1,3,1", 4), 0xa);
    assert_int_equal(selected_bits(" 2 ,\t0 ", 4), 0x5);
    assert_int_equal(selected_bits("0,1,2,3", 4), 0xf);
}

/* ENV-14 */
static void entries_that_name_nothing_select_nothing(void **state)
{
    (void)state;
    assert_int_equal(selected_bits("4", 4), 0);
    assert_int_equal(selected_bits("0.0", 4), 0);
    assert_int_equal(selected_bits("0.0,2", 4), 0x4);
    assert_int_equal(selected_bits("-1", 4), 0);
    assert_int_equal(selected_bits(",,,", 4), 0);
    assert_int_equal(selected_bits("1x,0x1,+1", 4), 0);
    assert_int_equal(selected_bits("4294967296,18446744073709551616", 4), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mask_lists_ordinals_in_any_order),
        cmocka_unit_test(entries_that_name_nothing_select_nothing),
    };
    return cmocka_run_group_tests_name("affinity", tests, NULL, NULL);
}
