/* Boxes of bytes: pitches, places, overlap, and numbers that do not fit. */
#include "unit.h"

#include "driver/cmd/region.h"

static uint8_t memory[4096];

static ze_result_t box(struct geo_region *region, ze_copy_region_t from, uint32_t pitch,
                       uint32_t slice_pitch)
{
    return geo_region_init(region, memory, &from, pitch, slice_pitch);
}

static void pitches_of_0_leave_no_gaps(void **state)
{
    (void)state;
    struct geo_region region;
    assert_int_equal(box(&region, (ze_copy_region_t){1, 2, 3, 8, 4, 2}, 0, 0), ZE_RESULT_SUCCESS);
    assert_int_equal(region.pitch, 8);
    assert_int_equal(region.slice_pitch, 32);
    assert_int_equal(region.start, (uintptr_t)memory + 1 + 2 * 8 + 3 * 32);
    assert_int_equal(box(&region, (ze_copy_region_t){1, 2, 3, 8, 4, 0}, 16, 100),
                     ZE_RESULT_SUCCESS); /* flat: z and the slice pitch do not count */
    assert_int_equal(region.depth, 1);
    assert_int_equal(region.start, (uintptr_t)memory + 1 + 2 * 16);
}

static void pitches_must_hold_what_they_separate(void **state)
{
    (void)state;
    struct geo_region region;
    assert_int_equal(box(&region, (ze_copy_region_t){0, 0, 0, 8, 2, 0}, 7, 0),
                     ZE_RESULT_ERROR_INVALID_SIZE);
    assert_int_equal(box(&region, (ze_copy_region_t){0, 0, 0, 8, 1, 0}, 7, 0),
                     ZE_RESULT_SUCCESS); /* one row: nothing to separate */
    assert_int_equal(box(&region, (ze_copy_region_t){0, 0, 0, 8, 3, 2}, 16, 39),
                     ZE_RESULT_ERROR_INVALID_SIZE);
    assert_int_equal(box(&region, (ze_copy_region_t){0, 0, 0, 8, 3, 2}, 16, 40),
                     ZE_RESULT_SUCCESS); /* the last row's gap is nobody's */
}

static void regions_end_inside_the_address_space(void **state)
{
    (void)state;
    struct geo_region region;
    const ze_copy_region_t all = {0, 0, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    assert_int_equal(box(&region, all, 0, 0), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    const ze_copy_region_t byte = {0, 0, 0, 1, 1, 1};
    assert_int_equal(geo_region_init(&region, (void *)UINTPTR_MAX, &byte, 0, 0),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(geo_region_init(&region, (void *)(UINTPTR_MAX - 1), &byte, 0, 0),
                     ZE_RESULT_SUCCESS);
}

/* Whether two boxes share a byte, by looking at every byte. */
static bool share_a_byte(const struct geo_region *a, const struct geo_region *b)
{
    static uint8_t marks[sizeof(memory)];
    memset(marks, 0, sizeof(marks));
    for (int pass = 0; pass < 2; pass++) {
        const struct geo_region *region = pass ? b : a;
        for (uint64_t z = 0; z < region->depth; z++) {
            for (uint64_t y = 0; y < region->height; y++) {
                for (uint64_t x = 0; x < region->width; x++) {
                    size_t at = region->start - (uintptr_t)memory + z * region->slice_pitch +
                                y * region->pitch + x;
                    assert_true(at < sizeof(marks));
                    if (pass && marks[at]) {
                        return true;
                    }
                    marks[at] |= !pass;
                }
            }
        }
    }
    return false;
}

static void overlap_is_found_byte_for_byte(void **state)
{
    (void)state;
    unsigned met = 0;
    srand(1);
    for (int round = 0; round < 20000; round++) {
        const uint32_t width = 1 + (uint32_t)rand() % 9, height = 1 + (uint32_t)rand() % 4,
                       depth = 1 + (uint32_t)rand() % 3;
        struct geo_region region[2];
        for (int i = 0; i < 2; i++) {
            uint32_t pitch = width + (uint32_t)rand() % 12;
            uint32_t slice = pitch * height + (uint32_t)rand() % 30;
            const ze_copy_region_t from = {
                (uint32_t)rand() % 40, (uint32_t)rand() % 3, 0, width, height, depth};
            assert_int_equal(box(&region[i], from, pitch, slice), ZE_RESULT_SUCCESS);
        }
        bool meet = share_a_byte(&region[0], &region[1]);
        met += meet;
        assert_int_equal(geo_region_check(&region[0], &region[1]),
                         meet ? ZE_RESULT_ERROR_OVERLAPPING_REGIONS : ZE_RESULT_SUCCESS);
    }
    assert_true(met > 2000 && met < 18000);
}

static void extents_must_agree(void **state)
{
    (void)state;
    struct geo_region a, b;
    assert_int_equal(box(&a, (ze_copy_region_t){0, 0, 0, 8, 2, 0}, 0, 0), ZE_RESULT_SUCCESS);
    assert_int_equal(box(&b, (ze_copy_region_t){512, 0, 0, 8, 3, 0}, 0, 0), ZE_RESULT_SUCCESS);
    assert_int_equal(geo_region_check(&a, &b), ZE_RESULT_ERROR_INVALID_SIZE);
    assert_int_equal(box(&a, (ze_copy_region_t){0, 0, 0, 0, 2, 0}, 0, 0), ZE_RESULT_SUCCESS);
    assert_int_equal(geo_region_check(&a, &a), ZE_RESULT_SUCCESS); /* nothing is copied */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pitches_of_0_leave_no_gaps),
        cmocka_unit_test(pitches_must_hold_what_they_separate),
        cmocka_unit_test(regions_end_inside_the_address_space),
        cmocka_unit_test(overlap_is_found_byte_for_byte),
        cmocka_unit_test(extents_must_agree),
    };
    return cmocka_run_group_tests_name("region", tests, NULL, NULL);
}
