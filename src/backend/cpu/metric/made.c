/* Makes groups of metrics of one family. See made.h. Such a group measures what the family's own
 * group of the sampling type measures, and calculates fewer values from it. */
#include "backend/cpu/metric/made.h"

#include "backend/cpu/metric/group.h"

#include <stdlib.h>
#include <string.h>

bool geo_cpu_metric_made_accepts(struct geo_backend_device *device,
                                 const struct geo_metric *const *metrics, uint32_t count,
                                 const struct geo_metric *candidate, struct geo_strbuf *why)
{
    const enum geo_cpu_metric_family family = geo_cpu_metric_group_family(candidate);
    (void)device;
    if (family == GEO_CPU_METRIC_FAMILIES) {
        geo_strbuf_printf(why, "the metric is of another driver");
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (geo_cpu_metric_group_family(metrics[i]) != family) {
            geo_strbuf_printf(why, "%s and %s come from different sources", metrics[i]->name,
                              candidate->name);
            return false;
        }
    }
    return true;
}

/* Returns the group of a family whose sampling type is one of these; the first of them is taken. */
static const struct geo_cpu_metric_group *
origin_find(enum geo_cpu_metric_family family, zet_metric_group_sampling_type_flags_t sampling)
{
    const struct geo_cpu_metric_group *groups = geo_cpu_metric_groups();
    for (uint32_t i = 0; i < GEO_CPU_METRIC_GROUPS; i++) {
        if (groups[i].family == family && groups[i].base.sampling & sampling) {
            return &groups[i];
        }
    }
    return NULL;
}

static bool group_has(const struct geo_metric_group *group, const struct geo_metric *metric)
{
    for (uint32_t i = 0; i < group->metric_count; i++) {
        if (group->metrics[i] == metric) {
            return true;
        }
    }
    return false;
}

/* Replaces the end of an identity by a hash (FNV-1a) of the metrics' names. */
static void identity_make(uint8_t identity[16], const struct geo_metric *const *metrics,
                          uint32_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint32_t i = 0; i < count; i++) {
        for (const char *at = metrics[i]->name;; at++) { /* with the zero, which separates names */
            hash = (hash ^ (uint8_t)*at) * UINT64_C(0x100000001b3);
            if (*at == '\0') {
                break;
            }
        }
    }
    identity[5] ^= 0x80; /* made by a program */
    memcpy(identity + 6, &hash, sizeof(hash));
}

ze_result_t geo_cpu_metric_made_create(struct geo_backend_device *device, const char *name,
                                       const char *description,
                                       zet_metric_group_sampling_type_flags_t sampling,
                                       const struct geo_metric *const *metrics, uint32_t count,
                                       struct geo_metric_group **out, struct geo_strbuf *why)
{
    const struct geo_cpu_metric_group *origin =
        count != 0 ? origin_find(geo_cpu_metric_group_family(metrics[0]), sampling) : NULL;
    (void)device;
    if (!origin) {
        geo_strbuf_printf(why, "no metric can be measured in this way");
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!group_has(&origin->base, metrics[i])) {
            geo_strbuf_printf(why, "%s cannot be measured together with %s in this way",
                              metrics[i]->name, metrics[0]->name);
            return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        }
    }
    const size_t names[] = {strlen(name) + 1, strlen(description) + 1};
    const size_t head = sizeof(struct geo_metric_group) + count * sizeof(*metrics);
    struct geo_metric_group *group = malloc(head + names[0] + names[1]);
    if (!group) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    const struct geo_metric **copies = (const struct geo_metric **)(void *)(group + 1);
    char *text = (char *)group + head;
    memcpy(copies, metrics, count * sizeof(*metrics));
    memcpy(text, name, names[0]);
    memcpy(text + names[0], description, names[1]);
    *group = origin->base;
    group->name = text;
    group->description = text + names[0];
    group->type |= ZET_METRIC_GROUP_TYPE_EXP_FLAG_USER_CREATED;
    group->metrics = copies;
    group->metric_count = count;
    identity_make(group->identity, metrics, count);
    *out = group;
    return ZE_RESULT_SUCCESS;
}

void geo_cpu_metric_made_destroy(struct geo_metric_group *group)
{
    free(group);
}
