/* Calls zetDebug*. See session.h. */
#include "session.h"

#include "error.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

static const ze_device_thread_t all = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};

const char *session_error(ze_result_t result)
{
    static const struct {
        ze_result_t result;
        const char *text;
    } texts[] = {
        {ZE_RESULT_ERROR_NOT_AVAILABLE, "not available"},
        {ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS, "insufficient permissions"},
        {ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "the device does not support it"},
        {ZE_RESULT_ERROR_DEVICE_LOST, "the process has ended"},
        {ZE_RESULT_ERROR_INVALID_ARGUMENT, "invalid argument"},
        {ZE_RESULT_ERROR_UNINITIALIZED, "no driver of Level Zero is installed"},
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (texts[i].result == result) {
            return texts[i].text;
        }
    }
    return scratch_format("error 0x%x", (unsigned)result);
}

static bool failed(ze_result_t result, const char *what)
{
    return error_set("%s: %s", what, session_error(result));
}

/* ---- opening ---- */

static void sets_read(struct session *session)
{
    zet_debug_regset_properties_t sets[16];
    uint32_t count = sizeof(sets) / sizeof(sets[0]);
    for (uint32_t i = 0; i < count; i++) {
        sets[i] =
            (zet_debug_regset_properties_t){.stype = ZET_STRUCTURE_TYPE_DEBUG_REGSET_PROPERTIES};
    }
    if (zetDebugGetRegisterSetProperties(session->device, &count, sets) != ZE_RESULT_SUCCESS) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (sets[i].type < SESSION_SETS) {
            session->sets[sets[i].type] = (struct register_set){sets[i].count, sets[i].byteSize};
        }
    }
}

static void threads_make(struct session *session, int first)
{
    const ze_device_properties_t *properties = &session->properties;
    const uint32_t counts[] = {properties->numSlices, properties->numSubslicesPerSlice,
                               properties->numEUsPerSubslice, properties->numThreadsPerEU};
    session->thread_count = (size_t)counts[0] * counts[1] * counts[2] * counts[3];
    session->threads = memory_alloc(session->thread_count, sizeof(*session->threads));
    for (size_t i = 0; i < session->thread_count; i++) {
        struct thread *thread = &session->threads[i];
        size_t rest = i;
        thread->session = session;
        thread->number = first + (int)i;
        thread->id.thread = (uint32_t)(rest % counts[3]);
        rest /= counts[3];
        thread->id.eu = (uint32_t)(rest % counts[2]);
        rest /= counts[2];
        thread->id.subslice = (uint32_t)(rest % counts[1]);
        thread->id.slice = (uint32_t)(rest / counts[1]);
    }
}

bool session_open(struct session *session, zet_device_handle_t device, uint32_t pid, int first,
                  ze_result_t *result)
{
    const zet_debug_config_t config = {pid};
    *session = (struct session){.device = device,
                                .properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES}};
    *result = zeDeviceGetProperties((ze_device_handle_t)device, &session->properties);
    if (*result != ZE_RESULT_SUCCESS) {
        return failed(*result, "the device's properties cannot be read");
    }
    *result = zetDebugAttach(device, &config, &session->handle);
    if (*result != ZE_RESULT_SUCCESS) {
        session->handle = NULL;
        return failed(*result, scratch_format("process %u cannot be debugged", (unsigned)pid));
    }
    sets_read(session);
    threads_make(session, first);
    return true;
}

void session_end(struct session *session)
{
    if (session->handle) {
        (void)zetDebugDetach(session->handle); /* the process may have ended */
    }
    session->handle = NULL;
    for (size_t i = 0; i < session->thread_count; i++) {
        session->threads[i].stopped = false;
        session->threads[i].gone = true;
    }
}

void session_close(struct session *session)
{
    session_end(session);
    free(session->threads);
    *session = (struct session){0};
}

/* ---- threads and events ---- */

struct thread *session_thread(struct session *session, ze_device_thread_t id)
{
    for (size_t i = 0; i < session->thread_count; i++) {
        if (memcmp(&session->threads[i].id, &id, sizeof(id)) == 0) {
            return &session->threads[i];
        }
    }
    return NULL;
}

bool session_event(struct session *session, uint64_t timeout_ms, zet_debug_event_t *event,
                   bool *lost)
{
    *event = (zet_debug_event_t){0};
    const ze_result_t result = zetDebugReadEvent(session->handle, timeout_ms, event);
    *lost = result != ZE_RESULT_SUCCESS && result != ZE_RESULT_NOT_READY;
    return result == ZE_RESULT_SUCCESS;
}

bool session_acknowledge(struct session *session, const zet_debug_event_t *event)
{
    if (!(event->flags & ZET_DEBUG_EVENT_FLAG_NEED_ACK)) {
        return true;
    }
    const ze_result_t result = zetDebugAcknowledgeEvent(session->handle, event);
    return result == ZE_RESULT_SUCCESS || result == ZE_RESULT_ERROR_DEVICE_LOST ||
           failed(result, "an event cannot be acknowledged");
}

bool session_interrupt(struct session *session)
{
    const ze_result_t result = zetDebugInterrupt(session->handle, all);
    return result == ZE_RESULT_SUCCESS || failed(result, "threads cannot be interrupted");
}

bool thread_resume(struct thread *thread)
{
    const ze_result_t result = zetDebugResume(thread->session->handle, thread->id);
    thread->stopped = thread->fresh = thread->passed = thread->gone = thread->general_known = false;
    /* The process may end before it answers: the next event tells that. */
    return result == ZE_RESULT_SUCCESS || result == ZE_RESULT_ERROR_DEVICE_LOST ||
           failed(result, scratch_format("thread %d cannot be resumed", thread->number));
}

/* ---- memory ---- */

static zet_debug_memory_space_desc_t space_at(zet_debug_memory_space_type_t space, uint64_t address)
{
    return (zet_debug_memory_space_desc_t){
        .stype = ZET_STRUCTURE_TYPE_DEBUG_MEMORY_SPACE_DESC, .type = space, .address = address};
}

static const char *place_text(zet_debug_memory_space_type_t space, uint64_t address)
{
    return scratch_format("%s0x%llx",
                          space == ZET_DEBUG_MEMORY_SPACE_TYPE_SLM ? "offset " : "address ",
                          (unsigned long long)address);
}

bool session_read(struct session *session, const struct thread *thread,
                  zet_debug_memory_space_type_t space, uint64_t address, void *bytes, size_t size)
{
    const zet_debug_memory_space_desc_t desc = space_at(space, address);
    if (size == 0) {
        return true;
    }
    if (!session->handle) {
        return error_set("memory cannot be read: no process is debugged");
    }
    const ze_result_t result =
        zetDebugReadMemory(session->handle, thread ? thread->id : all, &desc, size, bytes);
    return result == ZE_RESULT_SUCCESS ||
           error_set("cannot read memory at %s", place_text(space, address));
}

bool session_write(struct session *session, const struct thread *thread,
                   zet_debug_memory_space_type_t space, uint64_t address, const void *bytes,
                   size_t size)
{
    const zet_debug_memory_space_desc_t desc = space_at(space, address);
    if (!session->handle) {
        return error_set("memory cannot be written: no process is debugged");
    }
    const ze_result_t result =
        zetDebugWriteMemory(session->handle, thread ? thread->id : all, &desc, size, bytes);
    return result == ZE_RESULT_SUCCESS ||
           error_set("cannot write memory at %s", place_text(space, address));
}

/* ---- registers ---- */

bool thread_register(struct thread *thread, uint32_t set, uint32_t index, void *bytes)
{
    const struct session *session = thread->session;
    if (index >= session->sets[set].count) {
        return error_set("the device has no such register");
    }
    const ze_result_t result =
        zetDebugReadRegisters(session->handle, thread->id, set, index, 1, bytes);
    return result == ZE_RESULT_SUCCESS ||
           failed(result, scratch_format("registers of thread %d cannot be read", thread->number));
}

bool thread_register_set(struct thread *thread, uint32_t set, uint32_t index, const void *bytes)
{
    uint8_t value[MACHINE_VECTOR_BYTES];
    const struct session *session = thread->session;
    if (index >= session->sets[set].count || session->sets[set].bytes > sizeof(value)) {
        return error_set("the device has no such register");
    }
    memcpy(value, bytes, session->sets[set].bytes);
    thread->general_known = false;
    const ze_result_t result =
        zetDebugWriteRegisters(session->handle, thread->id, set, index, 1, value);
    return result == ZE_RESULT_SUCCESS ||
           failed(result,
                  scratch_format("registers of thread %d cannot be written", thread->number));
}

bool thread_general(struct thread *thread)
{
    const struct register_set *set = &thread->session->sets[GEOID_REGSET_GENERAL];
    if (thread->general_known) {
        return true;
    }
    if (set->count < MACHINE_GENERAL || set->bytes != sizeof(thread->general[0])) {
        return error_set("the device's general registers are not those of Geoid");
    }
    const ze_result_t result =
        zetDebugReadRegisters(thread->session->handle, thread->id, GEOID_REGSET_GENERAL, 0,
                              MACHINE_GENERAL, thread->general);
    thread->general_known = result == ZE_RESULT_SUCCESS;
    return thread->general_known ||
           failed(result, scratch_format("registers of thread %d cannot be read", thread->number));
}

bool thread_read_register(void *context, unsigned number, void *bytes, size_t size)
{
    struct thread *thread = context;
    uint8_t value[MACHINE_VECTOR_BYTES];
    if (number < MACHINE_GENERAL) {
        if (!thread_general(thread) || size > sizeof(thread->general[0])) {
            return false;
        }
        memcpy(bytes, &thread->general[number], size);
        return true;
    }
    const int vector = machine_vector(number), mask = machine_mask(number);
    const uint32_t set = vector >= 0 ? GEOID_REGSET_VECTOR : GEOID_REGSET_MASK;
    if (vector < 0 && mask < 0) {
        return error_set("register %u of DWARF is not known", number);
    }
    if (thread->session->sets[set].bytes > sizeof(value) ||
        size > thread->session->sets[set].bytes) {
        return error_set("the device has no register of %zu bytes", size);
    }
    if (!thread_register(thread, set, (uint32_t)(vector >= 0 ? vector : mask), value)) {
        return false;
    }
    memcpy(bytes, value, size);
    return true;
}
