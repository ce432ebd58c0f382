/* The interface of debugging: what a debugger can do to the kernels of another process. See
 * docs/decisions/interfaces.md, "Sysman, metrics and debugging use the API's value structures".
 *
 * The driver (driver/tools/debug, called by driver/api/zet) owns sessions, checks threads, memory
 * spaces and register ranges, and records who is attached. A backend accesses the debugged process.
 * A session is for one root device or sub-device and one process.
 *
 *   debugger                                  debugged process
 *   zetDebug* -> driver -> struct geo_debug_session == channel == backend of that process
 *                             ^                                    |
 *                             +---- events, in order --------------+
 *
 * A thread of the specification is a place {slice, sub-slice, EU, thread} in the device's topology.
 * On a CPU it is a worker, which runs W work-items of one group at a time. "Stopped" means stopped
 * at an address of a kernel. The DWARF of its module tells which work-items its lanes are.
 *
 * How the backends implement it:
 *   CPU        a channel that the debugged process opens if an option says so (a second one is
 *              NOT_AVAILABLE). Its workers stop by signal or at breakpoints. Memory and registers
 *              are accessed through the channel. See backend/cpu/debug/state.h
 *   NVIDIA     the CUDA debugger API if it is installed; else the ATTACH flag is not set
 *   simulated  as null: a description has no kernels, and its devices execute nothing
 *   null       no debugging: the pointer in struct geo_backend_ops is NULL, no flag is set
 *
 * Rules: operations on one session may come from any thread; one thread reads events. Data from the
 * other process is untrusted. The end of the process is an event (DETACHED), after which every
 * operation returns DEVICE_LOST. A refused operation writes the reason to `why`, which becomes the
 * last-error text.
 *
 * Functions and their implementation ("description": fields of struct geo_debug_info; "native":
 * from the native binary that the module holds; "driver": no operation):
 *
 *   zetDeviceGetDebugProperties              description         attach
 *   zetDebugAttach                           debug.attach        one session: NOT_AVAILABLE
 *   zetDebugDetach                           debug.detach
 *   zetDebugReadEvent                        debug.read_event    NOT_READY after the timeout
 *   zetDebugAcknowledgeEvent                 debug.acknowledge   only events with NEED_ACK
 *   zetDebugInterrupt                        debug.interrupt
 *   zetDebugResume                           debug.resume
 *   zetDebugReadMemory                       debug.read_memory   all threads: space DEFAULT only
 *   zetDebugWriteMemory                      debug.write_memory  all threads: space DEFAULT only
 *   zetDebugGetRegisterSetProperties         description         register sets
 *   zetDebugGetThreadRegisterSetProperties   debug.thread_register_sets
 *   zetDebugReadRegisters                    debug.read_registers start + count checked
 *   zetDebugWriteRegisters                   debug.write_registers writable sets only
 *   zetModuleGetDebugInfo                    native              ELF with DWARF, as built
 *   zetKernelGetProfileInfo                  native              flags of -zet-profile-flags
 */
#ifndef GEO_BACKEND_DEBUG_H
#define GEO_BACKEND_DEBUG_H

#include "base/strbuf.h"

#include <level_zero/zet_api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct geo_backend_device;
struct geo_debug_session;

/* geoid/debug.h has the register sets of CPU devices. Other backends use numbers from 0x100. */

struct geo_debug_info {
    bool attach;        /* attaching is possible in the system's current configuration */
    bool separate_code; /* sub-devices can be attached to separately */
    const zet_debug_regset_properties_t *register_sets; /* stype and pNext are set by the driver */
    uint32_t register_set_count;
};

struct geo_debug_ops {
    const struct geo_debug_info *(*info)(struct geo_backend_device *device);
    /* Returns UNSUPPORTED_FEATURE, INSUFFICIENT_PERMISSIONS, or NOT_AVAILABLE when the process does
     * not exist, is already being debugged, or does not allow debugging. */
    ze_result_t (*attach)(struct geo_backend_device *device, uint32_t pid,
                          struct geo_debug_session **out, struct geo_strbuf *why);
    /* Ends the session. Stopped threads resume. */
    void (*detach)(struct geo_debug_session *session);
    /* Returns the next event in order, starting with the attach. Returns NOT_READY after the
     * timeout. */
    ze_result_t (*read_event)(struct geo_debug_session *session, uint64_t timeout_ns,
                              zet_debug_event_t *event);
    /* Events may be acknowledged in any order. Returns INVALID_ARGUMENT for an event that needs no
     * acknowledgement. */
    ze_result_t (*acknowledge)(struct geo_debug_session *session, const zet_debug_event_t *event,
                               struct geo_strbuf *why);
    /* A field with all bits set selects all. Returns at once; THREAD_STOPPED or THREAD_UNAVAILABLE
     * events follow. Returns NOT_AVAILABLE if all threads are already stopped, or for resume if
     * none is. */
    ze_result_t (*interrupt)(struct geo_debug_session *session, ze_device_thread_t thread,
                             struct geo_strbuf *why);
    ze_result_t (*resume)(struct geo_debug_session *session, ze_device_thread_t thread,
                          struct geo_strbuf *why);
    /* Access memory as the stopped thread sees it, completely or not at all. Return NOT_AVAILABLE
     * for a running thread. */
    ze_result_t (*read_memory)(struct geo_debug_session *session, ze_device_thread_t thread,
                               zet_debug_memory_space_type_t space, uint64_t address, size_t bytes,
                               void *buffer, struct geo_strbuf *why);
    ze_result_t (*write_memory)(struct geo_debug_session *session, ze_device_thread_t thread,
                                zet_debug_memory_space_type_t space, uint64_t address, size_t bytes,
                                const void *buffer, struct geo_strbuf *why);
    /* Returns the register sets of a stopped thread, valid until it resumes; a subset of those in
     * the description. */
    ze_result_t (*thread_register_sets)(struct geo_debug_session *session,
                                        ze_device_thread_t thread,
                                        const zet_debug_regset_properties_t **sets, uint32_t *count,
                                        struct geo_strbuf *why);
    ze_result_t (*read_registers)(struct geo_debug_session *session, ze_device_thread_t thread,
                                  uint32_t type, uint32_t start, uint32_t count, void *values,
                                  struct geo_strbuf *why);
    ze_result_t (*write_registers)(struct geo_debug_session *session, ze_device_thread_t thread,
                                   uint32_t type, uint32_t start, uint32_t count,
                                   const void *values, struct geo_strbuf *why);
};

#endif
