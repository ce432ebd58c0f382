/* Which kernels exchange values through local memory without a barrier. */
#include "compiler/analysis/exchange.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysed.h"

/* Returns the answer for a kernel, which is the same without clang's optimisations. */
static bool exchanges(const char *kernel)
{
    static const char *const fixtures[2] = {"exchange_O2", "exchange_O0"};
    bool found[2] = {false, false};
    for (size_t i = 0; i < 2; i++) {
        struct analysed a;
        struct geo_barriers barriers;
        analysed_begin(&a, fixtures[i], kernel, 8);
        assert_true(geo_barriers_find(a.cfg.function, &a.arena, &barriers));
        assert_true(geo_exchange_find(&a.cfg, &barriers, &a.shapes, &a.arena, &found[i]));
        analysed_end(&a);
    }
    assert_int_equal(found[0], found[1]);
    return found[0];
}

static void places_of_other_items_are_found(void **state)
{
    (void)state;
    assert_true(exchanges("reads_its_neighbour"));
    assert_true(exchanges("reads_in_a_branch"));
    assert_true(exchanges("reads_in_the_next_turn"));
    assert_true(exchanges("reads_unknown_objects"));
    assert_true(exchanges("reads_vectors"));
}

static void barriers_end_an_exchange(void **state)
{
    (void)state;
    assert_false(exchanges("waits"));
    assert_false(exchanges("waits_in_each_turn"));
}

static void stores_behind_loads_are_no_exchange(void **state)
{
    (void)state;
    assert_false(exchanges("adds_the_other_half"));
    assert_false(exchanges("writes_in_the_next_turn"));
}

static void own_places_are_no_exchange(void **state)
{
    (void)state;
    assert_false(exchanges("reads_its_own"));
    assert_false(exchanges("reads_another_array"));
}

static void stacks_of_items_are_no_exchange(void **state)
{
    (void)state;
    assert_false(exchanges("has_a_row"));
    assert_false(exchanges("has_a_column"));
    assert_true(exchanges("reads_the_next_row"));
    assert_true(exchanges("reads_a_near_column"));
    assert_true(exchanges("reads_any_row"));
}

static void only_plain_accesses_of_local_memory_count(void **state)
{
    (void)state;
    assert_false(exchanges("counts"));
    assert_false(exchanges("writes_global_memory"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_of_other_items_are_found),
        cmocka_unit_test(barriers_end_an_exchange),
        cmocka_unit_test(stores_behind_loads_are_no_exchange),
        cmocka_unit_test(own_places_are_no_exchange),
        cmocka_unit_test(stacks_of_items_are_no_exchange),
        cmocka_unit_test(only_plain_accesses_of_local_memory_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
