/* The arena: what it hands out is apart, aligned, zero and stays; limits and overflows are refused. */
#include "unit.h"

#include "sweep.h"

#include "base/arena.h"

static void objects_are_apart_aligned_and_zero(void **state)
{
    (void)state;
    struct geo_arena arena;
    unsigned char *objects[3000];
    size_t sizes[3000];
    geo_arena_init(&arena, 0);
    for (size_t i = 0; i < 3000; i++) { /* over many blocks, some larger than a block */
        sizes[i] = i % 500 == 499 ? 100000 : i % 70;
        objects[i] = geo_arena_alloc(&arena, sizes[i]);
        assert_non_null(objects[i]);
        assert_int_equal((uintptr_t)objects[i] % 16, 0);
        for (size_t k = 0; k < sizes[i]; k++) {
            assert_int_equal(objects[i][k], 0);
        }
        memset(objects[i], (int)(i % 251) + 1, sizes[i]);
    }
    for (size_t i = 0; i < 3000; i++) {
        for (size_t k = 0; k < sizes[i]; k++) {
            assert_int_equal(objects[i][k], i % 251 + 1);
        }
    }
    geo_arena_finish(&arena);
}

/* Also objects without bytes are objects: they have addresses of their own. */
static void nothing_has_an_address_of_its_own(void **state)
{
    (void)state;
    struct geo_arena arena;
    geo_arena_init(&arena, 0);
    void *first = geo_arena_alloc(&arena, 0), *second = geo_arena_alloc(&arena, 0);
    assert_non_null(first);
    assert_ptr_not_equal(first, second);
    geo_arena_finish(&arena);
}

static void the_limit_counts_rounded_bytes(void **state)
{
    (void)state;
    struct geo_arena arena;
    geo_arena_init(&arena, 64);
    assert_non_null(geo_arena_alloc(&arena, 16));
    assert_non_null(geo_arena_alloc(&arena, 17)); /* 32 */
    assert_int_equal(arena.used_bytes, 48);
    assert_null(geo_arena_alloc(&arena, 17));
    assert_int_equal(arena.used_bytes, 48);
    assert_non_null(geo_arena_alloc(&arena, 16)); /* what still fits is given */
    assert_null(geo_arena_alloc(&arena, 1));
    assert_null(geo_arena_alloc(&arena, 0));
    geo_arena_reset(&arena);
    assert_non_null(geo_arena_alloc(&arena, 64)); /* the limit is of what is in use */
    geo_arena_finish(&arena);
}

static void sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    struct geo_arena arena;
    geo_arena_init(&arena, 0);
    assert_null(geo_arena_alloc(&arena, SIZE_MAX));
    assert_null(geo_arena_alloc(&arena, SIZE_MAX - 15));
    assert_null(geo_arena_array(&arena, SIZE_MAX / 2, 4));
    assert_null(geo_arena_array(&arena, (size_t)1 << 33, (size_t)1 << 33)); /* 0 modulo 2^64 */
    assert_null(geo_arena_string(&arena, "", SIZE_MAX));
    assert_int_equal(arena.used_bytes, 0);
    uint32_t *numbers = geo_arena_new_array(&arena, uint32_t, 100);
    assert_non_null(numbers);
    assert_int_equal(arena.used_bytes, 400);
    geo_arena_finish(&arena);
}

static void copies_are_copies(void **state)
{
    (void)state;
    struct geo_arena arena;
    char source[] = "level zero";
    geo_arena_init(&arena, 0);
    char *whole = geo_arena_copy(&arena, source, sizeof(source));
    char *part = geo_arena_string(&arena, source, 5);
    char *empty = geo_arena_string(&arena, NULL, 0);
    memset(source, 'x', sizeof(source));
    assert_string_equal(whole, "level zero");
    assert_string_equal(part, "level");
    assert_string_equal(empty, "");
    assert_non_null(geo_arena_copy(&arena, NULL, 0));
    geo_arena_finish(&arena);
}

/* A reused list does not allocate: the largest block is kept, and given out zeroed again. */
static void a_reset_keeps_the_largest_block(void **state)
{
    (void)state;
    struct geo_arena arena;
    geo_arena_init(&arena, 0);
    long before = allocations_living();
    for (int i = 0; i < 100; i++) {
        memset(geo_arena_alloc(&arena, 1000), 0xFF, 1000);
    }
    assert_true(allocations_living() > before + 1);
    geo_arena_reset(&arena);
    assert_int_equal(allocations_living(), before + 1);
    assert_int_equal(arena.used_bytes, 0);
    allocations_fail(1, true);
    const unsigned char *again = geo_arena_alloc(&arena, 20000);
    allocations_end();
    assert_non_null(again);
    for (int i = 0; i < 20000; i++) {
        assert_int_equal(again[i], 0);
    }
    geo_arena_finish(&arena);
    assert_int_equal(allocations_living(), before);
    geo_arena_reset(&arena); /* of an empty one */
    geo_arena_finish(&arena);
}

static struct geo_arena swept;

static ze_result_t do_fill(void)
{
    geo_arena_init(&swept, 0);
    for (size_t i = 0; i < 200; i++) {
        size_t used = swept.used_bytes;
        if (!geo_arena_alloc(&swept, 700)) {
            assert_int_equal(swept.used_bytes, used); /* refused: nothing is used */
            geo_arena_finish(&swept);
            return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        }
    }
    return ZE_RESULT_SUCCESS;
}

static void undo_fill(void)
{
    geo_arena_finish(&swept);
}

static void lack_of_memory_is_told(void **state)
{
    (void)state;
    static const struct sweep fill = {.name = "arena", .run = do_fill, .undo = undo_fill};
    sweep_run(&fill);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_apart_aligned_and_zero),
        cmocka_unit_test(nothing_has_an_address_of_its_own),
        cmocka_unit_test(the_limit_counts_rounded_bytes),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(copies_are_copies),
        cmocka_unit_test(a_reset_keeps_the_largest_block),
        cmocka_unit_test(lack_of_memory_is_told),
    };
    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
