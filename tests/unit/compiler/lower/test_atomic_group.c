/* Atomics on local memory that are executed lane by lane: several of an item together
 * (lower/memory/atomic_group.c) and single ones (atomic_lanes.c). Whole kernels at several widths,
 * with addresses from registers and from memory. */
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ITEMS        40u /* no multiple of most widths: some chunks are partial */
#define CELLS        (ITEMS * 4)
#define GROUPS       5u

/* ---- what the kernels compute ---- */

typedef void item_fn(uint32_t *cells, uint32_t lid, uint32_t key, uint32_t value);

static void records(uint32_t *cells, uint32_t lid, uint32_t key, uint32_t value)
{
    (void)lid;
    cells[key * 4] += value;
    cells[key * 4 + 1] -= value >> 8;
    cells[key * 4 + 2]++;
    cells[key * 4 + 3] ^= value * 3;
}

static void some(uint32_t *cells, uint32_t lid, uint32_t key, uint32_t value)
{
    if (value & 4) {
        cells[key + ITEMS] += value;
        cells[key]++;
        cells[key + ITEMS * 2]--;
        cells[key + ITEMS * 3] |= value;
        cells[lid ^ 1] += 7;
        cells[key + ITEMS] += value >> 1;
        cells[(key ^ 1) + ITEMS] += 2;
    }
}

static void orders(uint32_t *cells, uint32_t lid, uint32_t key, uint32_t value)
{
    (void)lid;
    cells[key] += value;
    cells[key] ^= value >> 3;
    cells[key] = cells[key] > value >> 1 ? cells[key] : value >> 1;
}

static void singles(uint32_t *cells, uint32_t lid, uint32_t key, uint32_t value)
{
    cells[lid + ITEMS * 2] = cells[key];
    cells[key] += value;
    if (value & 4) {
        cells[key + ITEMS] ^= value >> 3;
    }
}

static void reads(uint32_t *cells, uint32_t lid, uint32_t key, uint32_t value)
{
    (void)lid;
    cells[key] += value;
    cells[key + ITEMS] = (cells[key + ITEMS] + cells[key]) * 3 + value;
    cells[key + ITEMS * 2] += key;
    cells[key + ITEMS * 3] = key + 1;
}

static const struct {
    const char *name;
    item_fn *item;
    uint32_t keys; /* items share so many; 0: each has one of its own */
    bool ones;     /* cells are 1 at first */
    bool numbers;  /* cells are their number modulo 4 at first */
} kernels[] = {{"records", records, 5, false, false},
               {"some", some, 7, true, false},
               {"orders", orders, 3, false, true},
               {"singles", singles, 6, false, true},
               {"reads", reads, 0, false, true}};

/* ---- checks ---- */

static void check_launch(const struct program *program, size_t kernel)
{
    uint32_t *in = program_memory(GROUPS * ITEMS * 2, sizeof(uint32_t));
    uint32_t *out = program_memory(GROUPS * CELLS, sizeof(uint32_t));
    uint32_t expected[GROUPS * CELLS], random = 1;
    const struct program_launch launch = {.groups = {GROUPS, 1, 1}, .local = {ITEMS, 1, 1}};
    const struct program_argument arguments[] = {PROGRAM_POINTER(in), PROGRAM_POINTER(out)};
    for (uint32_t g = 0; g < GROUPS; g++) {
        uint32_t *cells = &expected[g * CELLS];
        for (uint32_t i = 0; i < CELLS; i++) {
            cells[i] = kernels[kernel].ones ? 1 : kernels[kernel].numbers ? i % 4 : 0;
        }
        for (uint32_t i = 0; i < ITEMS; i++) {
            uint32_t *words = &in[2 * (g * ITEMS + i)];
            random = random * 1664525u + 1013904223u;
            words[0] = kernels[kernel].keys ? (random >> 8) % kernels[kernel].keys : i * 7 % ITEMS;
            words[1] = random ^ random >> 16;
            kernels[kernel].item(cells, i, words[0], words[1]);
        }
    }
    program_run(program, kernels[kernel].name, &launch, arguments, 2);
    assert_memory_equal(out, expected, sizeof(expected));
    free(in);
    free(out);
}

static void items_execute_their_operations_in_order(void **state)
{
    (void)state;
    static const uint32_t widths[] = {1, 4, 8, 16, 32, 64};
    for (size_t i = 0; i < 2 * COUNT(widths); i++) {
        const struct program_options options = {
            .lanes = widths[i / 2], .optimize = true, .lanes_from_memory = i % 2};
        struct program *program = program_build("atomic_groups_O2", &options);
        for (size_t k = 0; k < COUNT(kernels); k++) {
            check_launch(program, k);
        }
        program_destroy(program);
    }
}

/* Returns how many words `word` the code of a kernel has before optimisation. */
static uint32_t words_in(const struct program *program, const char *kernel, const char *word)
{
    char name[64];
    uint32_t count = 0;
    (void)snprintf(name, sizeof(name), "@kernel.%s(", kernel);
    const char *at = strstr(program_lowered(program), name);
    assert_non_null(at);
    const char *end = strstr(at, "\n}\n");
    for (at = strstr(at, word); at && at < end; at = strstr(at + 1, word)) {
        count++;
    }
    return count;
}

/* Four words of a record have one address for each lane: W of them are taken out of a vector in a
 * whole chunk, and W in a partial one. */
static void a_record_has_one_address_in_each_lane(void **state)
{
    (void)state;
    const struct program_options options = {.lanes = 8, .optimize = true};
    struct program *program = program_build("atomic_groups_O2", &options);
    assert_int_equal(words_in(program, "records", "extractelement <8 x ptr>"), 2 * 8);
    assert_int_equal(words_in(program, "records", "lanes.done:"), 0);
    program_destroy(program);
}

static void loops_read_addresses_and_values_from_memory(void **state)
{
    (void)state;
    const struct program_options options = {
        .lanes = 8, .optimize = true, .lanes_from_memory = true};
    struct program *program = program_build("atomic_groups_O2", &options);
    assert_int_equal(words_in(program, "records", "extractelement <8 x ptr>"), 0);
    assert_int_equal(words_in(program, "records", "load volatile ptr"), 2);
    /* whole chunks count lanes, partial ones search for the next active lane */
    assert_int_equal(words_in(program, "records", "%turn = phi i32"), 1);
    assert_int_equal(words_in(program, "records", "call i8 @llvm.cttz.i8"), 1);
    program_destroy(program);
}

/* A chunk's addresses and values are stored once and then read lane by lane, in whole chunks and in
 * partial ones. */
static void single_operations_read_addresses_and_values_from_memory(void **state)
{
    (void)state;
    for (uint32_t from_memory = 0; from_memory < 2; from_memory++) {
        const struct program_options options = {
            .lanes = 8, .optimize = true, .lanes_from_memory = from_memory};
        struct program *program = program_build("atomic_groups_O2", &options);
        uint32_t turns = 2 * 2 * 8; /* operations, kinds of chunks, lanes */
        uint32_t read = from_memory ? turns : 0;
        assert_int_equal(words_in(program, "singles", "load volatile ptr"), read);
        assert_int_equal(words_in(program, "singles", "load volatile i32"), read);
        assert_int_equal(words_in(program, "singles", "extractelement <8 x ptr>"), turns - read);
        assert_int_equal(words_in(program, "singles", "lanes.done:"), 0);
        program_destroy(program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_execute_their_operations_in_order),
        cmocka_unit_test(a_record_has_one_address_in_each_lane),
        cmocka_unit_test(loops_read_addresses_and_values_from_memory),
        cmocka_unit_test(single_operations_read_addresses_and_values_from_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
