/* Tells debuggers of modules and streams of this process. See debug.h. */
#include "backend/cpu/debug/debug.h"

#include "backend/cpu/debug/agent.h"
#include "backend/cpu/debug/session.h"
#include "backend/host/host.h"
#include "exec/stream/stream.h"

#include <stdlib.h>

void geo_cpu_debug_open(const struct geo_cpu_debug_desc *desc)
{
    geo_cpu_debug_agent_open(desc);
}

bool geo_cpu_debug_is_on(void)
{
    return geo_cpu_debug_agent_on();
}

/* ---- modules ---- */

struct geo_cpu_debug_code *geo_cpu_debug_load(const struct geo_backend_device *device,
                                              const void *code, size_t code_bytes,
                                              const void *binary, size_t bytes)
{
    const uintptr_t begin = (uintptr_t)code;
    if (!geo_cpu_debug_agent_on() || code_bytes == 0) {
        return NULL;
    }
    geo_cpu_debug_agent_want();
    geo_cpu_debug_agent_await_debugger();
    geo_cpu_debug_state_lock();
    struct geo_cpu_debug_code *made =
        geo_cpu_debug_code_add_locked(device, begin, begin + code_bytes, binary, bytes);
    const bool waits = made && geo_cpu_debug_session_loaded_locked(made);
    geo_cpu_debug_state_unlock();
    if (waits) {
        geo_cpu_debug_code_await(made);
    }
    return made;
}

void geo_cpu_debug_unload(struct geo_cpu_debug_code *code)
{
    if (code) {
        geo_cpu_debug_state_lock();
        geo_cpu_debug_session_unloads_locked(code);
        geo_cpu_debug_code_remove_locked(code);
        geo_cpu_debug_state_unlock();
    }
}

/* ---- streams ----
 *
 * A stream does not know its device, so streams of processes that can be debugged are listed. */

struct listed {
    struct listed *next;
    const struct geo_backend_stream *stream;
    const struct geo_backend_device *device;
};

static struct listed *streams; /* protected by the lock */

static void stream_add(const struct geo_backend_device *device,
                       const struct geo_backend_stream *stream)
{
    struct listed *listed = malloc(sizeof(*listed));
    if (listed) {
        geo_cpu_debug_state_lock();
        *listed = (struct listed){.next = streams, .stream = stream, .device = device};
        streams = listed;
        geo_cpu_debug_session_stream_locked(device, true);
        geo_cpu_debug_state_unlock();
    }
}

/* Takes a stream off the list. Another one may get its address once it is destroyed. */
static struct listed *stream_take(const struct geo_backend_stream *stream)
{
    geo_cpu_debug_state_lock();
    struct listed **link = &streams;
    while (*link && (*link)->stream != stream) {
        link = &(*link)->next;
    }
    struct listed *listed = *link;
    if (listed) {
        *link = listed->next;
    }
    geo_cpu_debug_state_unlock();
    return listed;
}

static void stream_tell_end(struct listed *listed)
{
    if (listed) {
        geo_cpu_debug_state_lock();
        geo_cpu_debug_session_stream_locked(listed->device, false);
        geo_cpu_debug_state_unlock();
        free(listed);
    }
}

static ze_result_t stream_create(struct geo_backend_device *device,
                                 const struct geo_stream_desc *desc,
                                 struct geo_backend_stream **out)
{
    const bool on = geo_cpu_debug_agent_on();
    if (on) {
        geo_cpu_debug_agent_want();
        geo_cpu_debug_agent_await_debugger();
    }
    ze_result_t result = geo_host_stream_ops.create(device, desc, out);
    if (on && result == ZE_RESULT_SUCCESS) {
        stream_add(device, *out);
    }
    return result;
}

static void stream_destroy(struct geo_backend_stream *stream)
{
    struct listed *listed = geo_cpu_debug_agent_on() ? stream_take(stream) : NULL;
    geo_exec_stream_destroy(stream);
    stream_tell_end(listed);
}

const struct geo_stream_ops geo_cpu_debug_stream_ops = {
    .create = stream_create,
    .destroy = stream_destroy,
    .submit = geo_exec_stream_submit,
    .execute = geo_exec_stream_execute,
    .wait = geo_exec_stream_wait,
    .finished = geo_exec_stream_finished,
};
