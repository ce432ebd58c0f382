/* Epoch reclamation: nothing is freed under a reader, everything is freed without one. */
#include "unit.h"

#include "driver/mem/epoch.h"

#include <pthread.h>

static size_t waiting(struct geo_epoch *epoch)
{
    size_t count = 0;
    for (int i = 0; i < 3; i++) {
        for (struct geo_retired *memory = epoch->retired[i]; memory; memory = memory->next) {
            count++;
        }
    }
    return count;
}

static void retire_one(struct geo_epoch *epoch)
{
    struct geo_retired *memory = malloc(64);
    assert_non_null(memory);
    geo_epoch_retire(epoch, memory);
}

static void retired_memory_goes_when_nobody_reads(void **state)
{
    (void)state;
    static struct geo_epoch epoch;
    geo_epoch_retire(&epoch, NULL);
    for (int i = 0; i < 10; i++) {
        retire_one(&epoch);
    }
    assert_int_equal(waiting(&epoch), 10);
    geo_epoch_advance(&epoch);
    assert_int_equal(waiting(&epoch), 0);
}

static void a_reader_keeps_what_it_may_have_found(void **state)
{
    (void)state;
    static struct geo_epoch epoch;
    for (int parity = 0; parity < 4; parity++) { /* whatever the phase is at the start */
        uint32_t ticket = geo_epoch_enter(&epoch);
        for (int i = 0; i < 6; i++) {
            retire_one(&epoch);
            geo_epoch_advance(&epoch);
            assert_int_equal(waiting(&epoch), i + 1);
        }
        geo_epoch_leave(&epoch, ticket);
        geo_epoch_advance(&epoch);
        assert_int_equal(waiting(&epoch), 0);
        retire_one(&epoch);
        geo_epoch_advance(&epoch);
        assert_int_equal(waiting(&epoch), 0);
    }
}

static void readers_that_come_later_do_not_keep_it(void **state)
{
    (void)state;
    static struct geo_epoch epoch;
    retire_one(&epoch);
    uint32_t first = geo_epoch_enter(&epoch);
    geo_epoch_advance(&epoch);
    uint32_t second = geo_epoch_enter(&epoch);
    geo_epoch_leave(&epoch, first);
    geo_epoch_advance(&epoch);
    uint32_t third = geo_epoch_enter(&epoch);
    geo_epoch_leave(&epoch, second);
    geo_epoch_advance(&epoch);
    assert_int_equal(waiting(&epoch), 0);
    geo_epoch_leave(&epoch, third);
}

static void readers_lost_in_a_fork_are_forgotten(void **state)
{
    (void)state;
    static struct geo_epoch epoch;
    (void)geo_epoch_enter(&epoch); /* another thread's, which the child does not have */
    retire_one(&epoch);
    geo_epoch_advance(&epoch);
    assert_int_equal(waiting(&epoch), 1);
    geo_epoch_after_fork(&epoch);
    geo_epoch_advance(&epoch);
    assert_int_equal(waiting(&epoch), 0);
}

/* ---- with threads: a cell that the writer replaces over and over ---- */

struct cell {
    struct geo_retired retired;
    uint64_t value, inverse;
};

static struct geo_epoch shared;
static _Atomic(struct cell *) published;
static _Atomic bool stop;

static void *reader_run(void *argument)
{
    (void)argument;
    uintptr_t torn = 0;
    while (!atomic_load(&stop)) {
        uint32_t ticket = geo_epoch_enter(&shared);
        struct cell *cell = atomic_load(&published);
        torn += cell->value != ~cell->inverse;
        geo_epoch_leave(&shared, ticket);
    }
    return (void *)torn;
}

static struct cell *cell_make(uint64_t value)
{
    struct cell *cell = malloc(sizeof(*cell));
    assert_non_null(cell);
    cell->value = value;
    cell->inverse = ~value;
    return cell;
}

/* GEN-13 */
static void readers_never_see_freed_memory(void **state)
{
    (void)state;
    pthread_t readers[4];
    atomic_store(&published, cell_make(0));
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&readers[i], NULL, reader_run, NULL), 0);
    }
    for (uint64_t i = 1; i < 50000; i++) {
        struct cell *old = atomic_load(&published);
        atomic_store(&published, cell_make(i));
        geo_epoch_retire(&shared, &old->retired);
        geo_epoch_advance(&shared);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < 4; i++) {
        void *torn;
        pthread_join(readers[i], &torn);
        assert_null(torn);
    }
    geo_epoch_advance(&shared);
    assert_int_equal(waiting(&shared), 0);
    free(atomic_load(&published));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(retired_memory_goes_when_nobody_reads),
        cmocka_unit_test(a_reader_keeps_what_it_may_have_found),
        cmocka_unit_test(readers_that_come_later_do_not_keep_it),
        cmocka_unit_test(readers_lost_in_a_fork_are_forgotten),
        cmocka_unit_test(readers_never_see_freed_memory),
    };
    return cmocka_run_group_tests_name("epoch", tests, NULL, NULL);
}
