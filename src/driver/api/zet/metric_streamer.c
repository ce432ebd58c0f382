/* API functions of metric streamers, and of markers. */
#include "ddi/geo_api.h"
#include "driver/tools/metric/streamer.h"

ze_result_t geo_zetMetricStreamerOpen(zet_context_handle_t hContext, zet_device_handle_t hDevice,
                                      zet_metric_group_handle_t hMetricGroup,
                                      zet_metric_streamer_desc_t *desc,
                                      ze_event_handle_t hNotificationEvent,
                                      zet_metric_streamer_handle_t *phMetricStreamer)
{
    struct geo_context *context;
    struct geo_device *device;
    struct geo_metric_root *root;
    struct geo_metric_streamer *streamer;
    GEO_CHECK(geo_context_device_from(hContext, hDevice, &context, &device));
    GEO_CHECK(geo_metric_root_of(device, &root));
    struct geo_metric_collector_desc collector = {
        .context = context,
        .root = root,
        .groups = &hMetricGroup,
        .group_count = 1,
        .sampling = ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED,
        .event = hNotificationEvent,
        .notify_every = desc->notifyEveryNReports,
        .period_ns = desc->samplingPeriod,
    };
    GEO_CHECK(geo_metric_streamer_open(&collector, &streamer));
    desc->notifyEveryNReports = collector.notify_every;
    desc->samplingPeriod = collector.period_ns;
    *phMetricStreamer = geo_metric_streamer_handle(streamer);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zetMetricStreamerClose(zet_metric_streamer_handle_t hMetricStreamer)
{
    struct geo_metric_streamer *streamer;
    GEO_CHECK(geo_metric_streamer_from(hMetricStreamer, &streamer));
    geo_metric_streamer_close(streamer);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zetMetricStreamerReadData(zet_metric_streamer_handle_t hMetricStreamer,
                                          uint32_t maxReportCount, size_t *pRawDataSize,
                                          uint8_t *pRawData)
{
    struct geo_metric_streamer *streamer;
    GEO_CHECK(geo_metric_streamer_from(hMetricStreamer, &streamer));
    return geo_metric_collector_read(&streamer->collector, maxReportCount, pRawDataSize, pRawData);
}

ze_result_t
geo_zetCommandListAppendMetricStreamerMarker(zet_command_list_handle_t hCommandList,
                                             zet_metric_streamer_handle_t hMetricStreamer,
                                             uint32_t value)
{
    struct geo_command_list *list;
    struct geo_metric_streamer *streamer;
    GEO_CHECK(geo_command_list_from((ze_command_list_handle_t)hCommandList, &list));
    GEO_CHECK(geo_metric_streamer_from(hMetricStreamer, &streamer));
    return geo_metric_streamer_mark(list, streamer, value);
}

ze_result_t geo_zetCommandListAppendMarkerExp(zet_command_list_handle_t hCommandList,
                                              zet_metric_group_handle_t hMetricGroup,
                                              uint32_t value)
{
    struct geo_command_list *list;
    struct geo_metric_group_object *group;
    GEO_CHECK(geo_command_list_from((ze_command_list_handle_t)hCommandList, &list));
    GEO_CHECK(geo_metric_group_ready(hMetricGroup, NULL, &group));
    return geo_metric_streamer_mark_group(list, group, value);
}
