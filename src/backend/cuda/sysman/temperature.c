/* Temperatures of the GPU, and of its memory if it has a sensor. The maximum is the temperature at
 * which the GPU lowers its clocks. Newer GPUs report a distance to it instead, which is not
 * used. */
#include "backend/cuda/sysman/sysman.h"

static const struct geo_sysman *sysman_of(const struct geo_sysman_temperature *temperature)
{
    return temperature->base.sysman;
}

static ze_result_t gpu_state(const struct geo_sysman_temperature *temperature, double *celsius,
                             struct geo_strbuf *why)
{
    const struct geo_sysman *sysman = sysman_of(temperature);
    unsigned degrees = 0;
    ze_result_t result =
        GEO_NVML_ASK(sysman->nvml, why, DeviceGetTemperature, sysman->device->handle, 0, &degrees);
    *celsius = degrees;
    return result;
}

static ze_result_t memory_state(const struct geo_sysman_temperature *temperature, double *celsius,
                                struct geo_strbuf *why)
{
    const struct geo_sysman *sysman = sysman_of(temperature);
    uint64_t degrees = 0;
    ze_result_t result = geo_nvml_field_read(sysman->nvml, sysman->device->handle,
                                             GEO_NVML_FIELD_MEMORY_TEMPERATURE, 0, &degrees, why);
    *celsius = (double)degrees;
    return result;
}

static const struct geo_sysman_temperature_ops gpu_ops = {.state = gpu_state};
static const struct geo_sysman_temperature_ops memory_ops = {.state = memory_state};

/* Returns a threshold, or -1 when NVML does not report it. */
static double threshold_read(const struct geo_sysman *sysman, int kind)
{
    unsigned celsius = 0;
    return GEO_NVML(sysman->nvml, DeviceGetTemperatureThreshold, sysman->device->handle, kind,
                    &celsius) == GEO_NVML_SUCCESS
               ? (double)celsius
               : -1.0;
}

static void sensor_add(struct geo_component_list *list, zes_temp_sensors_t type, const char *name,
                       double most, const struct geo_sysman_temperature_ops *ops)
{
    struct geo_sysman_temperature *sensor = geo_gpu_list_add(list, sizeof(*sensor), -1, name);
    if (sensor) {
        sensor->properties.type = type;
        sensor->properties.maxTemperature = most;
        sensor->properties.isCriticalTempSupported = most > 0;
        sensor->properties.isThreshold1Supported = true; /* implemented by comparing */
        sensor->properties.isThreshold2Supported = true;
        sensor->ops = ops;
    }
}

void geo_gpu_find_temperature(struct geo_component_list *list)
{
    const struct geo_sysman *sysman = list->sysman;
    unsigned degrees = 0;
    uint64_t value = 0;
    if (geo_gpu_has(
            GEO_NVML(sysman->nvml, DeviceGetTemperature, sysman->device->handle, 0, &degrees))) {
        double most = threshold_read(sysman, GEO_NVML_THRESHOLD_GPU_MAX);
        most = most > 0 ? most : threshold_read(sysman, GEO_NVML_THRESHOLD_SLOWDOWN);
        sensor_add(list, ZES_TEMP_SENSORS_GPU, "gpu", most, &gpu_ops);
    }
    /* 0: the GPU lacks the sensor */
    if (geo_nvml_field_read(sysman->nvml, sysman->device->handle, GEO_NVML_FIELD_MEMORY_TEMPERATURE,
                            0, &value, NULL) == ZE_RESULT_SUCCESS &&
        value > 0) {
        sensor_add(list, ZES_TEMP_SENSORS_MEMORY, "memory",
                   threshold_read(sysman, GEO_NVML_THRESHOLD_MEMORY_MAX), &memory_ops);
    }
}
