/* Engines: active time, put together of samples. */
#include "gpu_fixture.h"

static const struct geo_sysman_engine *multiprocessors(const struct gpus *gpus)
{
    return gpus_component(gpus, GEO_SYSMAN_ENGINE, 0);
}

static struct fake_history *history(struct gpus *gpus)
{
    return &gpus_state(gpus, 0)->histories[GEO_NVML_SAMPLES_GPU];
}

static zes_engine_stats_t activity(struct gpus *gpus)
{
    zes_engine_stats_t stats = {0};
    assert_works(
        gpus, multiprocessors(gpus)->ops->activity(multiprocessors(gpus), 1, &stats, &gpus->why));
    return stats;
}

/* Forgets the oldest where there is no room. */
static void sample_add(struct gpus *gpus, uint64_t time_us, unsigned percent)
{
    struct fake_history *all = history(gpus);
    if (all->count == FAKE_SAMPLES) {
        memmove(all->samples, all->samples + 1, (FAKE_SAMPLES - 1) * sizeof(all->samples[0]));
        all->count--;
    }
    all->samples[all->count++] = (geo_nvml_sample){.time_us = time_us, .value = {.ui = percent}};
}

static void engines_are_described(void **state)
{
    (void)state;
    static const zes_engine_group_t types[] = {ZES_ENGINE_GROUP_COMPUTE_ALL,
                                               ZES_ENGINE_GROUP_MEDIA_ENCODE_SINGLE,
                                               ZES_ENGINE_GROUP_MEDIA_DECODE_SINGLE};
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_ENGINE), 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct geo_sysman_engine *engine = gpus_component(&gpus, GEO_SYSMAN_ENGINE, i);
        assert_int_equal(engine->properties.type, types[i]);
        assert_int_equal(engine->virtual_functions, 0);
    }
    gpus_sysman(&gpus, 2, NULL); /* has no samples */
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_ENGINE), 0);
    gpus_close(&gpus);
}

/* SYS-5 */
static void active_time_is_the_sum_over_samples(void **state)
{
    (void)state;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    const zes_engine_stats_t first = activity(&gpus);
    assert_int_equal(first.activeTime, 0); /* what was before is not counted */
    zes_engine_stats_t now = activity(&gpus);
    assert_int_equal(now.timestamp, first.timestamp); /* nor is a sample twice */
    sample_add(&gpus, 1400000, 20);
    sample_add(&gpus, 1500000, 80);
    now = activity(&gpus);
    assert_int_equal(now.activeTime, 20000 + 80000);
    assert_int_equal(now.timestamp - first.timestamp, 200000);
    sample_add(&gpus, 1550000, 100); /* half as long */
    now = activity(&gpus);
    assert_int_equal(now.activeTime, 20000 + 80000 + 50000);
    assert_int_equal(now.timestamp - first.timestamp, 250000);
    gpus_close(&gpus);
}

static void each_engine_has_its_own(void **state)
{
    (void)state;
    struct gpus gpus;
    zes_engine_stats_t stats = {0};
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    const struct geo_sysman_engine *encoder = gpus_component(&gpus, GEO_SYSMAN_ENGINE, 1);
    activity(&gpus);
    assert_works(&gpus, encoder->ops->activity(encoder, 1, &stats, &gpus.why));
    sample_add(&gpus, 1400000, 100);
    assert_int_equal(activity(&gpus).activeTime, 100000);
    assert_works(&gpus, encoder->ops->activity(encoder, 1, &stats, &gpus.why));
    assert_int_equal(stats.activeTime, 0);
    assert_works(&gpus, encoder->ops->activity(encoder, 0, NULL, &gpus.why));
    gpus_close(&gpus);
}

/* Of what the history has forgotten neither time is counted. */
static void a_gap_is_not_counted(void **state)
{
    (void)state;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    const zes_engine_stats_t first = activity(&gpus);
    for (uint64_t i = 0; i < 2 * FAKE_SAMPLES; i++) {
        sample_add(&gpus, 9000000 + i * 100000, 50);
    }
    const zes_engine_stats_t now = activity(&gpus);
    assert_int_equal(now.timestamp - first.timestamp, FAKE_SAMPLES * 100000);
    assert_int_equal(now.activeTime, FAKE_SAMPLES * 50000);
    gpus_close(&gpus);
}

static void a_library_without_samples_yet_counts_later(void **state)
{
    (void)state;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    history(&gpus)->count = 0;
    assert_int_equal(activity(&gpus).activeTime, 0);
    sample_add(&gpus, 5000000, 100);
    assert_int_equal(activity(&gpus).activeTime, 0);
    sample_add(&gpus, 5200000, 100);
    assert_int_equal(activity(&gpus).activeTime, 200000);
    gpus_close(&gpus);
}

static void more_than_all_is_all(void **state)
{
    (void)state;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    activity(&gpus);
    sample_add(&gpus, 1400000, 4000000000u);
    assert_int_equal(activity(&gpus).activeTime, 100000);
    gpus_close(&gpus);
}

static void a_lost_gpu_says_so(void **state)
{
    (void)state;
    struct gpus gpus;
    zes_engine_stats_t stats = {0};
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    const struct geo_sysman_engine *engine = multiprocessors(&gpus);
    gpus_fail(&gpus, DeviceGetSamples, GEO_NVML_GPU_IS_LOST);
    assert_result(&gpus, engine->ops->activity(engine, 1, &stats, &gpus.why),
                  ZE_RESULT_ERROR_DEVICE_LOST, "nvmlDeviceGetSamples: GPU is lost (15)");
    gpus_close(&gpus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_are_described),
        cmocka_unit_test(active_time_is_the_sum_over_samples),
        cmocka_unit_test(each_engine_has_its_own),
        cmocka_unit_test(a_gap_is_not_counted),
        cmocka_unit_test(a_library_without_samples_yet_counts_later),
        cmocka_unit_test(more_than_all_is_all),
        cmocka_unit_test(a_lost_gpu_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
