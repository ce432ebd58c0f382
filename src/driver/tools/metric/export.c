/* Exported data. See export.h. */
#include "driver/tools/metric/export.h"

#include "driver/tools/metric/ask.h"
#include "driver/tools/metric/calculate.h"

#include <stdlib.h>
#include <string.h>

static const uint8_t magic[8] = {'G', 'E', 'O', 'X', 1, 0, 0, 0};

enum { IDENTITY_AT = 8, BYTES_AT = 24, METRICS_AT = 32, SIZE_AT = 36, HEAD_BYTES = 40 };

/* Writes the description of a group, or with `out` NULL returns only its size. */
static size_t description_write(const struct geo_metric_group *group, uint8_t *out)
{
    size_t at = strlen(group->name) + 1;
    if (out) {
        memcpy(out, group->name, at);
    }
    for (uint32_t i = 0; i < group->metric_count; i++) {
        const struct geo_metric *metric = group->metrics[i];
        const uint32_t types[2] = {metric->type, metric->result};
        const size_t length = strlen(metric->name) + 1;
        if (out) {
            memcpy(out + at, types, sizeof(types));
            memcpy(out + at + sizeof(types), metric->name, length);
        }
        at += sizeof(types) + length;
    }
    return at;
}

static ze_result_t raw_check(const struct geo_metric_group_object *group, const uint8_t *raw,
                             size_t bytes)
{
    uint32_t sets = 0, total = 0;
    const struct geo_metric_calculation calculation = {
        .ops = group->root->ops,
        .group = group->group,
        .type = ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES,
        .data = raw,
        .bytes = bytes};
    return geo_metric_calculate(&calculation,
                                &(struct geo_metric_values){.set_count = &sets, .total = &total});
}

ze_result_t geo_metric_export_write(const struct geo_metric_group_object *group, const uint8_t *raw,
                                    size_t raw_bytes, size_t *bytes, uint8_t *data)
{
    const size_t description = description_write(group->group, NULL);
    const uint64_t total = HEAD_BYTES + description + raw_bytes;
    const uint32_t numbers[2] = {group->group->metric_count, (uint32_t)description};
    GEO_CHECK(raw_check(group, raw, raw_bytes));
    if (*bytes == 0 || !data) {
        *bytes = (size_t)total;
        return ZE_RESULT_SUCCESS;
    }
    if (*bytes < total) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE,
                        "the exported data has %llu bytes, and pExportData only %zu",
                        (unsigned long long)total, *bytes);
    }
    memcpy(data, magic, sizeof(magic));
    memcpy(data + IDENTITY_AT, group->group->identity, sizeof(group->group->identity));
    memcpy(data + BYTES_AT, &total, sizeof(total));
    memcpy(data + METRICS_AT, numbers, sizeof(numbers));
    (void)description_write(group->group, data + HEAD_BYTES);
    if (raw_bytes) {
        memcpy(data + HEAD_BYTES + description, raw, raw_bytes);
    }
    *bytes = (size_t)total;
    return ZE_RESULT_SUCCESS;
}

/* ---- read ---- */

static ze_result_t head_check(const uint8_t *data, size_t bytes)
{
    uint64_t total;
    if (bytes < HEAD_BYTES ? memcmp(data, magic, bytes < 8 ? bytes : 8) != 0
                           : memcmp(data, magic, sizeof(magic)) != 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the data was not made by zetMetricGroupGetExportDataExp of this driver");
    }
    if (bytes >= HEAD_BYTES) {
        memcpy(&total, data + BYTES_AT, sizeof(total));
    }
    return bytes >= HEAD_BYTES && total <= bytes
               ? ZE_RESULT_SUCCESS
               : geo_fail(ZE_RESULT_ERROR_INVALID_SIZE, "the exported data is cut after %zu bytes",
                          bytes);
}

/* Returns whether the exported description is that of this group. */
static bool description_matches(const struct geo_metric_group *group, const uint8_t *data,
                                uint32_t bytes)
{
    const size_t own = description_write(group, NULL);
    uint8_t *copy = own == bytes ? malloc(own) : NULL;
    if (!copy) {
        return false;
    }
    (void)description_write(group, copy);
    const bool same = memcmp(copy, data, own) == 0;
    free(copy);
    return same;
}

ze_result_t geo_metric_export_read(const struct geo_driver *driver, const uint8_t *data,
                                   size_t bytes, const struct geo_metric_group **group,
                                   const uint8_t **raw, size_t *raw_bytes)
{
    const struct geo_metric_ops *ops = driver->ops->metric;
    uint32_t numbers[2];
    uint64_t total;
    if (!ops || !ops->find_group) {
        return geo_metric_ask_unsupported(driver->ops->name, "calculation from exported metrics");
    }
    GEO_CHECK(head_check(data, bytes));
    memcpy(&total, data + BYTES_AT, sizeof(total));
    memcpy(numbers, data + METRICS_AT, sizeof(numbers));
    *group = ops->find_group(driver->backend, data + IDENTITY_AT);
    if (!*group) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the driver does not know the metric group of the exported data");
    }
    if (total < HEAD_BYTES || numbers[1] > total - HEAD_BYTES ||
        numbers[0] != (*group)->metric_count ||
        !description_matches(*group, data + HEAD_BYTES, numbers[1])) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the exported data is damaged, or its metric group %s has other metrics "
                        "here",
                        (*group)->name);
    }
    *raw = data + HEAD_BYTES + numbers[1];
    *raw_bytes = (size_t)total - HEAD_BYTES - numbers[1];
    return ZE_RESULT_SUCCESS;
}
