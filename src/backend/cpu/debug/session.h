/* A debugger that is attached to this process, as the agent sees it: the numbers of its threads,
 * its events, and what it asked for. The lock protects all sessions. */
#ifndef GEO_BACKEND_CPU_DEBUG_SESSION_H
#define GEO_BACKEND_CPU_DEBUG_SESSION_H

#include "backend/cpu/debug/cell.h"
#include "backend/cpu/debug/code.h"
#include "backend/cpu/debug/event.h"
#include "base/fd.h"

#include <level_zero/zet_api.h>

#define GEO_CPU_DEBUG_PENDING 32u /* interrupts that wait for threads */

struct geo_cpu_debug_session {
    struct geo_cpu_debug_session *next;
    const struct geo_backend_device *device;
    bool own;                            /* the debugger is in this process */
    struct geo_cpu_debug_cell **threads; /* [thread_count], owned: by number; NULL: unavailable */
    uint32_t thread_count;
    /* interrupts whose final event is due */
    struct {
        ze_device_thread_t threads;
        bool single;
    } pending[GEO_CPU_DEBUG_PENDING];
    uint32_t pending_count;
    struct geo_cpu_debug_events events;
};

/* Begins a session, and queues the events about what exists. Returns NOT_AVAILABLE with the reason
 * if another debugger is attached to the device, or OUT_OF_HOST_MEMORY. */
ze_result_t geo_cpu_debug_session_begin_locked(const struct geo_backend_device *device, bool own,
                                               struct geo_cpu_debug_session **out,
                                               const char **why);
/* Ends a session: all its threads and waiting loads continue. With `undo` the changes of code are
 * undone. */
void geo_cpu_debug_session_end_locked(struct geo_cpu_debug_session *session, bool undo);

/* Looks at all threads: numbers them, reports stops, completes interrupts, and lets threads go that
 * belong to no session. Returns whether it has to look again in a millisecond. */
bool geo_cpu_debug_session_look_locked(void);

/* Serve requests of a debugger. Return the API's codes, and the reason of a failure in `why`. */
ze_result_t geo_cpu_debug_session_interrupt_locked(struct geo_cpu_debug_session *session,
                                                   const ze_device_thread_t *threads,
                                                   const char **why);
ze_result_t geo_cpu_debug_session_resume_locked(struct geo_cpu_debug_session *session,
                                                const ze_device_thread_t *threads,
                                                const char **why);
/* Returns a stopped thread. */
ze_result_t geo_cpu_debug_session_stopped_locked(const struct geo_cpu_debug_session *session,
                                                 const ze_device_thread_t *thread,
                                                 struct geo_cpu_debug_cell **out, const char **why);
/* Acknowledges the oldest event that equals this one. */
ze_result_t geo_cpu_debug_session_acknowledge_locked(struct geo_cpu_debug_session *session,
                                                     const zet_debug_event_t *event,
                                                     const char **why);

/* Tell sessions of a module or a stream of a device. The first one returns whether the caller waits
 * for the debugger (code.h), after it has released the lock. */
bool geo_cpu_debug_session_loaded_locked(struct geo_cpu_debug_code *code);
void geo_cpu_debug_session_unloads_locked(const struct geo_cpu_debug_code *code);
void geo_cpu_debug_session_stream_locked(const struct geo_backend_device *device, bool made);

/* Returns the first session; and the session of a device or of its root device, or NULL. */
struct geo_cpu_debug_session *geo_cpu_debug_session_first_locked(void);
struct geo_cpu_debug_session *
geo_cpu_debug_session_of_locked(const struct geo_backend_device *device);

/* Forgets all sessions in the child after fork, where they belong to the parent. */
void geo_cpu_debug_session_after_fork(void);

#endif
