/* Frequencies of the GPU's graphics clock (also that of its multiprocessors), its memory and its
 * video engines.
 *
 * A range is set by locking clocks. NVML cannot read locked clocks. So the range is known only if
 * this process has set one, and is the last one that it set. Throttle reasons are those of the
 * graphics clock. */
#include "backend/cuda/sysman/sysman.h"

#include <stdlib.h>

enum { MOST_CLOCKS = 4096 };

struct frequency {
    struct geo_sysman_frequency frequency; /* first */
    int clock;
    _Atomic uint64_t range; /* min << 32 | max in MHz, as set; 0: not set by this process */
};

static const struct geo_sysman *sysman_of(const struct geo_sysman_frequency *frequency)
{
    return frequency->base.sysman;
}

static struct frequency *frequency_of(const struct geo_sysman_frequency *frequency)
{
    return frequency->base.opaque;
}

/* ---- state ---- */

static zes_freq_throttle_reason_flags_t reasons_map(unsigned long long reasons)
{
    static const struct {
        unsigned long long reason;
        zes_freq_throttle_reason_flags_t flags;
    } table[] = {
        {GEO_NVML_REASON_APPLICATION_CLOCKS, ZES_FREQ_THROTTLE_REASON_FLAG_SW_RANGE},
        {GEO_NVML_REASON_SW_POWER_CAP, ZES_FREQ_THROTTLE_REASON_FLAG_AVE_PWR_CAP},
        {GEO_NVML_REASON_SYNC_BOOST, ZES_FREQ_THROTTLE_REASON_FLAG_SW_RANGE},
        {GEO_NVML_REASON_SW_THERMAL, ZES_FREQ_THROTTLE_REASON_FLAG_THERMAL_LIMIT},
        {GEO_NVML_REASON_HW_THERMAL, ZES_FREQ_THROTTLE_REASON_FLAG_THERMAL_LIMIT},
        {GEO_NVML_REASON_HW_POWER_BRAKE, ZES_FREQ_THROTTLE_REASON_FLAG_PSU_ALERT},
        {GEO_NVML_REASON_DISPLAY_CLOCKS, ZES_FREQ_THROTTLE_REASON_FLAG_SW_RANGE},
    };
    zes_freq_throttle_reason_flags_t flags = 0;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        flags |= reasons & table[i].reason ? table[i].flags : 0;
    }
    if ((reasons & GEO_NVML_REASON_HW_SLOWDOWN) &&
        !(reasons & (GEO_NVML_REASON_HW_THERMAL | GEO_NVML_REASON_HW_POWER_BRAKE))) {
        flags |= ZES_FREQ_THROTTLE_REASON_FLAG_BURST_PWR_CAP;
    }
    return flags;
}

ze_result_t geo_gpu_frequency_throttle_read(struct geo_sysman *sysman,
                                            zes_freq_throttle_reason_flags_t *reasons,
                                            struct geo_strbuf *why)
{
    unsigned long long all = 0;
    ze_result_t result =
        GEO_NVML_ASK(sysman->nvml, why, DeviceGetThrottleReasons, sysman->device->handle, &all);
    *reasons = reasons_map(all);
    return result;
}

/* Reads the state. The requested frequency is the application clock, if the GPU has one. */
static ze_result_t frequency_state(const struct geo_sysman_frequency *object,
                                   zes_freq_state_t *state, struct geo_strbuf *why)
{
    const struct geo_sysman *sysman = sysman_of(object);
    const int clock = frequency_of(object)->clock;
    unsigned actual = 0, request = 0;
    ze_result_t result =
        GEO_NVML_ASK(sysman->nvml, why, DeviceGetClockInfo, sysman->device->handle, clock, &actual);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    state->actual = actual;
    state->currentVoltage = state->tdp = state->efficient = -1.0;
    state->request = GEO_NVML(sysman->nvml, DeviceGetApplicationsClock, sysman->device->handle,
                              clock, &request) == GEO_NVML_SUCCESS
                         ? (double)request
                         : -1.0;
    state->throttleReasons = 0;
    if (clock == GEO_NVML_CLOCK_GRAPHICS) {
        (void)geo_gpu_frequency_throttle_read(object->base.sysman, &state->throttleReasons, NULL);
    }
    return ZE_RESULT_SUCCESS;
}

/* Returns the time in which the clocks were limited by power or temperature. Time with both reasons
 * counts twice. */
static ze_result_t frequency_throttle_time(const struct geo_sysman_frequency *object,
                                           zes_freq_throttle_time_t *time, struct geo_strbuf *why)
{
    const struct geo_sysman *sysman = sysman_of(object);
    geo_nvml_violation power = {0}, thermal = {0};
    ze_result_t result = GEO_NVML_ASK(sysman->nvml, why, DeviceGetViolationStatus,
                                      sysman->device->handle, GEO_NVML_POLICY_POWER, &power);
    if (result == ZE_RESULT_SUCCESS) {
        result = GEO_NVML_ASK(sysman->nvml, why, DeviceGetViolationStatus, sysman->device->handle,
                              GEO_NVML_POLICY_THERMAL, &thermal);
    }
    time->timestamp = thermal.reference_us;
    time->throttleTime = (power.violation_ns + thermal.violation_ns) / 1000u;
    return result;
}

/* ---- ranges ---- */

static ze_result_t frequency_range(const struct geo_sysman_frequency *object,
                                   zes_freq_range_t *range, struct geo_strbuf *why)
{
    const uint64_t set = atomic_load(&frequency_of(object)->range);
    if (set == 0) {
        geo_strbuf_printf(
            why,
            "NVML cannot read locked clocks: the range is known only after this process sets it");
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    range->min = (double)(set >> 32);
    range->max = (double)(set & UINT32_MAX);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t clocks_lock(const struct geo_sysman *sysman, int clock, unsigned least,
                               unsigned most, struct geo_strbuf *why)
{
    return clock == GEO_NVML_CLOCK_MEM
               ? GEO_NVML_ASK(sysman->nvml, why, DeviceSetMemoryLockedClocks,
                              sysman->device->handle, least, most)
               : GEO_NVML_ASK(sysman->nvml, why, DeviceSetGpuLockedClocks, sysman->device->handle,
                              least, most);
}

static ze_result_t clocks_unlock(const struct geo_sysman *sysman, int clock, struct geo_strbuf *why)
{
    return clock == GEO_NVML_CLOCK_MEM
               ? GEO_NVML_ASK(sysman->nvml, why, DeviceResetMemoryLockedClocks,
                              sysman->device->handle)
               : GEO_NVML_ASK(sysman->nvml, why, DeviceResetGpuLockedClocks,
                              sysman->device->handle);
}

/* Sets a range by locking clocks. The full range of the hardware unlocks them. */
static ze_result_t frequency_set_range(const struct geo_sysman_frequency *object,
                                       const zes_freq_range_t *range, struct geo_strbuf *why)
{
    struct frequency *frequency = frequency_of(object);
    const struct geo_sysman *sysman = sysman_of(object);
    const double min = range->min < 0 ? object->properties.min : range->min;
    const double max = range->max < 0 ? object->properties.max : range->max;
    const unsigned least = (unsigned)(min + 0.5), most = (unsigned)(max + 0.5);
    const bool free = min <= object->properties.min && max >= object->properties.max;
    ze_result_t result = free ? clocks_unlock(sysman, frequency->clock, why)
                              : clocks_lock(sysman, frequency->clock, least, most, why);
    if (result == ZE_RESULT_SUCCESS) {
        atomic_store(&frequency->range, (uint64_t)least << 32 | most);
    }
    return result;
}

static const struct geo_sysman_frequency_ops graphics_ops = {
    .range = frequency_range,
    .set_range = frequency_set_range,
    .state = frequency_state,
    .throttle_time = frequency_throttle_time,
};

static const struct geo_sysman_frequency_ops memory_ops = {
    .range = frequency_range,
    .set_range = frequency_set_range,
    .state = frequency_state,
};

static const struct geo_sysman_frequency_ops video_ops = {.state = frequency_state};

/* ---- finding ---- */

static int clock_compare(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Stores the list of clocks in ascending order. NVML lists them in descending order. */
static void clocks_keep(struct geo_component_list *list, struct geo_sysman_frequency *frequency,
                        const unsigned *mhz, unsigned count)
{
    double *clocks = count ? geo_component_list_memory(list, count * sizeof(*clocks)) : NULL;
    uint32_t kept = 0;
    if (!clocks) {
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        clocks[i] = mhz[i];
    }
    qsort(clocks, count, sizeof(*clocks), clock_compare);
    for (unsigned i = 0; i < count; i++) {
        if (kept == 0 || clocks[i] > clocks[kept - 1]) {
            clocks[kept++] = clocks[i];
        }
    }
    frequency->clocks = clocks;
    frequency->clock_count = kept;
    frequency->properties.min = clocks[0];
}

/* Finds the clocks. The listed graphics clocks are those for the highest memory clock. */
static void clocks_find(struct geo_component_list *list, struct frequency *frequency)
{
    const struct geo_sysman *sysman = list->sysman;
    unsigned *mhz = calloc(MOST_CLOCKS, sizeof(*mhz));
    unsigned count = MOST_CLOCKS;
    if (!mhz) {
        list->failed = true;
        return;
    }
    int code =
        GEO_NVML(sysman->nvml, DeviceGetSupportedMemoryClocks, sysman->device->handle, &count, mhz);
    if (code == GEO_NVML_SUCCESS && frequency->clock == GEO_NVML_CLOCK_GRAPHICS) {
        unsigned fastest = 0;
        for (unsigned i = 0; i < count && i < MOST_CLOCKS; i++) {
            fastest = mhz[i] > fastest ? mhz[i] : fastest;
        }
        count = MOST_CLOCKS;
        code = GEO_NVML(sysman->nvml, DeviceGetSupportedGraphicsClocks, sysman->device->handle,
                        fastest, &count, mhz);
    }
    if (code == GEO_NVML_SUCCESS && count <= MOST_CLOCKS) {
        clocks_keep(list, &frequency->frequency, mhz, count);
    }
    free(mhz);
}

static void domain_add(struct geo_component_list *list, int clock, zes_freq_domain_t type,
                       const char *name, const struct geo_sysman_frequency_ops *ops, bool control)
{
    const struct geo_sysman *sysman = list->sysman;
    unsigned most = 0, now;
    if (!geo_gpu_has(
            GEO_NVML(sysman->nvml, DeviceGetClockInfo, sysman->device->handle, clock, &now))) {
        return;
    }
    struct frequency *frequency = geo_gpu_list_add(list, sizeof(*frequency), -1, name);
    if (!frequency) {
        return;
    }
    zes_freq_properties_t *properties = &frequency->frequency.properties;
    frequency->clock = clock;
    frequency->frequency.ops = ops;
    properties->type = type;
    properties->canControl = control;
    properties->min = properties->max = -1.0;
    if (ops->set_range) {
        clocks_find(list, frequency);
    }
    if (GEO_NVML(sysman->nvml, DeviceGetMaxClockInfo, sysman->device->handle, clock, &most) ==
        GEO_NVML_SUCCESS) {
        properties->max = most;
    }
    properties->isThrottleEventSupported =
        clock == GEO_NVML_CLOCK_GRAPHICS &&
        (list->sysman->description.events & ZES_EVENT_TYPE_FLAG_FREQ_THROTTLED) != 0;
}

void geo_gpu_find_frequency(struct geo_component_list *list)
{
    const struct geo_nvml *nvml = list->sysman->nvml;
    domain_add(list, GEO_NVML_CLOCK_GRAPHICS, ZES_FREQ_DOMAIN_GPU, "graphics", &graphics_ops,
               nvml->DeviceSetGpuLockedClocks != NULL);
    domain_add(list, GEO_NVML_CLOCK_MEM, ZES_FREQ_DOMAIN_MEMORY, "memory", &memory_ops,
               nvml->DeviceSetMemoryLockedClocks != NULL);
    domain_add(list, GEO_NVML_CLOCK_VIDEO, ZES_FREQ_DOMAIN_MEDIA, "video", &video_ops, false);
}
