/* Reading what the sampler has found. See sample.h. */
#include "sample.h"

#include "class.h"

#include <math.h>
#include <string.h>

const struct metric metrics[METRICS] = {
#define METRIC(id, part, name, kind, label, help)                                                  \
    [M_##id] = {PART_##part, name, METRIC_##kind, label, help},
#include "metrics.def"
#undef METRIC
};

const struct value *part_value(const struct part *part, enum metric_id metric)
{
    for (size_t i = 0; i < part->value_count; i++) {
        if (part->values[i].metric == metric) {
            return &part->values[i];
        }
    }
    return NULL;
}

static double part_real(const struct part *part, enum metric_id metric)
{
    const struct value *value = part_value(part, metric);
    return value ? value->real : NAN;
}

/* Returns the part for all engines of the whole device, or else the busiest engine part. */
static const struct part *busiest(const struct device *device)
{
    const struct part *found = NULL;
    for (size_t i = 0; i < device->part_count; i++) {
        const struct part *part = &device->parts[i];
        if (part->kind != PART_ENGINE) {
            continue;
        }
        if (part->subdevice < 0 && strcmp(part->type, "all") == 0) {
            return part;
        }
        const double busy = part_real(part, M_ENGINE_UTILIZATION);
        if (!found || busy > part_real(found, M_ENGINE_UTILIZATION)) {
            found = part;
        }
    }
    return found;
}

static double sum(double one, double other)
{
    return isnan(one) ? other : isnan(other) ? one : one + other;
}

/* Returns the power of the card in watts; if it is unknown, the sum over the packages. */
static double watts(const struct device *device)
{
    double packages = NAN;
    for (size_t i = 0; i < device->part_count; i++) {
        const struct part *part = &device->parts[i];
        const double now = part_real(part, M_POWER);
        if (part->kind != PART_POWER || isnan(now)) {
            continue;
        }
        if (strcmp(part->type, "card") == 0) {
            return now;
        }
        if (strcmp(part->type, "package") == 0) {
            packages = sum(packages, now);
        }
    }
    return packages;
}

struct headline device_headline(const struct device *device)
{
    struct headline headline = {NAN, NAN, NAN, watts(device), NAN, NAN, NAN};
    const struct part *engine = busiest(device);
    if (engine) {
        headline.utilization = part_real(engine, M_ENGINE_UTILIZATION);
    }
    for (size_t i = 0; i < device->part_count; i++) {
        const struct part *part = &device->parts[i];
        if (part->kind == PART_MEMORY) {
            headline.memory_used = sum(headline.memory_used, part_real(part, M_MEMORY_USED));
            headline.memory_size = sum(headline.memory_size, part_real(part, M_MEMORY_SIZE));
        } else if (part->kind == PART_TEMPERATURE && !strstr(part->type, "_min")) {
            headline.celsius = fmax(headline.celsius, part_real(part, M_TEMPERATURE));
        } else if (part->kind == PART_FREQUENCY && strcmp(part->type, "memory") != 0) {
            headline.hertz = fmax(headline.hertz, part_real(part, M_FREQUENCY));
        } else if (part->kind == PART_FAN) {
            headline.fan_ratio = fmax(headline.fan_ratio, part_real(part, M_FAN_RATIO));
        }
    }
    return headline;
}

const struct history *device_history(const struct device *device)
{
    const struct part *engine = busiest(device);
    return engine ? engine->history : NULL;
}
