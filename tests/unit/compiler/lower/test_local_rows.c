/* Rows that are stored to local memory under a mask (lower/memory/access.c): whole kernels at every
 * width and level. Scratch starts at the start of a page, and the page before it is closed. */
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ITEMS        60
#define PAGE         UINT64_C(4096)

static int expected_of(int lid, int begin, int end)
{
    int at = lid + begin, late = lid - ITEMS + end;
    int first = at < end ? 100 + at : lid;
    int bytes = at - 1 >= begin && at - 1 < end ? at - 1 + 50 : 3 * lid;
    int last = late >= 0 ? 2000 + late : 1000 + lid;
    return first + 7 * (uint8_t)bytes + 5 * last + 3 * (late >= 0 ? -late : lid);
}

/* Returns the size of the second array with which scratch fills whole pages, with its tail. */
static uint64_t filler_of(const struct program *program, uint32_t lanes)
{
    const struct geo_native_cpu_kernel *record = program_record(program, "rows");
    uint64_t chunks = (ITEMS + lanes - 1) / lanes;
    uint64_t others = record->local_bytes + record->frame_bytes + chunks * record->chunk_bytes;
    others += GEO_ABI_SCRATCH_TAIL + 3 * 256;
    uint64_t bytes = (others + ITEMS * 8 + PAGE - 1) / PAGE * PAGE - others;
    assert_int_equal(bytes % GEO_ABI_SCRATCH_ALIGN, 0);
    return bytes;
}

static void check_rows(const struct program *program, uint32_t lanes, int begin, int end)
{
    int *out = program_memory(ITEMS, sizeof(*out));
    const struct program_launch launch = {.groups = {2, 1, 1}, .local = {ITEMS, 1, 1}};
    const struct program_argument arguments[] = {
        PROGRAM_LOCAL(256),   PROGRAM_LOCAL(filler_of(program, lanes)),
        PROGRAM_LOCAL(256),   PROGRAM_LOCAL(256),
        PROGRAM_POINTER(out), PROGRAM_VALUE(begin),
        PROGRAM_VALUE(end)};
    program_run(program, "rows", &launch, arguments, COUNT(arguments));
    for (int i = 0; i < ITEMS; i++) {
        assert_int_equal(out[i], i == begin ? 0 : expected_of(i, begin, end));
    }
    free(out);
}

static void check(const char *cpu, uint32_t lanes)
{
    static const struct {
        int begin, end;
    } ranges[] = {{0, ITEMS}, {0, 5}, {3, 50}, {17, ITEMS}, {8, 8}, {ITEMS - 1, ITEMS}};
    const struct program_options options = {.lanes = lanes, .optimize = true, .cpu = cpu};
    struct program *program = program_build("local_rows_O2", &options);
    for (size_t i = 0; program_runs(program) && i < COUNT(ranges); i++) {
        check_rows(program, lanes, ranges[i].begin, ranges[i].end);
    }
    program_destroy(program);
}

static void lanes_that_are_off_keep_their_elements(void **state)
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

static bool has(const char *cpu, const char *what)
{
    const struct program_options options = {.lanes = 8, .optimize = true, .cpu = cpu};
    struct program *program = program_build("local_rows_O2", &options);
    bool found = strstr(program_lowered(program), what) != NULL;
    program_destroy(program);
    return found;
}

static void rows_are_stored_whole_where_masks_are_slow(void **state)
{
    (void)state;
    assert_true(has("x86-64-v2", "freeze <8 x i8>"));
    assert_true(has("x86-64-v3", "freeze <8 x i32>"));
    assert_true(has("x86-64-v3", "freeze <8 x i16>"));
    assert_false(has("x86-64-v4", "\nstored"));
}

static uint32_t count(const char *text, const char *what)
{
    uint32_t found = 0;
    for (const char *at = text; (at = strstr(at, what)); at++) {
        found++;
    }
    return found;
}

/* Another thread may access elements between those of active lanes. The copy for full chunks has
 * four stores to local memory under a mask, that for partial chunks has eight. */
static void rows_of_global_memory_keep_their_mask(void **state)
{
    const struct program_options options = {.lanes = 8, .optimize = true, .cpu = "x86-64-v3"};
    struct program *program = program_build("local_rows_O2", &options);
    const char *text = program_lowered(program);
    (void)state;
    assert_int_equal(count(text, "\nstored"), 12);
    program_destroy(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_that_are_off_keep_their_elements),
        cmocka_unit_test(rows_are_stored_whole_where_masks_are_slow),
        cmocka_unit_test(rows_of_global_memory_keep_their_mask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
