/* Manages the cells of threads and adds their times to the CPUs. See busy.h.
 *
 * A reader may see a cell that is being closed in three states: still open and not added yet,
 * marked as closing, or empty. So it reads the cells before and after it reads the CPUs, and
 * repeats if a cell has changed. */
#include "exec/thread/busy.h"

#include "base/assert.h"
#include "base/cancel.h"

#include <stddef.h>

#define TURNS 64u /* changes of a thread until it looks up its CPU again, while no reader watches */

static _Atomic uint64_t never;
_Atomic(_Atomic uint64_t *) geo_busy_since = &never;

static struct geo_busy_board board_memory;
/* NULL before the board is set, or if it cannot be had */
static _Atomic(const struct geo_busy_board *) board_now;
static _Atomic(void (*)(void)) board_want;
static _Atomic bool board_asked;

static _Atomic uint64_t cells_taken[GEO_BUSY_CELLS / 64];

void geo_busy_open(const struct geo_busy_board *board, void (*want)(void))
{
    GEO_ASSERT(board->watch && board->cpus && board->cells && board->cells_used);
    GEO_ASSERT(board->cell_count <= GEO_BUSY_CELLS && board->cpu_count <= GEO_BUSY_CPUS);
    atomic_store(&board_want, want);
    board_memory = *board;
    atomic_store(&board_now, &board_memory);
    atomic_store(&geo_busy_since, &board->watch->since_ns);
}

void geo_busy_after_fork(void)
{
    atomic_store(&geo_busy_since, &never);
    atomic_store(&board_now, NULL);
    atomic_store(&board_asked, false);
    for (uint32_t i = 0; i < GEO_BUSY_CELLS / 64; i++) {
        atomic_store(&cells_taken[i], 0);
    }
}

/* A child that runs work of its parent has no board yet. */
void geo_busy_ask(void)
{
    void (*want)(void) = atomic_load_explicit(&board_want, memory_order_relaxed);
    if (want && !atomic_load_explicit(&board_asked, memory_order_relaxed) &&
        !atomic_load(&board_now) && !atomic_exchange(&board_asked, true)) {
        GEO_CANCEL_HOLD; /* `want` opens files, and frequently called entries reach this */
        want();
    }
}

static const struct geo_busy_board *board_get(void)
{
    if (!atomic_load_explicit(&board_now, memory_order_relaxed)) {
        geo_busy_ask();
    }
    return atomic_load_explicit(&board_now, memory_order_acquire);
}

/* ---- cells ---- */

static void cells_used_raise(const struct geo_busy_board *board, uint32_t count)
{
    GEO_ASSERT(count <= board->cell_count);
    uint32_t before = atomic_load(board->cells_used);
    while (before < count && !atomic_compare_exchange_weak(board->cells_used, &before, count)) {
    }
}

/* Takes the free cell of the lowest index; NULL if all are taken. */
static struct geo_busy_cell *cell_take(const struct geo_busy_board *board)
{
    for (uint32_t i = 0; board && i < board->cell_count; i++) {
        uint64_t bit = UINT64_C(1) << i % 64;
        if (!(atomic_load_explicit(&cells_taken[i / 64], memory_order_relaxed) & bit) &&
            !(atomic_fetch_or(&cells_taken[i / 64], bit) & bit)) {
            cells_used_raise(board, i + 1);
            return &board->cells[i];
        }
    }
    return NULL;
}

static void cell_get(const struct geo_busy_board *board, struct geo_busy_here *here)
{
    here->cell = cell_take(board);
    here->what = here->cell ? &here->cell->what : &here->nowhere;
    here->process = geo_fork_generation();
}

void geo_busy_finish(struct geo_busy_here *here)
{
    const struct geo_busy_board *board = atomic_load(&board_now);
    geo_busy_renew(here);
    if (here->what) {
        geo_busy_with(here, GEO_BUSY_NOT);
    }
    if (board && here->what && here->cell) {
        const size_t index = (size_t)(here->cell - board->cells);
        GEO_ASSERT(index < board->cell_count);
        GEO_ASSERT(atomic_load(&cells_taken[index / 64]) >> index % 64 & 1);
        atomic_fetch_and(&cells_taken[index / 64], ~(UINT64_C(1) << index % 64));
    }
    here->kind = GEO_BUSY_NOT;
    here->what = NULL;
    here->turns = 0;
}

/* ---- changes ---- */

static void cell_close(const struct geo_busy_board *board, struct geo_busy_cell *cell,
                       uint64_t since, uint64_t now)
{
    uint32_t what = atomic_load_explicit(&cell->what, memory_order_relaxed);
    uint64_t begin = atomic_load_explicit(&cell->begin_ns, memory_order_relaxed);
    uint32_t cpu = what % (1u << GEO_BUSY_KIND_SHIFT), kind = what >> GEO_BUSY_KIND_SHIFT;
    if (kind == GEO_BUSY_NOT || kind > GEO_BUSY_KINDS || cpu >= board->cpu_count) {
        return; /* it is empty, or another process has written there */
    }
    begin = begin > since ? begin : since;
    atomic_store_explicit(&cell->what, what | GEO_BUSY_CLOSING, memory_order_relaxed);
    atomic_fetch_add_explicit(&board->cpus[cpu].ns[kind - 1], now > begin ? now - begin : 0,
                              memory_order_release);
    atomic_store_explicit(&cell->what, 0, memory_order_release);
}

static void watch_expire(struct geo_busy_watch *watch, uint64_t since, uint64_t now)
{
    if (now > atomic_load_explicit(&watch->until_ns, memory_order_relaxed)) {
        atomic_compare_exchange_strong(&watch->since_ns, &since, 0);
    }
}

/* Returns the CPU to count for: the current one, or else one of the device's. Cells are then spread
 * over the device's CPUs. */
static int cpu_for(const struct geo_busy_board *board, const struct geo_busy_here *here)
{
    int cpu = sched_getcpu(), count = here->cores ? CPU_COUNT(here->cores) : 0;
    if (cpu < 0 || count == 0 || CPU_ISSET((size_t)cpu, here->cores)) {
        return cpu;
    }
    int skipped = (int)(here->cell - board->cells) % count;
    for (cpu = 0; !CPU_ISSET((size_t)cpu, here->cores) || skipped-- > 0;) {
        cpu++;
    }
    return cpu;
}

static uint32_t what_now(const struct geo_busy_board *board, struct geo_busy_here *here)
{
    if (here->kind == GEO_BUSY_NOT) {
        return 0;
    }
    int cpu = cpu_for(board, here);
    if (cpu < 0 || (uint32_t)cpu >= board->cpu_count) {
        here->turns = 0; /* its CPU is not counted: look it up again next time */
        return 0;
    }
    here->cpu = (uint32_t)cpu;
    here->turns = TURNS;
    return here->kind << GEO_BUSY_KIND_SHIFT | here->cpu;
}

void geo_busy_change(struct geo_busy_here *here, uint32_t kind)
{
    const struct geo_busy_board *board = board_get();
    if (!here->what) {
        cell_get(board, here);
    }
    GEO_ASSERT(kind <= GEO_BUSY_KINDS && (!here->cell || board));
    here->kind = kind;
    if (!here->cell) {
        here->turns = TURNS;
        return;
    }
    uint64_t since = atomic_load_explicit(&board->watch->since_ns, memory_order_relaxed);
    if (since != 0) {
        uint64_t now = geo_now_ns();
        cell_close(board, here->cell, since, now);
        watch_expire(board->watch, since, now);
        atomic_store_explicit(&here->cell->begin_ns, now, memory_order_relaxed);
    }
    atomic_store_explicit(&here->cell->what, what_now(board, here), memory_order_release);
}
