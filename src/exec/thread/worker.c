/* Scratch memory, floating-point state and guests of workers. See worker.h. */
#include "exec/thread/worker.h"

#include "base/assert.h"
#include "exec/thread/fault.h"

#include <string.h>
#include <sys/mman.h>

#define GUESTS             64u
#define SCRATCH_MIN_BYTES  (256u << 10)
#define SCRATCH_KEEP_BYTES (16u << 20) /* a guest returns more than this to the system */
/* Size of the guard areas around scratch; the one behind it is readable as zeros. It is larger than
 * what a kernel with an off-by-one error overruns, and costs only address space. */
#define GUARD_BYTES (64u << 10)
/* Writable memory between scratch and the guard behind it. On Intel's processors, an access takes
 * hundreds of cycles if lanes that are off lie in a page that is not present or must not be
 * written. */
#define TAIL_BYTES GEO_ABI_SCRATCH_TAIL

static struct geo_exec_worker guests[GUESTS];

void geo_worker_init(struct geo_exec_worker *worker, uint32_t rotor)
{
    memset(worker, 0, sizeof(*worker));
    worker->rotor = rotor;
    worker->fp_control = GEO_MACHINE_FP_DEFAULT;
    geo_machine_fp_set(GEO_MACHINE_FP_DEFAULT);
}

/* ---- scratch ---- */

/* Returns the writable bytes of a mapping with `bytes` of scratch. */
static uint64_t usable_bytes(uint64_t bytes)
{
    return (bytes + TAIL_BYTES + GUARD_BYTES - 1) & ~(uint64_t)(GUARD_BYTES - 1);
}

uint8_t *geo_scratch_map(uint64_t bytes)
{
    if (bytes > SIZE_MAX / 2) {
        return NULL;
    }
    uint64_t usable = usable_bytes(bytes);
    uint8_t *memory = mmap(NULL, usable + 2 * GUARD_BYTES, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        return NULL;
    }
    /* placed before the scratch, so that the tail ends with the page */
    uint64_t odd = usable - TAIL_BYTES - bytes;
    uint8_t *end = memory + GUARD_BYTES + usable;
    if (mprotect(end - usable, usable, PROT_READ | PROT_WRITE) != 0 ||
        mprotect(end, GUARD_BYTES, PROT_READ) != 0) {
        munmap(memory, usable + 2 * GUARD_BYTES);
        return NULL;
    }
    return memory + GUARD_BYTES + odd;
}

void geo_scratch_unmap(uint8_t *memory, uint64_t bytes)
{
    uint64_t usable = usable_bytes(bytes);
    munmap(memory - (usable - TAIL_BYTES - bytes) - GUARD_BYTES, usable + 2 * GUARD_BYTES);
}

static void scratch_release(struct geo_exec_worker *worker)
{
    if (worker->scratch_room != 0) {
        geo_scratch_unmap(worker->scratch_end - worker->scratch_room, worker->scratch_room);
    }
    worker->scratch_end = NULL;
    worker->scratch_room = 0;
}

bool geo_worker_scratch_grow(struct geo_exec_worker *worker, uint64_t bytes)
{
    if (bytes > SIZE_MAX / 2) {
        return false;
    }
    uint64_t size = SCRATCH_MIN_BYTES;
    while (size - TAIL_BYTES < bytes) {
        size *= 2;
    }
    size -= TAIL_BYTES;
    uint8_t *scratch = geo_scratch_map(size);
    if (!scratch) {
        return false;
    }
    GEO_ASSERT(size >= bytes && size % GEO_ABI_SCRATCH_ALIGN == 0);
    scratch_release(worker);
    worker->scratch_end = scratch + size;
    worker->scratch_room = size;
    return true;
}

/* ---- pending additions ---- */

/* Returns where the flushes of a new table begin. Tables that are made one after another are far
 * apart: 25 and the number of lines have no common divisor. */
static uint64_t pending_start(void)
{
    static _Atomic uint32_t tables;
    uint32_t line = 25 * atomic_fetch_add_explicit(&tables, 1, memory_order_relaxed);
    return line * GEO_PENDING_LINE % GEO_PENDING_ENTRIES;
}

struct geo_pending_table *geo_worker_pending(struct geo_exec_worker *worker)
{
    if (__builtin_expect(!worker->pending, 0)) {
        worker->pending =
            (struct geo_pending_table *)(void *)geo_scratch_map(sizeof(struct geo_pending_table));
        if (worker->pending) {
            GEO_ASSERT((uintptr_t)worker->pending % 64 == 0); /* as code assumes */
            worker->pending->start = pending_start();
        }
    }
    return worker->pending;
}

void geo_worker_pending_drop(struct geo_exec_worker *worker)
{
    struct geo_pending_table *pending = worker->pending;
    if (pending) {
        memset(pending->sums, 0, sizeof(pending->sums));
        pending->credit = 0;
        pending->used = 0;
    }
}

static void pending_release(struct geo_exec_worker *worker)
{
    if (worker->pending) {
        GEO_ASSERT(worker->pending->used == 0);
        geo_scratch_unmap((uint8_t *)worker->pending, sizeof(struct geo_pending_table));
        worker->pending = NULL;
    }
}

void geo_worker_finish(struct geo_exec_worker *worker)
{
    GEO_ASSERT(!worker->guest);
    geo_busy_finish(&worker->busy);
    scratch_release(worker);
    pending_release(worker);
}

/* ---- guests ---- */

static void guest_enter(struct geo_exec_worker *guest)
{
    GEO_ASSERT(!guest->seat && !guest->snapshot && !guest->unblocked);
    guest->guest = true;
    geo_here.depth++;
    if (__builtin_expect(geo_here.blocks, 0)) {
        geo_fault_unblock(&guest->blocked);
        guest->unblocked = true;
    }
    guest->fp_saved = geo_machine_fp_get();
    guest->fp_control = guest->fp_saved & GEO_MACHINE_FP_CONTROL;
}

static void guest_leave(struct geo_exec_worker *guest)
{
    GEO_ASSERT(guest->guest && geo_here.depth != 0);
    geo_machine_fp_set(guest->fp_saved);
    if (__builtin_expect(guest->unblocked, 0)) {
        geo_fault_block(&guest->blocked);
        guest->unblocked = false;
    }
    geo_here.depth--;
}

void geo_guest_begin(struct geo_exec_worker *guest)
{
    (void)geo_caller_fit();
    guest_enter(guest);
}

void geo_guest_end(struct geo_exec_worker *guest)
{
    geo_busy_finish(&guest->busy);
    guest_leave(guest);
    scratch_release(guest);
    pending_release(guest);
}

static bool guest_try(uint32_t index)
{
    return !atomic_load_explicit(&guests[index].taken, memory_order_relaxed) &&
           !atomic_exchange_explicit(&guests[index].taken, true, memory_order_acquire);
}

struct geo_exec_worker *geo_guest_acquire(void)
{
    uint32_t index = geo_here.guest;
    uint32_t tries = 0;
    if (!geo_caller_fit()) {
        return NULL;
    }
    while (!guest_try(index)) {
        index = (index + 1) % GUESTS;
        if (++tries == GUESTS) {
            return NULL;
        }
    }
    struct geo_exec_worker *guest = &guests[index];
    geo_here.guest = index;
    guest->rotor = index;
    guest_enter(guest);
    return guest;
}

void geo_guest_release(struct geo_exec_worker *guest)
{
    GEO_ASSERT(guest >= guests && guest < guests + GUESTS);
    geo_busy_with(&guest->busy, GEO_BUSY_NOT);
    guest_leave(guest);
    if (guest->scratch_room > SCRATCH_KEEP_BYTES) {
        scratch_release(guest);
    }
    atomic_store_explicit(&guest->taken, false, memory_order_release);
}

void geo_guest_after_fork(void)
{
    for (uint32_t i = 0; i < GUESTS; i++) {
        atomic_store_explicit(&guests[i].taken, false, memory_order_relaxed);
        guests[i].unblocked = false;
        geo_worker_pending_drop(&guests[i]); /* of launches of the parent */
        guests[i].busy = (struct geo_busy_here){.kind = GEO_BUSY_NOT};
    }
}
