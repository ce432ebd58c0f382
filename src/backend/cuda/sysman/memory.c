/* Memory of the GPU, and the share of each MIG device. Faulty rows (pages on older GPUs) are
 * replaced by spare ones. A replacement that waits for a reset means that the memory needs a reset.
 * A failed replacement means that the GPU must be replaced. */
#include "backend/cuda/sysman/sysman.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_RETIRED = 64,  /* maximum number of retired pages of a GPU */
    WIDE_BITS = 1024,   /* only stacked memory has such a wide bus */
    PAGES_REPLACE = 60, /* health "replace": NVIDIA's limit of retired pages */
};

struct memory {
    struct geo_sysman_memory memory; /* first */
    const struct geo_backend_device *device;
};

/* ---- faults ---- */

static ze_result_t retired_count(struct geo_sysman *sysman, int cause, unsigned *count,
                                 struct geo_strbuf *why)
{
    unsigned long long addresses[MOST_RETIRED];
    *count = MOST_RETIRED;
    int code = GEO_NVML(sysman->nvml, DeviceGetRetiredPages, sysman->device->handle, cause, count,
                        addresses);
    code = code == GEO_NVML_INSUFFICIENT_SIZE ? GEO_NVML_SUCCESS : code;
    return geo_nvml_answer(sysman->nvml, code, "DeviceGetRetiredPages", why);
}

static ze_result_t pages_read(struct geo_sysman *sysman, struct geo_gpu_repair *repair,
                              struct geo_strbuf *why)
{
    unsigned single = 0, doubles = 0;
    int pending = 0;
    ze_result_t result = retired_count(sysman, GEO_NVML_RETIRED_SINGLE_BIT, &single, why);
    if (result == ZE_RESULT_SUCCESS) {
        result = retired_count(sysman, GEO_NVML_RETIRED_DOUBLE_BIT, &doubles, why);
    }
    if (result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) {
        return ZE_RESULT_SUCCESS;
    }
    if (result == ZE_RESULT_SUCCESS) {
        (void)GEO_NVML(sysman->nvml, DeviceGetRetiredPagesPendingStatus, sysman->device->handle,
                       &pending);
        repair->pending = pending != 0;
        repair->repaired = single + doubles > 0;
        repair->health = single + doubles >= PAGES_REPLACE ? ZES_MEM_HEALTH_REPLACE
                         : pending                         ? ZES_MEM_HEALTH_DEGRADED
                         : doubles                         ? ZES_MEM_HEALTH_CRITICAL
                                                           : ZES_MEM_HEALTH_OK;
    }
    return result;
}

ze_result_t geo_gpu_memory_repair_read(struct geo_sysman *sysman, struct geo_gpu_repair *repair,
                                       struct geo_strbuf *why)
{
    unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
    *repair = (struct geo_gpu_repair){.health = ZES_MEM_HEALTH_UNKNOWN};
    int code = GEO_NVML(sysman->nvml, DeviceGetRemappedRows, sysman->device->handle, &corrected,
                        &uncorrected, &pending, &failed);
    if (!geo_gpu_has(code)) {
        return pages_read(sysman, repair, why);
    }
    if (code == GEO_NVML_SUCCESS) {
        repair->pending = pending != 0;
        repair->repaired = corrected + uncorrected > 0;
        repair->health = failed    ? ZES_MEM_HEALTH_REPLACE
                         : pending ? ZES_MEM_HEALTH_DEGRADED
                                   : ZES_MEM_HEALTH_OK;
    }
    return geo_nvml_answer(sysman->nvml, code, "DeviceGetRemappedRows", why);
}

/* ---- operations ---- */

static ze_result_t memory_state(const struct geo_sysman_memory *object, zes_mem_state_t *state,
                                struct geo_strbuf *why)
{
    const struct memory *memory = object->base.opaque;
    struct geo_gpu_repair repair;
    ze_result_t result = geo_nvml_device_memory(memory->device, &state->size, &state->free, why);
    state->health = ZES_MEM_HEALTH_UNKNOWN;
    if (result == ZE_RESULT_SUCCESS &&
        geo_gpu_memory_repair_read(object->base.sysman, &repair, NULL) == ZE_RESULT_SUCCESS) {
        state->health = repair.health;
    }
    return result;
}

static ze_result_t memory_pages_offline(const struct geo_sysman_memory *object, uint32_t *pages,
                                        uint32_t *max_pages, struct geo_strbuf *why)
{
    unsigned single = 0, doubles = 0;
    struct geo_sysman *sysman = object->base.sysman;
    ze_result_t result = retired_count(sysman, GEO_NVML_RETIRED_SINGLE_BIT, &single, why);
    if (result == ZE_RESULT_SUCCESS) {
        result = retired_count(sysman, GEO_NVML_RETIRED_DOUBLE_BIT, &doubles, why);
    }
    *pages = single + doubles;
    *max_pages = MOST_RETIRED;
    return result;
}

/* NVML has the share of time in which memory was accessed, but no byte counts. */
static const struct geo_sysman_memory_ops memory_ops = {
    .state = memory_state,
    .pages_offline = memory_pages_offline,
};

/* ---- finding ---- */

/* Determines the memory type from the GPU's name, because NVML does not report it. Longer words
 * come first. */
static zes_mem_type_t memory_type(const struct geo_backend_device *device)
{
    static const struct {
        const char *word;
        zes_mem_type_t type;
    } words[] = {
        {"HBM3e", ZES_MEM_TYPE_HBM3E}, {"HBM3E", ZES_MEM_TYPE_HBM3E}, {"HBM3", ZES_MEM_TYPE_HBM3},
        {"HBM2e", ZES_MEM_TYPE_HBM2E}, {"HBM2E", ZES_MEM_TYPE_HBM2E}, {"HBM2", ZES_MEM_TYPE_HBM2},
    };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strstr(device->name, words[i].word)) {
            return words[i].type;
        }
    }
    return device->info.memory_bus_width >= WIDE_BITS ? ZES_MEM_TYPE_HBM
                                                      : ZES_MEM_TYPE_FORCE_UINT32;
}

static void memory_add(struct geo_component_list *list, const struct geo_backend_device *device,
                       int32_t subdevice)
{
    const struct geo_backend_device *gpu = list->sysman->device;
    struct memory *memory = geo_gpu_list_add(list, sizeof(*memory), subdevice, "memory");
    if (memory) {
        const uint32_t bits = device->info.memory_bus_width;
        memory->device = device;
        memory->memory.counter_bits = 64;
        memory->memory.ops = &memory_ops;
        memory->memory.properties.type = memory_type(gpu);
        memory->memory.properties.location = ZES_MEM_LOC_DEVICE;
        memory->memory.properties.physicalSize = device->info.memory_bytes;
        memory->memory.properties.busWidth = bits ? (int32_t)bits : -1;
        memory->memory.properties.numChannels = -1;
    }
}

void geo_gpu_find_memory(struct geo_component_list *list)
{
    const struct geo_backend_device *gpu = list->sysman->device;
    memory_add(list, gpu, -1);
    for (uint32_t i = 0; i < gpu->part_count; i++) {
        memory_add(list, &gpu[1 + i], (int32_t)i);
    }
}
