/* The operations of debugging (backend/debug.h): what a debugger's process asks of the agent of
 * another process. Includes debug.h for their table. */
#include "backend/cpu/debug/client.h"
#include "backend/cpu/debug/debug.h"
#include "backend/cpu/debug/registers.h"
#include "backend/cpu/debug/wire.h"

#include <pthread.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct geo_debug_info info = {.attach = true};

static void info_fill(void)
{
    info.register_sets = geo_cpu_debug_registers_sets(&info.register_set_count);
}

static const struct geo_debug_info *debug_info(struct geo_backend_device *device)
{
    (void)device;
    pthread_once(&once, info_fill);
    return &info;
}

static ze_result_t event_acknowledge(struct geo_debug_session *session,
                                     const zet_debug_event_t *event, struct geo_strbuf *why)
{
    struct geo_cpu_debug_request request = {.kind = GEO_CPU_DEBUG_ACKNOWLEDGE, .event = *event};
    return geo_cpu_debug_client_ask(session, &request, NULL, 0, NULL, 0, why);
}

static ze_result_t threads_interrupt(struct geo_debug_session *session, ze_device_thread_t threads,
                                     struct geo_strbuf *why)
{
    struct geo_cpu_debug_request request = {.kind = GEO_CPU_DEBUG_INTERRUPT, .thread = threads};
    return geo_cpu_debug_client_ask(session, &request, NULL, 0, NULL, 0, why);
}

static ze_result_t threads_resume(struct geo_debug_session *session, ze_device_thread_t threads,
                                  struct geo_strbuf *why)
{
    struct geo_cpu_debug_request request = {.kind = GEO_CPU_DEBUG_RESUME, .thread = threads};
    return geo_cpu_debug_client_ask(session, &request, NULL, 0, NULL, 0, why);
}

/* Accesses memory in pieces. `out` or `in` is NULL. */
static ze_result_t memory_access(struct geo_debug_session *session,
                                 const struct geo_cpu_debug_request *access, size_t bytes,
                                 uint8_t *out, const uint8_t *in, struct geo_strbuf *why)
{
    ze_result_t result = ZE_RESULT_SUCCESS;
    size_t done = 0;
    do {
        const size_t left = bytes - done;
        struct geo_cpu_debug_request request = *access;
        request.address += done;
        request.bytes = left < GEO_CPU_DEBUG_DATA ? left : GEO_CPU_DEBUG_DATA;
        result = geo_cpu_debug_client_ask(session, &request, in ? in + done : NULL,
                                          in ? request.bytes : 0, out ? out + done : NULL,
                                          out ? request.bytes : 0, why);
        done += request.bytes;
    } while (result == ZE_RESULT_SUCCESS && done < bytes);
    return result;
}

static ze_result_t memory_read(struct geo_debug_session *session, ze_device_thread_t thread,
                               zet_debug_memory_space_type_t space, uint64_t address, size_t bytes,
                               void *buffer, struct geo_strbuf *why)
{
    const struct geo_cpu_debug_request access = {.kind = GEO_CPU_DEBUG_READ_MEMORY,
                                                 .thread = thread,
                                                 .type = (uint32_t)space,
                                                 .address = address};
    return memory_access(session, &access, bytes, buffer, NULL, why);
}

static ze_result_t memory_write(struct geo_debug_session *session, ze_device_thread_t thread,
                                zet_debug_memory_space_type_t space, uint64_t address, size_t bytes,
                                const void *buffer, struct geo_strbuf *why)
{
    const struct geo_cpu_debug_request access = {.kind = GEO_CPU_DEBUG_WRITE_MEMORY,
                                                 .thread = thread,
                                                 .type = (uint32_t)space,
                                                 .address = address};
    return memory_access(session, &access, bytes, NULL, buffer, why);
}

/* Every stop has all sets of the device. */
static ze_result_t thread_register_sets(struct geo_debug_session *session,
                                        ze_device_thread_t thread,
                                        const zet_debug_regset_properties_t **sets, uint32_t *count,
                                        struct geo_strbuf *why)
{
    struct geo_cpu_debug_request request = {.kind = GEO_CPU_DEBUG_IS_STOPPED, .thread = thread};
    ze_result_t result = geo_cpu_debug_client_ask(session, &request, NULL, 0, NULL, 0, why);
    if (result == ZE_RESULT_SUCCESS) {
        *sets = geo_cpu_debug_registers_sets(count);
    }
    return result;
}

/* The driver has checked the registers, so the set exists. */
static struct geo_cpu_debug_request registers_request(uint32_t kind, ze_device_thread_t thread,
                                                      uint32_t type, uint32_t start, uint32_t count,
                                                      size_t *bytes)
{
    *bytes = (size_t)count * geo_cpu_debug_registers_find(type)->byteSize;
    return (struct geo_cpu_debug_request){
        .kind = kind, .thread = thread, .type = type, .start = start, .count = count};
}

static ze_result_t registers_read(struct geo_debug_session *session, ze_device_thread_t thread,
                                  uint32_t type, uint32_t start, uint32_t count, void *values,
                                  struct geo_strbuf *why)
{
    size_t bytes;
    struct geo_cpu_debug_request request =
        registers_request(GEO_CPU_DEBUG_READ_REGISTERS, thread, type, start, count, &bytes);
    return geo_cpu_debug_client_ask(session, &request, NULL, 0, values, bytes, why);
}

static ze_result_t registers_write(struct geo_debug_session *session, ze_device_thread_t thread,
                                   uint32_t type, uint32_t start, uint32_t count,
                                   const void *values, struct geo_strbuf *why)
{
    size_t bytes;
    struct geo_cpu_debug_request request =
        registers_request(GEO_CPU_DEBUG_WRITE_REGISTERS, thread, type, start, count, &bytes);
    request.bytes = bytes;
    return geo_cpu_debug_client_ask(session, &request, values, bytes, NULL, 0, why);
}

const struct geo_debug_ops geo_cpu_debug_ops = {
    .info = debug_info,
    .attach = geo_cpu_debug_client_attach,
    .detach = geo_cpu_debug_client_detach,
    .read_event = geo_cpu_debug_client_event,
    .acknowledge = event_acknowledge,
    .interrupt = threads_interrupt,
    .resume = threads_resume,
    .read_memory = memory_read,
    .write_memory = memory_write,
    .thread_register_sets = thread_register_sets,
    .read_registers = registers_read,
    .write_registers = registers_write,
};
