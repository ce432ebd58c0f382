/* Decides when retired memory can be freed. See epoch.h. */
#include "driver/mem/epoch.h"

#include "base/assert.h"

#include <stdbool.h>
#include <stdlib.h>

static _Atomic uint32_t next_stripe;
static _Thread_local uint32_t own_stripe; /* index + 1; 0: not assigned yet */

static uint32_t stripe_index(void)
{
    if (own_stripe == 0) {
        own_stripe = 1 + atomic_fetch_add_explicit(&next_stripe, 1, memory_order_relaxed) %
                             GEO_EPOCH_STRIPES;
    }
    return own_stripe - 1;
}

uint32_t geo_epoch_enter(struct geo_epoch *epoch)
{
    uint32_t stripe = stripe_index();
    uint32_t parity = (uint32_t)atomic_load_explicit(&epoch->phase, memory_order_relaxed) & 1;
    /* Sequentially consistent, like the writer's loads and the loads that follow here. So either
     * the writer sees this reader, or the reader sees what the writer has unlinked before. */
    atomic_fetch_add(&epoch->stripes[stripe].active[parity], 1);
    return stripe * 2 + parity;
}

void geo_epoch_leave(struct geo_epoch *epoch, uint32_t ticket)
{
    GEO_ASSERT(ticket < GEO_EPOCH_STRIPES * 2);
    uint32_t before = atomic_fetch_sub_explicit(&epoch->stripes[ticket / 2].active[ticket & 1], 1,
                                                memory_order_release);
    GEO_ASSERT(before > 0);
}

void geo_epoch_retire(struct geo_epoch *epoch, struct geo_retired *memory)
{
    if (memory) {
        uint64_t bucket = atomic_load_explicit(&epoch->phase, memory_order_relaxed) % 3;
        GEO_ASSERT(epoch->retired[bucket] != memory); /* retired once */
        memory->next = epoch->retired[bucket];
        epoch->retired[bucket] = memory;
    }
}

static bool parity_idle(struct geo_epoch *epoch, uint32_t parity)
{
    for (uint32_t i = 0; i < GEO_EPOCH_STRIPES; i++) {
        if (atomic_load(&epoch->stripes[i].active[parity]) != 0) {
            return false;
        }
    }
    return true;
}

static bool phase_step(struct geo_epoch *epoch)
{
    uint64_t phase = atomic_load_explicit(&epoch->phase, memory_order_relaxed);
    if (!parity_idle(epoch, (uint32_t)(phase - 1) & 1)) {
        return false;
    }
    /* Entering phase + 1 frees what was retired in phase - 1. */
    struct geo_retired **bucket = &epoch->retired[(phase + 2) % 3];
    while (*bucket) {
        struct geo_retired *memory = *bucket;
        *bucket = memory->next;
        free(memory);
    }
    atomic_store(&epoch->phase, phase + 1);
    return true;
}

void geo_epoch_advance(struct geo_epoch *epoch)
{
    while (epoch->retired[0] || epoch->retired[1] || epoch->retired[2]) {
        if (!phase_step(epoch)) {
            return;
        }
    }
}

void geo_epoch_after_fork(struct geo_epoch *epoch)
{
    for (uint32_t i = 0; i < GEO_EPOCH_STRIPES; i++) {
        atomic_store(&epoch->stripes[i].active[0], 0);
        atomic_store(&epoch->stripes[i].active[1], 0);
    }
}
