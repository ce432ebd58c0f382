/* Windows of memory (lower/memory/window.c): whole kernels whose lanes touch memory by a pattern,
 * at every width and level. The arrays are as long as what is touched, and the pages before and
 * behind them closed; what no lane writes stays. */
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ITEMS        64u
#define UNTOUCHED    0xcd
#define LATE         5 /* elements before the first one that is there */

/* An array at the start of its pages, or at their end. */
struct closed {
    void *data, *mapping;
    size_t mapped;
};

static struct closed closed_create(size_t bytes, bool at_end)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (bytes + page - 1) / page * page;
    struct closed array = {.mapped = room + 2 * page};
    array.mapping = mmap(NULL, array.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(array.mapping != MAP_FAILED);
    char *pages = (char *)array.mapping + page;
    assert_int_equal(mprotect(pages, room, PROT_READ | PROT_WRITE), 0);
    array.data = at_end ? pages + room - bytes : pages;
    memset(array.data, UNTOUCHED, bytes);
    return array;
}

static void closed_destroy(const struct closed *arrays, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        munmap(arrays[i].mapping, arrays[i].mapped);
    }
}

static void closed_fill(const struct closed *array, size_t count, int factor)
{
    for (size_t i = 0; i < count; i++) {
        ((int *)array->data)[i] = (int)(i * i + 5 * i) * factor - 7;
    }
}

/* ---- what is computed ---- */

static void check_reads(const struct program *program, uint32_t n, bool at_end)
{
    const size_t bytes[] = {4 * n, n, 8 * n, 8 * n, 8 * n, 4 * n};
    struct closed arrays[COUNT(bytes)];
    for (size_t i = 0; i < COUNT(bytes); i++) {
        arrays[i] = closed_create(bytes[i], at_end);
        closed_fill(&arrays[i], bytes[i] / 4, (int)i + 1);
    }
    const struct program_launch launch = {.groups = {1, 1, 1}, .local = {n, 1, 1}};
    const struct program_argument arguments[] = {PROGRAM_POINTER(arrays[0].data),
                                                 PROGRAM_POINTER(arrays[1].data),
                                                 PROGRAM_POINTER(arrays[2].data),
                                                 PROGRAM_POINTER(arrays[3].data),
                                                 PROGRAM_POINTER((int64_t *)arrays[4].data - LATE),
                                                 PROGRAM_POINTER(arrays[5].data)};
    program_run(program, "reads", &launch, arguments, COUNT(arguments));
    const int *crossed = arrays[0].data, *quarters = arrays[1].data, *apart = arrays[2].data;
    const int *pairs = arrays[3].data, *out = arrays[5].data;
    const int64_t *late = arrays[4].data;
    for (uint32_t l = 0; l < n; l++) {
        int expected = crossed[l ^ 3] + 3 * quarters[l >> 2] + 5 * apart[2 * l + (l >> 1 & 1)] +
                       7 * pairs[2 * (l ^ 1)] - pairs[2 * (l ^ 1) + 1] + (int)late[l ^ 2];
        assert_int_equal(out[l], expected);
    }
    closed_destroy(arrays, COUNT(arrays));
}

/* An element of 4 bytes that was written, or not. */
static void check_element(const struct closed *array, size_t place, bool written, int expected)
{
    int untouched;
    memset(&untouched, UNTOUCHED, sizeof(untouched));
    assert_int_equal(((const int *)array->data)[place], written ? expected : untouched);
}

static void check_writes(const struct program *program, uint32_t n, bool at_end)
{
    const size_t bytes[] = {4 * n, 4 * n, 8 * n - 4, 8 * n, 4 * n, 8 * n};
    struct closed arrays[COUNT(bytes)];
    for (size_t i = 0; i < COUNT(bytes); i++) {
        arrays[i] = closed_create(bytes[i], at_end);
    }
    closed_fill(&arrays[0], n, 1);
    const int *in = arrays[0].data;
    for (uint32_t l = 0; l < n; l += 3) {
        ((int *)arrays[0].data)[l]++;
    }
    const struct program_launch launch = {.groups = {1, 1, 1}, .local = {n, 1, 1}};
    const struct program_argument arguments[] = {
        PROGRAM_POINTER(arrays[0].data), PROGRAM_POINTER(arrays[1].data),
        PROGRAM_POINTER(arrays[2].data), PROGRAM_POINTER(arrays[3].data),
        PROGRAM_POINTER(arrays[4].data), PROGRAM_POINTER((int64_t *)arrays[5].data - LATE)};
    program_run(program, "writes", &launch, arguments, COUNT(arguments));
    for (uint32_t l = 0; l < n; l++) {
        check_element(&arrays[1], l ^ 3, true, in[l]);
        check_element(&arrays[2], 2 * l ^ 2, true, in[l]);
        if (l + 1 < n) {
            check_element(&arrays[2], 2 * l + 1, false, 0);
        }
        check_element(&arrays[3], 2 * (l ^ 1), true, in[l]);
        check_element(&arrays[3], 2 * (l ^ 1) + 1, true, 3 * in[l]);
        check_element(&arrays[4], l ^ 1, in[l] & 1, in[l]);
        assert_true(((const int64_t *)arrays[5].data)[l ^ 2] == in[l]);
    }
    closed_destroy(arrays, COUNT(arrays));
}

/* Three bytes of each item. */
static void check_pixels(const struct program *program, uint32_t n, bool at_end)
{
    struct closed arrays[] = {closed_create(n, at_end), closed_create((size_t)3 * n, at_end)};
    const struct program_launch launch = {.groups = {1, 1, 1}, .local = {n, 1, 1}};
    const struct program_argument arguments[] = {PROGRAM_POINTER(arrays[0].data),
                                                 PROGRAM_POINTER(arrays[1].data)};
    uint8_t *in = arrays[0].data;
    const uint8_t *threes = arrays[1].data;
    for (uint32_t l = 0; l < n; l++) {
        in[l] = (uint8_t)(11 * l);
    }
    program_run(program, "pixels", &launch, arguments, COUNT(arguments));
    for (uint32_t l = 0; l < n; l++) {
        assert_int_equal(threes[3 * l], in[l]);
        assert_int_equal(threes[3 * l + 1], (uint8_t)(in[l] + 1));
        assert_int_equal(threes[3 * l + 2], in[l] ^ 2);
    }
    closed_destroy(arrays, COUNT(arrays));
}

/* Elements of one and two bytes. */
static void check_narrow(const struct program *program, uint32_t n, bool at_end)
{
    const size_t bytes[] = {n, 3 * n, 4 * n - 2};
    struct closed arrays[COUNT(bytes)];
    for (size_t i = 0; i < COUNT(bytes); i++) {
        arrays[i] = closed_create(bytes[i], at_end);
    }
    const struct program_launch launch = {.groups = {1, 1, 1}, .local = {n, 1, 1}};
    const struct program_argument arguments[] = {PROGRAM_POINTER(arrays[0].data),
                                                 PROGRAM_POINTER(arrays[1].data),
                                                 PROGRAM_POINTER(arrays[2].data)};
    uint8_t *in = arrays[0].data;
    for (uint32_t l = 0; l < n; l++) {
        in[l] = (uint8_t)(7 * l + l / 3);
    }
    program_run(program, "narrow", &launch, arguments, COUNT(arguments));
    const uint8_t *threes = arrays[1].data, *twice = arrays[2].data;
    for (uint32_t l = 0; l < n; l++) {
        uint32_t product = 3u * in[l];
        assert_int_equal(threes[3 * l], in[l]);
        assert_int_equal(threes[3 * l + 1], in[l] & 1 ? (uint8_t)(in[l] + 1) : UNTOUCHED);
        assert_int_equal(threes[3 * l + 2], UNTOUCHED);
        assert_int_equal(twice[4 * l] | (uint32_t)twice[4 * l + 1] << 8, product);
        assert_true(l + 1 == n || (twice[4 * l + 2] == UNTOUCHED && twice[4 * l + 3] == UNTOUCHED));
    }
    closed_destroy(arrays, COUNT(arrays));
}

/* ---- everywhere ---- */

/* Of a function that is declared once. */
static uint32_t calls_of(const char *text, const char *function)
{
    uint32_t found = 0;
    for (const char *at = text; (at = strstr(at, function)); at++) {
        found++;
    }
    return found ? found - 1 : 0;
}

/* All items on, and a last chunk of some. `windows`: the level has masks, so that nothing need be
 * scattered. */
static void check(const char *cpu, uint32_t lanes, bool windows)
{
    static const uint32_t sizes[] = {ITEMS, ITEMS - 20, 4};
    const struct program_options options = {.lanes = lanes, .optimize = true, .cpu = cpu};
    struct program *program = program_build("windows_O2", &options);
    if (windows) {
        /* What several lanes read is gathered where some are off. */
        assert_true(calls_of(program_lowered(program), "@llvm.masked.gather") <= 1);
        assert_int_equal(calls_of(program_lowered(program), "@llvm.masked.scatter"), 0);
        assert_true(calls_of(program_lowered(program), "i8.p0(<") > 1);
    }
    for (size_t i = 0; program_runs(program) && i < 2 * COUNT(sizes); i++) {
        check_reads(program, sizes[i / 2], i % 2);
        check_writes(program, sizes[i / 2], i % 2);
        check_narrow(program, sizes[i / 2], i % 2);
        check_pixels(program, sizes[i / 2], i % 2);
    }
    program_destroy(program);
}

static void nothing_beside_a_window_is_touched(void **state)
{
    static const uint32_t widths[] = {1, 4, 8, 16, 32};
    (void)state;
    for (size_t i = 0; i < COUNT(widths); i++) {
        check("x86-64", widths[i], false);
        check("x86-64-v2", widths[i], false);
        check("x86-64-v3", widths[i], false);
        check("x86-64-v4", widths[i], widths[i] > 1);
    }
}

/* Without masks, shuffles make one row of 16 pixels of three bytes. */
static void bytes_of_pixels_are_a_row_without_masks(void **state)
{
    static const char *const levels[] = {"x86-64-v3", "x86-64-v4"};
    (void)state;
    for (size_t i = 0; i < COUNT(levels); i++) {
        const struct program_options options = {.lanes = 16, .optimize = true, .cpu = levels[i]};
        struct program *program = program_build("windows_O2", &options);
        assert_int_equal(strstr(program_lowered(program), "store <48 x i8>") != NULL, i == 0);
        program_destroy(program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_beside_a_window_is_touched),
        cmocka_unit_test(bytes_of_pixels_are_a_row_without_masks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
