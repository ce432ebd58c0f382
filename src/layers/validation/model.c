/* What is known of lists, queues, kernels, events and pools. See model.h. */
#include "layers/validation/model.h"

#include "base/fork.h"
#include "ddi/geo_ddi_chain.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void geo_val_model_lock(void)
{
    pthread_mutex_lock(&lock);
}

void geo_val_model_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

static struct geo_fork_handler fork_handler = {.order = GEO_FORK_VALIDATION,
                                               .prepare = geo_val_model_lock,
                                               .parent = geo_val_model_unlock,
                                               .child = geo_val_model_unlock};
GEO_FORK_AT_LOAD(fork_handler)

/* --- types --- */

enum kind { LIST, QUEUE, FENCE, KERNEL, POOL, EVENT, KINDS };

static int types[KINDS]; /* geo_ddi_handles */

__attribute__((constructor)) static void types_find(void)
{
    static const char *const names[KINDS] = {
        [LIST] = "ze_command_list_handle_t", [QUEUE] = "ze_command_queue_handle_t",
        [FENCE] = "ze_fence_handle_t",       [KERNEL] = "ze_kernel_handle_t",
        [POOL] = "ze_event_pool_handle_t",   [EVENT] = "ze_event_handle_t",
    };
    for (int i = 0; i < GEO_DDI_HANDLE_COUNT; i++) {
        for (int kind = 0; kind < KINDS; kind++) {
            if (strcmp(geo_ddi_handles[i].name, names[kind]) == 0)
                types[kind] = i;
        }
    }
}

static void *data_of(enum kind kind, const void *handle)
{
    const struct geo_val_object *object =
        handle ? geo_val_object_find((unsigned)types[kind], handle) : NULL;
    struct geo_val_data *data = object ? atomic_load(&object->data) : NULL;
    return data && data->life == atomic_load(&object->life) >> 2 ? data : NULL;
}

struct geo_val_list *geo_val_list_of(const void *handle)
{
    return data_of(LIST, handle);
}

struct geo_val_queue *geo_val_queue_of(const void *handle)
{
    return data_of(QUEUE, handle);
}

struct geo_val_fence *geo_val_fence_of(const void *handle)
{
    return data_of(FENCE, handle);
}

struct geo_val_kernel *geo_val_kernel_of(const void *handle)
{
    return data_of(KERNEL, handle);
}

struct geo_val_pool *geo_val_pool_of(const void *handle)
{
    return data_of(POOL, handle);
}

struct geo_val_event *geo_val_event_of(const void *handle)
{
    return data_of(EVENT, handle);
}

/* --- lists --- */

static struct geo_val_list *lists; /* all that there ever were; used again with their handles */

static void command_finish(struct geo_val_command *command)
{
    free(command->waits);
    free(command->ranges);
}

void geo_val_list_clear(struct geo_val_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        command_finish(&list->commands[i]);
    list->count = 0;
}

/* Room for one more in an immediate list: those that are done go, and of too many the older half. */
static void list_shrink(struct geo_val_list *list)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->immediate && list->commands[i].done)
            command_finish(&list->commands[i]);
        else
            list->commands[kept++] = list->commands[i];
    }
    if (list->immediate && kept >= GEO_VAL_WINDOW) {
        const uint32_t gone = kept / 2;
        for (uint32_t i = 0; i < gone; i++)
            command_finish(&list->commands[i]);
        kept -= gone;
        memmove(list->commands, list->commands + gone, kept * sizeof(*list->commands));
    }
    list->count = kept;
}

struct geo_val_command *geo_val_list_append(struct geo_val_list *list)
{
    if (list->count == list->capacity)
        list_shrink(list);
    if (list->count == list->capacity) {
        const uint32_t capacity = list->capacity ? 2 * list->capacity : 16;
        struct geo_val_command *grown = realloc(list->commands, capacity * sizeof(*list->commands));
        if (!grown)
            return NULL;
        list->commands = grown;
        list->capacity = capacity;
    }
    struct geo_val_command *command = &list->commands[list->count++];
    *command = (struct geo_val_command){.number = list->appended++};
    return command;
}

void geo_val_lists_each(void (*visit)(struct geo_val_list *list, void *user), void *user)
{
    for (struct geo_val_list *list = lists; list; list = list->next) {
        if (geo_val_list_of(list->handle) == list)
            visit(list, user);
    }
}

const struct geo_val_object *geo_val_event_object(const void *handle)
{
    return geo_val_object_find((unsigned)types[EVENT], handle);
}

static void event_object_visit(struct geo_val_object *object, void *user)
{
    void (*const *visit)(void *handle) = user;
    if (geo_val_object_type(object) == (unsigned)types[EVENT] && geo_val_object_alive(object))
        (*visit)(geo_val_object_handle(object));
}

void geo_val_events_each(void (*visit)(void *handle))
{
    geo_val_objects_each(event_object_visit, &visit);
}

/* --- making and destroying --- */

/* The object's own memory, zeroed: it is used again with the handle. */
static void *data_begin(enum kind kind, const void *handle, size_t size)
{
    struct geo_val_object *object =
        handle ? geo_val_object_find((unsigned)types[kind], handle) : NULL;
    if (!object)
        return NULL;
    struct geo_val_data *data = atomic_load(&object->data);
    if (!data)
        data = calloc(1, size);
    if (data)
        data->life = atomic_load(&object->life) >> 2;
    atomic_store(&object->data, data);
    return data;
}

static void list_begin(ze_command_list_handle_t handle, bool immediate, bool in_order,
                       uint32_t ordinal)
{
    struct geo_val_list *list = data_begin(LIST, handle, sizeof(*list));
    if (!list)
        return;
    if (!list->handle) {
        list->next = lists;
        lists = list;
    }
    geo_val_list_clear(list);
    *list = (struct geo_val_list){.data = list->data,
                                  .next = list->next,
                                  .handle = handle,
                                  .immediate = immediate,
                                  .in_order = in_order,
                                  .ordinal = ordinal,
                                  .commands = list->commands,
                                  .capacity = list->capacity};
}

static void queue_begin(ze_command_queue_handle_t handle, const ze_command_queue_desc_t *desc)
{
    struct geo_val_queue *queue = data_begin(QUEUE, handle, sizeof(*queue));
    if (queue)
        *queue =
            (struct geo_val_queue){.data = queue->data, .handle = handle, .ordinal = desc->ordinal};
}

static void kernel_begin(ze_kernel_handle_t handle)
{
    ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    struct geo_val_kernel *kernel = data_begin(KERNEL, handle, sizeof(*kernel));
    if (!kernel)
        return;
    *kernel = (struct geo_val_kernel){.data = kernel->data};
    if (geo_layer_next.ze.Kernel.pfnGetProperties &&
        geo_layer_next.ze.Kernel.pfnGetProperties(handle, &properties) == ZE_RESULT_SUCCESS)
        kernel->count = properties.numKernelArgs;
}

static void fence_begin(ze_fence_handle_t handle)
{
    struct geo_val_fence *fence = data_begin(FENCE, handle, sizeof(*fence));
    if (fence)
        *fence = (struct geo_val_fence){.data = fence->data};
}

static void pool_begin(ze_event_pool_handle_t handle, const ze_event_pool_desc_t *desc)
{
    struct geo_val_pool *pool = data_begin(POOL, handle, sizeof(*pool));
    if (!pool)
        return;
    free(pool->taken);
    *pool = (struct geo_val_pool){.data = pool->data};
    if (!desc ||
        GEO_CHAIN_FIND(ze_event_pool_desc_t, ze_event_pool_counter_based_exp_desc_t, desc->pNext))
        return;
    pool->plain = !(desc->flags & ZE_EVENT_POOL_FLAG_IPC);
    pool->count = desc->count;
    pool->taken = calloc(1, (size_t)desc->count / 8 + 1);
}

static void event_begin(ze_event_handle_t handle, ze_event_pool_handle_t pool,
                        const ze_event_desc_t *desc)
{
    struct geo_val_event *event = data_begin(EVENT, handle, sizeof(*event));
    if (!event)
        return;
    *event = (struct geo_val_event){
        .data = event->data, .pool = geo_val_pool_of(pool), .index = desc ? desc->index : 0};
    event->plain = desc && event->pool && event->pool->plain;
    if (event->pool && event->pool->taken && event->index < event->pool->count)
        event->pool->taken[event->index / 8] |= (uint8_t)(1u << event->index % 8);
}

void geo_val_event_end(const struct geo_val_event *event)
{
    if (event && event->pool && event->pool->taken && event->index < event->pool->count)
        event->pool->taken[event->index / 8] &= (uint8_t)~(1u << event->index % 8);
}

#define ARGUMENT(call, i, type) (*(type *)(call)->arguments[i])

void geo_val_model_note(const struct geo_layer_call *call)
{
    switch (call->id) {
    case GEO_DDI_FN_zeCommandListCreate: {
        const ze_command_list_desc_t *desc = ARGUMENT(call, 2, const ze_command_list_desc_t *);
        list_begin(*ARGUMENT(call, 3, ze_command_list_handle_t *), false,
                   (desc->flags & ZE_COMMAND_LIST_FLAG_IN_ORDER) != 0,
                   desc->commandQueueGroupOrdinal);
        break;
    }
    case GEO_DDI_FN_zeCommandListCreateImmediate: {
        const ze_command_queue_desc_t *desc = ARGUMENT(call, 2, const ze_command_queue_desc_t *);
        list_begin(*ARGUMENT(call, 3, ze_command_list_handle_t *), true,
                   (desc->flags & ZE_COMMAND_QUEUE_FLAG_IN_ORDER) != 0 ||
                       desc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS,
                   desc->ordinal);
        break;
    }
    case GEO_DDI_FN_zeCommandQueueCreate:
        queue_begin(*ARGUMENT(call, 3, ze_command_queue_handle_t *),
                    ARGUMENT(call, 2, const ze_command_queue_desc_t *));
        break;
    case GEO_DDI_FN_zeFenceCreate:
        fence_begin(*ARGUMENT(call, 2, ze_fence_handle_t *));
        break;
    case GEO_DDI_FN_zeKernelCreate:
        kernel_begin(*ARGUMENT(call, 2, ze_kernel_handle_t *));
        break;
    case GEO_DDI_FN_zeEventPoolCreate:
        pool_begin(*ARGUMENT(call, 4, ze_event_pool_handle_t *),
                   ARGUMENT(call, 1, const ze_event_pool_desc_t *));
        break;
    case GEO_DDI_FN_zeEventPoolOpenIpcHandle:
        pool_begin(*ARGUMENT(call, 2, ze_event_pool_handle_t *), NULL);
        break;
    case GEO_DDI_FN_zeEventCreate:
        event_begin(*ARGUMENT(call, 2, ze_event_handle_t *),
                    ARGUMENT(call, 0, ze_event_pool_handle_t),
                    ARGUMENT(call, 1, const ze_event_desc_t *));
        break;
    case GEO_DDI_FN_zeEventCounterBasedCreate:
        event_begin(*ARGUMENT(call, 3, ze_event_handle_t *), NULL, NULL);
        break;
    default:
        break;
    }
}

/* --- in flight --- */

enum { GRACE_NS = 10000000 }; /* what the driver may need to see what the application saw */

bool geo_val_queue_in_flight(const struct geo_val_queue *queue)
{
    return queue && queue->handle && queue->submissions > queue->done &&
           geo_layer_next.ze.CommandQueue.pfnSynchronize(queue->handle, GRACE_NS) ==
               ZE_RESULT_NOT_READY;
}

static bool immediate_in_flight(const struct geo_val_list *list)
{
    return geo_layer_next.ze.CommandList.pfnHostSynchronize &&
           geo_layer_next.ze.CommandList.pfnHostSynchronize(list->handle, GRACE_NS) ==
               ZE_RESULT_NOT_READY;
}

bool geo_val_list_in_flight(const struct geo_val_list *list)
{
    if (list->immediate)
        return list->count > 0 && immediate_in_flight(list);
    if (list->carrier)
        return list->carrier->appended == list->carried && immediate_in_flight(list->carrier);
    return list->queue && list->queue->submissions == list->submission &&
           geo_val_queue_in_flight(list->queue);
}
