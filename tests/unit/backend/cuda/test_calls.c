/* Calls of NVML: what its failures become, threads, and children. */
#include "gpu_fixture.h"

#include "forks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static ze_result_t temperature_ask(struct gpus *gpus, double *celsius)
{
    const struct geo_sysman_temperature *sensor = gpus_component(gpus, GEO_SYSMAN_TEMPERATURE, 0);
    return sensor->ops->state(sensor, celsius, &gpus->why);
}

static void failures_have_their_results_and_reasons(void **state)
{
    (void)state;
    static const struct {
        int theirs;
        ze_result_t ours;
    } table[] = {
        {GEO_NVML_NOT_SUPPORTED, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE},
        {GEO_NVML_FUNCTION_NOT_FOUND, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE},
        {GEO_NVML_FREQ_NOT_SUPPORTED, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE},
        {GEO_NVML_DEPRECATED, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE},
        {GEO_NVML_NO_PERMISSION, ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS},
        {GEO_NVML_GPU_IS_LOST, ZE_RESULT_ERROR_DEVICE_LOST},
        {GEO_NVML_RESET_REQUIRED, ZE_RESULT_ERROR_DEVICE_LOST},
        {GEO_NVML_INVALID_ARGUMENT, ZE_RESULT_ERROR_INVALID_ARGUMENT},
        {GEO_NVML_MEMORY, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY},
        {GEO_NVML_IN_USE, ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE},
        {GEO_NVML_NOT_READY, ZE_RESULT_ERROR_NOT_AVAILABLE},
        {GEO_NVML_NO_DATA, ZE_RESULT_ERROR_NOT_AVAILABLE},
        {GEO_NVML_TIMEOUT, ZE_RESULT_ERROR_NOT_AVAILABLE},
        {GEO_NVML_UNKNOWN, ZE_RESULT_ERROR_UNKNOWN},
        {12345, ZE_RESULT_ERROR_UNKNOWN},
    };
    struct gpus gpus;
    double celsius;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    assert_works(&gpus, temperature_ask(&gpus, &celsius));
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        char reason[64];
        gpus_fail(&gpus, DeviceGetTemperature, table[i].theirs);
        snprintf(reason, sizeof(reason), "(%d)", table[i].theirs);
        assert_result(&gpus, temperature_ask(&gpus, &celsius), table[i].ours, reason);
        assert_result(&gpus, temperature_ask(&gpus, &celsius), table[i].ours,
                      "nvmlDeviceGetTemperature: ");
    }
    gpus_close(&gpus);
}

/* A GPU that is lost when components are looked for has them, and they say so. */
static void a_lost_gpu_has_components(void **state)
{
    (void)state;
    struct gpus gpus;
    double celsius;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    for (int i = 0; i < FAKE_FUNCTIONS; i++) {
        gpus.fake->results_of[i] = GEO_NVML_GPU_IS_LOST;
    }
    gpus_sysman(&gpus, 0, NULL);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_POWER), 1);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_FREQUENCY), 3);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_MEMORY), 1);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_RAS), 2);
    assert_result(&gpus, temperature_ask(&gpus, &celsius), ZE_RESULT_ERROR_DEVICE_LOST,
                  "GPU is lost");
    const struct geo_sysman_memory *memory = gpus_component(&gpus, GEO_SYSMAN_MEMORY, 0);
    zes_mem_state_t memory_state = {0};
    assert_result(&gpus, memory->ops->state(memory, &memory_state, &gpus.why),
                  ZE_RESULT_ERROR_DEVICE_LOST, "nvmlDeviceGetMemoryInfo: ");
    gpus_close(&gpus);
}

/* Classes that NVML has nothing of. */
static void other_classes_are_empty(void **state)
{
    (void)state;
    static const enum geo_sysman_class classes[] = {
        GEO_SYSMAN_SCHEDULER, GEO_SYSMAN_PSU,
        GEO_SYSMAN_LED,       GEO_SYSMAN_DIAGNOSTICS,
        GEO_SYSMAN_STANDBY,   GEO_SYSMAN_PERFORMANCE,
        GEO_SYSMAN_OVERCLOCK, GEO_SYSMAN_VIRTUAL_FUNCTION};
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        assert_int_equal(gpus_count(&gpus, classes[i]), 0);
    }
    gpus_close(&gpus);
}

/* What an older library has not is not there, and nothing else is missing. */
static void an_older_library_has_the_rest(void **state)
{
    (void)state;
    struct gpus gpus;
    double celsius = 0;
    gpus_open(&gpus, GPU_LIBRARY_OLD, 0);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_POWER), 1);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_FREQUENCY), 3);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_ENGINE), 3);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_FIRMWARE), 4);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_FABRIC_PORT), FAKE_LINKS);
    assert_works(&gpus, temperature_ask(&gpus, &celsius));
    assert_true(celsius == 31);
    assert_true(gpus_about(&gpus)->ecc_available);
    assert_int_equal(gpus_about(&gpus)->pci_max_generation, 5); /* of the link */
    gpus_close(&gpus);
}

/* ---- children ---- */

/* Every class answers in a child, of every GPU and of MIG devices, though NVML began anew there. */
static int child_asks(struct gpus *gpus, uint32_t gpu)
{
    uint64_t counters[2];
    zes_mem_state_t memory_state = {0};
    double celsius = 0;
    const struct geo_sysman_memory *memory =
        gpus_component(gpus, GEO_SYSMAN_MEMORY, gpus_count(gpus, GEO_SYSMAN_MEMORY) - 1);
    const struct geo_sysman_ras *ras = gpus_component(gpus, GEO_SYSMAN_RAS, 0);
    return temperature_ask(gpus, &celsius) == ZE_RESULT_SUCCESS && celsius == 31 + gpu &&
                   memory->ops->state(memory, &memory_state, &gpus->why) == ZE_RESULT_SUCCESS &&
                   ras->ops->counters(ras, counters, &gpus->why) == ZE_RESULT_SUCCESS &&
                   gpus->fake->initialised == 1
               ? 0
               : 1;
}

static void a_child_asks_as_its_parent(void **state)
{
    (void)state;
    struct gpus gpus;
    double celsius;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    for (uint32_t gpu = 0; gpu < FAKE_GPUS; gpu++) {
        int status = -1;
        gpus_sysman(&gpus, gpu, NULL);
        assert_works(&gpus, temperature_ask(&gpus, &celsius));
        assert_true(gpus_count(&gpus, GEO_SYSMAN_MEMORY) && gpus_count(&gpus, GEO_SYSMAN_RAS));
        pid_t child = fork();
        if (child == 0) {
            _exit(child_asks(&gpus, gpu));
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        assert_works(&gpus, temperature_ask(&gpus, &celsius));
    }
    gpus_close(&gpus);
}

/* Shutting down what was not initialised ends the process. */
static void a_child_may_close_what_it_did_not_use(void **state)
{
    (void)state;
    struct gpus gpus;
    int status = -1;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    pid_t child = fork();
    if (child == 0) {
        gpus_close(&gpus);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    gpus_close(&gpus);
}

static _Atomic bool forking;

static void *versions_ask(void *data)
{
    struct gpus *gpus = data;
    while (atomic_load(&forking)) {
        const struct geo_sysman_firmware *firmware = gpus_component(gpus, GEO_SYSMAN_FIRMWARE, 0);
        char version[ZES_STRING_PROPERTY_SIZE];
        struct geo_strbuf why;
        geo_strbuf_init(&why, 400);
        (void)firmware->ops->version(firmware, version, &why);
        geo_strbuf_finish(&why);
    }
    return NULL;
}

static void children_of_a_process_with_threads_ask(void **state)
{
    (void)state;
    enum { THREADS = 3, FORKS = 30 };
    struct gpus gpus;
    pthread_t threads[THREADS];
    int wrong = 0;
    if (!forks_beside_threads_work()) {
        skip();
    }
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    (void)gpus_count(&gpus, GEO_SYSMAN_FIRMWARE);
    (void)gpus_count(&gpus, GEO_SYSMAN_TEMPERATURE);
    atomic_store(&forking, true);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, versions_ask, &gpus), 0);
    }
    for (int i = 0; i < FORKS; i++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0) {
            double celsius = 0;
            _exit(temperature_ask(&gpus, &celsius) == ZE_RESULT_SUCCESS && celsius == 31 ? 0 : 1);
        }
        wrong += waitpid(child, &status, 0) != child || status != 0;
    }
    atomic_store(&forking, false);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(wrong, 0);
    gpus_close(&gpus);
}

/* ---- threads ---- */

static void *lists_ask(void *data)
{
    struct gpus *gpus = data;
    const void *first = NULL;
    for (int i = 0; i < 200; i++) {
        uint32_t count;
        const struct geo_sysman_component *const *items =
            geo_backend_cuda_ops.sysman->components(gpus->sysman, GEO_SYSMAN_FREQUENCY, &count);
        first = first ? first : items[0];
        if (count != 3 || items[0] != first) {
            return NULL;
        }
    }
    return (void *)first;
}

static void threads_find_the_same_components(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    struct gpus gpus;
    pthread_t threads[THREADS];
    void *found[THREADS];
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, lists_ask, &gpus), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &found[i]);
        assert_non_null(found[i]);
        assert_ptr_equal(found[i], found[0]);
    }
    gpus_close(&gpus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_have_their_results_and_reasons),
        cmocka_unit_test(a_lost_gpu_has_components),
        cmocka_unit_test(other_classes_are_empty),
        cmocka_unit_test(an_older_library_has_the_rest),
        cmocka_unit_test(a_child_asks_as_its_parent),
        cmocka_unit_test(a_child_may_close_what_it_did_not_use),
        cmocka_unit_test(children_of_a_process_with_threads_ask),
        cmocka_unit_test(threads_find_the_same_components),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
