/* Safe reclamation for the driver's memory structures that are read without a lock (the address
 * map).
 *
 * Readers enter, read what the writer has published, leave; they never wait and share no cache line
 * with other threads as long as there are fewer of them than stripes. The writer (one at a time,
 * its owner's lock says so) unlinks memory and retires it here instead of freeing it.
 *
 * A reader raises one of two counters of its stripe, the one of the current phase's parity, before
 * it loads anything. The phase moves on only when the counter of the other parity is zero
 * everywhere. Memory retired in phase p is freed when the phase becomes p + 2: by then each of the
 * two counters was seen at zero after the memory had been unlinked, so no reader that could have
 * found it is left. Nobody ever waits: what cannot be freed yet stays on its list until a later
 * call finds the readers gone. */
#ifndef GEO_DRIVER_MEM_EPOCH_H
#define GEO_DRIVER_MEM_EPOCH_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define GEO_EPOCH_STRIPES 32u

/* Memory to be retired begins with this. */
struct geo_retired {
    struct geo_retired *next;
};

struct geo_epoch {
    struct {
        _Alignas(64) _Atomic uint32_t active[2];
    } stripes[GEO_EPOCH_STRIPES];
    _Alignas(64) _Atomic uint64_t phase;
    struct geo_retired *retired[3]; /* by phase modulo 3; the writer's */
};

/* Returns what leave needs. */
uint32_t geo_epoch_enter(struct geo_epoch *epoch);
void geo_epoch_leave(struct geo_epoch *epoch, uint32_t ticket);

/* (writer) Frees the memory with free() when no reader can hold it any more; accepts NULL. */
void geo_epoch_retire(struct geo_epoch *epoch, struct geo_retired *memory);

/* (writer) Frees what can be freed now. */
void geo_epoch_advance(struct geo_epoch *epoch);

/* In the child after fork: the readers of other threads are gone. */
void geo_epoch_after_fork(struct geo_epoch *epoch);

#endif
