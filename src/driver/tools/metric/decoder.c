/* Decoders. See decoder.h. */
#include "driver/tools/metric/decoder.h"

#include "driver/core/check.h"
#include "driver/tools/metric/ask.h"
#include "driver/tools/metric/frame.h"

#include <stdlib.h>

static void decoder_destroy(struct geo_object *object)
{
    struct geo_metric_decoder *decoder = (struct geo_metric_decoder *)object;
    for (uint32_t i = 0; i < decoder->group_count; i++) {
        geo_object_unref(&decoder->groups[i]->base);
    }
    free(decoder->groups);
    free(decoder);
}

ze_result_t geo_metric_decoder_create(const struct geo_metric_tracer *tracer,
                                      struct geo_metric_decoder **out)
{
    const struct geo_metric_collector *collector = &tracer->collector;
    if (!collector->root->ops->decode) {
        return geo_metric_ask_unsupported(collector->root->device->info->name,
                                          "decoder of traced metrics");
    }
    struct geo_metric_decoder *decoder = calloc(1, sizeof(*decoder));
    if (!decoder) {
        return geo_metric_ask_memory("a metric decoder");
    }
    geo_object_init(&decoder->base, GEO_OBJECT_METRIC_DECODER, tracer->base.driver,
                    decoder_destroy);
    decoder->ops = collector->root->ops;
    decoder->groups = calloc(collector->group_count, sizeof(*decoder->groups));
    if (!decoder->groups) {
        geo_object_close(&decoder->base);
        return geo_metric_ask_memory("a metric decoder");
    }
    for (uint32_t i = 0; i < collector->group_count; i++) {
        geo_object_ref(&collector->groups[i]->base);
        decoder->groups[decoder->group_count++] = collector->groups[i];
    }
    *out = decoder;
    return ZE_RESULT_SUCCESS;
}

void geo_metric_decoder_metrics(const struct geo_metric_decoder *decoder, uint32_t *count,
                                zet_metric_handle_t *handles)
{
    uint32_t total = 0, at = 0;
    for (uint32_t i = 0; i < decoder->group_count; i++) {
        total += (uint32_t)decoder->groups[i]->metrics.count;
    }
    const uint32_t wanted = geo_count_protocol(count, total, handles);
    for (uint32_t i = 0; i < decoder->group_count; i++) {
        const struct geo_metric_group_object *group = decoder->groups[i];
        for (size_t k = 0; k < group->metrics.count && at < wanted; k++) {
            handles[at++] = geo_metric_object_handle(group->metrics.items[k]);
        }
    }
}

/* ---- decode ---- */

/* The arguments of the backend's operation, and how much is decoded. */
struct decode {
    const struct geo_metric_decoder *decoder;
    const struct geo_metric_group **groups;
    const struct geo_metric **metrics;
    uint32_t metric_count;
    uint32_t frames, sets, entries; /* what fits */
    size_t bytes;
};

static bool is_decodable(const struct geo_metric_decoder *decoder,
                         const struct geo_metric_object *metric)
{
    for (uint32_t i = 0; i < decoder->group_count; i++) {
        const struct geo_metric_group_object *group = decoder->groups[i];
        for (size_t k = 0; k < group->metrics.count; k++) {
            if (group->metrics.items[k] == metric) {
                return true;
            }
        }
    }
    return false;
}

static ze_result_t decode_fill(struct decode *decode, const struct geo_metric_decoding *decoding)
{
    for (uint32_t i = 0; i < decode->decoder->group_count; i++) {
        decode->groups[i] = decode->decoder->groups[i]->group;
    }
    for (uint32_t i = 0; i < decoding->metric_count; i++) {
        struct geo_metric_object *metric;
        GEO_CHECK(geo_metric_object_from(decoding->metrics[i], &metric));
        if (!is_decodable(decode->decoder, metric)) {
            return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                            "phMetrics[%u] (%s) is not a metric of the decoder's tracer", i,
                            metric->metric->name);
        }
        decode->metrics[i] = metric->metric;
    }
    return ZE_RESULT_SUCCESS;
}

/* Decodes one part of a frame: at most *count entries, or only counts if `entries` is NULL. */
static ze_result_t part_decode(const struct decode *decode, const struct geo_metric_frame *frame,
                               uint32_t part, uint32_t *count, zet_metric_entry_exp_t *entries)
{
    size_t bytes;
    const uint8_t *data = geo_metric_frame_part(frame, part, &bytes);
    const size_t all = bytes;
    ze_result_t result =
        decode->decoder->ops->decode(decode->groups, decode->decoder->group_count, decode->metrics,
                                     decode->metric_count, data, &bytes, count, entries);
    if (result == ZE_RESULT_SUCCESS && bytes != all) {
        result = ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    if (result != ZE_RESULT_SUCCESS) {
        return geo_fail(result, "the raw data of the tracer is damaged");
    }
    for (uint32_t i = 0; entries && i < *count; i++) {
        entries[i].onSubdevice = frame->part_count > 1;
        entries[i].subdeviceId = frame->part_count > 1 ? part : 0;
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t frame_count(const struct decode *decode, const struct geo_metric_frame *frame,
                               uint64_t *total)
{
    *total = 0;
    for (uint32_t part = 0; part < frame->part_count; part++) {
        uint32_t count = 0;
        GEO_CHECK(part_decode(decode, frame, part, &count, NULL));
        *total += count;
    }
    return ZE_RESULT_SUCCESS;
}

/* Takes the next whole frame. NOT_READY at the end, or if the rest is not a whole frame. */
static ze_result_t whole_frame_next(const struct decode *decode, struct geo_metric_frames *frames,
                                    struct geo_metric_frame *frame)
{
    const ze_result_t result = geo_metric_frame_next(frames, frame);
    if (result == ZE_RESULT_ERROR_INVALID_SIZE && decode->frames > 0) {
        return ZE_RESULT_NOT_READY; /* the program continues when it has the rest */
    }
    GEO_CHECK(result);
    return decode->frames == 0 || frame->part_count == decode->sets
               ? ZE_RESULT_SUCCESS
               : geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                          "the raw data is of tracers with %u and with %u sub-devices",
                          decode->sets, frame->part_count);
}

/* Counts the frames, and their entries, of which at most `room` are wanted. */
static ze_result_t frames_count(struct decode *decode, struct geo_metric_frames frames,
                                uint64_t room)
{
    for (;;) {
        struct geo_metric_frame frame;
        uint64_t count;
        const ze_result_t result = whole_frame_next(decode, &frames, &frame);
        if (result == ZE_RESULT_NOT_READY) {
            return ZE_RESULT_SUCCESS;
        }
        GEO_CHECK(result);
        GEO_CHECK(frame_count(decode, &frame, &count));
        if (count > room - decode->entries) {
            return decode->frames ? ZE_RESULT_SUCCESS
                                  : geo_fail(ZE_RESULT_ERROR_INVALID_SIZE,
                                             "pMetricEntriesCount is %llu: the first read of the "
                                             "tracer's data alone has %llu entries",
                                             (unsigned long long)room, (unsigned long long)count);
        }
        decode->frames++;
        decode->sets = frame.part_count;
        decode->entries += (uint32_t)count;
        decode->bytes += frame.bytes;
    }
}

/* Decodes the frames that were counted, one set after the other. */
static ze_result_t frames_decode(const struct decode *decode, const uint8_t *data, uint32_t *counts,
                                 uint32_t count_room, zet_metric_entry_exp_t *entries)
{
    uint32_t at = 0;
    for (uint32_t set = 0; set < decode->sets; set++) {
        struct geo_metric_frames frames = {data, decode->bytes};
        struct geo_metric_frame frame;
        uint32_t total = 0;
        while (frames.left) {
            uint32_t count = decode->entries - at;
            GEO_CHECK(geo_metric_frame_next(&frames, &frame));
            GEO_CHECK(part_decode(decode, &frame, set, &count, entries ? entries + at : NULL));
            at += count;
            total += count;
        }
        if (counts && set < count_room) {
            counts[set] = total;
        }
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t data_decode(struct decode *decode, const struct geo_metric_decoding *decoding)
{
    const struct geo_metric_frames frames = {decoding->data, *decoding->bytes};
    const bool writes = decoding->entries && *decoding->entry_count != 0;
    const uint32_t count_room = decoding->counts ? *decoding->set_count : 0;
    GEO_CHECK(decode_fill(decode, decoding));
    GEO_CHECK(frames_count(decode, frames, writes ? *decoding->entry_count : UINT32_MAX));
    GEO_CHECK(frames_decode(decode, decoding->data, decoding->counts, count_room,
                            writes ? decoding->entries : NULL));
    *decoding->set_count = count_room && count_room < decode->sets ? count_room : decode->sets;
    *decoding->entry_count = decode->entries;
    *decoding->bytes = decode->bytes;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_metric_decoder_decode(const struct geo_metric_decoder *decoder,
                                      const struct geo_metric_decoding *decoding)
{
    struct decode decode = {.decoder = decoder, .metric_count = decoding->metric_count};
    decode.groups = calloc(decoder->group_count + 1u, sizeof(*decode.groups));
    decode.metrics = calloc(decoding->metric_count + (size_t)1, sizeof(*decode.metrics));
    ze_result_t result = decode.groups && decode.metrics
                             ? data_decode(&decode, decoding)
                             : geo_metric_ask_memory("decoding of metrics");
    free(decode.groups);
    free(decode.metrics);
    return result;
}
