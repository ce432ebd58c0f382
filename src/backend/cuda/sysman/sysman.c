/* Sysman of a GPU: opens it, and builds the lists of components on demand. See gpu.h. */
#include "backend/cuda/sysman/sysman.h"

#include <stdlib.h>

/* Classes without an entry have no equivalent in NVML:
 *   scheduler     time slices and time-outs exist only for virtual GPUs
 *   standby, performance factors, lights, power supplies
 *   diagnostics   NVIDIA provides these in a separate program
 *   overclock     NVML's curve offsets do not match the specification's controls
 *   virtual functions in the specification's sense
 */
static void (*const finders[GEO_SYSMAN_CLASS_COUNT])(struct geo_component_list *list) = {
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
    geo_gpu_whole_describe(sysman);
    geo_gpu_pci_describe(sysman, root ? root : "");
    *out = sysman;
    return ZE_RESULT_SUCCESS;
}

void geo_cuda_sysman_close(struct geo_sysman *sysman)
{
    if (!sysman) {
        return;
    }
    geo_gpu_event_unwatch(sysman);
    for (int i = 0; i < GEO_SYSMAN_CLASS_COUNT; i++) {
        geo_component_list_destroy(atomic_load(&sysman->lists[i]));
    }
    free(sysman);
}

const struct geo_sysman_device *geo_cuda_sysman_device(struct geo_sysman *sysman)
{
    return &sysman->description;
}

/* ---- components ---- */

static bool list_find(struct geo_component_list *list)
{
    finders[list->kind](list);
    return true;
}

const struct geo_sysman_component *const *
geo_cuda_sysman_components(struct geo_sysman *sysman, enum geo_sysman_class kind, uint32_t *count)
{
    *count = 0;
    return finders[kind]
               ? geo_component_list_once(&sysman->lists[kind], sysman, kind, list_find, count)
               : NULL;
}
