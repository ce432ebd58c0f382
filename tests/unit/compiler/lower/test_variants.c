/* Unit tests of the table of variants (lower/cpu/function/variants.c) and of the choice of a row. */
#include "compiler/lower/cpu/function/variants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Something can be emitted at each level, whatever the kernel is. */
static void each_level_ends_with_a_row_for_every_kernel(void **state)
{
    (void)state;
    uint32_t count;
    const struct geo_variant *rows = geo_variants_table(&count);
    for (int level = 0; level < GEO_VARIANT_LEVELS; level++) {
        const struct geo_variant *last = NULL;
        for (uint32_t i = 0; i < count; i++) {
            last = (int)rows[i].level == level ? &rows[i] : last;
        }
        assert_non_null(last);
        assert_null(last->legal);
        assert_null(last->pays);
    }
}

static void rows_have_a_name_of_their_own_and_an_emitter(void **state)
{
    (void)state;
    uint32_t count;
    const struct geo_variant *rows = geo_variants_table(&count);
    for (uint32_t i = 0; i < count; i++) {
        assert_non_null(rows[i].emit);
        for (uint32_t k = 0; k < i; k++) {
            assert_true(rows[i].level != rows[k].level || strcmp(rows[i].name, rows[k].name) != 0);
        }
    }
}

/* ---- the choice ---- */

static bool yes(const struct geo_lower_groups *k)
{
    (void)k;
    return true;
}

static bool no(const struct geo_lower_groups *k)
{
    (void)k;
    return false;
}

static bool asked; /* whether a row was asked whether it pays */

static bool too_dear(struct geo_lower_groups *k)
{
    (void)k;
    asked = true;
    return false;
}

static bool out_of_memory(struct geo_lower_groups *k)
{
    k->f->failed = true;
    return true;
}

static const char *emitted;

static void emit_first(struct geo_lower_groups *k)
{
    (void)k;
    emitted = "first";
}

static void emit_last(struct geo_lower_groups *k)
{
    (void)k;
    emitted = "last";
}

/* Runs level CHUNKS with two rows, behind one of another level. */
static const char *run(bool (*legal)(const struct geo_lower_groups *k),
                       bool (*pays)(struct geo_lower_groups *k), bool failed)
{
    const struct geo_variant rows[] = {
        {GEO_VARIANT_ROW, "other", NULL, NULL, NULL},
        {GEO_VARIANT_CHUNKS, "first", legal, pays, emit_first},
        {GEO_VARIANT_CHUNKS, "last", NULL, NULL, emit_last},
    };
    struct geo_lower_function f = {.failed = failed};
    struct geo_lower_groups k = {.f = &f, .variants = rows, .variant_count = 3};
    emitted = NULL;
    asked = false;
    geo_variant_run(&k, GEO_VARIANT_CHUNKS);
    return emitted;
}

static void the_first_row_that_is_legal_and_pays_emits(void **state)
{
    (void)state;
    assert_string_equal(run(yes, NULL, false), "first");
    assert_string_equal(run(no, NULL, false), "last");
    assert_string_equal(run(yes, too_dear, false), "last");
    assert_true(asked);
}

/* The costs of an illegal row may not be defined. */
static void illegal_rows_are_not_weighed(void **state)
{
    (void)state;
    assert_string_equal(run(no, too_dear, false), "last");
    assert_false(asked);
}

static void nothing_is_emitted_after_a_failure(void **state)
{
    (void)state;
    assert_null(run(yes, NULL, true));
    assert_null(run(yes, out_of_memory, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_level_ends_with_a_row_for_every_kernel),
        cmocka_unit_test(rows_have_a_name_of_their_own_and_an_emitter),
        cmocka_unit_test(the_first_row_that_is_legal_and_pays_emits),
        cmocka_unit_test(illegal_rows_are_not_weighed),
        cmocka_unit_test(nothing_is_emitted_after_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
