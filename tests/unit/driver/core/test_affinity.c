/* Unit test of the driver: ZE_AFFINITY_MASK, text that comes from outside. */
#include "unit.h"

#include "driver/core/affinity.h"

static uint32_t leaves_bits(const char *mask, const struct geo_affinity_shape *shape,
                            uint32_t leaves)
{
    bool selected[16];
    uint32_t bits = 0, chosen = geo_affinity_select(mask, shape, selected), found = 0;
    for (uint32_t i = 0; i < leaves; i++) {
        bits |= (uint32_t)selected[i] << i;
        found += selected[i];
    }
    assert_int_equal(found, chosen);
    return bits;
}

static uint32_t selected_bits(const char *mask, uint32_t count)
{
    const struct geo_affinity_shape shape = {.count = count};
    return leaves_bits(mask, &shape, count);
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

/* ENV-9, ENV-10, ENV-11, ENV-12: two devices of four tiles, a bit each; then one device without
 * tiles among others with some. */
static void dotted_entries_name_tiles(void **state)
{
    (void)state;
    const uint32_t four[] = {4, 4}, mixed[] = {2, 0, 3};
    const struct geo_affinity_shape shape = {2, four}, other = {3, mixed};
    assert_int_equal(leaves_bits(NULL, &shape, 8), 0xff);
    assert_int_equal(leaves_bits("0,1", &shape, 8), 0xff);
    assert_int_equal(leaves_bits("0", &shape, 8), 0x0f);
    assert_int_equal(leaves_bits("1", &shape, 8), 0xf0);
    assert_int_equal(leaves_bits("0.0", &shape, 8), 0x01);
    assert_int_equal(leaves_bits("1.1,1.2", &shape, 8), 0x60);
    assert_int_equal(leaves_bits("0.2, 1.3, 1.0, 0.3", &shape, 8), 0x9c);
    assert_int_equal(leaves_bits("0.4,2.0,1.,.1,1.0.0,1.-1", &shape, 8), 0);
    assert_int_equal(leaves_bits("1", &other, 6), 0x04);
    assert_int_equal(leaves_bits("1.0,2.2", &other, 6), 0x20);
    assert_int_equal(leaves_bits("0.1,2", &other, 6), 0x3a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mask_lists_ordinals_in_any_order),
        cmocka_unit_test(entries_that_name_nothing_select_nothing),
        cmocka_unit_test(dotted_entries_name_tiles),
    };
    return cmocka_run_group_tests_name("affinity", tests, NULL, NULL);
}
