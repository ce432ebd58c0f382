/* External references of events: counters in the application's memory, which kernels and the host
 * raise by plain stores. No store wakes us, so a waiter polls: first it spins, then it naps for
 * growing times, at most a millisecond. Additions by commands of this process do wake it. */
#ifndef GEO_EXEC_WAIT_WORD_H
#define GEO_EXEC_WAIT_WORD_H

#include "backend/command.h"

#include <level_zero/ze_api.h>

#define GEO_NAP_MIN_NS UINT64_C(50000)
#define GEO_NAP_MAX_NS UINT64_C(1000000)

static inline uint64_t geo_nap_longer(uint64_t nap_ns)
{
    return nap_ns * 2 < GEO_NAP_MAX_NS ? nap_ns * 2 : GEO_NAP_MAX_NS;
}

/* Waits on the calling thread for an external reference, as geo_slot_wait does for slots. */
ze_result_t geo_word_wait(const struct geo_event_ref *ref, uint64_t timeout_ns, uint64_t spin_ns,
                          const _Atomic uint32_t *lost);

/* Adds the value of an external reference and wakes napping threads. Returns false, without effect,
 * if its memory is not there. */
bool geo_word_add(const struct geo_event_ref *ref);

#endif
