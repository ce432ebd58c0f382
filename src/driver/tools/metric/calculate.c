/* Calculates metric values from raw data. See calculate.h. */
#include "driver/tools/metric/calculate.h"

#include "driver/tools/metric/ask.h"

#include <stdlib.h>
#include <string.h>

/* Checks all frames, and returns the number of their sets; 0 without frames. */
static ze_result_t frames_check(const struct geo_metric_calculation *calculation, uint32_t *sets)
{
    struct geo_metric_frames frames = {calculation->data, calculation->bytes};
    struct geo_metric_frame frame;
    *sets = 0;
    while (frames.left) {
        GEO_CHECK(geo_metric_frame_next(&frames, &frame));
        if (memcmp(frame.identity, calculation->group->identity, sizeof(frame.identity)) != 0) {
            return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                            "the raw data is of another metric group than %s",
                            calculation->group->name);
        }
        if (*sets != 0 && frame.part_count != *sets) {
            return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                            "the raw data is of devices with %u and with %u sub-devices", *sets,
                            frame.part_count);
        }
        *sets = frame.part_count;
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t part_calculate(const struct geo_metric_calculation *calculation,
                                  const struct geo_metric_frame *frame, uint32_t set,
                                  uint32_t *count, zet_typed_value_t *values)
{
    size_t bytes;
    const uint8_t *data = geo_metric_frame_part(frame, set, &bytes);
    const ze_result_t result = calculation->ops->calculate(calculation->group, calculation->type,
                                                           data, bytes, count, values);
    return result == ZE_RESULT_SUCCESS
               ? result
               : geo_fail(result, "values of metric group %s cannot be calculated: %s",
                          calculation->group->name,
                          result == ZE_RESULT_ERROR_INVALID_ARGUMENT ? "the raw data is damaged"
                                                                     : "no memory");
}

static bool is_greater(const zet_typed_value_t *a, const zet_typed_value_t *b)
{
    switch (a->type) {
    case ZET_VALUE_TYPE_UINT32:
        return a->value.ui32 > b->value.ui32;
    case ZET_VALUE_TYPE_FLOAT32:
        return a->value.fp32 > b->value.fp32;
    case ZET_VALUE_TYPE_FLOAT64:
        return a->value.fp64 > b->value.fp64;
    case ZET_VALUE_TYPE_BOOL8:
        return a->value.b8 > b->value.b8;
    default:
        return a->value.ui64 > b->value.ui64;
    }
}

/* Joins the maxima of the next frame with those of the frames before. */
static void maxima_join(zet_typed_value_t *sum, const zet_typed_value_t *next, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (is_greater(&next[i], &sum[i])) {
            sum[i] = next[i];
        }
    }
}

/* Leaves out `skip` reports after each one. Returns the number of values that remain. */
static uint32_t reports_skip(zet_typed_value_t *values, uint32_t count, uint32_t metrics,
                             uint32_t skip)
{
    uint32_t to = 0;
    const uint64_t step = (uint64_t)metrics * ((uint64_t)skip + 1);
    for (uint64_t from = 0; skip && metrics && from + metrics <= count; from += step) {
        memmove(values + to, values + from, metrics * sizeof(*values));
        to += metrics;
    }
    return skip && metrics ? to : count;
}

/* The values of one set. */
struct set_values {
    zet_typed_value_t *items; /* owned */
    uint32_t count;
};

static ze_result_t frame_add(const struct geo_metric_calculation *calculation,
                             const struct geo_metric_frame *frame, uint32_t set,
                             struct set_values *values)
{
    uint32_t count = 0;
    GEO_CHECK(part_calculate(calculation, frame, set, &count, NULL));
    if (count == 0) {
        return ZE_RESULT_SUCCESS;
    }
    if (count > UINT32_MAX - values->count) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE, "the raw data has more than 2^32 values");
    }
    zet_typed_value_t *grown =
        realloc(values->items, ((size_t)values->count + count) * sizeof(*grown));
    if (!grown) {
        return geo_metric_ask_memory("metric values");
    }
    values->items = grown;
    GEO_CHECK(part_calculate(calculation, frame, set, &count, grown + values->count));
    if (calculation->type == ZET_METRIC_GROUP_CALCULATION_TYPE_MAX_METRIC_VALUES &&
        values->count == count) {
        maxima_join(grown, grown + values->count, count);
    } else {
        values->count += count;
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t set_calculate(const struct geo_metric_calculation *calculation, uint32_t set,
                                 struct set_values *values)
{
    struct geo_metric_frames frames = {calculation->data, calculation->bytes};
    struct geo_metric_frame frame;
    *values = (struct set_values){0};
    while (frames.left) {
        GEO_CHECK(geo_metric_frame_next(&frames, &frame));
        GEO_CHECK(frame_add(calculation, &frame, set, values));
    }
    if (calculation->type == ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES) {
        values->count = reports_skip(values->items, values->count, calculation->group->metric_count,
                                     calculation->skip);
    }
    return ZE_RESULT_SUCCESS;
}

/* Copies the values of a set to the caller's array, as far as they fit. */
static void set_copy(const struct geo_metric_values *out, uint32_t room, uint32_t at,
                     const struct set_values *values)
{
    const uint32_t left = at < room ? room - at : 0;
    const uint32_t count = values->count < left ? values->count : left;
    if (count) {
        memcpy(out->values + at, values->items, count * sizeof(*values->items));
    }
}

ze_result_t geo_metric_calculate(const struct geo_metric_calculation *calculation,
                                 const struct geo_metric_values *out)
{
    uint32_t sets, total = 0;
    const uint32_t room = out->values ? *out->total : 0;
    const uint32_t count_room = out->counts ? *out->set_count : 0;
    GEO_CHECK(frames_check(calculation, &sets));
    sets = calculation->first_only && sets > 1 ? 1 : sets;
    for (uint32_t set = 0; set < sets; set++) {
        struct set_values values;
        ze_result_t result = set_calculate(calculation, set, &values);
        if (result == ZE_RESULT_SUCCESS && values.count > UINT32_MAX - total) {
            result =
                geo_fail(ZE_RESULT_ERROR_INVALID_SIZE, "the raw data has more than 2^32 values");
        }
        if (result == ZE_RESULT_SUCCESS) {
            set_copy(out, room, total, &values);
            total += values.count;
            if (set < count_room) {
                out->counts[set] = values.count;
            }
        }
        free(values.items);
        GEO_CHECK(result);
    }
    *out->set_count = count_room && count_room < sets ? count_room : sets;
    *out->total = room && room < total ? room : total;
    return ZE_RESULT_SUCCESS;
}
