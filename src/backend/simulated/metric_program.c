/* Programmable metrics, and groups that applications make. See metric.h. */
#include "backend/simulated/metric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether the parameter can have the value. */
static bool value_is_possible(const struct geo_metric_parameter *parameter, double value)
{
    for (uint32_t i = 0; i < parameter->value_count; i++) {
        const zet_value_uint64_range_exp_t *range = &parameter->values[i].valueInfo.ui64Range;
        if (value >= (double)range->ui64Min && value <= (double)range->ui64Max) {
            return true;
        }
    }
    return false;
}

/* Finds the number of metrics and the factor that the parameters give. */
static ze_result_t values_read(const struct geo_metric_programmable *programmable,
                               const zet_metric_programmable_param_value_exp_t *values,
                               uint32_t count, uint32_t *metrics, double *factor,
                               struct geo_strbuf *why)
{
    *metrics = 1;
    *factor = 1;
    for (uint32_t i = 0; i < programmable->properties.parameterCount; i++) {
        const struct geo_metric_parameter *parameter = &programmable->parameters[i];
        const double value = (double)(i < count ? values[i].value.ui64 : parameter->fallback.ui64);
        if (!value_is_possible(parameter, value)) {
            geo_strbuf_printf(why, "parameter %s cannot be %.17g", parameter->name, value);
            return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        }
        if (parameter->type != ZET_METRIC_PROGRAMMABLE_PARAM_TYPE_EXP_DISAGGREGATION) {
            *factor *= value;
        } else if (value < 1 || value > SIM_METRICS) {
            geo_strbuf_printf(why, "%.17g metrics cannot be made at once", value);
            return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        } else {
            *metrics = (uint32_t)value;
        }
    }
    return ZE_RESULT_SUCCESS;
}

static struct geo_metric *metric_make(const struct sim_programmable *programmable, double factor,
                                      uint32_t index, uint32_t total, const char *name,
                                      const char *description)
{
    struct sim_metric *metric = malloc(sizeof(*metric));
    if (!metric) {
        return NULL;
    }
    *metric = programmable->metric;
    metric->origin = programmable;
    metric->factor = factor;
    snprintf(metric->own_name, sizeof(metric->own_name), total > 1 ? "%s.%u" : "%s", name, index);
    snprintf(metric->own_text, sizeof(metric->own_text), "%s", description);
    metric->seam.name = metric->own_name;
    metric->seam.description = metric->own_text;
    return &metric->seam;
}

ze_result_t sim_metric_program(const struct geo_metric_programmable *seam,
                               const zet_metric_programmable_param_value_exp_t *values,
                               uint32_t values_count, const char *name, const char *description,
                               uint32_t *count, struct geo_metric **metrics, struct geo_strbuf *why)
{
    const struct sim_programmable *programmable =
        (const struct sim_programmable *)(const void *)seam;
    uint32_t total;
    double factor;
    const ze_result_t result = values_read(seam, values, values_count, &total, &factor, why);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    const uint32_t wanted = metrics && *count < total ? *count : total;
    for (uint32_t i = 0; metrics && i < wanted; i++) {
        metrics[i] = metric_make(programmable, factor, i, total, name, description);
        if (!metrics[i]) {
            while (i > 0) {
                sim_metric_discard(metrics[--i]);
            }
            return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        }
    }
    *count = wanted;
    return ZE_RESULT_SUCCESS;
}

void sim_metric_discard(struct geo_metric *metric)
{
    free(metric);
}

/* ---- groups ---- */

bool sim_group_accepts(struct geo_backend_device *device, const struct geo_metric *const *metrics,
                       uint32_t count, const struct geo_metric *candidate, struct geo_strbuf *why)
{
    const struct sim_programmable *origin = sim_metric_of(candidate)->origin;
    (void)device;
    if (!origin) {
        geo_strbuf_printf(why, "the metric was not made from a programmable metric");
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct sim_programmable *other = sim_metric_of(metrics[i])->origin;
        if (other->seam.properties.domain != origin->seam.properties.domain) {
            geo_strbuf_printf(why, "it is of domain %u, and %s of domain %u",
                              origin->seam.properties.domain, metrics[i]->name,
                              other->seam.properties.domain);
            return false;
        }
    }
    return true;
}

ze_result_t sim_group_create(struct geo_backend_device *device, const char *name,
                             const char *description,
                             zet_metric_group_sampling_type_flags_t sampling,
                             const struct geo_metric *const *metrics, uint32_t count,
                             struct geo_metric_group **out, struct geo_strbuf *why)
{
    struct sim_metrics *owner = sim_metrics_of(device);
    struct sim_group *group = calloc(1, sizeof(*group));
    const struct geo_metric **copy = calloc(count, sizeof(*copy));
    char *texts[2] = {strdup(name), strdup(description)};
    (void)why;
    if (!owner || !group || !copy || !texts[0] || !texts[1]) {
        free(group);
        free(copy);
        free(texts[0]);
        free(texts[1]);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    memcpy(copy, metrics, count * sizeof(*copy));
    const zet_metric_programmable_exp_properties_t *first =
        &sim_metric_of(metrics[0])->origin->seam.properties;
    *group = (struct sim_group){.seam = {.name = texts[0],
                                         .description = texts[1],
                                         .sampling = sampling,
                                         .domain = first->domain,
                                         .source = first->sourceId,
                                         .metrics = copy,
                                         .metric_count = count,
                                         .timer_hz = 1000000000,
                                         .timer_bits = 64,
                                         .export_fd = -1,
                                         .simulated = true},
                                .buffer = 65536,
                                .min_period_ns = 1000,
                                .refusal_text = "",
                                .owner = owner,
                                .made = true};
    sim_metric_identify(group);
    *out = &group->seam;
    return ZE_RESULT_SUCCESS;
}

void sim_group_destroy(struct geo_metric_group *seam)
{
    struct sim_group *group = (struct sim_group *)(void *)seam;
    free((void *)(uintptr_t)seam->name);
    free((void *)(uintptr_t)seam->description);
    free((void *)(uintptr_t)seam->metrics);
    free(group);
}
