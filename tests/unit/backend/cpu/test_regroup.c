/* Unit test of other work-groups for kernels whose items know nothing of theirs. */
#include "backend/cpu/regroup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Every item of the grid is in one group, and no group lies beyond it. */
static void assert_covers(const struct geo_grid *asked, const struct geo_grid *grid)
{
    for (int i = 0; i < 3; i++) {
        uint64_t items = (uint64_t)asked->count[i] * asked->size[i];
        assert_true(grid->size[i] > 0 && grid->count[i] > 0);
        assert_true((uint64_t)grid->count[i] * grid->size[i] >= items);
        assert_true(((uint64_t)grid->count[i] - 1) * grid->size[i] < items);
    }
}

static void every_grid_is_covered(void **state)
{
    static const uint32_t sizes[] = {1, 2, 3, 7, 16, 17, 48, 100, 256, 1000};
    static const uint32_t counts[] = {1, 2, 5, 33, 1024, 100003};
    (void)state;
    for (size_t s = 0; s < 1000; s++) {
        for (size_t c = 0; c < 216; c++) {
            struct geo_grid grid, asked = {
                                      {counts[c % 6], counts[c / 6 % 6], counts[c / 36]},
                                      {sizes[s % 10], sizes[s / 10 % 10], sizes[s / 100]},
                                  };
            if (geo_regroup(&asked, 16, s % 2, &grid)) {
                assert_covers(&asked, &grid);
            }
        }
    }
}

/* Grids as large as there are (native/kernel.h, GEO_LAUNCH_IDS_LIMIT). */
static void nothing_overflows(void **state)
{
    const uint32_t most = (UINT32_C(1) << 31) - (UINT32_C(1) << 16) - 1;
    const struct geo_grid asked = {{most, most, most}, {1, 1, 1}};
    struct geo_grid grid;
    (void)state;
    assert_true(geo_regroup(&asked, 64, true, &grid));
    assert_covers(&asked, &grid);
}

static void assert_rows(struct geo_grid asked, bool long_rows, struct geo_grid wanted)
{
    struct geo_grid grid = asked;
    geo_regroup(&asked, 16, long_rows, &grid);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(grid.size[i], wanted.size[i]);
        assert_int_equal(grid.count[i], wanted.count[i]);
    }
}

static void assert_grid(struct geo_grid asked, struct geo_grid wanted)
{
    assert_rows(asked, false, wanted);
}

static void rows_become_long_where_they_should(void **state)
{
    (void)state;
    assert_rows((struct geo_grid){{64, 64, 1}, {16, 16, 1}}, true,
                (struct geo_grid){{4, 1024, 1}, {256, 1, 1}});
    assert_rows((struct geo_grid){{4, 32, 64}, {32, 4, 2}}, true,
                (struct geo_grid){{1, 64, 128}, {128, 2, 1}});
    /* as many items as before, in rows of whole chunks that end with the grid */
    assert_rows((struct geo_grid){{9, 40, 1}, {32, 16, 1}}, true,
                (struct geo_grid){{2, 320, 1}, {256, 2, 1}});
    assert_rows((struct geo_grid){{7, 7, 16}, {16, 16, 1}}, true,
                (struct geo_grid){{1, 56, 16}, {112, 2, 1}});
    /* small groups grow too, and narrow ones */
    assert_rows((struct geo_grid){{64, 128, 1}, {16, 8, 1}}, true,
                (struct geo_grid){{4, 1024, 1}, {256, 1, 1}});
    assert_rows((struct geo_grid){{1024, 1024, 1}, {1, 1, 1}}, true,
                (struct geo_grid){{4, 1024, 1}, {256, 1, 1}});
    /* long already, or no plane */
    assert_rows((struct geo_grid){{4, 1024, 1}, {256, 2, 1}}, true,
                (struct geo_grid){{4, 1024, 1}, {256, 2, 1}});
    assert_rows((struct geo_grid){{8192, 1, 1}, {128, 1, 1}}, true,
                (struct geo_grid){{4096, 1, 1}, {256, 1, 1}});
}

static void narrow_groups_become_wide(void **state)
{
    (void)state;
    assert_grid((struct geo_grid){{1024, 4, 1}, {1, 256, 1}},
                (struct geo_grid){{16, 256, 1}, {64, 4, 1}});
    assert_grid((struct geo_grid){{128, 32, 1}, {8, 32, 1}},
                (struct geo_grid){{16, 256, 1}, {64, 4, 1}});
    assert_grid((struct geo_grid){{1024, 1024, 1}, {1, 1, 1}},
                (struct geo_grid){{4, 1024, 1}, {256, 1, 1}});
    /* A line's last group ends with it. */
    assert_grid((struct geo_grid){{1000003, 1, 1}, {1, 1, 1}},
                (struct geo_grid){{3907, 1, 1}, {256, 1, 1}});
    /* As wide as the grid. */
    assert_grid((struct geo_grid){{5, 1000, 1}, {4, 4, 1}},
                (struct geo_grid){{1, 1334, 1}, {20, 3, 1}});
}

static void few_items_still_make_groups_for_every_core(void **state)
{
    (void)state;
    assert_grid((struct geo_grid){{64, 1, 1}, {1, 1, 1}}, (struct geo_grid){{4, 1, 1}, {16, 1, 1}});
    assert_grid((struct geo_grid){{4096, 1, 1}, {16, 1, 1}},
                (struct geo_grid){{1024, 1, 1}, {64, 1, 1}});
}

static void good_groups_stay(void **state)
{
    static const struct geo_grid good[] = {
        {{4096, 1, 1}, {256, 1, 1}}, /* a line */
        {{64, 64, 1}, {16, 16, 1}},  /* a plane whose rows fill chunks */
        {{8, 8, 1}, {1000, 1, 1}},   /* a few idle lanes of many */
        {{1, 4096, 1}, {4, 64, 1}},  /* nothing beside it */
        {{100, 1, 1}, {64, 1, 1}},   /* few */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        struct geo_grid grid;
        assert_false(geo_regroup(&good[i], 16, false, &grid));
    }
}

static void assert_whole(struct geo_grid asked, struct geo_grid wanted)
{
    struct geo_grid grid = asked;
    geo_regroup_whole(&asked, 16, &grid);
    assert_memory_equal(&grid, &wanted, sizeof(grid));
}

/* A time limit keeps the program's groups, except where they would cut chunks. */
static void groups_become_whole_chunks(void **state)
{
    (void)state;
    assert_whole((struct geo_grid){{4, 3, 2}, {16, 5, 1}},
                 (struct geo_grid){{4, 3, 2}, {16, 5, 1}});
    assert_whole((struct geo_grid){{8, 3, 2}, {4, 5, 1}}, (struct geo_grid){{2, 3, 2}, {16, 5, 1}});
    assert_whole((struct geo_grid){{16, 1, 1}, {15, 1, 1}},
                 (struct geo_grid){{15, 1, 1}, {16, 1, 1}});
    assert_whole((struct geo_grid){{16, 1, 1}, {17, 1, 1}},
                 (struct geo_grid){{9, 1, 1}, {32, 1, 1}}); /* the last one ends with the grid */
}

/* A grid of whole chunks has groups of whole chunks. */
static void whole_rows_stay_whole(void **state)
{
    static const uint32_t sizes[] = {1, 2, 4, 8, 15, 16, 31, 48, 100, 256};
    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        struct geo_grid asked = {{1u << i % 10, 3, 2}, {sizes[i / 10 % 10], sizes[i / 100], 1}};
        struct geo_grid grid = asked;
        if (asked.count[0] * asked.size[0] % 16 == 0) {
            geo_regroup(&asked, 16, i % 2, &grid);
            geo_regroup_whole(&asked, 16, &grid);
            assert_covers(&asked, &grid);
            assert_int_equal(grid.size[0] % 16, 0);
        }
    }
}

static uint64_t number(const uint32_t count[3], const uint32_t group[3])
{
    return ((uint64_t)group[2] * count[1] + group[1]) * count[0] + group[0];
}

static void place(const uint32_t count[3], uint64_t number, uint32_t group[3])
{
    group[0] = (uint32_t)(number % count[0]);
    group[1] = (uint32_t)(number / count[0] % count[1]);
    group[2] = (uint32_t)(number / count[0] / count[1]);
}

/* Item by item, for all ranges of groups of small grids. */
static void groups_lead_back_to_the_programs(void **state)
{
    static const struct geo_grid asked = {{11, 2, 3}, {3, 7, 1}};
    static const struct geo_grid grid = {{3, 5, 2}, {16, 3, 2}};
    (void)state;
    for (uint64_t from = 0; from < 30; from++) {
        for (uint64_t to = from; to < 30; to++) {
            uint32_t first[3], last[3];
            place(grid.count, from, first);
            place(grid.count, to, last);
            geo_regroup_back(&asked, &grid, first, last);
            uint64_t low = number(asked.count, first), high = number(asked.count, last);
            for (uint32_t item = 0; item < 33 * 14 * 3; item++) {
                const uint32_t id[3] = {item % 33, item / 33 % 14, item / 33 / 14};
                const uint32_t own[3] = {id[0] / 16, id[1] / 3, id[2] / 2};
                const uint32_t theirs[3] = {id[0] / 3, id[1] / 7, id[2]};
                uint64_t in = number(grid.count, own), told = number(asked.count, theirs);
                assert_true(in < from || in > to || (told >= low && told <= high));
            }
            assert_true(from != to || high - low < 11 * 2 * 3 - 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_grid_is_covered),
        cmocka_unit_test(nothing_overflows),
        cmocka_unit_test(rows_become_long_where_they_should),
        cmocka_unit_test(narrow_groups_become_wide),
        cmocka_unit_test(few_items_still_make_groups_for_every_core),
        cmocka_unit_test(groups_become_whole_chunks),
        cmocka_unit_test(whole_rows_stay_whole),
        cmocka_unit_test(good_groups_stay),
        cmocka_unit_test(groups_lead_back_to_the_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
