/* Waits for counters that plain stores change, and adds to them. See word.h. */
#include "exec/wait/word.h"

#include "base/assert.h"
#include "exec/thread/fault.h"
#include "exec/thread/sync.h"

static _Atomic uint32_t additions; /* the word on which all napping threads sleep */
static _Atomic uint32_t sleepers;

static bool word_lost(const _Atomic uint32_t *lost)
{
    return lost && atomic_load_explicit(lost, memory_order_acquire) != 0;
}

static void word_sleep(const struct geo_event_ref *ref, uint64_t deadline_ns,
                       const _Atomic uint32_t *lost)
{
    uint64_t nap = GEO_NAP_MIN_NS;
    atomic_fetch_add_explicit(&sleepers, 1, memory_order_seq_cst);
    for (;;) {
        uint32_t seen = atomic_load_explicit(&additions, memory_order_seq_cst);
        uint64_t now = geo_now_ns();
        if (geo_command_event_reached(ref) || now >= deadline_ns || word_lost(lost)) {
            break;
        }
        uint64_t until = now + nap < deadline_ns ? now + nap : deadline_ns;
        geo_futex_wait(&additions, seen, until, false);
        nap = geo_nap_longer(nap);
    }
    atomic_fetch_sub_explicit(&sleepers, 1, memory_order_relaxed);
}

ze_result_t geo_word_wait(const struct geo_event_ref *ref, uint64_t timeout_ns, uint64_t spin_ns,
                          const _Atomic uint32_t *lost)
{
    GEO_ASSERT(ref->value & GEO_EVENT_EXTERNAL && !(ref->value & GEO_EVENT_RELATIVE));
    uint64_t start = geo_machine_ticks();
    uint64_t spin = spin_ns < timeout_ns ? spin_ns : timeout_ns;
    uint64_t deadline = geo_deadline_ns(timeout_ns);
    while (!geo_command_event_reached(ref) && geo_ticks_to_ns(geo_machine_ticks() - start) < spin) {
        geo_machine_pause();
    }
    if (!geo_command_event_reached(ref) && timeout_ns != 0) {
        word_sleep(ref, deadline, lost);
    }
    if (geo_command_event_reached(ref)) {
        return ZE_RESULT_SUCCESS;
    }
    return word_lost(lost) ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_NOT_READY;
}

bool geo_word_add(const struct geo_event_ref *ref)
{
    GEO_ASSERT(ref->value & GEO_EVENT_EXTERNAL && !(ref->value & GEO_EVENT_RELATIVE));
    _Atomic uint64_t *word = (_Atomic uint64_t *)(void *)ref->slot;
    struct geo_fault_scope scope;
    bool done = GEO_FAULT_TRY(&scope);
    if (done) {
        atomic_fetch_add_explicit(word, ref->value & GEO_EVENT_VALUE_MAX, memory_order_seq_cst);
    }
    geo_fault_leave(&scope);
    if (done && atomic_load_explicit(&sleepers, memory_order_seq_cst) != 0) {
        atomic_fetch_add_explicit(&additions, 1, memory_order_seq_cst);
        geo_futex_wake(&additions, INT_MAX, false);
    }
    return done;
}
