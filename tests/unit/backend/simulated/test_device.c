/* A device at the seam: where memory or descriptors are missing, and many threads. */
#include "backend/simulated/file.h"

#include "sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static const char description[] =
    "{\"version\": 1, \"clock\": \"manual\", \"devices\": [{\"name\": \"d{index}\", \"count\": 2,\n"
    "\"events\": [{\"at_s\": 5, \"event\": \"mem_health\"}],\n"
    "\"power\": [{\"power_mw\": 500, \"limits\": [{\"level\": \"sustained\", \"limit\": 550}]}],\n"
    "\"diagnostics\": [{\"suite\": \"s\", \"tests\": [{\"index\": 1, \"name\": \"t\"}]}]}]}";

static struct sim_file file;
static struct geo_sysman *sysman;

static ze_result_t device_make(void)
{
    struct geo_strbuf problem;
    uint32_t count;
    geo_strbuf_init(&problem, 400);
    const bool right = sim_file_parse(description, strlen(description), &file, &problem);
    const bool told = problem.length != 0;
    geo_strbuf_finish(&problem);
    if (told) {
        return ZE_RESULT_ERROR_UNKNOWN; /* lack of memory is no fault of the description */
    }
    if (!right || sim_sysman_ops.open(&file.devices[1], NULL, &sysman) != ZE_RESULT_SUCCESS) {
        sim_file_finish(&file);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    for (uint32_t kind = 0; kind < GEO_SYSMAN_CLASS_COUNT; kind++) {
        (void)sim_sysman_ops.components(sysman, (enum geo_sysman_class)kind, &count);
        if (count != (kind == GEO_SYSMAN_POWER || kind == GEO_SYSMAN_DIAGNOSTICS)) {
            sim_sysman_ops.close(sysman);
            sim_file_finish(&file);
            return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        }
    }
    return ZE_RESULT_SUCCESS;
}

static void device_unmake(void)
{
    sim_sysman_ops.close(sysman);
    sim_file_finish(&file);
}

static void lack_of_memory_leaves_nothing(void **unused)
{
    (void)unused;
    sweep_run(&(struct sweep){.name = "simulated", .run = device_make, .undo = device_unmake});
}

/* ---- events without a descriptor ---- */

#define EVENT_NS UINT64_C(5000000000) /* of the description */

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void events_need_no_descriptor(void **unused)
{
    struct geo_sysman_watch watch = {0};
    struct rlimit files, none = {0};
    struct geo_strbuf why;
    (void)unused;
    sim_clock_start(true);
    assert_int_equal(device_make(), ZE_RESULT_SUCCESS);
    geo_strbuf_init(&why, 100);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    none.rlim_max = files.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    const ze_result_t result =
        sim_device_ops.watch(sysman, ZES_EVENT_TYPE_FLAG_MEM_HEALTH, &watch, &why);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    assert_int_equal(result, ZE_RESULT_SUCCESS);
    assert_true(watch.fd == -1 && watch.period_ns == 0);
    assert_false(sim_watch_is_due(sysman));
    sim_clock_set_ns(UINT64_C(6000000000));
    assert_true(sim_watch_is_due(sysman));
    assert_int_equal(sim_device_ops.take_events(sysman), ZES_EVENT_TYPE_FLAG_MEM_HEALTH);
    assert_int_equal(sim_device_ops.take_events(sysman), 0);
    assert_false(sim_watch_is_due(sysman));
    sim_device_ops.unwatch(sysman);
    device_unmake();
}

/* By the real clock, not by the one that is set. */
static void the_time_of_the_next_event_is_known(void **unused)
{
    struct geo_sysman_watch watch = {0};
    struct geo_strbuf why;
    (void)unused;
    geo_strbuf_init(&why, 100);
    const uint64_t before = now_ns();
    sim_clock_start(false);
    const uint64_t after = now_ns();
    assert_int_equal(device_make(), ZE_RESULT_SUCCESS);
    assert_int_equal(sim_device_ops.watch(sysman, ZES_EVENT_TYPE_FLAG_MEM_HEALTH, &watch, &why),
                     ZE_RESULT_SUCCESS);
    assert_true(watch.fd == -1 && watch.period_ns == 0);
    const uint64_t next = sim_device_ops.next_event(sysman);
    assert_true(next > before + EVENT_NS && next <= after + EVENT_NS + 1000);
    assert_int_equal(sim_device_ops.watch(sysman, ZES_EVENT_TYPE_FLAG_TEMP_CRITICAL, &watch, &why),
                     ZE_RESULT_SUCCESS);
    assert_true(sim_device_ops.next_event(sysman) == UINT64_MAX);
    device_unmake();
    sim_clock_start(true);
    assert_int_equal(device_make(), ZE_RESULT_SUCCESS);
    assert_int_equal(sim_device_ops.watch(sysman, ZES_EVENT_TYPE_FLAG_MEM_HEALTH, &watch, &why),
                     ZE_RESULT_SUCCESS);
    assert_true(sim_device_ops.next_event(sysman) == UINT64_MAX);
    device_unmake();
}

/* ---- threads ---- */

enum { THREADS = 4, ROUNDS = 30000 };

/* Limits that cut nothing leave energy what it is: half a microjoule per microsecond. */
static void *power_main(void *argument)
{
    const struct geo_sysman_power *power = argument;
    zes_power_energy_counter_t before = {0}, now;
    bool right = true;
    for (int i = 0; i < ROUNDS; i++) {
        struct geo_strbuf why;
        zes_power_limit_ext_desc_t limit = {.level = ZES_POWER_LEVEL_SUSTAINED,
                                            .limitUnit = ZES_LIMIT_UNIT_POWER,
                                            .enabled = 1,
                                            .limit = 500 + i % 500};
        geo_strbuf_init(&why, 100);
        right = right && power->ops->energy(power, &now, &why) == ZE_RESULT_SUCCESS;
        right = right && now.energy >= before.energy && now.timestamp >= before.timestamp;
        right = right && now.energy + 1 >= now.timestamp / 2;
        right = right && now.energy <= now.timestamp / 2 + 1;
        right = right && power->ops->set_limits(power, 1, &limit, &why) == ZE_RESULT_SUCCESS;
        before = now;
        sim_lock();
        sim_clock_set_ns((uint64_t)(sim_clock_now_s() * 1e9) + 1000000);
        sim_unlock();
        geo_strbuf_finish(&why);
    }
    return right ? argument : NULL;
}

static void threads_read_and_set(void **unused)
{
    pthread_t threads[THREADS];
    uint32_t count;
    (void)unused;
    sim_clock_start(true);
    assert_int_equal(device_make(), ZE_RESULT_SUCCESS);
    const struct geo_sysman_component *const *list =
        sim_sysman_ops.components(sysman, GEO_SYSMAN_POWER, &count);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, power_main, (void *)(uintptr_t)list[0]),
                         0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        assert_non_null(result);
    }
    device_unmake();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lack_of_memory_leaves_nothing),
        cmocka_unit_test(events_need_no_descriptor),
        cmocka_unit_test(the_time_of_the_next_event_is_known),
        cmocka_unit_test(threads_read_and_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
