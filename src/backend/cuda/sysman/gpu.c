/* Sysman of a GPU: opening, and lists of components when they are asked for. See gpu.h. */
#include "backend/cuda/sysman/gpu.h"

#include <stdlib.h>

#define LIST_BYTES (4u << 20) /* no GPU has so many components */

/* Not here, because NVML has nothing that would be it:
 *   scheduler     time slices and time-outs are no settings of NVML's but of virtual GPUs
 *   standby, performance factors, lights, power supplies of the machine's own
 *   diagnostics   NVIDIA has them in a program of their own
 *   overclock     offsets of curves are not the specification's controls
 *   virtual functions of the vendor's kind */
static void (*const finders[GEO_SYSMAN_CLASS_COUNT])(struct geo_gpu_list *list) = {
    [GEO_SYSMAN_POWER] = geo_gpu_find_power,
    [GEO_SYSMAN_FREQUENCY] = geo_gpu_find_frequency,
    [GEO_SYSMAN_ENGINE] = geo_gpu_find_engine,
    [GEO_SYSMAN_FIRMWARE] = geo_gpu_find_firmware,
    [GEO_SYSMAN_MEMORY] = geo_gpu_find_memory,
    [GEO_SYSMAN_FABRIC_PORT] = geo_gpu_find_fabric,
    [GEO_SYSMAN_TEMPERATURE] = geo_gpu_find_temperature,
    [GEO_SYSMAN_FAN] = geo_gpu_find_fan,
    [GEO_SYSMAN_RAS] = geo_gpu_find_ras,
};

ze_result_t geo_cuda_sysman_open(struct geo_backend_device *device, const char *root,
                                 struct geo_sysman **out)
{
    struct geo_sysman *sysman = calloc(1, sizeof(*sysman));
    if (!sysman) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    sysman->nvml = device->nvml;
    sysman->device = device;
    geo_gpu_describe(sysman);
    geo_gpu_pci_describe(sysman, root ? root : "");
    *out = sysman;
    return ZE_RESULT_SUCCESS;
}

static void list_destroy(struct geo_gpu_list *list)
{
    if (list) {
        geo_arena_finish(&list->arena);
        free(list);
    }
}

void geo_cuda_sysman_close(struct geo_sysman *sysman)
{
    if (!sysman) {
        return;
    }
    geo_gpu_unwatch(sysman);
    for (int i = 0; i < GEO_SYSMAN_CLASS_COUNT; i++) {
        list_destroy(atomic_load(&sysman->lists[i]));
    }
    free(sysman);
}

const struct geo_sysman_device *geo_cuda_sysman_device(struct geo_sysman *sysman)
{
    return &sysman->description;
}

/* ---- components ---- */

/* NULL: memory ran out, and the next who asks tries again; or there are none of the class. */
static struct geo_gpu_list *list_make(struct geo_sysman *sysman, enum geo_sysman_class kind)
{
    struct geo_gpu_list *list = finders[kind] ? calloc(1, sizeof(*list)) : NULL;
    if (!list) {
        return NULL;
    }
    list->sysman = sysman;
    list->kind = kind;
    geo_arena_init(&list->arena, LIST_BYTES);
    finders[kind](list);
    if (list->failed) {
        list_destroy(list);
        return NULL;
    }
    return list;
}

const struct geo_sysman_component *const *
geo_cuda_sysman_components(struct geo_sysman *sysman, enum geo_sysman_class kind, uint32_t *count)
{
    struct geo_gpu_list *list = atomic_load_explicit(&sysman->lists[kind], memory_order_acquire);
    if (!list) {
        struct geo_gpu_list *made = list_make(sysman, kind);
        if (made && atomic_compare_exchange_strong(&sysman->lists[kind], &list, made)) {
            list = made;
        } else {
            list_destroy(made);
        }
    }
    *count = list ? list->count : 0;
    return list ? list->items : NULL;
}
