/* Pending additions (cpu/frame/pending.c): whole kernels at several widths, in launches that use
 * one entry of the table or all of it, with keys that fit the table and keys that do not. */
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
#define LOCAL        124u /* no multiple of most widths: some chunks are partial */
#define SUMS         100000u

/* The memory of one launch. `wide` are the sums of 64 bits. */
struct memory {
    uint32_t items, *keys, *values, *sums, *expected;
    uint64_t *wide, *expected_wide;
};

static void memory_create(struct memory *m, uint32_t groups, uint32_t keys)
{
    uint32_t random = 1;
    m->items = groups * LOCAL;
    m->keys = program_memory(m->items, sizeof(uint32_t));
    m->values = program_memory(m->items, sizeof(uint32_t));
    m->sums = program_memory(SUMS, sizeof(uint32_t));
    m->expected = program_memory(SUMS, sizeof(uint32_t));
    m->wide = program_memory(SUMS, sizeof(uint64_t));
    m->expected_wide = program_memory(SUMS, sizeof(uint64_t));
    for (uint32_t i = 0; i < m->items; i++) {
        random = random * 1664525u + 1013904223u;
        m->keys[i] = (random >> 8) % keys;
        m->values[i] = random ^ random >> 16;
    }
    for (uint32_t i = 0; i < SUMS; i++) {
        m->sums[i] = m->expected[i] = i * 77;
        m->wide[i] = m->expected_wide[i] = i * UINT64_C(0x123456789);
    }
}

static void memory_destroy(struct memory *m)
{
    void *const all[] = {m->keys, m->values, m->sums, m->expected, m->wide, m->expected_wide};
    for (size_t i = 0; i < COUNT(all); i++) {
        free(all[i]);
    }
}

/* ---- what the kernels compute ---- */

static void add(struct memory *m, uint32_t i)
{
    m->expected[m->keys[i]] += m->values[i];
}

static void subtract_some(struct memory *m, uint32_t i)
{
    if (m->values[i] & 1) {
        m->expected[m->keys[i]] -= m->values[i];
    } else {
        m->expected[m->keys[i] + 1]--;
    }
}

static void add_wide(struct memory *m, uint32_t i)
{
    m->expected_wide[m->keys[i]] += (uint64_t)m->values[i] << 20;
}

static void add_evenly(struct memory *m, uint32_t i)
{
    m->expected[i / LOCAL] += m->values[i];
    m->expected[i % LOCAL] += m->keys[i];
    m->expected[0]++;
}

static const struct {
    const char *name;
    void (*item)(struct memory *m, uint32_t i);
} kernels[] = {{"add", add},
               {"subtract_some", subtract_some},
               {"add_wide", add_wide},
               {"add_evenly", add_evenly}};

/* ---- checks ---- */

/* A table as workers have it, which starts empty. */
static struct geo_pending_table *table_create(uint64_t start)
{
    struct geo_pending_table *table = program_memory(1, sizeof(*table));
    table->start = start;
    return table;
}

static void check_empty(const struct geo_pending_table *table)
{
    static const uint64_t zeros[GEO_PENDING_ENTRIES];
    assert_int_equal(table->credit, 0);
    assert_memory_equal(table->sums, zeros, sizeof(zeros));
}

static void check_launch(const struct program *program, size_t kernel, uint32_t groups,
                         uint32_t keys, bool ids_may_wrap, struct geo_pending_table *pending)
{
    struct memory m;
    memory_create(&m, groups, keys);
    const struct program_launch launch = {.groups = {groups, 1, 1},
                                          .local = {LOCAL, 1, 1},
                                          .ids_may_wrap = ids_may_wrap,
                                          .pending = pending};
    const void *sums = kernels[kernel].item == add_wide ? (void *)m.wide : m.sums;
    const struct program_argument arguments[] = {PROGRAM_POINTER(m.keys), PROGRAM_POINTER(m.values),
                                                 PROGRAM_POINTER(sums)};
    for (uint32_t i = 0; i < m.items; i++) {
        kernels[kernel].item(&m, i);
    }
    program_run(program, kernels[kernel].name, &launch, arguments, 3);
    assert_memory_equal(m.sums, m.expected, SUMS * sizeof(uint32_t));
    assert_memory_equal(m.wide, m.expected_wide, SUMS * sizeof(uint64_t));
    memory_destroy(&m);
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

static void sums_are_those_of_all_items(void **state)
{
    (void)state;
    static const uint32_t widths[] = {1, 4, 8, 16};
    static const uint32_t groups[] = {1, 7, 1000}, keys[] = {1, 16, 1500, SUMS - 1};
    struct geo_pending_table *table = table_create(7 * GEO_PENDING_LINE);
    for (size_t w = 0; w < COUNT(widths); w++) {
        const struct program_options options = {.lanes = widths[w], .optimize = true};
        struct program *program = program_build("pending_O2", &options);
        for (size_t k = 0; k < COUNT(kernels); k++) {
            assert_int_not_equal(words_in(program, kernels[k].name, "pending.table"), 0);
            for (size_t i = 0; i < 2 * COUNT(groups) * COUNT(keys); i++) {
                size_t pair = i / 2;
                check_launch(program, k, groups[pair % COUNT(groups)], keys[pair / COUNT(groups)],
                             pair % 2, i % 2 ? table : NULL);
                check_empty(table);
            }
        }
        program_destroy(program);
    }
    free(table);
}

/* Returns how many sums of a table are not 0. */
static uint32_t sums_left(const struct geo_pending_table *table, size_t width)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < GEO_PENDING_ENTRIES; i++) {
        left += width == 4 ? ((const uint32_t *)table->sums)[i] != 0 : table->sums[i] != 0;
    }
    return left;
}

/* A worker's table keeps additions from call to call. Where it does not pay, they are executed. */
static void a_table_of_the_worker_outlives_calls(void **state)
{
    (void)state;
    enum { GROUPS = 100, FEW = 16 };
    const struct program_options options = {.lanes = 8, .optimize = true};
    struct program *program = program_build("pending_O2", &options);
    for (uint32_t many = 0; many < 2; many++) {
        struct geo_pending_table *table = table_create(0);
        struct memory m;
        memory_create(&m, GROUPS, many ? SUMS : FEW);
        const struct program_launch launch = {
            .groups = {GROUPS, 1, 1}, .local = {LOCAL, 1, 1}, .pending = table, .keeps = true};
        const struct program_argument arguments[] = {
            PROGRAM_POINTER(m.keys), PROGRAM_POINTER(m.values), PROGRAM_POINTER(m.sums)};
        program_run(program, "add", &launch, arguments, 3);
        bool unchanged = memcmp(m.sums, m.expected, SUMS * sizeof(uint32_t)) == 0;
        assert_int_equal(unchanged, !many);
        assert_true(many ? table->credit < 0 : table->credit == GROUPS * LOCAL);
        assert_int_equal(!many, sums_left(table, 4) == FEW);
        memory_destroy(&m);
        free(table);
    }
    program_destroy(program);
}

/* The record of a kernel tells launchers that its additions may wait. */
static void records_tell_which_kernels_pend(void **state)
{
    (void)state;
    const struct program_options options = {.lanes = 8};
    struct program *program = program_build("pending_O2", &options);
    assert_true(program_record(program, "add")->flags & GEO_KERNEL_PENDS);
    assert_false(program_record(program, "ordered")->flags & GEO_KERNEL_PENDS);
    program_destroy(program);
}

/* Calls of few items use one entry of the table. Additions that replace entries spend the credit,
 * and are then executed at once. */
static void the_table_is_used_where_it_pays(void **state)
{
    (void)state;
    const struct program_options options = {.lanes = 8, .optimize = true};
    struct program *program = program_build("pending_O2", &options);
    assert_int_not_equal(words_in(program, "add", "%pending.mask = select"), 0);
    assert_int_not_equal(words_in(program, "add", "i64 0, i64 1023"), 0);
    assert_int_not_equal(words_in(program, "add", "i64 0, i64 4"), 0);
    program_destroy(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_all_items),
        cmocka_unit_test(a_table_of_the_worker_outlives_calls),
        cmocka_unit_test(records_tell_which_kernels_pend),
        cmocka_unit_test(the_table_is_used_where_it_pays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
