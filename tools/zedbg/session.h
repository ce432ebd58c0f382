/* A debug session with a device of another process: a thin cover of zetDebug*. Errors become
 * texts. */
#ifndef ZEDBG_SESSION_H
#define ZEDBG_SESSION_H

#include "frame.h"

#include <geoid/debug.h>
#include <level_zero/zet_api.h>

struct session;

/* A thread of the device: a core that runs kernels. */
struct thread {
    struct session *session;
    ze_device_thread_t id;
    int number; /* from 0 on, over all sessions */
    bool stopped;
    bool fresh;             /* it stopped, and the stop was not handled so far */
    bool passed;            /* the breakpoint at its address counts as hit: it is stepped over */
    bool gone;              /* it left its kernel instead of stopping */
    uint64_t reason;        /* geoid_stop_reason_t */
    uint64_t fault_address; /* of a page fault */
    bool general_known;     /* `general` was read since the stop */
    uint64_t general[MACHINE_GENERAL];
    struct thread_reader reader; /* of its frames */
};

/* Properties of a register set; byteSize 0: the device lacks it. */
struct register_set {
    uint32_t count, bytes;
};
enum { SESSION_SETS = GEOID_REGSET_LAUNCH + 1 };

struct session {
    zet_device_handle_t device;
    zet_debug_session_handle_t handle; /* NULL: it has ended */
    ze_device_properties_t properties;
    struct register_set sets[SESSION_SETS]; /* by geoid_regset_t */
    struct thread *threads;
    size_t thread_count;
};

/* Attaches to a device of a process. `first` is the number of its first thread. */
bool session_open(struct session *session, zet_device_handle_t device, uint32_t pid, int first,
                  ze_result_t *result);
/* Ends a session. Stopped threads continue. Its threads stay until it is closed. */
void session_end(struct session *session);
void session_close(struct session *session);
/* Returns a result of Level Zero as text, with the driver's explanation. */
const char *session_error(ze_result_t result);

/* Returns the thread of an id, or NULL: the id stands for all threads. */
struct thread *session_thread(struct session *session, ze_device_thread_t id);
/* Waits for an event. Returns false if there was none: `lost` is set if there will not be any. */
bool session_event(struct session *session, uint64_t timeout_ms, zet_debug_event_t *event,
                   bool *lost);
bool session_acknowledge(struct session *session, const zet_debug_event_t *event);
/* Asks all threads to stop. Events tell of it. */
bool session_interrupt(struct session *session);
bool thread_resume(struct thread *thread);

/* Memory of the process. `thread` NULL: as no thread in particular sees it. */
bool session_read(struct session *session, const struct thread *thread,
                  zet_debug_memory_space_type_t space, uint64_t address, void *bytes, size_t size);
bool session_write(struct session *session, const struct thread *thread,
                   zet_debug_memory_space_type_t space, uint64_t address, const void *bytes,
                   size_t size);

/* Registers of a stopped thread: `bytes` has room for those of the set's size. */
bool thread_register(struct thread *thread, uint32_t set, uint32_t index, void *bytes);
bool thread_register_set(struct thread *thread, uint32_t set, uint32_t index, const void *bytes);
/* Reads all general registers. */
bool thread_general(struct thread *thread);
/* Reads a register by DWARF's number, as frames do. */
bool thread_read_register(void *thread, unsigned number, void *bytes, size_t size);

#endif
