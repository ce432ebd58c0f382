/* Events: NVML's, and what is compared. */
#include "gpu_fixture.h"

#include <sys/wait.h>
#include <unistd.h>

static const zes_event_type_flags_t everything = ~(uint32_t)0;

static const struct geo_sysman_device_ops *ops_of(const struct gpus *gpus)
{
    return gpus_about(gpus)->ops;
}

static void watch_begin(struct gpus *gpus, zes_event_type_flags_t events)
{
    struct geo_sysman_watch watch = {.fd = 5};
    assert_works(gpus, ops_of(gpus)->watch(gpus->sysman, events, &watch, &gpus->why));
    assert_int_equal(watch.fd, -1); /* NVML has no descriptor */
    assert_true(watch.period_ns != 0);
}

static zes_event_type_flags_t take(const struct gpus *gpus)
{
    return ops_of(gpus)->take_events(gpus->sysman);
}

static void event_add(struct gpus *gpus, unsigned long long type, unsigned long long data)
{
    struct fake_gpu *gpu = gpus_state(gpus, 0);
    gpu->events[gpu->event_count++] = (geo_nvml_event){.type = type, .data = data};
}

static void which_can_happen(void **state)
{
    (void)state;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    assert_int_equal(
        gpus_about(&gpus)->events,
        ZES_EVENT_TYPE_FLAG_RAS_CORRECTABLE_ERRORS | ZES_EVENT_TYPE_FLAG_RAS_UNCORRECTABLE_ERRORS |
            ZES_EVENT_TYPE_FLAG_DEVICE_DETACH | ZES_EVENT_TYPE_FLAG_DEVICE_RESET_REQUIRED |
            ZES_EVENT_TYPE_FLAG_FREQ_THROTTLED | ZES_EVENT_TYPE_FLAG_MEM_HEALTH);
    gpus_sysman(&gpus, 2, NULL); /* has no events of its own */
    assert_int_equal(gpus_about(&gpus)->events,
                     ZES_EVENT_TYPE_FLAG_FREQ_THROTTLED | ZES_EVENT_TYPE_FLAG_MEM_HEALTH);
    gpus_fail(&gpus, DeviceGetThrottleReasons, GEO_NVML_NOT_SUPPORTED);
    gpus_fail(&gpus, DeviceGetRetiredPages, GEO_NVML_NOT_SUPPORTED);
    gpus_sysman(&gpus, 2, NULL);
    assert_int_equal(gpus_about(&gpus)->events, 0);
    gpus_close(&gpus);
}

/* SYC-28 */
static void nvmls_events_are_the_specifications(void **state)
{
    (void)state;
    static const struct {
        unsigned long long type, data;
        zes_event_type_flags_t flags;
    } table[] = {
        {GEO_NVML_EVENT_SINGLE_BIT, 0, ZES_EVENT_TYPE_FLAG_RAS_CORRECTABLE_ERRORS},
        {GEO_NVML_EVENT_SINGLE_BIT_STORM, 0, ZES_EVENT_TYPE_FLAG_RAS_CORRECTABLE_ERRORS},
        {GEO_NVML_EVENT_DOUBLE_BIT, 0, ZES_EVENT_TYPE_FLAG_RAS_UNCORRECTABLE_ERRORS},
        {GEO_NVML_EVENT_POISON, 0, ZES_EVENT_TYPE_FLAG_RAS_UNCORRECTABLE_ERRORS},
        {GEO_NVML_EVENT_FATAL_POISON, 0, ZES_EVENT_TYPE_FLAG_RAS_UNCORRECTABLE_ERRORS},
        {GEO_NVML_EVENT_DRAM_RETIREMENT, 0, ZES_EVENT_TYPE_FLAG_MEM_HEALTH},
        {GEO_NVML_EVENT_DRAM_RETIREMENT_FAILURE, 0, ZES_EVENT_TYPE_FLAG_MEM_HEALTH},
        {GEO_NVML_EVENT_UNAVAILABLE, 0, ZES_EVENT_TYPE_FLAG_DEVICE_RESET_REQUIRED},
        {GEO_NVML_EVENT_RECOVERY_ACTION, 0, ZES_EVENT_TYPE_FLAG_DEVICE_RESET_REQUIRED},
        {GEO_NVML_EVENT_XID, 79, ZES_EVENT_TYPE_FLAG_DEVICE_DETACH},
        {GEO_NVML_EVENT_XID, 48, ZES_EVENT_TYPE_FLAG_RAS_UNCORRECTABLE_ERRORS},
        {GEO_NVML_EVENT_XID, 92, ZES_EVENT_TYPE_FLAG_RAS_CORRECTABLE_ERRORS},
        {GEO_NVML_EVENT_XID, 63, ZES_EVENT_TYPE_FLAG_MEM_HEALTH},
        {GEO_NVML_EVENT_XID, 95,
         ZES_EVENT_TYPE_FLAG_RAS_UNCORRECTABLE_ERRORS | ZES_EVENT_TYPE_FLAG_DEVICE_RESET_REQUIRED},
        {GEO_NVML_EVENT_XID, 119, ZES_EVENT_TYPE_FLAG_DEVICE_RESET_REQUIRED},
        {GEO_NVML_EVENT_XID, 13, 0}, /* a program's own fault */
        {0x10, 0, 0},                /* clocks */
    };
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    watch_begin(&gpus, everything);
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        assert_int_equal(take(&gpus), 0);
        event_add(&gpus, table[i].type, table[i].data);
        assert_int_equal(take(&gpus), table[i].flags);
    }
    gpus_close(&gpus);
}

static void several_come_at_once(void **state)
{
    (void)state;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    watch_begin(&gpus, everything);
    event_add(&gpus, GEO_NVML_EVENT_SINGLE_BIT, 0);
    event_add(&gpus, GEO_NVML_EVENT_XID, 79);
    event_add(&gpus, GEO_NVML_EVENT_DOUBLE_BIT, 0);
    assert_int_equal(take(&gpus), ZES_EVENT_TYPE_FLAG_RAS_CORRECTABLE_ERRORS |
                                      ZES_EVENT_TYPE_FLAG_DEVICE_DETACH |
                                      ZES_EVENT_TYPE_FLAG_RAS_UNCORRECTABLE_ERRORS);
    assert_int_equal(take(&gpus), 0);
    gpus_close(&gpus);
}

static void only_what_is_watched_comes(void **state)
{
    (void)state;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    watch_begin(&gpus, ZES_EVENT_TYPE_FLAG_DEVICE_DETACH);
    event_add(&gpus, GEO_NVML_EVENT_SINGLE_BIT, 0);
    gpus_state(&gpus, 0)->reasons = GEO_NVML_REASON_SW_POWER_CAP;
    assert_int_equal(take(&gpus), 0);
    gpus_close(&gpus);
}

/* SYC-6 */
static void throttling_is_an_event_when_it_begins(void **state)
{
    (void)state;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    gpus_state(&gpus, 0)->reasons = GEO_NVML_REASON_HW_THERMAL;
    watch_begin(&gpus, everything);
    assert_int_equal(take(&gpus), 0); /* it was throttled before */
    gpus_state(&gpus, 0)->reasons = GEO_NVML_REASON_IDLE | GEO_NVML_REASON_APPLICATION_CLOCKS;
    assert_int_equal(take(&gpus), 0); /* clocks that somebody asked for */
    gpus_state(&gpus, 0)->reasons = GEO_NVML_REASON_SW_POWER_CAP;
    assert_int_equal(take(&gpus), ZES_EVENT_TYPE_FLAG_FREQ_THROTTLED);
    gpus_state(&gpus, 0)->reasons = GEO_NVML_REASON_SW_THERMAL;
    assert_int_equal(take(&gpus), 0);
    gpus_close(&gpus);
}

static void health_that_changes_is_an_event(void **state)
{
    (void)state;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    watch_begin(&gpus, everything);
    gpus_state(&gpus, 0)->remapped[2] = 1;
    assert_int_equal(take(&gpus), ZES_EVENT_TYPE_FLAG_MEM_HEALTH);
    assert_int_equal(take(&gpus), 0);
    gpus_fail(&gpus, DeviceGetRemappedRows, GEO_NVML_UNKNOWN); /* is no change */
    assert_int_equal(take(&gpus), 0);
    gpus_fail(&gpus, DeviceGetRemappedRows, 0);
    gpus_state(&gpus, 0)->remapped[2] = 0;
    assert_int_equal(take(&gpus), ZES_EVENT_TYPE_FLAG_MEM_HEALTH);
    gpus_close(&gpus);
}

static void queues_are_given_back(void **state)
{
    (void)state;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    watch_begin(&gpus, everything);
    watch_begin(&gpus, ZES_EVENT_TYPE_FLAG_DEVICE_DETACH);
    assert_int_equal(gpus.fake->sets, 1);
    ops_of(&gpus)->unwatch(gpus.sysman);
    assert_int_equal(gpus.fake->sets, 0);
    event_add(&gpus, GEO_NVML_EVENT_XID, 79);
    assert_int_equal(take(&gpus), 0);
    gpus_fail(&gpus, DeviceRegisterEvents, GEO_NVML_UNKNOWN); /* what is compared goes on */
    watch_begin(&gpus, everything);
    assert_int_equal(gpus.fake->sets, 0);
    gpus_state(&gpus, 0)->reasons = GEO_NVML_REASON_SW_POWER_CAP;
    assert_int_equal(take(&gpus), ZES_EVENT_TYPE_FLAG_FREQ_THROTTLED);
    gpus_fail(&gpus, DeviceRegisterEvents, 0);
    watch_begin(&gpus, everything);
    struct fake_nvml *fake = gpus.fake;
    geo_backend_cuda_ops.sysman->close(gpus.sysman);
    gpus.sysman = NULL;
    assert_int_equal(fake->sets, 0);
    gpus_close(&gpus);
}

static void what_cannot_happen_is_not_looked_for(void **state)
{
    (void)state;
    struct gpus gpus;
    struct geo_sysman_watch watch = {0};
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    assert_works(&gpus, ops_of(&gpus)->watch(gpus.sysman, ZES_EVENT_TYPE_FLAG_TEMP_CRITICAL, &watch,
                                             &gpus.why));
    assert_int_equal(watch.fd, -1);
    assert_int_equal(watch.period_ns, 0);
    assert_int_equal(gpus.fake->sets, 0);
    gpus_close(&gpus);
}

static void a_child_has_a_queue_of_its_own(void **state)
{
    (void)state;
    struct gpus gpus;
    int status = -1;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    watch_begin(&gpus, everything);
    event_add(&gpus, GEO_NVML_EVENT_XID, 79);
    pid_t child = fork();
    if (child == 0) {
        gpus_state(&gpus, 0)->reasons = GEO_NVML_REASON_SW_POWER_CAP;
        const zes_event_type_flags_t parents = take(&gpus);
        watch_begin(&gpus, everything); /* without touching the parent's */
        const bool works = parents == 0 && gpus.fake->sets == 2 &&
                           take(&gpus) == ZES_EVENT_TYPE_FLAG_DEVICE_DETACH;
        _exit(works ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(take(&gpus), ZES_EVENT_TYPE_FLAG_DEVICE_DETACH);
    gpus_close(&gpus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_can_happen),
        cmocka_unit_test(nvmls_events_are_the_specifications),
        cmocka_unit_test(several_come_at_once),
        cmocka_unit_test(only_what_is_watched_comes),
        cmocka_unit_test(throttling_is_an_event_when_it_begins),
        cmocka_unit_test(health_that_changes_is_an_event),
        cmocka_unit_test(queues_are_given_back),
        cmocka_unit_test(what_cannot_happen_is_not_looked_for),
        cmocka_unit_test(a_child_has_a_queue_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
