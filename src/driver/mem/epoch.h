/* Safe reclamation of memory that is read without a lock (the address map).
 *
 * Readers enter, read what the writer has published, and leave. They never wait, and share no cache
 * line with other threads as long as there are fewer threads than stripes. The writer (one at a
 * time, under its owner's lock) unlinks memory and retires it here instead of freeing it.
 *
 * A reader first raises one of the two counters of its stripe: the one for the parity of the
 * current phase. The phase advances only when the counters of the other parity are zero in all
 * stripes. Memory retired in phase p is freed when the phase becomes p + 2. By then each of the two
 * counters was seen at zero after the memory was unlinked, so no reader can still use it. Nothing
 * ever waits: memory that cannot be freed yet stays on its list until a later call. */
#ifndef GEO_DRIVER_MEM_EPOCH_H
#define GEO_DRIVER_MEM_EPOCH_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define GEO_EPOCH_STRIPES 32u

/* The beginning of every object that may be retired. */
struct geo_retired {
    struct geo_retired *next;
};

/* The state of reclamation; zeroed, it is ready. */
struct geo_epoch {
    struct {
        _Alignas(64) _Atomic uint32_t active[2];
    } stripes[GEO_EPOCH_STRIPES];
    _Alignas(64) _Atomic uint64_t phase;
    struct geo_retired *retired[3]; /* lists by phase modulo 3; owned by the writer */
};

/* Begins reading. Returns a ticket for geo_epoch_leave. */
uint32_t geo_epoch_enter(struct geo_epoch *epoch);
void geo_epoch_leave(struct geo_epoch *epoch, uint32_t ticket);

/* (writer) Frees the memory with free() once no reader can use it any more. Accepts NULL. */
void geo_epoch_retire(struct geo_epoch *epoch, struct geo_retired *memory);

/* (writer) Frees retired memory that no reader can use any more. */
void geo_epoch_advance(struct geo_epoch *epoch);

/* Forgets the readers of other threads in the child after fork. */
void geo_epoch_after_fork(struct geo_epoch *epoch);

#endif
