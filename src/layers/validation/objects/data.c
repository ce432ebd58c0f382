/* The data of objects, and the lock of the model. See data.h. */
#include "layers/validation/objects/data.h"

#include "base/fork.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void geo_val_data_lock(void)
{
    pthread_mutex_lock(&lock);
}

void geo_val_data_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

static struct geo_fork_handler fork_handler = {.order = GEO_FORK_VALIDATION,
                                               .prepare = geo_val_data_lock,
                                               .parent = geo_val_data_unlock,
                                               .child = geo_val_data_unlock};
GEO_FORK_AT_LOAD(fork_handler)

static unsigned types[GEO_VAL_KINDS];

void geo_val_data_kinds_make(void)
{
    static const char *const names[GEO_VAL_KINDS] = {
        [GEO_VAL_LIST] = "ze_command_list_handle_t",
        [GEO_VAL_QUEUE] = "ze_command_queue_handle_t",
        [GEO_VAL_FENCE] = "ze_fence_handle_t",
        [GEO_VAL_KERNEL] = "ze_kernel_handle_t",
        [GEO_VAL_POOL] = "ze_event_pool_handle_t",
        [GEO_VAL_EVENT] = "ze_event_handle_t",
        [GEO_VAL_IMAGE] = "ze_image_handle_t",
        [GEO_VAL_SAMPLER] = "ze_sampler_handle_t",
        [GEO_VAL_GRAPH] = "ze_graph_handle_t",
        [GEO_VAL_EXECUTABLE] = "ze_executable_graph_handle_t",
        [GEO_VAL_CONTEXT] = "ze_context_handle_t",
        [GEO_VAL_MODULE] = "ze_module_handle_t",
        [GEO_VAL_DEVICE] = "ze_device_handle_t",
        [GEO_VAL_PHYSICAL] = "ze_physical_mem_handle_t",
    };
    for (unsigned i = 0; i < GEO_DDI_HANDLE_COUNT; i++) {
        for (int kind = 0; kind < GEO_VAL_KINDS; kind++) {
            if (strcmp(geo_ddi_handles[i].name, names[kind]) == 0) {
                types[kind] = i;
            }
        }
    }
}

unsigned geo_val_data_kind_type(enum geo_val_kind kind)
{
    return types[kind];
}

bool geo_val_data_kind_is(enum geo_val_kind kind, unsigned type)
{
    return types[kind] == type;
}

struct geo_val_object *geo_val_data_kind_object(enum geo_val_kind kind, const void *handle)
{
    return handle ? geo_val_object_find(types[kind], handle) : NULL;
}

void *geo_val_data_of(enum geo_val_kind kind, const void *handle)
{
    const struct geo_val_object *object = geo_val_data_kind_object(kind, handle);
    struct geo_val_data *data = object ? atomic_load(&object->data) : NULL;
    return data && data->life == atomic_load(&object->life) >> 2 ? data : NULL;
}

void *geo_val_data_begin(enum geo_val_kind kind, const void *handle, size_t size)
{
    struct geo_val_object *object = geo_val_data_kind_object(kind, handle);
    if (!object) {
        return NULL;
    }
    struct geo_val_data *data = atomic_load(&object->data);
    if (!data) {
        data = calloc(1, size);
    }
    if (data) {
        data->life = atomic_load(&object->life) >> 2;
    }
    atomic_store(&object->data, data);
    return data;
}
