/* Words of the application that events refer to: counters in its memory, which kernels and the host
 * raise by plain stores. Nobody tells us, so whoever waits looks again and again: first at once,
 * then after naps of growing length, at most a millisecond. What commands of this process add is
 * told. */
#ifndef GEO_EXEC_WORD_H
#define GEO_EXEC_WORD_H

#include "backend/command.h"

#include <level_zero/ze_api.h>

#define GEO_NAP_MIN_NS UINT64_C(50000)
#define GEO_NAP_MAX_NS UINT64_C(1000000)

static inline uint64_t geo_nap_longer(uint64_t nap_ns)
{
    return nap_ns * 2 < GEO_NAP_MAX_NS ? nap_ns * 2 : GEO_NAP_MAX_NS;
}

/* The thread waits for an external reference: as geo_slot_wait for others. */
ze_result_t geo_word_wait(const struct geo_event_ref *ref, uint64_t timeout_ns, uint64_t spin_ns,
                          const _Atomic uint32_t *lost);

/* Adds the value of an external reference and ends the naps of sleeping threads. False: no such
 * memory, nothing has happened. */
bool geo_word_add(const struct geo_event_ref *ref);

#endif
