/* Events with timestamps: each of the program's gets them, and is visible to the host, which it
 * does not see in their flags. Counters that processes share are left as they are: drivers need not
 * have both. */
#include "collect.h"
#include "map.h"

#include <level_zero/ze_api.h>

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct map pools, counters; /* to the flags that the program gave, and one */

static __thread ze_event_pool_desc_t pool_desc;
static __thread ze_event_counter_based_desc_t counter_desc;
static __thread uint32_t flags_before;

static void pool_creating(const struct call *call)
{
    const ze_event_pool_desc_t **desc = call->params[1];
    if (*desc) {
        pool_desc = **desc;
        flags_before = pool_desc.flags;
        pool_desc.flags |= ZE_EVENT_POOL_FLAG_HOST_VISIBLE;
        if (!(pool_desc.flags & ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP)) {
            pool_desc.flags |= ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
        }
        *desc = &pool_desc;
    }
}

static void flags_keep(struct map *map, const void *handle)
{
    pthread_mutex_lock(&lock);
    map_put(map, handle, (void *)((uintptr_t)flags_before + 1));
    pthread_mutex_unlock(&lock);
}

static void flags_show(struct map *map, const void *handle, uint32_t *flags, ze_result_t result)
{
    pthread_mutex_lock(&lock);
    const uintptr_t kept = (uintptr_t)map_get(map, handle);
    if (kept && flags && result == ZE_RESULT_SUCCESS) {
        *flags = (uint32_t)(kept - 1);
    }
    pthread_mutex_unlock(&lock);
}

static void pool_created(const struct call *call)
{
    if (call->result == ZE_RESULT_SUCCESS) {
        flags_keep(&pools, *ARGUMENT(call, ze_event_pool_handle_t *, 4));
    }
}

static void pool_flags(const struct call *call)
{
    flags_show(&pools, ARGUMENT(call, ze_event_pool_handle_t, 0),
               ARGUMENT(call, ze_event_pool_flags_t *, 1), call->result);
}

static void counter_flags_widen(ze_event_counter_based_desc_t *desc)
{
    if (!(desc->flags & ZE_EVENT_COUNTER_BASED_FLAG_IPC)) {
        desc->flags |=
            ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE | ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP;
    }
}

static void counter_creating(const struct call *call)
{
    const ze_event_counter_based_desc_t **desc = call->params[2];
    if (*desc) {
        counter_desc = **desc;
        flags_before = counter_desc.flags;
        counter_flags_widen(&counter_desc);
        *desc = &counter_desc;
    }
}

static void counter_created(const struct call *call)
{
    if (call->result == ZE_RESULT_SUCCESS && ARGUMENT(call, void *, 2)) {
        flags_keep(&counters, *ARGUMENT(call, ze_event_handle_t *, 3));
    }
}

static void counter_flags(const struct call *call)
{
    flags_show(&counters, ARGUMENT(call, ze_event_handle_t, 0),
               ARGUMENT(call, ze_event_counter_based_flags_t *, 1), call->result);
}

/* --- the same by a name older than the function, which programs ask drivers for: the descriptor is
 * laid out as today's (SYCL's runtimes make all their events so) --- */

typedef ze_result_t(ZE_APICALL *create_fn)(ze_context_handle_t, ze_device_handle_t,
                                           const ze_event_counter_based_desc_t *,
                                           ze_event_handle_t *);
static _Atomic(create_fn) create_older;

static ze_result_t ZE_APICALL older_create(ze_context_handle_t context, ze_device_handle_t device,
                                           const ze_event_counter_based_desc_t *desc,
                                           ze_event_handle_t *event)
{
    ze_event_counter_based_desc_t wider;
    if (desc) {
        wider = *desc;
        flags_before = wider.flags;
        counter_flags_widen(&wider);
        desc = &wider;
    }
    const ze_result_t result = atomic_load(&create_older)(context, device, desc, event);
    if (result == ZE_RESULT_SUCCESS && desc) {
        flags_keep(&counters, *event);
    }
    return result;
}

/* Ours stands for the function of one driver; that of a second is left alone. */
static void function_given(const struct call *call)
{
    const char *name = ARGUMENT(call, const char *, 1);
    void **address = ARGUMENT(call, void **, 2);
    create_fn none = NULL, theirs = NULL;
    if (call->result != ZE_RESULT_SUCCESS || strcmp(name, "zexCounterBasedEventCreate2") != 0) {
        return;
    }
    *(void **)&theirs = *address;
    if (atomic_compare_exchange_strong(&create_older, &none, theirs) || none == theirs) {
        *address = (void *)older_create;
    }
}

void flags_forget(ze_event_handle_t event)
{
    pthread_mutex_lock(&lock);
    map_remove(&counters, event);
    pthread_mutex_unlock(&lock);
}

void flags_forked(void)
{
    pthread_mutex_init(&lock, NULL);
    map_clear(&pools);
    map_clear(&counters);
}

const struct handler flags_handlers[] = {
    {"zeEventPoolCreate", pool_creating, pool_created},
    {"zeEventPoolGetFlags", NULL, pool_flags},
    {"zeEventCounterBasedCreate", counter_creating, counter_created},
    {"zeEventGetCounterBasedFlags", NULL, counter_flags},
    {"zeDriverGetExtensionFunctionAddress", NULL, function_given},
    {NULL, NULL, NULL},
};
