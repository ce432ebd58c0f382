/* Decoders: they convert the data of tracers. */
#ifndef GEO_DRIVER_TOOLS_METRIC_DECODER_H
#define GEO_DRIVER_TOOLS_METRIC_DECODER_H

#include "driver/tools/metric/tracer.h"

/* A decoder does not need its tracer any more. */
struct geo_metric_decoder {
    struct geo_object base;
    const struct geo_metric_ops *ops;
    struct geo_metric_group_object **groups; /* [group_count] referenced */
    uint32_t group_count;
};

GEO_OBJECT_HANDLE(metric_decoder, GEO_OBJECT_METRIC_DECODER, zet_metric_decoder_exp_handle_t)

GEO_MUST_CHECK ze_result_t geo_metric_decoder_create(const struct geo_metric_tracer *tracer,
                                                     struct geo_metric_decoder **out);

/* Applies the list protocol to the metrics of all groups. */
void geo_metric_decoder_metrics(const struct geo_metric_decoder *decoder, uint32_t *count,
                                zet_metric_handle_t *handles);

/* The arguments of zetMetricTracerDecodeExp. Its optional pointers may be NULL. */
struct geo_metric_decoding {
    const uint8_t *data;
    size_t *bytes;
    zet_metric_handle_t *metrics;
    uint32_t metric_count;
    uint32_t *set_count, *counts; /* counts: per set */
    uint32_t *entry_count;
    zet_metric_entry_exp_t *entries;
};

/* Decodes whole frames, as many as fit. Returns INVALID_ARGUMENT for foreign data and metrics,
 * INVALID_SIZE if not even one frame fits. */
GEO_MUST_CHECK ze_result_t geo_metric_decoder_decode(const struct geo_metric_decoder *decoder,
                                                     const struct geo_metric_decoding *decoding);

#endif
