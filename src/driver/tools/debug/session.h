/* Debug sessions as objects, and the checks of the API's functions: devices, threads, memory spaces
 * and registers. The backend accesses the debugged process (backend/debug.h). */
#ifndef GEO_DRIVER_TOOLS_DEBUG_SESSION_H
#define GEO_DRIVER_TOOLS_DEBUG_SESSION_H

#include "backend/debug.h"
#include "driver/core/driver.h"

struct geo_debug_session_object {
    struct geo_object base;
    struct geo_device *device;
    const struct geo_debug_ops *ops;
    const struct geo_debug_info *info;
    struct geo_debug_session *session; /* of the backend */
};

GEO_OBJECT_HANDLE(debug_session_object, GEO_OBJECT_DEBUG_SESSION, zet_debug_session_handle_t)

/* Returns what a device's backend says about debugging, or NULL if it has none. */
const struct geo_debug_info *geo_debug_session_info(const struct geo_device *device);

/* Returns whether a debugger can attach to a device. Code is shared by the sub-devices of a device,
 * so it cannot attach to one of them, unless the core API shows it as a root device. */
bool geo_debug_session_attachable(const struct geo_device *device);

/* Attaches to a process. Returns UNSUPPORTED_FEATURE, INSUFFICIENT_PERMISSIONS or NOT_AVAILABLE. */
GEO_MUST_CHECK ze_result_t geo_debug_session_attach(struct geo_device *device, uint32_t pid,
                                                    struct geo_debug_session_object **out);

GEO_MUST_CHECK ze_result_t geo_debug_session_read_event(struct geo_debug_session_object *session,
                                                        uint64_t timeout_ms,
                                                        zet_debug_event_t *event);
GEO_MUST_CHECK ze_result_t geo_debug_session_acknowledge(struct geo_debug_session_object *session,
                                                         const zet_debug_event_t *event);

/* `threads` may stand for several. */
GEO_MUST_CHECK ze_result_t geo_debug_session_interrupt(struct geo_debug_session_object *session,
                                                       ze_device_thread_t threads);
GEO_MUST_CHECK ze_result_t geo_debug_session_resume(struct geo_debug_session_object *session,
                                                    ze_device_thread_t threads);

GEO_MUST_CHECK ze_result_t geo_debug_session_read_memory(struct geo_debug_session_object *session,
                                                         ze_device_thread_t thread,
                                                         const zet_debug_memory_space_desc_t *desc,
                                                         size_t bytes, void *buffer);
GEO_MUST_CHECK ze_result_t geo_debug_session_write_memory(struct geo_debug_session_object *session,
                                                          ze_device_thread_t thread,
                                                          const zet_debug_memory_space_desc_t *desc,
                                                          size_t bytes, const void *buffer);

/* Copies descriptions of register sets by the list protocol. */
void geo_debug_session_list_sets(const zet_debug_regset_properties_t *sets, uint32_t available,
                                 uint32_t *count, zet_debug_regset_properties_t *out);
GEO_MUST_CHECK ze_result_t geo_debug_session_thread_sets(struct geo_debug_session_object *session,
                                                         ze_device_thread_t thread,
                                                         const zet_debug_regset_properties_t **sets,
                                                         uint32_t *count);

/* Registers of a stopped thread. */
GEO_MUST_CHECK ze_result_t geo_debug_session_read_registers(
    struct geo_debug_session_object *session, ze_device_thread_t thread, uint32_t type,
    uint32_t start, uint32_t count, void *values);
GEO_MUST_CHECK ze_result_t geo_debug_session_write_registers(
    struct geo_debug_session_object *session, ze_device_thread_t thread, uint32_t type,
    uint32_t start, uint32_t count, const void *values);

#endif
