/* Debug sessions. See session.h. */
#include "driver/tools/debug/session.h"

#include "driver/core/check.h"

#include <stdlib.h>

#define WHY_BYTES 400u
#define NS_PER_MS UINT64_C(1000000)

/* ---- answers of the backend ---- */

/* Ends a call of the backend: records why it failed, and frees the buffer. Returns `result`. */
static ze_result_t answered(const struct geo_device *device, ze_result_t result,
                            struct geo_strbuf *why)
{
    if (result != ZE_RESULT_SUCCESS) {
        geo_fail(result, "%s: %s", device->info->name,
                 why->length ? geo_strbuf_text(why) : "the debugged process refused the request");
    }
    geo_strbuf_finish(why);
    return result;
}

/* Calls an operation of a session whose last parameter is `why`. */
#define ASK(result, object, operation, ...)                                                        \
    do {                                                                                           \
        struct geo_strbuf why_;                                                                    \
        geo_strbuf_init(&why_, WHY_BYTES);                                                         \
        (result) =                                                                                 \
            answered((object)->device,                                                             \
                     (object)->ops->operation((object)->session, __VA_ARGS__, &why_), &why_);      \
    } while (0)

/* ---- devices ---- */

const struct geo_debug_info *geo_debug_session_info(const struct geo_device *device)
{
    const struct geo_debug_ops *ops = device->base.driver->ops->debug;
    return ops ? ops->info(device->backend_device) : NULL;
}

bool geo_debug_session_attachable(const struct geo_device *device)
{
    const struct geo_debug_info *info = geo_debug_session_info(device);
    return info && info->attach && (info->separate_code || !device->root);
}

/* ---- attaching ---- */

static void session_destroy(struct geo_object *object)
{
    struct geo_debug_session_object *session = (struct geo_debug_session_object *)object;
    if (session->session) {
        session->ops->detach(session->session);
    }
    free(session);
}

ze_result_t geo_debug_session_attach(struct geo_device *device, uint32_t pid,
                                     struct geo_debug_session_object **out)
{
    const struct geo_debug_info *info = geo_debug_session_info(device);
    if (!info || !info->attach) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "%s has no debugging",
                        device->info->name);
    }
    if (!geo_debug_session_attachable(device)) {
        return geo_fail(ZE_RESULT_ERROR_NOT_AVAILABLE,
                        "sub-devices share their code: attach to the root device");
    }
    struct geo_debug_session_object *session = calloc(1, sizeof(*session));
    if (!session) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a debug session");
    }
    geo_object_init(&session->base, GEO_OBJECT_DEBUG_SESSION, device->base.driver, session_destroy);
    session->device = device;
    session->ops = device->base.driver->ops->debug;
    session->info = info;
    struct geo_strbuf why;
    geo_strbuf_init(&why, WHY_BYTES);
    ze_result_t result = answered(
        device, session->ops->attach(device->backend_device, pid, &session->session, &why), &why);
    if (result != ZE_RESULT_SUCCESS) {
        geo_object_close(&session->base);
        return result;
    }
    *out = session;
    return ZE_RESULT_SUCCESS;
}

/* ---- events ---- */

ze_result_t geo_debug_session_read_event(struct geo_debug_session_object *session,
                                         uint64_t timeout_ms, zet_debug_event_t *event)
{
    uint64_t timeout_ns;
    zet_debug_event_t next;
    if (__builtin_mul_overflow(timeout_ms, NS_PER_MS, &timeout_ns)) {
        timeout_ns = UINT64_MAX;
    }
    ze_result_t result = session->ops->read_event(session->session, timeout_ns, &next);
    if (result == ZE_RESULT_SUCCESS) {
        *event = next;
        return ZE_RESULT_SUCCESS;
    }
    return result == ZE_RESULT_NOT_READY
               ? result
               : geo_fail(result, "the debugged process has ended, or has detached this debugger");
}

ze_result_t geo_debug_session_acknowledge(struct geo_debug_session_object *session,
                                          const zet_debug_event_t *event)
{
    ze_result_t result;
    if (!(event->flags & ZET_DEBUG_EVENT_FLAG_NEED_ACK)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the event lacks the flag ZET_DEBUG_EVENT_FLAG_NEED_ACK");
    }
    ASK(result, session, acknowledge, event);
    return result;
}

/* ---- threads ---- */

/* Returns whether a field is below the device's count, or has all bits set where that is
 * allowed. */
static bool field_is_valid(uint32_t field, uint32_t count, bool several)
{
    return field < count || (several && field == UINT32_MAX);
}

static ze_result_t threads_check(const struct geo_debug_session_object *session,
                                 const ze_device_thread_t *thread, bool several)
{
    const struct geo_device_info *info = session->device->info;
    if (field_is_valid(thread->slice, info->slices, several) &&
        field_is_valid(thread->subslice, info->subslices_per_slice, several) &&
        field_is_valid(thread->eu, info->eus_per_subslice, several) &&
        field_is_valid(thread->thread, info->threads_per_eu, several)) {
        return ZE_RESULT_SUCCESS;
    }
    return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                    "the device lacks the thread {%u, %u, %u, %u}: it has {%u, %u, %u, %u}",
                    thread->slice, thread->subslice, thread->eu, thread->thread, info->slices,
                    info->subslices_per_slice, info->eus_per_subslice, info->threads_per_eu);
}

static bool thread_is_all(const ze_device_thread_t *thread)
{
    return thread->slice == UINT32_MAX && thread->subslice == UINT32_MAX &&
           thread->eu == UINT32_MAX && thread->thread == UINT32_MAX;
}

ze_result_t geo_debug_session_interrupt(struct geo_debug_session_object *session,
                                        ze_device_thread_t threads)
{
    ze_result_t result;
    GEO_CHECK(threads_check(session, &threads, true));
    ASK(result, session, interrupt, threads);
    return result;
}

ze_result_t geo_debug_session_resume(struct geo_debug_session_object *session,
                                     ze_device_thread_t threads)
{
    ze_result_t result;
    GEO_CHECK(threads_check(session, &threads, true));
    ASK(result, session, resume, threads);
    return result;
}

/* ---- memory ---- */

static ze_result_t space_check(const struct geo_debug_session_object *session,
                               const ze_device_thread_t *thread,
                               const zet_debug_memory_space_desc_t *desc)
{
    if (desc->type == ZET_DEBUG_MEMORY_SPACE_TYPE_BARRIER) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
                        "the device has no memory with the state of barriers");
    }
    if (!thread_is_all(thread)) {
        return threads_check(session, thread, false);
    }
    if (desc->type == ZET_DEBUG_MEMORY_SPACE_TYPE_SLM) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "local memory belongs to the work-group of one thread");
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_debug_session_read_memory(struct geo_debug_session_object *session,
                                          ze_device_thread_t thread,
                                          const zet_debug_memory_space_desc_t *desc, size_t bytes,
                                          void *buffer)
{
    ze_result_t result;
    GEO_CHECK(space_check(session, &thread, desc));
    ASK(result, session, read_memory, thread, desc->type, desc->address, bytes, buffer);
    return result;
}

ze_result_t geo_debug_session_write_memory(struct geo_debug_session_object *session,
                                           ze_device_thread_t thread,
                                           const zet_debug_memory_space_desc_t *desc, size_t bytes,
                                           const void *buffer)
{
    ze_result_t result;
    GEO_CHECK(space_check(session, &thread, desc));
    ASK(result, session, write_memory, thread, desc->type, desc->address, bytes, buffer);
    return result;
}

/* ---- registers ---- */

void geo_debug_session_list_sets(const zet_debug_regset_properties_t *sets, uint32_t available,
                                 uint32_t *count, zet_debug_regset_properties_t *out)
{
    const uint32_t written = geo_count_protocol(count, available, out);
    for (uint32_t i = 0; i < written; i++) {
        const zet_structure_type_t stype = out[i].stype;
        void *next = out[i].pNext;
        out[i] = sets[i];
        out[i].stype = stype;
        out[i].pNext = next;
    }
}

ze_result_t geo_debug_session_thread_sets(struct geo_debug_session_object *session,
                                          ze_device_thread_t thread,
                                          const zet_debug_regset_properties_t **sets,
                                          uint32_t *count)
{
    ze_result_t result;
    GEO_CHECK(threads_check(session, &thread, false));
    ASK(result, session, thread_register_sets, thread, sets, count);
    return result;
}

/* Returns the set of a type, or NULL. */
static const zet_debug_regset_properties_t *set_find(const struct geo_debug_info *info,
                                                     uint32_t type)
{
    for (uint32_t i = 0; i < info->register_set_count; i++) {
        if (info->register_sets[i].type == type) {
            return &info->register_sets[i];
        }
    }
    return NULL;
}

static ze_result_t registers_check(const struct geo_debug_session_object *session,
                                   const ze_device_thread_t *thread, uint32_t type, uint32_t start,
                                   uint32_t count, zet_debug_regset_flag_t access)
{
    const zet_debug_regset_properties_t *set = set_find(session->info, type);
    GEO_CHECK(threads_check(session, thread, false));
    if (!set) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ENUMERATION,
                        "the device has no register set of type %u", type);
    }
    if (start >= set->count || count > set->count - start) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "register set %u has %u registers: %u from number %u on are too many", type,
                        set->count, count, start);
    }
    if (!(set->generalFlags & (uint32_t)access)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "register set %u can only be read", type);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_debug_session_read_registers(struct geo_debug_session_object *session,
                                             ze_device_thread_t thread, uint32_t type,
                                             uint32_t start, uint32_t count, void *values)
{
    ze_result_t result;
    GEO_CHECK(
        registers_check(session, &thread, type, start, count, ZET_DEBUG_REGSET_FLAG_READABLE));
    ASK(result, session, read_registers, thread, type, start, count, values);
    return result;
}

ze_result_t geo_debug_session_write_registers(struct geo_debug_session_object *session,
                                              ze_device_thread_t thread, uint32_t type,
                                              uint32_t start, uint32_t count, const void *values)
{
    ze_result_t result;
    GEO_CHECK(
        registers_check(session, &thread, type, start, count, ZET_DEBUG_REGSET_FLAG_WRITEABLE));
    ASK(result, session, write_registers, thread, type, start, count, values);
    return result;
}
