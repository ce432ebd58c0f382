/* See groups.h. */
#include "groups.h"

#include <level_zero/zet_api.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DRIVERS = 32, DEVICES = 256 };

static const zet_metric_group_sampling_type_flag_t of_kernels =
    ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED;
static const zet_metric_group_sampling_type_flag_t of_time =
    ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED;

/* A function that is called for each group of each device. */
typedef void group_visit(void *user, const char *device, zet_metric_group_handle_t group,
                         const zet_metric_group_properties_t *properties);

static void device_visit(ze_device_handle_t device, group_visit *visit, void *user)
{
    ze_device_properties_t named = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    uint32_t count = 0;
    zeDeviceGetProperties(device, &named);
    zetMetricGroupGet(device, &count, NULL);
    zet_metric_group_handle_t *groups = calloc(count + 1, sizeof(*groups));
    if (groups && zetMetricGroupGet(device, &count, groups) == ZE_RESULT_SUCCESS) {
        for (uint32_t i = 0; i < count; i++) {
            zet_metric_group_properties_t properties = {
                .stype = ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES};
            if (zetMetricGroupGetProperties(groups[i], &properties) == ZE_RESULT_SUCCESS &&
                (properties.samplingType & (uint32_t)(of_kernels | of_time))) {
                visit(user, named.name, groups[i], &properties);
            }
        }
    }
    free(groups);
}

/* Visits the groups of all devices. Returns false after a line on standard error. */
static bool groups_visit(group_visit *visit, void *user)
{
    ze_driver_handle_t drivers[DRIVERS];
    ze_device_handle_t devices[DEVICES];
    uint32_t driver_count = DRIVERS;
    setenv("ZET_ENABLE_METRICS", "1", 1);
    const ze_result_t result = zeInit(0);
    if (result != ZE_RESULT_SUCCESS || zeDriverGet(&driver_count, drivers) != ZE_RESULT_SUCCESS) {
        fprintf(stderr, "zetrace: no driver starts (0x%x): zeinfo --why tells more\n",
                (unsigned)result);
        return false;
    }
    for (uint32_t i = 0; i < driver_count; i++) {
        uint32_t device_count = DEVICES;
        if (zeDeviceGet(drivers[i], &device_count, devices) != ZE_RESULT_SUCCESS) {
            continue;
        }
        for (uint32_t j = 0; j < device_count; j++) {
            device_visit(devices[j], visit, user);
        }
    }
    return true;
}

/* --- the list --- */

static void metrics_write(FILE *to, zet_metric_group_handle_t group, uint32_t count)
{
    zet_metric_handle_t *metrics = calloc(count + 1, sizeof(*metrics));
    if (metrics && zetMetricGet(group, &count, metrics) == ZE_RESULT_SUCCESS) {
        for (uint32_t i = 0; i < count; i++) {
            zet_metric_properties_t metric = {.stype = ZET_STRUCTURE_TYPE_METRIC_PROPERTIES};
            if (zetMetricGetProperties(metrics[i], &metric) == ZE_RESULT_SUCCESS) {
                fprintf(to, "    %-22s %-18s %s\n", metric.name, metric.resultUnits,
                        metric.description);
            }
        }
    }
    free(metrics);
}

static void group_write(void *user, const char *device, zet_metric_group_handle_t group,
                        const zet_metric_group_properties_t *properties)
{
    const char *how = properties->samplingType & of_kernels ? "of each kernel" : "over time";
    fprintf(user, "%s: %s, %s: %s\n", device, properties->name, how, properties->description);
    metrics_write(user, group, properties->metricCount);
}

bool groups_list(FILE *to)
{
    return groups_visit(group_write, to);
}

/* --- one group --- */

struct search {
    const char *name;
    uint32_t sampling;
    bool found;
    char names[2000]; /* of all groups of this kind, each once, with a comma before it */
};

static void group_compare(void *user, const char *device, zet_metric_group_handle_t group,
                          const zet_metric_group_properties_t *properties)
{
    struct search *search = user;
    char name[ZET_MAX_METRIC_GROUP_NAME + 4];
    (void)device, (void)group;
    if (!(properties->samplingType & search->sampling)) {
        return;
    }
    search->found |= strcmp(properties->name, search->name) == 0;
    snprintf(name, sizeof(name), ", %s", properties->name);
    const char *there = strstr(search->names, name);
    const char after = there ? there[strlen(name)] : 'x';
    if ((after != ',' && after != '\0') &&
        strlen(search->names) + strlen(name) < sizeof(search->names)) {
        strcat(search->names, name);
    }
}

bool groups_have(const char *name, bool samples)
{
    struct search search = {.name = name, .sampling = samples ? of_time : of_kernels};
    if (!groups_visit(group_compare, &search)) {
        return false;
    }
    if (!search.found) {
        fprintf(stderr,
                "zetrace: no device has a group of metrics %s %s: there is %s\n"
                "zetrace: --list-metrics lists the metrics of each group\n",
                name, samples ? "over time" : "of kernels",
                search.names[0] ? search.names + 2 : "none");
    }
    return search.found;
}
