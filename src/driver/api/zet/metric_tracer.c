/* API functions of metric tracers and decoders. */
#include "ddi/geo_api.h"
#include "driver/tools/metric/decoder.h"

ze_result_t geo_zetMetricTracerCreateExp(zet_context_handle_t hContext, zet_device_handle_t hDevice,
                                         uint32_t metricGroupCount,
                                         zet_metric_group_handle_t *phMetricGroups,
                                         zet_metric_tracer_exp_desc_t *desc,
                                         ze_event_handle_t hNotificationEvent,
                                         zet_metric_tracer_exp_handle_t *phMetricTracer)
{
    struct geo_context *context;
    struct geo_device *device;
    struct geo_metric_root *root;
    struct geo_metric_tracer *tracer;
    GEO_CHECK(geo_context_device_from(hContext, hDevice, &context, &device));
    GEO_CHECK(geo_metric_root_of(device, &root));
    struct geo_metric_collector_desc collector = {
        .context = context,
        .root = root,
        .groups = phMetricGroups,
        .group_count = metricGroupCount,
        .sampling = ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EXP_TRACER_BASED,
        .event = hNotificationEvent,
        .notify_every = desc->notifyEveryNBytes,
    };
    GEO_CHECK(geo_metric_tracer_create(&collector, &tracer));
    desc->notifyEveryNBytes = collector.notify_every;
    *phMetricTracer = geo_metric_tracer_handle(tracer);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zetMetricTracerDestroyExp(zet_metric_tracer_exp_handle_t hMetricTracer)
{
    struct geo_metric_tracer *tracer;
    GEO_CHECK(geo_metric_tracer_from(hMetricTracer, &tracer));
    if (geo_metric_collector_is_running(&tracer->collector)) {
        return geo_fail(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE,
                        "the metric tracer is enabled: disable it before it is destroyed");
    }
    geo_metric_tracer_close(tracer);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zetMetricTracerEnableExp(zet_metric_tracer_exp_handle_t hMetricTracer,
                                         ze_bool_t synchronous)
{
    struct geo_metric_tracer *tracer;
    GEO_CHECK(geo_metric_tracer_from(hMetricTracer, &tracer));
    return geo_metric_collector_run(&tracer->collector, true, synchronous != 0);
}

ze_result_t geo_zetMetricTracerDisableExp(zet_metric_tracer_exp_handle_t hMetricTracer,
                                          ze_bool_t synchronous)
{
    struct geo_metric_tracer *tracer;
    GEO_CHECK(geo_metric_tracer_from(hMetricTracer, &tracer));
    return geo_metric_collector_run(&tracer->collector, false, synchronous != 0);
}

ze_result_t geo_zetMetricTracerReadDataExp(zet_metric_tracer_exp_handle_t hMetricTracer,
                                           size_t *pRawDataSize, uint8_t *pRawData)
{
    struct geo_metric_tracer *tracer;
    GEO_CHECK(geo_metric_tracer_from(hMetricTracer, &tracer));
    return geo_metric_collector_read(&tracer->collector, UINT32_MAX, pRawDataSize, pRawData);
}

ze_result_t geo_zetMetricDecoderCreateExp(zet_metric_tracer_exp_handle_t hMetricTracer,
                                          zet_metric_decoder_exp_handle_t *phMetricDecoder)
{
    struct geo_metric_tracer *tracer;
    struct geo_metric_decoder *decoder;
    GEO_CHECK(geo_metric_tracer_from(hMetricTracer, &tracer));
    GEO_CHECK(geo_metric_decoder_create(tracer, &decoder));
    *phMetricDecoder = geo_metric_decoder_handle(decoder);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zetMetricDecoderDestroyExp(zet_metric_decoder_exp_handle_t phMetricDecoder)
{
    struct geo_metric_decoder *decoder;
    GEO_CHECK(geo_metric_decoder_from(phMetricDecoder, &decoder));
    geo_object_close(&decoder->base);
    return ZE_RESULT_SUCCESS;
}

ze_result_t
geo_zetMetricDecoderGetDecodableMetricsExp(zet_metric_decoder_exp_handle_t hMetricDecoder,
                                           uint32_t *pCount, zet_metric_handle_t *phMetrics)
{
    struct geo_metric_decoder *decoder;
    GEO_CHECK(geo_metric_decoder_from(hMetricDecoder, &decoder));
    geo_metric_decoder_metrics(decoder, pCount, phMetrics);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zetMetricTracerDecodeExp(zet_metric_decoder_exp_handle_t phMetricDecoder,
                                         size_t *pRawDataSize, uint8_t *pRawData,
                                         uint32_t metricsCount, zet_metric_handle_t *phMetrics,
                                         uint32_t *pSetCount, uint32_t *pMetricEntriesCountPerSet,
                                         uint32_t *pMetricEntriesCount,
                                         zet_metric_entry_exp_t *pMetricEntries)
{
    struct geo_metric_decoder *decoder;
    GEO_CHECK(geo_metric_decoder_from(phMetricDecoder, &decoder));
    if (!pRawData && *pRawDataSize != 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_NULL_POINTER,
                        "pRawData is null, but *pRawDataSize is %zu", *pRawDataSize);
    }
    return geo_metric_decoder_decode(
        decoder, &(struct geo_metric_decoding){.data = pRawData,
                                               .bytes = pRawDataSize,
                                               .metrics = phMetrics,
                                               .metric_count = metricsCount,
                                               .set_count = pSetCount,
                                               .counts = pMetricEntriesCountPerSet,
                                               .entry_count = pMetricEntriesCount,
                                               .entries = pMetricEntries});
}
