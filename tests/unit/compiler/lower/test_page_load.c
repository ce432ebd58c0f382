/* Rows under a mask where the processor has no masked load (lower/memory/page_load.c): whole
 * kernels at every width and level. The arrays are as long as their active items, and the pages
 * before and behind them are closed. */
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ITEMS        60u

/* Where an array is in its page. */
enum place { AT_START, INSIDE, AT_END, PLACES };

/* An array alone in its page. */
struct closed {
    void *data, *mapping;
    size_t mapped;
};

static struct closed closed_create(size_t bytes, enum place place)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct closed array = {.mapped = 3 * page};
    array.mapping = mmap(NULL, array.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(array.mapping != MAP_FAILED && bytes <= page / 2);
    char *start = (char *)array.mapping + page;
    assert_int_equal(mprotect(start, page, PROT_READ | PROT_WRITE), 0);
    array.data = start + (place == AT_START ? 0 : place == AT_END ? page - bytes : page / 2);
    for (size_t i = 0; i < bytes; i++) {
        ((uint8_t *)array.data)[i] = (uint8_t)(i * i + 3 * i);
    }
    return array;
}

static void check_rows(const struct program *program, int first, int end, enum place place)
{
    size_t count = (size_t)(end - first);
    struct closed arrays[] = {closed_create(count, place), closed_create(2 * count, place),
                              closed_create(4 * count, place)};
    const uint8_t *bytes = arrays[0].data;
    const uint16_t *shorts = arrays[1].data;
    const uint32_t *words = arrays[2].data;
    int *out = program_memory(ITEMS, sizeof(*out));
    const struct program_launch launch = {.groups = {1, 1, 1}, .local = {ITEMS, 1, 1}};
    const struct program_argument arguments[] = {PROGRAM_POINTER(bytes), PROGRAM_POINTER(shorts),
                                                 PROGRAM_POINTER(words), PROGRAM_POINTER(out),
                                                 PROGRAM_VALUE(first),   PROGRAM_VALUE(end)};
    program_run(program, "rows", &launch, arguments, COUNT(arguments));
    for (int i = 0; i < (int)ITEMS; i++) {
        int at = i - first;
        int expected =
            i < first || i >= end
                ? -1
                : (int)(bytes[at] + 3u * shorts[at] + 5 * words[at] + 7u * bytes[end - 1 - i]);
        assert_int_equal(out[i], expected);
    }
    free(out);
    for (size_t i = 0; i < COUNT(arrays); i++) {
        munmap(arrays[i].mapping, arrays[i].mapped);
    }
}

static void check(const char *cpu, uint32_t lanes)
{
    static const struct {
        int first, end;
    } ranges[] = {{0, ITEMS}, {0, 5}, {7, ITEMS - 7}, {ITEMS - 1, ITEMS}};
    const struct program_options options = {.lanes = lanes, .optimize = true, .cpu = cpu};
    struct program *program = program_build("pages_O2", &options);
    for (size_t i = 0; program_runs(program) && i < COUNT(ranges); i++) {
        for (enum place place = 0; place < PLACES; place++) {
            check_rows(program, ranges[i].first, ranges[i].end, place);
        }
    }
    program_destroy(program);
}

static void no_page_without_an_active_lane_is_read(void **state)
{
    static const uint32_t widths[] = {1, 4, 8, 16, 32};
    (void)state;
    for (size_t i = 0; i < COUNT(widths); i++) {
        check("x86-64", widths[i]);
        check("x86-64-v2", widths[i]);
        check("x86-64-v3", widths[i]);
        check("x86-64-v4", widths[i]);
    }
}

static uint32_t count(const char *text, const char *what)
{
    uint32_t found = 0;
    for (const char *at = text; (at = strstr(at, what)); at++) {
        found++;
    }
    return found;
}

static void count_check(const char *name, const char *cpu, const char *what, bool found)
{
    const struct program_options options = {.lanes = 8, .optimize = true, .cpu = cpu};
    struct program *program = program_build(name, &options);
    assert_int_equal(count(program_lowered(program), what) > 0, found);
    program_destroy(program);
}

/* SSE has no masked loads, AVX2 has those of words. */
static void rows_are_loaded_whole_where_masks_are_missing(void **state)
{
    (void)state;
    count_check("pages_O2", "x86-64-v2", " = phi <8 x i32>", true);
    count_check("pages_O2", "x86-64-v3", " = phi <8 x i32>", false);
    count_check("pages_O2", "x86-64-v3", " = phi <8 x i16>", true);
    count_check("pages_O2", "x86-64-v3", " = phi <8 x i8>", true);
    count_check("pages_O2", "x86-64-v4", " = phi <8 x i8>", false);
}

static void rows_are_not_longer_than_a_variable(void **state)
{
    (void)state;
    count_check("pages_small_O2", "x86-64-v3", " = phi <8 x i8>", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_page_without_an_active_lane_is_read),
        cmocka_unit_test(rows_are_loaded_whole_where_masks_are_missing),
        cmocka_unit_test(rows_are_not_longer_than_a_variable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
