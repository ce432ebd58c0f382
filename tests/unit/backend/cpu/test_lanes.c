/* Counts of chunks and lanes, compared with counting each row of each group. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backend/cpu/lanes.h"

static struct geo_launch launch_make(const uint32_t count[3], const uint32_t size[3],
                                     const uint64_t global[3])
{
    struct geo_launch launch = {.work_dim = 3};
    for (int i = 0; i < 3; i++) {
        launch.group_count[i] = count[i];
        launch.local_size[i] = size[i];
        launch.global_size[i] = global[i];
    }
    return launch;
}

static uint64_t extent(const struct geo_launch *launch, int axis, uint32_t group)
{
    const uint64_t begin = (uint64_t)group * launch->local_size[axis];
    const uint64_t left = launch->global_size[axis] - begin;
    return left < launch->local_size[axis] ? left : launch->local_size[axis];
}

static void row_add(struct geo_cpu_lanes *lanes, uint64_t items, uint32_t width)
{
    for (; items != 0; items -= items < width ? items : width) {
        lanes->chunks++;
        lanes->partial += items < width;
        lanes->items += items < width ? items : width;
    }
}

static struct geo_cpu_lanes one_by_one(const struct geo_launch *launch,
                                       const struct geo_scratch_needs *needs)
{
    struct geo_cpu_lanes lanes = {0};
    for (uint32_t z = 0; z < launch->group_count[2]; z++) {
        for (uint32_t y = 0; y < launch->group_count[1]; y++) {
            for (uint32_t x = 0; x < launch->group_count[0]; x++) {
                uint64_t rows = extent(launch, 1, y) * extent(launch, 2, z);
                uint64_t row = extent(launch, 0, x);
                for (uint64_t i = 0; i < (needs->linear ? 1 : rows); i++) {
                    row_add(&lanes, needs->linear ? row * rows : row, needs->lanes);
                }
            }
        }
    }
    return lanes;
}

static void check(const uint32_t count[3], const uint32_t size[3], const uint64_t global[3])
{
    const struct geo_launch launch = launch_make(count, size, global);
    for (uint32_t width = 1; width <= 64; width *= 2) {
        for (int linear = 0; linear < 2; linear++) {
            const struct geo_scratch_needs needs = {.lanes = width, .linear = linear};
            const struct geo_cpu_lanes want = one_by_one(&launch, &needs);
            const struct geo_cpu_lanes got = geo_cpu_lanes_count(&launch, &needs);
            assert_int_equal(got.items, want.items);
            assert_int_equal(got.chunks, want.chunks);
            assert_int_equal(got.partial, want.partial);
        }
    }
}

static void chunks_are_counted_as_one_by_one(void **state)
{
    (void)state;
    check((uint32_t[]){1, 1, 1}, (uint32_t[]){1, 1, 1}, (uint64_t[]){1, 1, 1});
    check((uint32_t[]){7, 1, 1}, (uint32_t[]){20, 1, 1}, (uint64_t[]){140, 1, 1});
    check((uint32_t[]){3, 4, 5}, (uint32_t[]){5, 3, 2}, (uint64_t[]){15, 12, 10});
    check((uint32_t[]){2, 2, 2}, (uint32_t[]){32, 2, 1}, (uint64_t[]){64, 4, 2});
}

static void groups_at_the_edges_are_cut_off(void **state)
{
    (void)state;
    check((uint32_t[]){3, 4, 5}, (uint32_t[]){8, 3, 2}, (uint64_t[]){17, 10, 9});
    check((uint32_t[]){4, 1, 1}, (uint32_t[]){256, 1, 1}, (uint64_t[]){1000, 1, 1});
    check((uint32_t[]){2, 3, 1}, (uint32_t[]){64, 4, 1}, (uint64_t[]){65, 9, 1});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_are_counted_as_one_by_one),
        cmocka_unit_test(groups_at_the_edges_are_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
