/* Streamers. See streamer.h. */
#include "driver/tools/metric/streamer.h"

#include "driver/tools/metric/ask.h"

#include <stdlib.h>

static void streamer_destroy(struct geo_object *object)
{
    struct geo_metric_streamer *streamer = (struct geo_metric_streamer *)object;
    geo_metric_collector_finish(&streamer->collector);
    free(streamer);
}

ze_result_t geo_metric_streamer_open(struct geo_metric_collector_desc *desc,
                                     struct geo_metric_streamer **out)
{
    struct geo_metric_streamer *streamer = calloc(1, sizeof(*streamer));
    if (!streamer) {
        return geo_metric_ask_memory("a metric streamer");
    }
    geo_object_init(&streamer->base, GEO_OBJECT_METRIC_STREAMER, desc->root->device->base.driver,
                    streamer_destroy);
    ze_result_t result = geo_metric_collector_open(&streamer->collector, desc);
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_metric_collector_run(&streamer->collector, true, true);
    }
    if (result != ZE_RESULT_SUCCESS) {
        geo_metric_streamer_close(streamer);
        return result;
    }
    *out = streamer;
    return ZE_RESULT_SUCCESS;
}

void geo_metric_streamer_close(struct geo_metric_streamer *streamer)
{
    geo_metric_collector_stop(&streamer->collector);
    geo_object_close(&streamer->base);
}

/* ---- markers ---- */

static ze_result_t marker_append(struct geo_command_list *list, struct geo_object *keeper,
                                 const struct geo_command_metric *marker)
{
    const struct geo_append_events none = {0};
    struct geo_append append;
    GEO_CHECK(geo_append_begin(list, GEO_COMMAND_METRIC, sizeof(*marker), &none, &append));
    GEO_CHECK(geo_keep_add(&list->keep, keeper));
    struct geo_command_metric *command = (struct geo_command_metric *)append.command;
    command->group = marker->group;
    command->collection = marker->collection;
    command->what = GEO_METRIC_MARKER;
    command->value = marker->value;
    return geo_append_commit(&append);
}

ze_result_t geo_metric_streamer_mark(struct geo_command_list *list,
                                     struct geo_metric_streamer *streamer, uint32_t value)
{
    const struct geo_metric_collector *collector = &streamer->collector;
    if (list->context != collector->context ||
        !geo_device_covers(collector->root->device, list->device)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the command list and the metric streamer have different %ss",
                        list->context != collector->context ? "context" : "device");
    }
    for (uint32_t i = 0; i < collector->part_count; i++) {
        const struct geo_command_metric marker = {.collection = collector->parts[i].collection,
                                                  .value = value};
        GEO_CHECK(marker_append(list, &streamer->base, &marker));
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_metric_streamer_mark_group(struct geo_command_list *list,
                                           struct geo_metric_group_object *group, uint32_t value)
{
    const struct geo_command_metric marker = {.group = group->group, .value = value};
    if (!geo_device_covers(group->root->device, list->device)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the command list and the metric group have different devices");
    }
    if (group->made || !(group->group->type & ZET_METRIC_GROUP_TYPE_EXP_FLAG_MARKER)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "metric group %s has no markers: see zet_metric_group_type_exp_t",
                        group->group->name);
    }
    return marker_append(list, &group->base, &marker);
}
