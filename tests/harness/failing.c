/* Decides which calls fail, and tracks live blocks. See failing.h. */
#include "failing.h"

#include "ours.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    _Atomic bool active;
    struct failing what;
    _Atomic long count;
    _Atomic bool failed;
} now;

void failing_begin(const struct failing *failing)
{
    ours_learn();
    now.what = *failing;
    atomic_store(&now.count, 0);
    atomic_store(&now.failed, false);
    atomic_store(&now.active, true);
}

bool failing_end(void)
{
    atomic_store(&now.active, false);
    return atomic_load(&now.failed);
}

long failing_count(void)
{
    return atomic_load(&now.count);
}

bool failing_now(enum failing_call call, const void *caller)
{
    if (!atomic_load_explicit(&now.active, memory_order_acquire) || call != now.what.call ||
        (now.what.ours && !ours_made(caller))) {
        return false;
    }
    long count = atomic_fetch_add(&now.count, 1) + 1;
    bool fails =
        now.what.at != 0 && (count == now.what.at || (now.what.for_good && count > now.what.at));
    if (fails && !atomic_exchange(&now.failed, true) && now.what.tell) {
        now.what.tell(ours_name(caller));
    }
    return fails;
}

/* ---- blocks ---- */

#define BLOCKS_MAX ((size_t)1 << 17) /* a power of two; at most half of it is used */

static struct {
    _Atomic bool watched;
    _Atomic bool lock;
    size_t count, used; /* live blocks; places in use, including those of freed blocks */
    struct block {
        void *block; /* GONE: freed */
        const void *caller;
    } places[BLOCKS_MAX];
} blocks;

#define GONE ((void *)&blocks)

static void blocks_lock(void)
{
    while (atomic_exchange_explicit(&blocks.lock, true, memory_order_acquire)) {
        sched_yield();
    }
}

static void blocks_unlock(void)
{
    atomic_store_explicit(&blocks.lock, false, memory_order_release);
}

void failing_watch_blocks(void)
{
    ours_learn();
    blocks_lock();
    memset(blocks.places, 0, sizeof(blocks.places));
    blocks.count = blocks.used = 0;
    blocks_unlock();
    atomic_store(&blocks.watched, true);
}

static struct block *place_of(const void *block)
{
    size_t place = ((uintptr_t)block >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 47;
    while (blocks.places[place].block && blocks.places[place].block != block) {
        place = (place + 1) % BLOCKS_MAX;
    }
    return &blocks.places[place];
}

void failing_block_made(void *block, const void *caller)
{
    if (!block || !atomic_load_explicit(&blocks.watched, memory_order_acquire) ||
        !ours_made(caller)) {
        return;
    }
    blocks_lock();
    if (blocks.used >= BLOCKS_MAX / 2) {
        static const char text[] = "failing.c: too many blocks to watch\n";
        (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
        _exit(1);
    }
    struct block *place = place_of(block);
    blocks.used += place->block == NULL;
    *place = (struct block){block, caller};
    blocks.count++;
    blocks_unlock();
}

void failing_block_gone(void *block)
{
    if (!block || !atomic_load_explicit(&blocks.watched, memory_order_acquire)) {
        return;
    }
    blocks_lock();
    struct block *place = place_of(block);
    if (place->block) {
        place->block = GONE;
        blocks.count--;
    }
    blocks_unlock();
}

long failing_living(char *names, size_t bytes)
{
    size_t used = 0;
    blocks_lock();
    for (size_t i = 0; names && i < BLOCKS_MAX; i++) {
        const struct block *place = &blocks.places[i];
        if (place->block && place->block != GONE && used + 1 < bytes) {
            int wrote = snprintf(names + used, bytes - used, " %s", ours_name(place->caller));
            used += wrote > 0 ? (size_t)wrote : 0;
        }
    }
    long count = (long)blocks.count;
    blocks_unlock();
    return count;
}
