/* The interface of debugging: what a debugger can do to the kernels of another process. See
 * docs/decisions/interfaces.md,
 * "Sysman, metrics and debugging use the API's value structures".
 *
 * The driver (driver/tools/debug, called by driver/api/zet) owns sessions, checks threads, spaces
 * and register ranges, and knows who is attached; a backend reaches into the process. A session
 * is for one root or sub-device and one process.
 *
 *     debugger                                    process that is debugged
 *     zetDebug* -> driver -> struct geo_debug_session == channel == backend of that process
 *                                ^                                    |
 *                                +---- events, in order --------------+
 *
 * A thread of the specification is a place {slice, sub-slice, EU, thread} of the device's
 * topology: on a CPU a worker, which at any moment runs W work-items of one group; "stopped" is
 * at an address of a kernel. What its lanes are is a register set (GEO_REGISTERS_LANES), so that
 * a debugger sees items.
 *
 * Who fits in:
 *   CPU        a channel that the debugged process opens when it is told to (an option; a second
 *              one is NOT_AVAILABLE), its workers stop by signal or at breakpoints; memory and
 *              registers through it or by ptrace. Program information is the native binary's
 *              (native/native.h)
 *   NVIDIA     the CUDA debugger API, where it is installed; else no ATTACH flag
 *   simulated  faults of the description file come as PAGE_FAULT events
 *   null       no debugging: the pointer in struct geo_backend_ops stays NULL, no flag is set
 *
 * Rules: operations on one session come from any thread, events are read by one. What arrives
 * from the other process is untrusted. Its end is an event (DETACHED), after which every
 * operation is DEVICE_LOST. Refusals have the reason in `why`, which becomes the last-error text.
 *
 * Function by function ("description": fields of struct geo_debug_info; "native": from the native
 * binary that the module holds; "driver": no operation):
 *
 *   zetDeviceGetDebugProperties              description         attach
 *   zetDebugAttach                           debug.attach        one session: NOT_AVAILABLE
 *   zetDebugDetach                           debug.detach
 *   zetDebugReadEvent                        debug.read_event    NOT_READY when the time is over
 *   zetDebugAcknowledgeEvent                 debug.acknowledge   only what has NEED_ACK
 *   zetDebugInterrupt                        debug.interrupt
 *   zetDebugResume                           debug.resume
 *   zetDebugReadMemory                       debug.read_memory   all threads: space DEFAULT only
 *   zetDebugWriteMemory                      debug.write_memory  all threads: space DEFAULT only
 *   zetDebugGetRegisterSetProperties         description         register sets
 *   zetDebugGetThreadRegisterSetProperties   debug.thread_register_sets
 *   zetDebugReadRegisters                    debug.read_registers start + count checked
 *   zetDebugWriteRegisters                   debug.write_registers writeable sets only
 *   zetModuleGetDebugInfo                    native              ELF with DWARF, as it was built
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

/* The register sets of CPU devices; other backends have numbers of their own from 0x100. */
enum geo_register_set {
    GEO_REGISTERS_GENERAL = 1, /* general, instruction pointer, flags */
    GEO_REGISTERS_VECTOR,      /* as wide as the machine has them */
    GEO_REGISTERS_MASK,        /* opmask registers */
    GEO_REGISTERS_LANES,       /* struct geo_debug_lane, one for each lane; read only */
};

struct geo_debug_lane {
    uint64_t global_id[3];
    uint32_t local_id[3], group_id[3];
    uint32_t active;
    uint32_t reserved;
};

struct geo_debug_info {
    bool attach;        /* can be attached to at all, as the system is set up now */
    bool separate_code; /* sub-devices can be attached to on their own; else only the whole */
    const zet_debug_regset_properties_t *register_sets; /* stype and pNext are the driver's */
    uint32_t register_set_count;
};

struct geo_debug_ops {
    const struct geo_debug_info *(*info)(struct geo_backend_device *device);
    /* UNSUPPORTED_FEATURE, INSUFFICIENT_PERMISSIONS; NOT_AVAILABLE: no such process, it is being
     * debugged already, or debugging is off there. */
    ze_result_t (*attach)(struct geo_backend_device *device, uint32_t pid,
                          struct geo_debug_session **out, struct geo_strbuf *why);
    /* Stopped threads go on. */
    void (*detach)(struct geo_debug_session *session);
    /* The next event in order of happening, from attach on. NOT_READY after the time. */
    ze_result_t (*read_event)(struct geo_debug_session *session, uint64_t timeout_ns,
                              zet_debug_event_t *event);
    /* In any order; INVALID_ARGUMENT for an event that waits for nothing. */
    ze_result_t (*acknowledge)(struct geo_debug_session *session, const zet_debug_event_t *event);
    /* All ones in a field: all of them. Returns at once; THREAD_STOPPED or THREAD_UNAVAILABLE
     * follow. NOT_AVAILABLE for what is stopped already, or is not. */
    ze_result_t (*interrupt)(struct geo_debug_session *session, ze_device_thread_t thread,
                             struct geo_strbuf *why);
    ze_result_t (*resume)(struct geo_debug_session *session, ze_device_thread_t thread,
                          struct geo_strbuf *why);
    /* As the stopped thread sees it; all or nothing. NOT_AVAILABLE for one that runs. */
    ze_result_t (*read_memory)(struct geo_debug_session *session, ze_device_thread_t thread,
                               zet_debug_memory_space_type_t space, uint64_t address, size_t bytes,
                               void *buffer, struct geo_strbuf *why);
    ze_result_t (*write_memory)(struct geo_debug_session *session, ze_device_thread_t thread,
                                zet_debug_memory_space_type_t space, uint64_t address, size_t bytes,
                                const void *buffer, struct geo_strbuf *why);
    /* Those of a stopped thread, valid until it goes on; a part of the description's. */
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
