/* When NVML is opened: by the first zesDriverGet, once, and by nothing before it. Each case is in a
 * process of its own, for which everything is the first time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_nvml.h"
#include "nvidia.h"
#include "sweep.h"

#include <level_zero/ze_api.h>
#include <level_zero/zes_api.h>
#include <level_zero/zes_ddi.h>

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DRIVERS = 2, MOST = 4 };

#define CHECK(condition) check((condition), #condition, __LINE__)

/* In a child: cmocka is its parent's. */
static void check(bool condition, const char *text, int line)
{
    if (!condition) {
        fprintf(stderr, "%s:%d: %s\n", __FILE__, line, text);
        _exit(1);
    }
}

static void passes(void (*function)(void))
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        function();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* The library that the driver will find, loaded before it does. */
static struct fake_nvml *library_open(void)
{
    struct fake_nvml *(*state)(void);
    void *library = dlopen(GEO_NVML_FILE, RTLD_NOW | RTLD_LOCAL);
    CHECK(library != NULL);
    void *found = dlsym(library, "fake_nvml_state");
    CHECK(found != NULL);
    memcpy(&state, &found, sizeof(found));
    return state();
}

/* The GPUs' driver. */
static zes_driver_handle_t driver_get(void)
{
    zes_driver_handle_t drivers[MOST];
    uint32_t count = MOST;
    CHECK(zesDriverGet(&count, drivers) == ZE_RESULT_SUCCESS);
    CHECK(count == DRIVERS);
    return drivers[1];
}

/* Its GPUs are there, found by their UUID too, and answer. */
static void driver_works(zes_driver_handle_t driver)
{
    zes_device_handle_t gpus[FAKE_GPUS], found = NULL;
    uint32_t count = FAKE_GPUS, number = 0;
    ze_bool_t is_part;
    zes_device_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    zes_uuid_t uuid;
    CHECK(zesDeviceGet(driver, &count, gpus) == ZE_RESULT_SUCCESS && count == FAKE_GPUS);
    CHECK(zesDeviceGetProperties(gpus[1], &properties) == ZE_RESULT_SUCCESS);
    memcpy(&uuid, &properties.core.uuid, sizeof(uuid));
    CHECK(zesDriverGetDeviceByUuidExp(driver, uuid, &found, &is_part, &number) ==
          ZE_RESULT_SUCCESS);
    CHECK(found == gpus[1] && !is_part);
    zes_temp_handle_t sensor;
    double celsius = 0;
    count = 1;
    CHECK(zesDeviceEnumTemperatureSensors(gpus[1], &count, &sensor) == ZE_RESULT_SUCCESS);
    CHECK(zesTemperatureGetState(sensor, &celsius) == ZE_RESULT_SUCCESS && celsius == 32);
}

/* ---- when ---- */

static void init_and_list(void)
{
    const struct fake_nvml *fake = library_open();
    CHECK(zesInit(0) == ZE_RESULT_SUCCESS);
    CHECK(zeInit(0) == ZE_RESULT_SUCCESS);
    CHECK(zesInit(0) == ZE_RESULT_SUCCESS);
    for (int i = 0; i < FAKE_FUNCTIONS; i++) {
        CHECK(fake->calls[i] == 0);
    }
    uint32_t count = 0;
    CHECK(zesDriverGet(&count, NULL) == ZE_RESULT_SUCCESS && count == DRIVERS);
    CHECK(fake->calls[FAKE_Init] == 1);
    const zes_driver_handle_t driver = driver_get();
    CHECK(driver_get() == driver && zesInit(0) == ZE_RESULT_SUCCESS);
    CHECK(fake->calls[FAKE_Init] == 1);
    driver_works(driver);
}

static void zesinit_leaves_nvml_to_the_first_list(void **state)
{
    (void)state;
    passes(init_and_list);
}

/* ---- threads ---- */

enum { THREADS = 8 };

static pthread_barrier_t barrier;
static void *(*thread_work)(void);

static void *thread_run(void *unused)
{
    (void)unused;
    pthread_barrier_wait(&barrier);
    return thread_work();
}

/* All get the same. */
static void threads_run(void *(*work)(void))
{
    pthread_t threads[THREADS];
    void *found[THREADS];
    thread_work = work;
    CHECK(pthread_barrier_init(&barrier, NULL, THREADS) == 0);
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, thread_run, NULL) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], &found[i]) == 0 && found[i] == found[0]);
    }
}

static void *list_and_get(void)
{
    const zes_driver_handle_t driver = driver_get();
    driver_works(driver);
    return driver;
}

static void threads_list(void)
{
    const struct fake_nvml *fake = library_open();
    CHECK(zesInit(0) == ZE_RESULT_SUCCESS);
    threads_run(list_and_get);
    CHECK(fake->calls[FAKE_Init] == 1);
}

static void threads_open_it_once(void **state)
{
    (void)state;
    passes(threads_list);
}

/* The driver as another loader has it, which keeps no threads apart. */
static zes_global_dditable_t global;
static zes_driver_dditable_t table;

static void driver_open(void)
{
    zes_pfnGetGlobalProcAddrTable_t global_get;
    zes_pfnGetDriverProcAddrTable_t table_get;
    void *library = dlopen(getenv("ZE_ENABLE_ALT_DRIVERS"), RTLD_NOW | RTLD_LOCAL);
    CHECK(library != NULL);
    void *found[] = {dlsym(library, "zesGetGlobalProcAddrTable"),
                     dlsym(library, "zesGetDriverProcAddrTable")};
    CHECK(found[0] && found[1]);
    memcpy(&global_get, &found[0], sizeof(global_get));
    memcpy(&table_get, &found[1], sizeof(table_get));
    CHECK(global_get(ZE_API_VERSION_CURRENT, &global) == ZE_RESULT_SUCCESS);
    CHECK(table_get(ZE_API_VERSION_CURRENT, &table) == ZE_RESULT_SUCCESS);
}

static void *drivers_own_get(void)
{
    zes_driver_handle_t drivers[MOST];
    uint32_t count = MOST;
    CHECK(table.pfnGet(&count, drivers) == ZE_RESULT_SUCCESS && count == DRIVERS);
    return drivers[1];
}

/* A second thread that comes here, too, would be one too many: it is given time to. */
static void init_lingers(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
}

static void threads_list_by_the_driver(void)
{
    struct fake_nvml *fake = library_open();
    driver_open();
    CHECK(global.pfnInit(0) == ZE_RESULT_SUCCESS);
    CHECK(fake->calls[FAKE_Init] == 0);
    fake->init_called = init_lingers;
    threads_run(drivers_own_get);
    CHECK(fake->calls[FAKE_Init] == 1);
}

static void the_driver_opens_it_once_for_any_loader(void **state)
{
    (void)state;
    passes(threads_list_by_the_driver);
}

/* ---- fork ---- */

static void child_passes(void (*function)(void))
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        function();
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void list_and_use(void)
{
    driver_works(driver_get());
}

static void fork_before_the_list(void)
{
    const struct fake_nvml *fake = library_open();
    CHECK(zesInit(0) == ZE_RESULT_SUCCESS);
    child_passes(list_and_use); /* without a zesInit of its own */
    CHECK(fake->calls[FAKE_Init] == 0);
    list_and_use();
    child_passes(list_and_use);
    CHECK(fake->calls[FAKE_Init] == 1);
}

/* INI-7 */
static void a_child_opens_what_its_parent_has_not(void **state)
{
    (void)state;
    passes(fork_before_the_list);
}

static sem_t is_inside, may_end;

/* In nvmlInit, until somebody forks. */
static void init_stays(void)
{
    sem_post(&is_inside);
    sem_wait(&may_end);
}

static void init_ends(void)
{
    sem_post(&may_end);
}

/* What it gets depends on when nvmlInit came to its end; that it goes on does not. */
static void child_goes_on(void)
{
    uint32_t count = 0;
    const ze_result_t result = zesDriverGet(&count, NULL);
    CHECK(result == ZE_RESULT_SUCCESS ? count >= 1 : result == ZE_RESULT_ERROR_UNINITIALIZED);
}

static void child_and_its_child(void)
{
    child_goes_on();
    child_passes(child_goes_on);
}

static void fork_in_the_midst(void)
{
    struct fake_nvml *fake = library_open();
    pthread_t thread;
    void *driver;
    CHECK(sem_init(&is_inside, 0, 0) == 0 && sem_init(&may_end, 0, 0) == 0);
    CHECK(pthread_barrier_init(&barrier, NULL, 1) == 0);
    thread_work = list_and_get;
    fake->init_called = init_stays;
    CHECK(zesInit(0) == ZE_RESULT_SUCCESS);
    CHECK(pthread_create(&thread, NULL, thread_run, NULL) == 0);
    sem_wait(&is_inside);
    fake->init_called = NULL;
    CHECK(pthread_atfork(init_ends, NULL, NULL) == 0); /* before all that was there */
    child_passes(child_and_its_child);
    CHECK(pthread_join(thread, &driver) == 0);
    driver_works(driver);
}

static void a_fork_does_not_wait_for_the_opening_for_ever(void **state)
{
    (void)state;
    passes(fork_in_the_midst);
}

static void library_that_forks(void)
{
    setenv("FAKE_NVML_FORKS", "1", 1);
    CHECK(zesInit(0) == ZE_RESULT_SUCCESS);
    list_and_use();
}

static void the_library_may_start_a_process(void **state)
{
    (void)state;
    passes(library_that_forks);
}

/* ---- memory ---- */

/* All drivers, each once. The core is there in any case: where memory is lacking the loader asks
 * for it as well. */
static ze_result_t do_list(void)
{
    zes_driver_handle_t drivers[MOST];
    uint32_t count = MOST;
    ze_result_t result = zeInit(0);
    result = result ? result : zesInit(0);
    result = result ? result : zesDriverGet(&count, drivers);
    return result || count == DRIVERS + 1 ? result : ZE_RESULT_ERROR_UNKNOWN;
}

/* The dynamic linker's last message is its own. */
static long messages_forget(void)
{
    dlerror();
    dlerror();
    return 0;
}

/* GEN-24: one that is open before memory ends is not opened again. */
static void listing_survives_failing_allocations(void **state)
{
    static const struct sweep listing = {
        .name = "zesDriverGet", .run = do_list, .kept = messages_forget, .lenient = true};
    (void)state;
#ifdef GEOID_SANITIZED
    skip(); /* allocations of libraries are the sanitizer's */
#endif
    if (nvidia_is_installed()) { /* without memory, the linker goes on to the driver's library */
        skip();
    }
    setenv("GEOID_SIMULATED", getenv("TEST_SIMULATED"), 1);
    sweep_fresh(&listing);
    unsetenv("GEOID_SIMULATED");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zesinit_leaves_nvml_to_the_first_list),
        cmocka_unit_test(threads_open_it_once),
        cmocka_unit_test(the_driver_opens_it_once_for_any_loader),
        cmocka_unit_test(a_child_opens_what_its_parent_has_not),
        cmocka_unit_test(a_fork_does_not_wait_for_the_opening_for_ever),
        cmocka_unit_test(the_library_may_start_a_process),
        cmocka_unit_test(listing_survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
