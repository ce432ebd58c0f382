/* Thresholds of temperature. See threshold.h. */
#include "driver/sysman/ask.h"
#include "driver/sysman/frequency.h"
#include "driver/sysman/seat.h"
#include "driver/sysman/threshold.h"

#include <math.h>

static const struct geo_sysman_temperature *sensor_of(const struct geo_component *component)
{
    GEO_ASSERT(component->description->kind == GEO_SYSMAN_TEMPERATURE);
    return (const struct geo_sysman_temperature *)(const void *)component->description;
}

static bool is_on(const zes_temp_threshold_t *threshold)
{
    return threshold->enableLowToHigh || threshold->enableHighToLow;
}

static bool config_is_on(const zes_temp_config_t *config)
{
    return config->enableCritical || is_on(&config->threshold1) || is_on(&config->threshold2);
}

/* ---- configuration ---- */

static ze_result_t check_supported(const struct geo_sysman_temperature *sensor)
{
    const zes_temp_properties_t *can = &sensor->properties;
    return can->isCriticalTempSupported || can->isThreshold1Supported || can->isThreshold2Supported
               ? ZE_RESULT_SUCCESS
               : geo_ask_unsupported(sensor->base.name, "thresholds");
}

/* Returns the lower of two maxima; a value not above 0 is unknown. */
static double lower_maximum(double a, double b)
{
    return a > 0 && (b <= 0 || a < b) ? a : b;
}

/* Returns whether both components measure the same part of the device. */
static bool is_same_place(const struct geo_sysman_component *a,
                          const struct geo_sysman_component *b)
{
    return a->subdevice == b->subdevice || a->subdevice < 0 || b->subdevice < 0;
}

/* Returns the lowest TjMax of the frequency domains at the sensor's place; 0 if none is known. */
static ze_result_t tj_max_read(struct geo_component *component, double *celsius)
{
    const struct geo_components *list;
    *celsius = 0;
    geo_sysman_lock();
    ze_result_t result = geo_components_find_locked(component->root, GEO_SYSMAN_FREQUENCY, &list);
    for (size_t i = 0; result == ZE_RESULT_SUCCESS && i < list->count; i++) {
        const struct geo_sysman_frequency *frequency =
            (const struct geo_sysman_frequency *)(const void *)list->items[i]->description;
        struct geo_sysman_oc oc = {0};
        if (is_same_place(&frequency->base, component->description) && frequency->ops &&
            frequency->ops->oc_capabilities && frequency->ops->oc &&
            geo_frequency_oc(frequency, GEO_SYSMAN_OC_TJ_MAX, &oc) == ZE_RESULT_SUCCESS) {
            *celsius = lower_maximum(oc.tj_max, *celsius);
        }
    }
    geo_sysman_unlock();
    return result;
}

/* Checks one threshold. `maximum` is the sensor's, in degrees Celsius; 0: unknown. */
static ze_result_t check_threshold(const struct geo_sysman_temperature *sensor,
                                   const zes_temp_threshold_t *threshold, ze_bool_t supported,
                                   double maximum, const char *name)
{
    if (!is_on(threshold)) {
        return ZE_RESULT_SUCCESS;
    }
    if (!supported) {
        return geo_ask_unsupported(sensor->base.name, name);
    }
    if (!isfinite(threshold->threshold)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "%s: %s is %g: it must be a finite number of degrees Celsius",
                        sensor->base.name, name, threshold->threshold);
    }
    if (maximum > 0 && threshold->threshold > maximum) {
        return geo_fail(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            "%s: %s of %g degrees Celsius is above %g, the least of the sensor's maximum and "
            "TjMax (zesFrequencyOcGetTjMax)",
            sensor->base.name, name, threshold->threshold, maximum);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_temperature_config(struct geo_component *component,
                                   const struct geo_sysman_temperature *sensor,
                                   zes_temp_config_t *out)
{
    GEO_CHECK(check_supported(sensor));
    geo_sysman_lock();
    const zes_temp_config_t config = component->kept.temperature.config;
    geo_sysman_unlock();
    out->enableCritical = config.enableCritical;
    out->threshold1 = config.threshold1;
    out->threshold2 = config.threshold2;
    return ZE_RESULT_SUCCESS;
}

/* Reads the sensor's temperature in degrees Celsius, with which later values are compared. */
static ze_result_t sensor_read(struct geo_component *component, double *celsius)
{
    const struct geo_sysman_temperature *sensor = sensor_of(component);
    *celsius = 0;
    GEO_ASK(sensor, state, sensor, celsius);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t config_set_locked(struct geo_component *component,
                                     const struct geo_sysman_temperature *sensor,
                                     const zes_temp_config_t *config)
{
    struct geo_temperature_kept *kept = &component->kept.temperature;
    GEO_ASSERT(geo_sysman_lock_held() && sensor == sensor_of(component));
    const bool by_backend = GEO_CAN(sensor, set_thresholds);
    ze_result_t result = ZE_RESULT_SUCCESS;
    double celsius = 0;
    if (by_backend) {
        GEO_ASK_FOR(result, sensor, set_thresholds, sensor, config);
    } else if (config_is_on(config)) {
        result = sensor_read(component, &celsius);
    }
    if (result == ZE_RESULT_SUCCESS) {
        kept->config = *config;
        kept->last = celsius;
        kept->by_backend = by_backend;
        geo_seats_wake(component->root);
    }
    return result;
}

ze_result_t geo_temperature_set_config(struct geo_component *component,
                                       const struct geo_sysman_temperature *sensor,
                                       const zes_temp_config_t *config)
{
    const zes_temp_properties_t *can = &sensor->properties;
    GEO_CHECK(check_supported(sensor));
    if (config->enableCritical && !can->isCriticalTempSupported) {
        return geo_ask_unsupported(sensor->base.name, "critical temperature");
    }
    double maximum;
    GEO_CHECK(tj_max_read(component, &maximum));
    maximum = lower_maximum(can->maxTemperature, maximum);
    GEO_CHECK(check_threshold(sensor, &config->threshold1, can->isThreshold1Supported, maximum,
                              "threshold 1"));
    GEO_CHECK(check_threshold(sensor, &config->threshold2, can->isThreshold2Supported, maximum,
                              "threshold 2"));
    /* The copy leaves out the caller's chain. */
    const zes_temp_config_t plain = {.enableCritical = config->enableCritical != 0,
                                     .threshold1 = config->threshold1,
                                     .threshold2 = config->threshold2};
    geo_sysman_lock();
    ze_result_t result = config_set_locked(component, sensor, &plain);
    geo_sysman_unlock();
    return result;
}

/* ---- comparing ---- */

static bool temperature_pending(const struct geo_component *component)
{
    const struct geo_temperature_kept *kept = &component->kept.temperature;
    return !kept->by_backend && config_is_on(&kept->config);
}

static bool is_crossed(const zes_temp_threshold_t *threshold, double before, double now)
{
    return (threshold->enableLowToHigh && before < threshold->threshold &&
            now >= threshold->threshold) ||
           (threshold->enableHighToLow && before >= threshold->threshold &&
            now < threshold->threshold);
}

static zes_event_type_flags_t temperature_compare(struct geo_component *component)
{
    struct geo_temperature_kept *kept = &component->kept.temperature;
    const zes_temp_threshold_t critical = {.enableLowToHigh = kept->config.enableCritical,
                                           .threshold =
                                               sensor_of(component)->properties.maxTemperature};
    zes_event_type_flags_t events = 0;
    double now;
    GEO_ASSERT(geo_sysman_lock_held() && !kept->by_backend);
    if (sensor_read(component, &now) != ZE_RESULT_SUCCESS) {
        return 0;
    }
    events |= is_crossed(&critical, kept->last, now) ? ZES_EVENT_TYPE_FLAG_TEMP_CRITICAL : 0;
    events |= is_crossed(&kept->config.threshold1, kept->last, now)
                  ? ZES_EVENT_TYPE_FLAG_TEMP_THRESHOLD1
                  : 0;
    events |= is_crossed(&kept->config.threshold2, kept->last, now)
                  ? ZES_EVENT_TYPE_FLAG_TEMP_THRESHOLD2
                  : 0;
    kept->last = now;
    return events;
}

const struct geo_threshold_kind geo_threshold_temperature = {
    .kind = GEO_SYSMAN_TEMPERATURE,
    .events = ZES_EVENT_TYPE_FLAG_TEMP_CRITICAL | ZES_EVENT_TYPE_FLAG_TEMP_THRESHOLD1 |
              ZES_EVENT_TYPE_FLAG_TEMP_THRESHOLD2,
    .compare = temperature_compare,
    .pending = temperature_pending,
};
