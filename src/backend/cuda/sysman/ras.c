/* Errors that error correction has found since the driver was loaded: in the memory, and in the GPU
 * itself (caches, registers and other on-chip memory). There is one set for corrected and one for
 * uncorrected errors. Clearing one set restarts both, because NVML can only clear both. */
#include "backend/cuda/sysman/sysman.h"

enum { CACHES, MEMORY, CATEGORIES };

static const zes_ras_error_category_exp_t categories[CATEGORIES] = {
    [CACHES] = ZES_RAS_ERROR_CATEGORY_EXP_CACHE_ERRORS,
    [MEMORY] = ZES_RAS_ERROR_CATEGORY_EXP_MEMORY_ERRORS,
};

static int errors_read(const struct geo_sysman *sysman, int kind, int place, uint64_t *count)
{
    unsigned long long value = 0;
    int code = GEO_NVML(sysman->nvml, DeviceGetMemoryErrorCounter, sysman->device->handle, kind,
                        GEO_NVML_VOLATILE, place, &value);
    *count = code == GEO_NVML_SUCCESS ? value : 0;
    return code;
}

/* Returns the errors of on-chip memory. Newer GPUs have one count, others one for each location. */
static uint64_t chip_errors(const struct geo_sysman *sysman, int kind)
{
    static const int places[] = {GEO_NVML_PLACE_L1, GEO_NVML_PLACE_L2, GEO_NVML_PLACE_REGISTERS,
                                 GEO_NVML_PLACE_TEXTURE};
    uint64_t sum = 0, count;
    if (errors_read(sysman, kind, GEO_NVML_PLACE_SRAM, &sum) == GEO_NVML_SUCCESS) {
        return sum;
    }
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        (void)errors_read(sysman, kind, places[i], &count);
        sum += count;
    }
    return sum;
}

static int kind_of(const struct geo_sysman_ras *ras)
{
    return ras->properties.type == ZES_RAS_ERROR_TYPE_CORRECTABLE ? GEO_NVML_CORRECTED
                                                                  : GEO_NVML_UNCORRECTED;
}

static ze_result_t ras_counters(const struct geo_sysman_ras *ras, uint64_t *counters,
                                struct geo_strbuf *why)
{
    const struct geo_sysman *sysman = ras->base.sysman;
    int code = errors_read(sysman, kind_of(ras), GEO_NVML_PLACE_DRAM, &counters[MEMORY]);
    counters[CACHES] = code == GEO_NVML_SUCCESS ? chip_errors(sysman, kind_of(ras)) : 0;
    return geo_nvml_answer(sysman->nvml, code, "DeviceGetMemoryErrorCounter", why);
}

static ze_result_t ras_clear(const struct geo_sysman_ras *ras, uint32_t index,
                             struct geo_strbuf *why)
{
    const struct geo_sysman *sysman = ras->base.sysman;
    (void)index;
    return GEO_NVML_ASK(sysman->nvml, why, DeviceClearEccErrorCounts, sysman->device->handle,
                        GEO_NVML_VOLATILE);
}

static const struct geo_sysman_ras_ops ras_ops = {.counters = ras_counters, .clear = ras_clear};

void geo_gpu_find_ras(struct geo_component_list *list)
{
    static const struct {
        zes_ras_error_type_t type;
        const char *name;
    } sets[] = {{ZES_RAS_ERROR_TYPE_CORRECTABLE, "corrected errors"},
                {ZES_RAS_ERROR_TYPE_UNCORRECTABLE, "uncorrected errors"}};
    uint64_t count;
    if (!geo_gpu_has(
            errors_read(list->sysman, GEO_NVML_UNCORRECTED, GEO_NVML_PLACE_DRAM, &count))) {
        return;
    }
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        struct geo_sysman_ras *ras = geo_gpu_list_add(list, sizeof(*ras), -1, sets[i].name);
        if (ras) {
            ras->properties.type = sets[i].type;
            ras->categories = categories;
            ras->category_count = CATEGORIES;
            ras->ops = &ras_ops;
        }
    }
}
