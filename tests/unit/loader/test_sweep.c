/* Allocation sweeps (sweep.h) of the loader: discovery, opening and initialising of drivers, the
 * explanation, teardown callbacks. The drivers are those that tests/loader fakes. */
#include "sweep.h"

#include "loader/discovery/discovery.h"
#include "loader/loader.h"

#include <geoid/loader.h>
#include <level_zero/loader/ze_loader.h>

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char *fake_path(const char *name)
{
    static char path[4096];
    const char *build = getenv("GEOID_BUILD_DIR");
    snprintf(path, sizeof(path), "%s/tests/loader/libfake_%s.so", build ? build : ".", name);
    return path;
}

/* Names the fake drivers "a,b,..." for discovery, and a file that is not there. */
static void fakes_name(const char *const *names, size_t count)
{
    char list[16384] = "/nowhere/libze_absent.so";
    for (size_t i = 0; i < count; i++) {
        strcat(list, ",");
        strcat(list, fake_path(names[i]));
    }
    setenv("ZE_ENABLE_ALT_DRIVERS", list, 1);
}

/* The dynamic linker grows its own tables with the first library that is opened, and keeps them:
 * before the cases, whichever are run. */
static int linker_warm(void **state)
{
    (void)state;
    void *opened = dlopen(fake_path("b"), RTLD_LAZY);
    if (opened) {
        dlclose(opened);
    }
    return opened ? 0 : -1;
}

static ze_result_t memory_result(bool fine)
{
    return fine ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

/* ---- the loader's folder ---- */

/* It is found once in a process: this is the first case. */
static void the_folder_of_the_loader_needs_no_allocation(void **state)
{
    (void)state;
    allocations_fail(1, true);
    const char *home = geo_discovery_home(0);
    allocations_end();
    assert_non_null(home);
}

/* ---- discovery ---- */

static struct geo_candidates candidates;

static size_t expected; /* candidates; 0: any number */

static ze_result_t do_list(void)
{
    bool complete = geo_discovery_list(&candidates);
    bool is_cut = complete && expected && candidates.count != expected;
    return is_cut ? ZE_RESULT_ERROR_UNKNOWN : memory_result(complete);
}

static void undo_list(void)
{
    geo_candidates_finish(&candidates);
}

static void nothing_listed(void)
{
    assert_null(candidates.items);
    assert_int_equal(candidates.count, 0);
}

static const struct sweep listing = {
    .name = "list of candidates", .run = do_list, .undo = undo_list, .failed = nothing_listed};

static char folder[] = "/tmp/geoid-sweep-XXXXXX";

static void file_make(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Such that name a library, one that names none, one that is hidden, and a folder that is not
 * there. */
static void manifests_make(void)
{
    static const char fine[] = "{\"file_format_version\":\"1.0\",\"library\":\"./x.so\","
                               "\"name\":\"X\",\"api_version\":\"1.0\"}";
    char list[256];
    assert_non_null(mkdtemp(folder));
    file_make("a.json", fine);
    file_make("b.json", fine);
    file_make("c.json", "{}");
    snprintf(list, sizeof(list), "%s:%s/a.json:%s/.:/nowhere", folder, folder, folder);
    setenv("GEOID_DRIVER_PATH", list, 1);
}

static void manifests_remove(void)
{
    char command[64];
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
    unsetenv("XDG_CONFIG_HOME");
    setenv("GEOID_DRIVER_PATH", "/dev", 1);
}

static void discovery_survives_failing_allocations(void **state)
{
    (void)state;
    unsetenv("ZE_ENABLE_ALT_DRIVERS");
    sweep_run(&listing);
    setenv("ZE_ENABLE_NULL_DRIVER", "1", 1);
    setenv("ZE_ENABLE_ALT_DRIVERS", "a,b,c,d,e,f,g,h,i,a", 1); /* the array grows twice */
    sweep_run(&listing);
    unsetenv("ZE_ENABLE_ALT_DRIVERS");
    manifests_make();
    expected = 1 + 5 + 7;
    sweep_run(&listing);
    expected = 0;
    setenv("XDG_CONFIG_HOME", folder, 1);
    setenv("GEOID_DRIVER_PATH", "", 1);
    sweep_run(&listing);
    manifests_remove();
    unsetenv("ZE_ENABLE_NULL_DRIVER");
}

/* ---- one library ---- */

static struct geo_library *library;

static void library_close(void)
{
    if (library && library->object) {
        dlclose(library->object);
    }
    geo_library_destroy(library);
    library = NULL;
}

static ze_result_t library_bring_up(void)
{
    const struct geo_candidate candidate = {.name = (char *)(uintptr_t)fake_path("b"),
                                            .from = GEO_FROM_ALT_DRIVERS};
    library = geo_library_create(&candidate);
    if (!library) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (!geo_library_open(library, &library, 1)) {
        return library->lacked_memory ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
                                      : ZE_RESULT_ERROR_UNKNOWN;
    }
    geo_library_init_core(library);
    if (library->core.result != ZE_RESULT_SUCCESS) {
        assert_false(library->core.initialized);
        return library->core.result;
    }
    geo_library_init_sysman(library, 0);
    if (library->sysman.result == ZE_RESULT_SUCCESS) {
        assert_int_equal(library->sysman.count, 0);
        geo_library_init_list_sysman(library);
    }
    return library->sysman.result;
}

static ze_result_t do_library(void)
{
    ze_result_t result = library_bring_up();
    if (result != ZE_RESULT_SUCCESS) {
        library_close();
    }
    return result;
}

static void undo_library(void)
{
    assert_true(library->open && library->path);
    assert_int_equal(library->core.count, 1);
    assert_int_equal(library->core.items[0].device_count, 2);
    assert_int_equal(library->sysman.count, 1);
    library_close();
}

/* GEN-24 */
static void a_library_survives_failing_allocations(void **state)
{
    (void)state;
    static const struct sweep opening = {
        .name = "driver library", .run = do_library, .undo = undo_library, .recovers = true};
    void *kept = dlopen(fake_path("b"), RTLD_LAZY); /* what the dynamic linker keeps for a file */
    assert_non_null(kept);
    sweep_run(&opening);
    dlclose(kept);
}

/* ---- the whole: once in a process ---- */

static uint32_t without_devices; /* so many drivers more are in sysman's list alone */

/* Both sides; a driver that is missing is one that memory was lacking for. */
static ze_result_t do_init(void)
{
    uint32_t core = 0, sysman = 0;
    ze_result_t result = zeInit(0);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    result = zesInit(0);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    if (zeDriverGet(&core, NULL) != ZE_RESULT_SUCCESS) {
        return ZE_RESULT_ERROR_UNKNOWN;
    }
    result = zesDriverGet(&sysman, NULL);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    return memory_result(core == 2 && sysman == 2 + without_devices);
}

static bool reversed; /* by ZEL_DRIVERS_ORDER */

static ze_result_t do_init_drivers(void)
{
    ze_init_driver_type_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                       .flags = ZE_INIT_DRIVER_TYPE_FLAG_GPU};
    ze_driver_handle_t drivers[4];
    uint32_t count = 4;
    ze_result_t result = zeInitDrivers(&count, drivers, &desc);
    if (result != ZE_RESULT_SUCCESS || count != 2) {
        return result == ZE_RESULT_SUCCESS ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : result;
    }
    const struct geo_driver_list *list = atomic_load(&geo_loader_state.core_list);
    const char *first = list->entries[reversed].library->name; /* as discovery lists them */
    const char *second = list->entries[!reversed].library->name;
    bool ordered = strstr(first, "fake_a") && strstr(second, "fake_b");
    return ordered ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNKNOWN;
}

/* Sysman first, by a library that is alone and has no dispatch tables in its handles. */
static ze_result_t do_sysman(void)
{
    uint32_t count = 0;
    ze_result_t result = zesInit(0);
    if (result == ZE_RESULT_SUCCESS) {
        result = zesDriverGet(&count, NULL);
    }
    return result == ZE_RESULT_SUCCESS ? memory_result(count == 1) : result;
}

/* Lists that were published stay: callers may be reading them. The dynamic linker's last message is
 * its own. */
static long lists_published(void)
{
    long count = 0;
    dlerror();
    dlerror();
    const struct geo_driver_list *list = atomic_load(&geo_loader_state.core_list);
    for (; list; list = list->previous) {
        count++;
    }
    for (list = atomic_load(&geo_loader_state.sysman_list); list; list = list->previous) {
        count++;
    }
    return count;
}

/* INI-7, GEN-24: every allocation of the initialisation may fail, alone or with all after it. */
static void initialisation_survives_failing_allocations(void **state)
{
    (void)state;
    static const struct sweep init = {
        .name = "zeInit, zesInit", .run = do_init, .kept = lists_published, .lenient = true};
    static const struct sweep new_way = {
        .name = "zeInitDrivers", .run = do_init_drivers, .kept = lists_published, .lenient = true};
    static const struct sweep sysman = {
        .name = "zesInit", .run = do_sysman, .kept = lists_published, .lenient = true};
    fakes_name((const char *const[]){"a", "empty", "b"}, 3);
    without_devices = 1;
    sweep_fresh(&init);
    without_devices = 0;
    sweep_fresh(&new_way);
    fakes_name((const char *const[]){"plain"}, 1);
    sweep_fresh(&sysman);
}

/* One whose handles have to be translated is not alone for ever because memory was lacking for the
 * other. */
static void translation_survives_failing_allocations(void **state)
{
    (void)state;
    static const struct sweep init = {
        .name = "translated drivers", .run = do_init, .kept = lists_published, .lenient = true};
    fakes_name((const char *const[]){"a", "plain"}, 2);
    sweep_fresh(&init);
}

/* Drivers that cannot be ordered for lack of memory are not listed in another order. */
static void ordering_survives_failing_allocations(void **state)
{
    (void)state;
    static const struct sweep ordering = {.name = "ordered drivers",
                                          .run = do_init_drivers,
                                          .kept = lists_published,
                                          .lenient = true};
    fakes_name((const char *const[]){"a", "b"}, 2);
    setenv("ZEL_DRIVERS_ORDER", "1", 1);
    reversed = true;
    sweep_fresh(&ordering);
    reversed = false;
    unsetenv("ZEL_DRIVERS_ORDER");
}

/* Everything that an initialisation of our own driver makes: inventory, topology, executor, and
 * what the first queries make. What zeInit has succeeded with can be called. */
static ze_result_t do_own(void)
{
    uint32_t one = 1;
    ze_driver_handle_t driver;
    zes_driver_handle_t managed;
    ze_device_handle_t device;
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    ze_result_t result = zeInit(0);
    if (result == ZE_RESULT_SUCCESS) {
        result = zeDriverGet(&one, &driver);
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = zeDeviceGet(driver, &one, &device);
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = zeDeviceGetProperties(device, &properties);
    }
    bool complete = one == 1 && strstr(properties.name, "Geoid");
    if (result == ZE_RESULT_SUCCESS) {
        result = zesInit(0);
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = zesDriverGet(&one, &managed);
    }
    return result == ZE_RESULT_SUCCESS && !complete ? ZE_RESULT_ERROR_UNKNOWN : result;
}

/* INI-7, GEN-24: nothing ends the process, and the next call works. */
static void our_driver_survives_failing_allocations(void **state)
{
    (void)state;
    static const struct sweep init = {
        .name = "our driver", .run = do_own, .kept = lists_published, .lenient = true};
    char path[4096];
    const char *build = getenv("GEOID_BUILD_DIR");
    snprintf(path, sizeof(path), "%s/lib/libze_geoid.so.1", build ? build : ".");
    setenv("ZE_ENABLE_ALT_DRIVERS", path, 1);
    sweep_fresh(&init);
}

/* ---- what may be called at any time ---- */

static void on_teardown(void)
{
    _exit(17);
}

static zel_application_teardown_callback_t forget;
static uint32_t indices[9];

static ze_result_t do_register(void)
{
    ze_result_t result = ZE_RESULT_SUCCESS;
    size_t count = 0;
    while (result == ZE_RESULT_SUCCESS && count < 9) {
        result = zelRegisterTeardownCallback(on_teardown, &forget, &indices[count]);
        count += result == ZE_RESULT_SUCCESS;
    }
    for (size_t i = 0; i < count; i++) {
        forget(indices[i]);
    }
    return result;
}

static ze_result_t do_explain(void)
{
    static char text[65536];
    size_t size = sizeof(text);
    return geoidLoaderExplain(text, &size);
}

/* In this process, once. */
static void loader_start(void)
{
    fakes_name((const char *const[]){"a", "empty", "b"}, 3);
    without_devices = 1;
    assert_int_equal(do_init(), ZE_RESULT_SUCCESS);
    without_devices = 0;
}

static void functions_of_the_loader_survive_failing_allocations(void **state)
{
    (void)state;
    static const struct sweep registering = {.name = "zelRegisterTeardownCallback",
                                             .run = do_register};
    static const struct sweep explaining = {.name = "geoidLoaderExplain", .run = do_explain};
    sweep_fresh(&registering); /* its list is kept */
    loader_start();
    sweep_run(&explaining);
}

static unsigned torn;

static void count_teardown(void)
{
    torn++;
}

/* The last: the loader is down after it. The end of a process must not need memory. */
static void the_rest_allocates_nothing(void **state)
{
    (void)state;
    zel_component_version_t version;
    ze_driver_handle_t drivers[4];
    uint32_t count = 4, index;
    size_t versions = 1;
    void *out;
    loader_start();
    assert_int_equal(zelRegisterTeardownCallback(count_teardown, &forget, &index), 0);
    assert_int_equal(zelRegisterTeardownCallback(count_teardown, &forget, &index), 0);
    long before = allocations_living();
    allocations_fail(1, true);
    assert_int_equal(zelLoaderGetVersions(&versions, &version), ZE_RESULT_SUCCESS);
    assert_int_equal(zelLoaderTranslateHandle(ZEL_HANDLE_DRIVER, &count, &out), ZE_RESULT_SUCCESS);
    assert_int_equal(zeInit(0), ZE_RESULT_SUCCESS);
    assert_int_equal(zesInit(0), ZE_RESULT_SUCCESS);
    assert_int_equal(zeDriverGet(&count, drivers), ZE_RESULT_SUCCESS);
    geo_loader_teardown();
    ze_result_t result = zeInit(0);
    long tried = allocations_count();
    allocations_end();
    assert_int_equal(result, ZE_RESULT_ERROR_UNINITIALIZED);
    assert_int_equal(torn, 2);
    assert_int_equal(tried, 0);
    assert_int_equal(allocations_living(), before);
}

int main(void)
{
    unsetenv("GEOID_LOG");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_folder_of_the_loader_needs_no_allocation),
        cmocka_unit_test(discovery_survives_failing_allocations),
        cmocka_unit_test(a_library_survives_failing_allocations),
        cmocka_unit_test(initialisation_survives_failing_allocations),
        cmocka_unit_test(translation_survives_failing_allocations),
        cmocka_unit_test(ordering_survives_failing_allocations),
        cmocka_unit_test(our_driver_survives_failing_allocations),
        cmocka_unit_test(functions_of_the_loader_survive_failing_allocations),
        cmocka_unit_test(the_rest_allocates_nothing),
    };
    return cmocka_run_group_tests_name("sweep of the loader", tests, linker_warm, NULL);
}
