/* Loads from small tables of bytes (lower/memory/table_load.c): whole kernels at every width and
 * level. The pages before and behind each table are closed. */
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ITEMS        128u
#define ENDS         40u /* elements of a table before the end of its page */

static const uint32_t widths[] = {1, 4, 8, 16, 32, 64};
static const char *const levels[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4",
                                     "x86-64-v4-vnni"};

/* A table alone in its page. */
struct closed {
    uint8_t *data;
    void *mapping;
    size_t mapped;
};

/* `bytes` from the start of a page on, or up to its end. */
static struct closed closed_create(size_t bytes, bool at_end)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct closed array = {.mapped = 3 * page};
    array.mapping = mmap(NULL, array.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(array.mapping != MAP_FAILED && bytes <= page);
    uint8_t *start = (uint8_t *)array.mapping + page;
    assert_int_equal(mprotect(start, page, PROT_READ | PROT_WRITE), 0);
    array.data = start + (at_end ? page - bytes : 0);
    for (size_t i = 0; i < bytes; i++) {
        array.data[i] = (uint8_t)(i * i + 29 * i + 5);
    }
    return array;
}

static int expected_of(uint8_t x, const uint8_t *t64, const uint8_t *t128, const uint8_t *t256)
{
    static const uint8_t sixteen[] = {3,   9,   27,  81,  243, 217, 139, 161,
                                      227, 169, 251, 241, 211, 121, 107, 65};
    static const int8_t ten[] = {-5, 4, -3, 2, -1, 0, 1, -2, 3, -4};
    uint8_t y = (uint8_t)(x * 7 + 3);
    int square = (y & 24) | (x >> 5);
    return t64[x & 63] + 3 * (int8_t)t128[x >> 1] + 5 * t256[x] + 7 * sixteen[y >> 4] +
           11 * (uint8_t)(square * square) + 13 * ten[y % 10] + 17 * t64[(x & 48) | (y >> 4)];
}

/* `most`: the largest byte that selects; the tables end behind what it selects. */
static void check_tables(const struct program *program, uint8_t most, bool at_end, int count)
{
    size_t bytes = most < 64 ? ENDS : 64;
    struct closed tables[] = {closed_create(bytes, at_end), closed_create(most / 2 + 1u, at_end),
                              closed_create(most + 1u, at_end)};
    uint8_t *in = program_memory(ITEMS, 1);
    int *out = program_memory(ITEMS, sizeof(*out));
    const struct program_launch launch = {.groups = {2, 1, 1}, .local = {ITEMS / 2, 1, 1}};
    const struct program_argument arguments[] = {PROGRAM_POINTER(in),
                                                 PROGRAM_POINTER(tables[0].data),
                                                 PROGRAM_POINTER(tables[1].data),
                                                 PROGRAM_POINTER(tables[2].data),
                                                 PROGRAM_POINTER(out),
                                                 PROGRAM_VALUE(count)};
    for (uint32_t i = 0; i < ITEMS; i++) {
        in[i] = (uint8_t)((i * 37 + 11) % (most + 1u));
        while (most < 64 && ((in[i] & 48) | ((uint8_t)(in[i] * 7 + 3) >> 4)) >= (int)ENDS) {
            in[i] = (uint8_t)((in[i] + 1) % (most + 1u));
        }
    }
    program_run(program, "tables", &launch, arguments, COUNT(arguments));
    for (int i = 0; i < (int)ITEMS; i++) {
        assert_int_equal(
            out[i],
            i < count ? expected_of(in[i], tables[0].data, tables[1].data, tables[2].data) : -1);
    }
    free(in);
    free(out);
    for (size_t i = 0; i < COUNT(tables); i++) {
        munmap(tables[i].mapping, tables[i].mapped);
    }
}

static void check(const char *cpu, uint32_t lanes, bool optimize)
{
    const struct program_options options = {.lanes = lanes, .optimize = optimize, .cpu = cpu};
    struct program *program = program_build(optimize ? "tables_O2" : "tables_O0", &options);
    for (int at_end = 0; program_runs(program) && at_end < 2; at_end++) {
        check_tables(program, 255, at_end, ITEMS);
        check_tables(program, ENDS - 1, at_end, ITEMS);
        check_tables(program, 255, at_end, 77);
        check_tables(program, ENDS - 1, at_end, 3);
    }
    program_destroy(program);
}

static void tables_are_right_wherever_they_lie(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(widths); i++) {
        for (size_t k = 0; k < COUNT(levels); k++) {
            check(levels[k], widths[i], true);
        }
        check("x86-64-v3", widths[i], false);
    }
}

static void written_check(const struct program *program)
{
    uint8_t *in = program_memory(64, 1), *table = program_memory(64, 1), before[64];
    int *out = program_memory(64, sizeof(*out));
    const struct program_launch launch = {.groups = {1, 1, 1}, .local = {64, 1, 1}};
    const struct program_argument arguments[] = {PROGRAM_POINTER(in), PROGRAM_POINTER(table),
                                                 PROGRAM_POINTER(out)};
    for (uint32_t i = 0; i < 64; i++) {
        in[i] = (uint8_t)(i * 29 + 7);
        table[i] = before[i] = (uint8_t)(i * 3);
    }
    program_run(program, "table_written", &launch, arguments, COUNT(arguments));
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t x = in[i] & 63;
        uint8_t after = (uint8_t)(before[in[x] & 63] + x);
        assert_int_equal(out[i], before[x] + 256 * after);
    }
    free(in);
    free(table);
    free(out);
}

static void tables_may_change(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(widths); i++) {
        for (size_t k = 2; k < COUNT(levels); k += 2) {
            const struct program_options options = {
                .lanes = widths[i], .optimize = true, .cpu = levels[k]};
            struct program *program = program_build("tables_O2", &options);
            if (program_runs(program)) {
                written_check(program);
            }
            program_destroy(program);
        }
    }
}

/* The base of the table was read by another block last. */
static void cases_check(const struct program *program)
{
    uint8_t *in = program_memory(1, 1), *table = program_memory(64, 1);
    uint32_t *out = program_memory(ITEMS, sizeof(*out));
    const struct program_launch launch = {.groups = {2, 1, 1}, .local = {ITEMS / 2, 1, 1}};
    const struct program_argument arguments[] = {PROGRAM_POINTER(in), PROGRAM_POINTER(table),
                                                 PROGRAM_POINTER(out)};
    in[0] = 5;
    for (uint32_t i = 0; i < 64; i++) {
        table[i] = (uint8_t)(i * 7 + 1);
    }
    program_run(program, "table_in_two_cases", &launch, arguments, COUNT(arguments));
    for (uint32_t i = 0; i < ITEMS; i++) {
        assert_int_equal(out[i], table[5 + (i / 24 & 1)]);
    }
    free(in);
    free(table);
    free(out);
}

/* The index is in another block than the load. */
static void pairs_check(const struct program *program)
{
    uint8_t *in = program_memory(1, 1);
    uint32_t *table = program_memory(ITEMS, sizeof(*table));
    uint32_t *out = program_memory(2 * ITEMS + 8, sizeof(*out));
    const struct program_launch launch = {.groups = {2, 1, 1}, .local = {ITEMS / 2, 1, 1}};
    const struct program_argument arguments[] = {PROGRAM_POINTER(in), PROGRAM_POINTER(table),
                                                 PROGRAM_POINTER(out)};
    in[0] = 3;
    for (uint32_t i = 0; i < ITEMS; i++) {
        table[i] = i * i;
    }
    program_run(program, "pairs_in_a_branch", &launch, arguments, COUNT(arguments));
    for (uint32_t i = 3; i < ITEMS + 3; i++) {
        assert_int_equal(out[i], i / 2 * (i / 2));
    }
    free(in);
    free(table);
    free(out);
}

static void loads_know_values_of_other_blocks(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(widths); i++) {
        for (size_t k = 2; k < COUNT(levels); k++) {
            const struct program_options options = {
                .lanes = widths[i], .optimize = true, .cpu = levels[k]};
            struct program *program = program_build("table_cases", &options);
            if (program_runs(program)) {
                cases_check(program);
                pairs_check(program);
            }
            program_destroy(program);
        }
    }
}

static uint32_t count(const char *text, const char *what)
{
    uint32_t found = 0;
    for (const char *at = text; (at = strstr(at, what)); at += strlen(what)) {
        found++;
    }
    return found;
}

/* Returns how often a kernel's text has `what`. */
static uint32_t count_in(const char *kernel, const char *cpu, const char *what)
{
    char begin[64];
    const struct program_options options = {.lanes = 16, .optimize = true, .cpu = cpu};
    struct program *program = program_build("tables_O2", &options);
    uint32_t found = 0;
    snprintf(begin, sizeof(begin), "@kernel.%s(", kernel);
    const char *text = strstr(program_lowered(program), begin);
    assert_non_null(text);
    const char *end = strstr(text, "\n}\n");
    assert_non_null(end);
    char *copy = strndup(text, (size_t)(end - text));
    assert_non_null(copy);
    found = count(copy, what);
    free(copy);
    program_destroy(program);
    return found;
}

static void tables_are_looked_up_in_registers(void **state)
{
    (void)state;
    assert_true(count_in("tables", "x86-64-v4-vnni", "call <64 x i8> @llvm.x86.avx512.permvar.qi") >
                0);
    assert_true(
        count_in("tables", "x86-64-v4-vnni", "call <64 x i8> @llvm.x86.avx512.vpermi2var.qi") > 0);
    assert_true(count_in("tables", "x86-64-v3", "call <16 x i8> @llvm.x86.ssse3.pshuf.b") > 0);
    assert_int_equal(count_in("tables", "x86-64", "pshuf.b"), 0);
}

static void other_tables_are_gathered(void **state)
{
    (void)state;
    assert_int_equal(count_in("no_tables", "x86-64-v4-vnni", ".qi."), 0);
    assert_int_equal(count_in("no_tables", "x86-64-v3", "pshuf.b"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_right_wherever_they_lie),
        cmocka_unit_test(tables_may_change),
        cmocka_unit_test(loads_know_values_of_other_blocks),
        cmocka_unit_test(tables_are_looked_up_in_registers),
        cmocka_unit_test(other_tables_are_gathered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
