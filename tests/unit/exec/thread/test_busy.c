/* What threads are busy with: on a board of the test's own, by one thread that stays on one CPU. */
#include "support.h"

#include "exec/stream/fork.h"
#include "exec/thread/busy.h"

#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CELLS = 2 };

static struct geo_busy_watch watch;
static struct geo_busy_cpu cpus[GEO_BUSY_CPUS];
static struct geo_busy_cell cells[CELLS];
static _Atomic uint32_t cells_used;
static uint32_t here_cpu, wants;

static void board_open(uint32_t cpu_count)
{
    const struct geo_busy_board board = {
        .watch = &watch,
        .cpus = cpus,
        .cells = cells,
        .cpu_count = cpu_count,
        .cell_count = CELLS,
        .cells_used = &cells_used,
    };
    geo_busy_open(&board, NULL);
}

static int board_setup(void **state)
{
    (void)state;
    memset(&watch, 0, sizeof(watch));
    memset(cpus, 0, sizeof(cpus));
    memset(cells, 0, sizeof(cells));
    board_open(GEO_BUSY_CPUS);
    return 0;
}

static void look(uint64_t until_ns)
{
    atomic_store(&watch.until_ns, until_ns);
    atomic_store(&watch.since_ns, geo_now_ns());
}

static uint64_t counted(enum geo_busy_kind kind)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < GEO_BUSY_CPUS; i++) {
        sum += atomic_load(&cpus[i].ns[kind - 1]);
    }
    assert_int_equal(sum, atomic_load(&cpus[here_cpu].ns[kind - 1]));
    return sum;
}

static uint32_t what(enum geo_busy_kind kind)
{
    return (uint32_t)kind << GEO_BUSY_KIND_SHIFT | here_cpu;
}

/* The time when it is over. */
static uint64_t pass_time(void)
{
    const uint64_t start = geo_now_ns();
    uint64_t now = start;
    while (now < start + 20000) {
        now = geo_now_ns();
    }
    return now;
}

static void what_runs_is_said_and_not_timed_while_nobody_looks(void **state)
{
    struct geo_busy_here here = {0};
    (void)state;
    for (int i = 0; i < 200; i++) {
        const enum geo_busy_kind kind = i % 3 == 0 ? GEO_BUSY_COPY : GEO_BUSY_KERNEL;
        geo_busy_with(&here, kind);
        assert_int_equal(atomic_load(&cells[0].what), what(kind));
        geo_busy_with(&here, GEO_BUSY_NOT);
        assert_int_equal(atomic_load(&cells[0].what), 0);
        assert_int_equal(atomic_load(&cells[0].begin_ns), 0);
    }
    assert_int_equal(counted(GEO_BUSY_KERNEL) + counted(GEO_BUSY_COPY), 0);
    geo_busy_finish(&here);
}

static void kinds_are_timed_apart_once_somebody_looks(void **state)
{
    struct geo_busy_here here = {0};
    (void)state;
    look(UINT64_MAX);
    const uint64_t start = geo_now_ns();
    geo_busy_with(&here, GEO_BUSY_KERNEL);
    const uint64_t begun = atomic_load(&cells[0].begin_ns);
    assert_true(begun >= start && begun <= geo_now_ns());
    uint64_t middle = pass_time();
    geo_busy_with(&here, GEO_BUSY_KERNEL); /* the same goes on */
    assert_int_equal(atomic_load(&cells[0].begin_ns), begun);
    assert_int_equal(counted(GEO_BUSY_KERNEL), 0);
    geo_busy_with(&here, GEO_BUSY_COPY);
    const uint64_t kernel = counted(GEO_BUSY_KERNEL);
    assert_true(kernel >= middle - begun && kernel <= geo_now_ns() - begun);
    assert_int_equal(counted(GEO_BUSY_COPY), 0);
    assert_int_equal(atomic_load(&cells[0].what), what(GEO_BUSY_COPY));
    assert_int_equal(atomic_load(&cells[0].begin_ns), begun + kernel); /* one reading for both */
    pass_time();
    geo_busy_with(&here, GEO_BUSY_NOT);
    const uint64_t copy = counted(GEO_BUSY_COPY);
    assert_true(copy >= 20000 && copy <= geo_now_ns() - begun - kernel);
    pass_time();
    geo_busy_with(&here, GEO_BUSY_KERNEL);
    assert_int_equal(counted(GEO_BUSY_KERNEL), kernel);
    assert_int_equal(counted(GEO_BUSY_COPY), copy);
    geo_busy_finish(&here);
    assert_true(counted(GEO_BUSY_KERNEL) > kernel);
    assert_int_equal(atomic_load(&cells[0].what), 0);
}

/* What began before it counts from there on, also where the cell has the time of an older watch. */
static void what_runs_when_somebody_looks_counts_from_there(void **state)
{
    struct geo_busy_here here = {0};
    (void)state;
    atomic_store(&cells[0].begin_ns, 1);
    geo_busy_with(&here, GEO_BUSY_KERNEL);
    const uint64_t before = pass_time();
    look(UINT64_MAX);
    pass_time();
    geo_busy_with(&here, GEO_BUSY_NOT);
    assert_true(counted(GEO_BUSY_KERNEL) >= 20000);
    assert_true(counted(GEO_BUSY_KERNEL) <= geo_now_ns() - before);
    geo_busy_finish(&here);
}

static void a_watch_that_is_over_ends_and_counts_what_it_saw(void **state)
{
    struct geo_busy_here here = {0};
    (void)state;
    look(UINT64_MAX);
    geo_busy_with(&here, GEO_BUSY_KERNEL);
    atomic_store(&watch.until_ns, pass_time());
    pass_time();
    assert_true(atomic_load(&watch.since_ns) != 0);
    geo_busy_with(&here, GEO_BUSY_NOT);
    const uint64_t kernel = counted(GEO_BUSY_KERNEL);
    assert_true(kernel >= 40000);
    assert_int_equal(atomic_load(&watch.since_ns), 0);
    geo_busy_with(&here, GEO_BUSY_KERNEL);
    pass_time();
    geo_busy_with(&here, GEO_BUSY_NOT);
    assert_int_equal(counted(GEO_BUSY_KERNEL), kernel);
    geo_busy_finish(&here);
}

/* Who has the memory, too, may write what he likes. */
static void what_others_wrote_is_no_place_to_count(void **state)
{
    const uint32_t wrong[] = {what(GEO_BUSY_KERNEL) + 1, what(GEO_BUSY_NOT) + 1,
                              what((enum geo_busy_kind)(GEO_BUSY_KINDS + 1)) + 1};
    struct geo_busy_here here = {0};
    (void)state;
    board_open(here_cpu + 1);
    look(UINT64_MAX);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        geo_busy_with(&here, GEO_BUSY_KERNEL);
        atomic_store(&cells[0].what, wrong[i]);
        (void)pass_time();
        geo_busy_with(&here, GEO_BUSY_NOT);
        assert_int_equal(counted(GEO_BUSY_KERNEL) + counted(GEO_BUSY_COPY), 0);
        assert_int_equal(atomic_load(&cells[0].what), 0);
    }
    geo_busy_finish(&here);
}

static void threads_without_a_cell_are_not_counted(void **state)
{
    struct geo_busy_here here[CELLS + 1] = {{0}};
    (void)state;
    look(UINT64_MAX);
    for (uint32_t i = 0; i <= CELLS; i++) {
        geo_busy_with(&here[i], GEO_BUSY_COPY);
        assert_int_equal(atomic_load(&cells_used), i < CELLS ? i + 1 : CELLS);
    }
    pass_time();
    geo_busy_with(&here[CELLS], GEO_BUSY_NOT);
    assert_int_equal(counted(GEO_BUSY_COPY), 0);
    geo_busy_finish(&here[CELLS]);
    geo_busy_finish(&here[1]);
    const uint64_t copy = counted(GEO_BUSY_COPY);
    assert_true(copy >= 20000);
    geo_busy_with(&here[CELLS], GEO_BUSY_KERNEL); /* that cell is free again */
    assert_int_equal(atomic_load(&cells[1].what), what(GEO_BUSY_KERNEL));
    assert_int_equal(atomic_load(&cells[0].what), what(GEO_BUSY_COPY));
    geo_busy_finish(&here[0]);
    geo_busy_finish(&here[CELLS]);
}

/* A caller's thread is on any CPU. */
static void work_counts_for_a_cpu_of_its_device(void **state)
{
    struct geo_busy_here here[CELLS] = {{0}};
    const uint32_t numbers[] = {here_cpu + 5, here_cpu + 9};
    cpu_set_t others, own;
    (void)state;
    CPU_ZERO(&own);
    CPU_SET(here_cpu, &own);
    CPU_ZERO(&others);
    CPU_SET(numbers[0], &others);
    CPU_SET(numbers[1], &others);
    for (uint32_t i = 0; i < CELLS; i++) {
        geo_busy_for(&here[i], &others);
        geo_busy_with(&here[i], GEO_BUSY_KERNEL);
        assert_int_equal(atomic_load(&cells[i].what),
                         (uint32_t)GEO_BUSY_KERNEL << GEO_BUSY_KIND_SHIFT | numbers[i]);
        geo_busy_with(&here[i], GEO_BUSY_NOT);
        geo_busy_for(&here[i], &own);
        geo_busy_with(&here[i], GEO_BUSY_COPY);
        assert_int_equal(atomic_load(&cells[i].what), what(GEO_BUSY_COPY));
    }
    for (uint32_t i = 0; i < CELLS; i++) {
        geo_busy_finish(&here[i]);
    }
}

static void board_want(void)
{
    wants++;
    board_setup(NULL);
}

/* A thread that goes on in the child has another process' cell, and asks for one of its own. */
static void a_child_leaves_its_parents_cells_alone(void **state)
{
    struct geo_busy_here here = {0}, other = {0};
    int status;
    (void)state;
    geo_busy_with(&here, GEO_BUSY_KERNEL);
    geo_busy_with(&here, GEO_BUSY_NOT);
    const struct geo_busy_board board = {.watch = &watch,
                                         .cpus = cpus,
                                         .cells = cells,
                                         .cpu_count = GEO_BUSY_CPUS,
                                         .cell_count = CELLS,
                                         .cells_used = &cells_used};
    geo_busy_open(&board, board_want);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        const _Atomic uint32_t *parents = here.what;
        atomic_store(&cells_used, 0);
        geo_busy_renew(&here);
        geo_busy_with(&other, GEO_BUSY_COPY); /* the first cell */
        geo_busy_with(&here, GEO_BUSY_KERNEL);
        bool apart = wants == 1 && parents == &cells[0].what && here.what == &cells[1].what &&
                     atomic_load(&cells[0].what) == what(GEO_BUSY_COPY) &&
                     atomic_load(&cells[1].what) == what(GEO_BUSY_KERNEL) &&
                     atomic_load(&cells_used) == 2;
        _exit(apart ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(wants, 0);
    geo_busy_finish(&here);
}

static int one_cpu(void **state)
{
    cpu_set_t set;
    int cpu = sched_getcpu();
    (void)state;
    geo_exec_open();
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    here_cpu = (uint32_t)cpu;
    return cpu < 0 || here_cpu >= GEO_BUSY_CPUS || sched_setaffinity(0, sizeof(set), &set) != 0 ||
           sched_getcpu() != cpu;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_runs_is_said_and_not_timed_while_nobody_looks, board_setup),
        cmocka_unit_test_setup(kinds_are_timed_apart_once_somebody_looks, board_setup),
        cmocka_unit_test_setup(what_runs_when_somebody_looks_counts_from_there, board_setup),
        cmocka_unit_test_setup(a_watch_that_is_over_ends_and_counts_what_it_saw, board_setup),
        cmocka_unit_test_setup(what_others_wrote_is_no_place_to_count, board_setup),
        cmocka_unit_test_setup(threads_without_a_cell_are_not_counted, board_setup),
        cmocka_unit_test_setup(work_counts_for_a_cpu_of_its_device, board_setup),
        cmocka_unit_test_setup(a_child_leaves_its_parents_cells_alone, board_setup),
    };
    return cmocka_run_group_tests(tests, one_cpu, NULL);
}
