/* Unit test of the driver: ZE_AFFINITY_MASK, text that comes from outside. */
#include "unit.h"

#include "driver/core/affinity.h"

static uint32_t leaves_bits(const char *mask, const struct geo_affinity_shape *shape,
                            uint32_t leaves)
{
    bool selected[16];
    struct geo_strbuf unnamed;
    geo_strbuf_init(&unnamed, 0);
    uint32_t bits = 0, chosen = geo_affinity_select(mask, shape, selected, &unnamed), found = 0;
    geo_strbuf_finish(&unnamed);
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

static void text_check(const char *mask, const struct geo_affinity_shape *shape, const char *text)
{
    bool selected[16];
    struct geo_strbuf unnamed;
    geo_strbuf_init(&unnamed, 0);
    geo_affinity_select(mask, shape, selected, &unnamed);
    assert_string_equal(geo_strbuf_text(&unnamed), text);
    geo_strbuf_finish(&unnamed);
}

/* ENV-14 */
static void entries_that_name_nothing_are_told_with_the_reason(void **state)
{
    (void)state;
    const uint32_t parts[] = {2, 0};
    const struct geo_affinity_shape shape = {2, parts}, none = {0};
    text_check(NULL, &shape, "");
    text_check("0.1, 1", &shape, "");
    text_check("1,7", &shape, "entry \"7\" names no device: devices are numbered 0 to 1");
    text_check("1.0", &shape, "entry \"1.0\" names no device: device 1 has no sub-devices");
    text_check("0.2", &shape, "entry \"0.2\" names no device: device 0 has sub-devices 0 to 1");
    text_check("x,,0", &shape,
               "entry \"x\" names no device: its form must be DEVICE or DEVICE.SUBDEVICE, in "
               "numbers; entry \"\" names no device: its form must be DEVICE or "
               "DEVICE.SUBDEVICE, in numbers");
    text_check("0", &none, "entry \"0\" names no device: the driver has no devices");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mask_lists_ordinals_in_any_order),
        cmocka_unit_test(entries_that_name_nothing_select_nothing),
        cmocka_unit_test(dotted_entries_name_tiles),
        cmocka_unit_test(entries_that_name_nothing_are_told_with_the_reason),
    };
    return cmocka_run_group_tests_name("affinity", tests, NULL, NULL);
}
