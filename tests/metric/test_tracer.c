/* Metric tracers and decoders. */
#include "metric.h"

/* "Events": at 1, 3, 5 ... seconds its metric 0 with the time as value, at 2, 4, 6 ... metric 1. */
struct tracing {
    zet_metric_group_handle_t groups[2];
    zet_metric_tracer_exp_handle_t tracer;
    zet_metric_decoder_exp_handle_t decoder;
};

static struct tracing tracing_begin(ze_device_handle_t of, uint32_t group_count)
{
    struct tracing tracing = {
        .groups = {group_find(of, "Events", TRACED), group_find(of, "More events", TRACED)}};
    zet_metric_tracer_exp_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_METRIC_TRACER_EXP_DESC};
    assert_success(zetContextActivateMetricGroups(context, of, group_count, tracing.groups));
    assert_success(zetMetricTracerCreateExp(context, of, group_count, tracing.groups, &desc, NULL,
                                            &tracing.tracer));
    assert_success(zetMetricDecoderCreateExp(tracing.tracer, &tracing.decoder));
    return tracing;
}

static void tracing_end(struct tracing *tracing)
{
    assert_success(zetMetricTracerDisableExp(tracing->tracer, 1));
    assert_success(zetMetricDecoderDestroyExp(tracing->decoder));
    assert_success(zetMetricTracerDestroyExp(tracing->tracer));
}

/* Lets time pass until a whole number of pairs of seconds. */
static void even_second(void)
{
    pass(2 * SECOND - now_ns() % (2 * SECOND) + SECOND / 2);
}

static void events_are_decoded(void **unused)
{
    struct tracing tracing = tracing_begin(tile, 1);
    zet_metric_handle_t metrics[4];
    zet_metric_entry_exp_t entries[8];
    uint8_t data[1024];
    size_t bytes = sizeof(data), used;
    uint32_t metric_count = 4, sets = 0, count = 0, counts[1] = {0};
    (void)unused;
    assert_result(zetMetricTracerReadDataExp(tracing.tracer, &bytes, data), ZE_RESULT_NOT_READY);
    even_second();
    assert_success(zetMetricTracerEnableExp(tracing.tracer, 1));
    const uint64_t start_s = now_ns() / SECOND;
    pass(4 * SECOND);
    assert_success(zetMetricTracerDisableExp(tracing.tracer, 1));
    pass(10 * SECOND); /* not recorded */
    bytes = sizeof(data);
    assert_success(zetMetricTracerReadDataExp(tracing.tracer, &bytes, data));
    metric_count = 0;
    assert_success(zetMetricDecoderGetDecodableMetricsExp(tracing.decoder, &metric_count, NULL));
    assert_int_equal(metric_count, 2);
    metric_count = 4;
    assert_success(zetMetricDecoderGetDecodableMetricsExp(tracing.decoder, &metric_count, metrics));
    assert_int_equal(metric_count, 2);
    used = bytes;
    assert_success(zetMetricTracerDecodeExp(tracing.decoder, &used, data, 2, metrics, &sets, NULL,
                                            &count, NULL));
    assert_int_equal(sets, 1);
    assert_int_equal(count, 4);
    count = 8;
    assert_success(zetMetricTracerDecodeExp(tracing.decoder, &used, data, 2, metrics, &sets, counts,
                                            &count, entries));
    assert_int_equal(used, bytes);
    assert_int_equal(count, 4);
    assert_int_equal(counts[0], 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(entries[i].timeStamp, (start_s + 1 + i) * 1000);
        assert_int_equal(entries[i].metricIndex, i % 2);
        assert_int_equal(entries[i].onSubdevice, 0);
    }
    assert_int_equal(entries[0].value.ui64, start_s + 1);
    assert_float_equal(entries[1].value.fp64, 4.5, 0);
    assert_success(zetMetricTracerDecodeExp(tracing.decoder, &used, data, 1, &metrics[1], &sets,
                                            counts, &count, entries)); /* one metric only */
    assert_int_equal(count, 2);
    assert_int_equal(entries[0].metricIndex, 0);
    assert_float_equal(entries[0].value.fp64, 4.5, 0);
    tracing_end(&tracing);
}

static void each_sub_device_has_a_set_of_events(void **unused)
{
    struct tracing tracing = tracing_begin(device, 2);
    zet_metric_handle_t metrics[4];
    zet_metric_entry_exp_t entries[16];
    uint8_t data[2048];
    size_t bytes = sizeof(data);
    uint32_t metric_count = 4, sets = 2, count = 16, counts[2] = {0};
    (void)unused;
    assert_success(zetMetricDecoderGetDecodableMetricsExp(tracing.decoder, &metric_count, metrics));
    assert_int_equal(metric_count, 3); /* of both groups */
    pass(4 * SECOND);                  /* the only event of "More events" is at 3 s */
    even_second();
    assert_success(zetMetricTracerEnableExp(tracing.tracer, 0));
    pass(2 * SECOND);
    assert_success(zetMetricTracerReadDataExp(tracing.tracer, &bytes, data));
    assert_success(zetMetricTracerDecodeExp(tracing.decoder, &bytes, data, metric_count, metrics,
                                            &sets, counts, &count, entries));
    assert_int_equal(sets, 2);
    assert_int_equal(count, 4);
    assert_int_equal(counts[0], 2);
    assert_int_equal(counts[1], 2);
    assert_int_equal(entries[0].onSubdevice, 1);
    assert_int_equal(entries[0].subdeviceId, 0);
    assert_int_equal(entries[2].subdeviceId, 1);
    assert_float_equal(entries[3].value.fp64, 5.5, 0); /* its tile_step */
    tracing_end(&tracing);
}

static void lost_events_are_told_once(void **unused)
{
    struct tracing tracing = tracing_begin(tile, 1);
    uint8_t data[2048];
    size_t bytes = sizeof(data);
    (void)unused;
    even_second();
    assert_success(zetMetricTracerEnableExp(tracing.tracer, 1));
    pass(30 * SECOND); /* the buffer has room for 10 */
    assert_result(zetMetricTracerReadDataExp(tracing.tracer, &bytes, data),
                  ZE_RESULT_WARNING_DROPPED_DATA);
    assert_true(bytes > 10 * 32 && bytes < 12 * 32);
    pass(SECOND);
    bytes = sizeof(data);
    assert_success(zetMetricTracerReadDataExp(tracing.tracer, &bytes, data));
    tracing_end(&tracing);
}

/* Reads in small pieces give each event once. */
static void data_is_read_and_decoded_in_pieces(void **unused)
{
    struct tracing tracing = tracing_begin(tile, 1);
    zet_metric_handle_t metrics[2];
    zet_metric_entry_exp_t entries[8];
    uint8_t data[2048];
    size_t bytes = 0, at = 0, used;
    uint32_t metric_count = 2, sets = 0, count, counts[1];
    (void)unused;
    assert_success(zetMetricDecoderGetDecodableMetricsExp(tracing.decoder, &metric_count, metrics));
    even_second();
    assert_success(zetMetricTracerEnableExp(tracing.tracer, 1));
    pass(6 * SECOND);
    assert_success(zetMetricTracerReadDataExp(tracing.tracer, &bytes, NULL));
    const size_t head = bytes - 6 * 32;
    for (int i = 0; i < 3; i++, at += bytes) {
        bytes = head + 2 * 32 + 31; /* two events */
        assert_success(zetMetricTracerReadDataExp(tracing.tracer, &bytes, data + at));
        assert_int_equal(bytes, head + 2 * 32);
    }
    bytes = sizeof(data) - at;
    assert_success(zetMetricTracerReadDataExp(tracing.tracer, &bytes, data + at)); /* enabled */
    assert_int_equal(bytes, 0);
    assert_success(zetMetricTracerDisableExp(tracing.tracer, 1));
    bytes = sizeof(data) - at;
    assert_result(zetMetricTracerReadDataExp(tracing.tracer, &bytes, data + at),
                  ZE_RESULT_NOT_READY);
    used = at;
    count = 5; /* two pieces fit */
    assert_success(zetMetricTracerDecodeExp(tracing.decoder, &used, data, 2, metrics, &sets, counts,
                                            &count, entries));
    assert_int_equal(count, 4);
    assert_int_equal(used, at / 3 * 2);
    assert_int_equal(entries[3].timeStamp - entries[0].timeStamp, 3000);
    used = at - 1; /* the last piece is not whole */
    count = 8;
    assert_success(zetMetricTracerDecodeExp(tracing.decoder, &used, data, 2, metrics, &sets, counts,
                                            &count, entries));
    assert_int_equal(count, 4);
    assert_int_equal(used, at / 3 * 2);
    used = at;
    count = 1; /* not even the first */
    assert_result(zetMetricTracerDecodeExp(tracing.decoder, &used, data, 2, metrics, &sets, counts,
                                           &count, entries),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    tracing_end(&tracing);
}

static void wrong_data_and_metrics_are_refused(void **unused)
{
    struct tracing tracing = tracing_begin(tile, 1);
    zet_metric_handle_t metrics[3];
    zet_metric_entry_exp_t entries[8];
    uint8_t data[1024];
    size_t bytes = sizeof(data), used;
    uint32_t metric_count = 2, sets = 0, count = 8, counts[1];
    (void)unused;
    assert_success(zetMetricDecoderGetDecodableMetricsExp(tracing.decoder, &metric_count, metrics));
    even_second();
    assert_success(zetMetricTracerEnableExp(tracing.tracer, 1));
    pass(4 * SECOND);
    assert_success(zetMetricTracerReadDataExp(tracing.tracer, &bytes, data));
    count = 1;
    assert_success(zetMetricGet(group_find(tile, "Other", TIMED), &count, &metrics[2]));
    used = bytes;
    count = 8;
    assert_invalid(zetMetricTracerDecodeExp(tracing.decoder, &used, data, 3, metrics, &sets, counts,
                                            &count, entries));
    for (size_t i = 0; i < bytes * 8; i++) {
        data[i / 8] ^= (uint8_t)(1 << i % 8);
        used = bytes;
        count = 8;
        const ze_result_t result = zetMetricTracerDecodeExp(
            tracing.decoder, &used, data, 2, metrics, &sets, counts, &count, entries);
        assert_true(result == ZE_RESULT_SUCCESS || result == ZE_RESULT_ERROR_INVALID_ARGUMENT ||
                    result == ZE_RESULT_ERROR_INVALID_SIZE);
        data[i / 8] ^= (uint8_t)(1 << i % 8);
    }
    tracing_end(&tracing);
}

static void an_enabled_tracer_is_not_destroyed(void **unused)
{
    struct tracing tracing = tracing_begin(device, 1);
    (void)unused;
    assert_success(zetMetricTracerEnableExp(tracing.tracer, 0));
    assert_result(zetMetricTracerDestroyExp(tracing.tracer), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_non_null(strstr(metric_error(), "disable it"));
    tracing_end(&tracing);
}

/* The result of a read tells whether an asynchronous change has happened. */
static void a_read_tells_whether_the_tracer_is_enabled(void **unused)
{
    struct tracing tracing = tracing_begin(device, 1);
    uint8_t data[1024];
    size_t bytes = sizeof(data);
    (void)unused;
    assert_result(zetMetricTracerReadDataExp(tracing.tracer, &bytes, data), ZE_RESULT_NOT_READY);
    assert_int_equal(bytes, 0);
    assert_success(zetMetricTracerEnableExp(tracing.tracer, 0));
    bytes = sizeof(data);
    assert_success(zetMetricTracerReadDataExp(tracing.tracer, &bytes, data));
    assert_int_equal(bytes, 0);
    pass(3 * SECOND);
    assert_success(zetMetricTracerDisableExp(tracing.tracer, 0));
    bytes = sizeof(data);
    assert_success(zetMetricTracerReadDataExp(tracing.tracer, &bytes, data)); /* data is left */
    assert_true(bytes > 0);
    bytes = 0;
    assert_result(zetMetricTracerReadDataExp(tracing.tracer, &bytes, NULL), ZE_RESULT_NOT_READY);
    tracing_end(&tracing);
}

static void only_active_traced_groups_are_traced(void **unused)
{
    zet_metric_group_handle_t group = group_find(tile, "Events", TRACED);
    zet_metric_tracer_exp_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_METRIC_TRACER_EXP_DESC};
    zet_metric_tracer_exp_handle_t tracer = NULL;
    (void)unused;
    assert_result(zetMetricTracerCreateExp(context, tile, 1, &group, &desc, NULL, &tracer),
                  ZE_RESULT_NOT_READY);
    group = group_find(tile, "Other", TIMED);
    activate(tile, group);
    assert_invalid(zetMetricTracerCreateExp(context, tile, 1, &group, &desc, NULL, &tracer));
    assert_null(tracer);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        METRIC_CASE(events_are_decoded),
        METRIC_CASE(each_sub_device_has_a_set_of_events),
        METRIC_CASE(lost_events_are_told_once),
        METRIC_CASE(data_is_read_and_decoded_in_pieces),
        METRIC_CASE(wrong_data_and_metrics_are_refused),
        METRIC_CASE(an_enabled_tracer_is_not_destroyed),
        METRIC_CASE(a_read_tells_whether_the_tracer_is_enabled),
        METRIC_CASE(only_active_traced_groups_are_traced),
    };
    return cmocka_run_group_tests_name("metric_tracer", cases, metric_setup, metric_teardown);
}
