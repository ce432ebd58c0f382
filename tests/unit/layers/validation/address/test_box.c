/* Places that commands touch, against a comparison byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "layers/validation/address/box.h"

/* The parts are linked without the layer that they are in. */
struct geo_layer_part;
extern const struct geo_layer_part *const geo_layer_parts[];
const struct geo_layer_part *const geo_layer_parts[] = {NULL};

enum { SPACE = 512 };

static void touch(const struct geo_val_bytes *bytes, bool space[SPACE])
{
    for (uint32_t z = 0; z < bytes->slices; z++) {
        for (uint32_t y = 0; y < bytes->rows; y++)
            memset(space + bytes->base + z * bytes->slice + y * bytes->pitch, true, bytes->width);
    }
}

static uint32_t number(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

static struct geo_val_bytes any_bytes(uint32_t *seed)
{
    return (struct geo_val_bytes){.base = number(seed, 64),
                                  .width = number(seed, 12),
                                  .pitch = number(seed, 20),
                                  .slice = number(seed, 80),
                                  .rows = 1 + number(seed, 5),
                                  .slices = 1 + number(seed, 4)};
}

static void bytes_meet_where_they_share_one(void **state)
{
    (void)state;
    uint32_t seed = 1, met = 0;
    for (int i = 0; i < 20000; i++) {
        const struct geo_val_bytes one = any_bytes(&seed), other = any_bytes(&seed);
        bool a[SPACE] = {false}, b[SPACE] = {false}, meet = false;
        touch(&one, a);
        touch(&other, b);
        for (int k = 0; k < SPACE; k++)
            meet |= a[k] && b[k];
        met += meet;
        assert_int_equal(geo_val_box_bytes_meet(&one, &other), meet);
        assert_int_equal(geo_val_box_bytes_meet(&other, &one), meet);
    }
    assert_true(met > 1000 && met < 19000);
}

static void spans_end_behind_the_last_byte(void **state)
{
    (void)state;
    const struct geo_val_bytes box = {
        .base = 100, .width = 8, .pitch = 32, .slice = 320, .rows = 10, .slices = 2};
    const struct geo_val_bytes endless = {.base = 16,
                                          .width = 1,
                                          .pitch = SIZE_MAX / 2,
                                          .slice = SIZE_MAX / 2,
                                          .rows = 9,
                                          .slices = 9};
    assert_int_equal(geo_val_box_bytes_span(&box), 320 + 9 * 32 + 8);
    assert_true(geo_val_box_bytes_span(&endless) == SIZE_MAX);
}

/* Where too much would have to be compared nothing is said. */
static void endless_boxes_do_not_meet(void **state)
{
    (void)state;
    const struct geo_val_bytes box = {
        .base = 0, .width = 1, .pitch = 2, .slice = 0, .rows = UINT32_MAX, .slices = UINT32_MAX};
    assert_false(geo_val_box_bytes_meet(&box, &box));
}

static void pixels_meet_along_every_axis(void **state)
{
    (void)state;
    const struct geo_val_pixels box = {{8, 8, 8}, {4, 4, 4}};
    assert_true(geo_val_box_pixels_meet(&box, &box));
    for (int i = 0; i < 3; i++) {
        struct geo_val_pixels next = box;
        next.origin[i] += 4;
        assert_false(geo_val_box_pixels_meet(&box, &next));
        assert_false(geo_val_box_pixels_meet(&next, &box));
        next.origin[i] -= 1;
        assert_true(geo_val_box_pixels_meet(&box, &next));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_meet_where_they_share_one),
        cmocka_unit_test(spans_end_behind_the_last_byte),
        cmocka_unit_test(endless_boxes_do_not_meet),
        cmocka_unit_test(pixels_meet_along_every_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
