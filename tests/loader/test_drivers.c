/* Which files become drivers, and what the loader says about those that do not. */
#include "scenario.h"

#include <geoid/loader.h>
#include <level_zero/zer_api.h>
#include <level_zero/zes_api.h>

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/geoid-loader-XXXXXX";

static void file_write(const char *name, const void *data, size_t size)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, size), (ssize_t)size);
    close(fd);
}

/* Copies the first bytes of a fake driver's file, with one byte of its header changed. */
static void file_derive(const char *name, size_t limit, size_t offset, int value)
{
    static char data[1 << 20];
    FILE *file = fopen(FAKE_FOLDER "/libfake_a.so", "rb");
    assert_non_null(file);
    size_t size = fread(data, 1, sizeof(data), file);
    fclose(file);
    size = size < limit ? size : limit;
    if (value >= 0) {
        data[offset] = (char)value;
    }
    file_write(name, data, size);
}

static int files_make(void **state)
{
    (void)state;
    static const char text[] =
        "This is a text, and long enough to be taken for a file header of 64 "
        "bytes.";
    char path[256], target[256];
    assert_non_null(mkdtemp(folder));
    file_write("text.so", text, sizeof(text));
    file_write("nothing.so", "", 0);
    file_derive("foreign.so", SIZE_MAX, 18, 0xF7); /* e_machine: none of ours */
    file_derive("narrow.so", SIZE_MAX, 4, 1);      /* 32 bits */
    file_derive("swapped.so", SIZE_MAX, 5, 2);     /* byte order */
    file_derive("program.so", SIZE_MAX, 16, 2);    /* ET_EXEC */
    file_derive("short.so", 4096, 0, -1);
    snprintf(path, sizeof(path), "%s/folder.so", folder);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof(path), "%s/fifo.so", folder);
    assert_int_equal(mkfifo(path, 0644), 0);
    snprintf(path, sizeof(path), "%s/link.so", folder);
    snprintf(target, sizeof(target), "%s/libfake_a.so", FAKE_FOLDER);
    assert_int_equal(symlink(target, path), 0);
    return 0;
}

static int files_remove(void **state)
{
    (void)state;
    char command[256];
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command) == 0 ? 0 : -1;
}

/* The part of a line after its fourth tab: the detail; and the outcome before it. */
static void explain_check(const char *name, const char *outcome, const char *detail)
{
    const char *line = explanation_of(name);
    char wanted[64];
    snprintf(wanted, sizeof(wanted), "\t%s\t", outcome);
    const char *found = strstr(line, wanted);
    if (!found || !strstr(found, detail)) {
        fprintf(stderr, "%s: '%s', wanted %s: %s\n", name, line, outcome, detail);
        _exit(1);
    }
}

/* A scenario gets the folder by its variable, since it is another process. */
static void bad_files(void)
{
    static const struct {
        const char *name, *outcome, *detail;
    } cases[] = {
        {"text.so", "not loaded", "no ELF header"},
        {"nothing.so", "not loaded", "too short"},
        {"foreign.so", "not loaded", "another kind of processor"},
        {"narrow.so", "not loaded", "32-bit"},
        {"swapped.so", "not loaded", "byte order"},
        {"program.so", "not loaded", "not a shared library"},
        {"short.so", "not loaded", "truncated"},
        {"folder.so", "not loaded", "not a regular file"},
        {"fifo.so", "not loaded", "not a regular file"},
        {"absent.so", "not loaded", "No such file"},
    };
    char variable[8192] = "", path[512];
    const char *where = getenv("FAKE_FILES");
    CHECK(where);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        snprintf(path, sizeof(path), "%s%s/%s", i ? " ,\t" : "", where, cases[i].name);
        strcat(variable, path);
    }
    setenv("ZE_ENABLE_ALT_DRIVERS", variable, 1);
    CHECK_RESULT(zeInit(0), ZE_RESULT_ERROR_UNINITIALIZED);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", where, cases[i].name);
        explain_check(path, cases[i].outcome, cases[i].detail);
    }
    strcat(variable, ",");
    scenario_setenv("ZE_ENABLE_ALT_DRIVERS", strcat(variable, "{a},{future},{noglobal},{broken}"));
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    uint32_t count = 0;
    CHECK_RESULT(zeDriverGet(&count, NULL), ZE_RESULT_SUCCESS);
    CHECK(count == 1);
    explain_check("a", "in use", "core: ZE_RESULT_SUCCESS, 1 driver with 1 device");
    explain_check("noglobal", "rejected", "it has no zeGetGlobalProcAddrTable");
    explain_check("future", "rejected", "refuses every version");
    explain_check("broken", "failed", "ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE");
    CHECK(!fake_is_loaded("noglobal")); /* closed again */
}

/* INI-13: each failure is told apart, and none hinders the drivers that work. */
static void test_files_that_are_no_drivers_are_explained(void **state)
{
    (void)state;
    char variable[64];
    snprintf(variable, sizeof(variable), "FAKE_FILES=%s", folder);
    scenario_passes("bad_files", variable, NULL);
}

static void doubles(void)
{
    uint32_t count = 0;
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeDriverGet(&count, NULL), ZE_RESULT_SUCCESS);
    CHECK(count == 1);
    CHECK(fake_state("a")->started == 1 && fake_state("a")->init_calls <= 2);
    char link[256];
    snprintf(link, sizeof(link), "%s/link.so", getenv("FAKE_FILES"));
    explain_check(link, "rejected", "the same file as");
}

/* INI-1: one instance of a driver, under whatever names its file goes. */
static void test_one_file_under_two_names_is_one_driver(void **state)
{
    (void)state;
    char files[64], drivers[256];
    snprintf(files, sizeof(files), "FAKE_FILES=%s", folder);
    snprintf(drivers, sizeof(drivers), "ZE_ENABLE_ALT_DRIVERS={a},{a},%s/link.so", folder);
    scenario_passes("doubles", files, drivers, NULL);
}

static void not_drivers(void)
{
    CHECK_RESULT(zeInit(0), ZE_RESULT_ERROR_UNINITIALIZED);
    explain_check("libze_loader.so.1", "rejected", "not");
    explain_check("libm.so.6", "rejected", "it has no zeGetGlobalProcAddrTable");
    explain_check("dependent", "rejected", "it has no zeGetGlobalProcAddrTable");
}

/* INI-13: a loader, or a library that merely depends on one, is no driver. */
static void test_the_loader_is_no_driver_for_itself(void **state)
{
    (void)state;
    scenario_passes("not_drivers",
                    "ZE_ENABLE_ALT_DRIVERS=libze_loader.so.1,libm.so.6,"
                    "{dependent}",
                    NULL);
}

static void usual_names(void)
{
    static const char *const names[] = {"libze_intel_gpu.so.1", "libze_intel_gpu_legacy1.so.1",
                                        "libze_intel_vpu.so.1", "libze_intel_npu.so.1",
                                        "libze_geoid.so.1"};
    zeInit(0);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        CHECK(*explanation_of(names[i]));
    }
    bool null_driver = *explanation_of("libze_null.so.1") != '\0';
    CHECK(null_driver == (getenv("ZE_ENABLE_NULL_DRIVER") != NULL));
}

/* INI-13 */
static void test_the_usual_driver_names_are_tried(void **state)
{
    (void)state;
    scenario_passes("usual_names", NULL);
    scenario_passes("usual_names", "ZE_ENABLE_ALT_DRIVERS=", NULL); /* empty counts as unset */
    scenario_passes("usual_names", "ZE_ENABLE_NULL_DRIVER=1", NULL);
}

static void established_name(void)
{
    uint32_t count = 0;
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeDriverGet(&count, NULL), ZE_RESULT_SUCCESS);
    CHECK(count >= 1);
    explain_check("libze_intel_npu.so.1", "in use", "core: ZE_RESULT_SUCCESS");
}

/* INI-13: an established name is found as the dynamic linker finds libraries. */
static void test_an_established_name_is_found_in_the_library_path(void **state)
{
    (void)state;
    char path[256], variable[512];
    const char *before = getenv("LD_LIBRARY_PATH");
    snprintf(path, sizeof(path), "%s/libze_intel_npu.so.1", folder);
    assert_int_equal(symlink(FAKE_FOLDER "/libfake_npu.so", path), 0);
    snprintf(variable, sizeof(variable), "LD_LIBRARY_PATH=%s%s%s", folder, before ? ":" : "",
             before ? before : "");
    scenario_passes("established_name", variable, NULL);
    unlink(path);
}

static void explain_protocol(void)
{
    char text[8];
    size_t size = 0;
    CHECK_RESULT(geoidLoaderExplain(NULL, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_RESULT(geoidLoaderExplain(NULL, &size), ZE_RESULT_SUCCESS);
    CHECK(size == 1); /* nothing was tried yet */
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(geoidLoaderExplain(NULL, &size), ZE_RESULT_SUCCESS);
    CHECK(size > sizeof(text));
    size_t room = sizeof(text);
    memset(text, 'x', sizeof(text));
    CHECK_RESULT(geoidLoaderExplain(text, &room), ZE_RESULT_ERROR_INVALID_SIZE);
    CHECK(room == size && text[0] == 'x');
    char *all = malloc(size);
    CHECK_RESULT(geoidLoaderExplain(all, &room), ZE_RESULT_SUCCESS);
    CHECK(strlen(all) + 1 == size && all[size - 2] == '\n');
    int tabs = 0;
    for (const char *at = all; *at; at++) {
        tabs += *at == '\t';
    }
    CHECK(tabs == 4);
    free(all);
}

/* Of drivers with dispatch tables, of translated ones, and of none. */
static void driver_paths(void)
{
    static const char *const files[] = {"/libfake_plain.so", "/libfake_a.so", "/libfake_old.so"};
    ze_driver_handle_t drivers[4];
    uint32_t count = 4;
    char path[4096];
    size_t size = sizeof(path);
    CHECK_RESULT(geoidLoaderGetDriverPath(NULL, path, &size), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeDriverGet(&count, drivers), ZE_RESULT_SUCCESS);
    CHECK(count == 3);
    for (uint32_t i = 0; i < count; i++) {
        CHECK_RESULT(geoidLoaderGetDriverPath(drivers[i], NULL, &size), ZE_RESULT_SUCCESS);
        CHECK(size > strlen(files[i]) && size < sizeof(path));
        size_t less = size - 1;
        path[0] = 'x';
        CHECK_RESULT(geoidLoaderGetDriverPath(drivers[i], path, &less),
                     ZE_RESULT_ERROR_INVALID_SIZE);
        CHECK(less == size && path[0] == 'x');
        CHECK_RESULT(geoidLoaderGetDriverPath(drivers[i], path, &less), ZE_RESULT_SUCCESS);
        CHECK(strcmp(strrchr(path, '/'), files[i]) == 0 && strlen(path) + 1 == size);
    }
    CHECK_RESULT(geoidLoaderGetDriverPath(drivers[0], path, NULL),
                 ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    size = sizeof(path);
    CHECK_RESULT(geoidLoaderGetDriverPath((ze_driver_handle_t)(void *)path, path, &size),
                 ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

/* Of a driver that only manages: alone, so that its core need not be initialised. */
static void managed_path(void)
{
    zes_driver_handle_t driver;
    uint32_t count = 1;
    char path[4096];
    size_t size = sizeof(path);
    CHECK_RESULT(zesInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zesDriverGet(&count, &driver), ZE_RESULT_SUCCESS);
    CHECK_RESULT(geoidLoaderGetDriverPath((ze_driver_handle_t)driver, path, &size),
                 ZE_RESULT_SUCCESS);
    CHECK(strcmp(strrchr(path, '/'), "/libfake_b.so") == 0);
}

static void test_the_library_of_a_driver_is_told(void **state)
{
    (void)state;
    scenario_passes("managed_path", "ZE_ENABLE_ALT_DRIVERS={b}", NULL);
    scenario_passes("driver_paths", "ZE_ENABLE_ALT_DRIVERS={plain},{a},{old}", NULL);
}

static void test_the_explanation_follows_its_buffer_protocol(void **state)
{
    (void)state;
    scenario_passes("explain_protocol", "ZE_ENABLE_ALT_DRIVERS={a}", NULL);
}

static void log_of_failure(void)
{
    zeInit(0);
}

/* The log names the file and the cause, and is silent unless asked. */
static void test_the_log_says_what_was_tried(void **state)
{
    (void)state;
    static struct scenario_outcome outcome;
    scenario_run(&outcome, "log_of_failure", "ZE_ENABLE_ALT_DRIVERS=/nowhere/libnone.so",
                 "GEOID_LOG=loader=debug", NULL);
    assert_int_equal(outcome.exit_code, 0);
    assert_non_null(strstr(outcome.output, "/nowhere/libnone.so: No such file"));
    assert_non_null(strstr(outcome.output, "zeinfo --why"));
    scenario_run(&outcome, "log_of_failure", "ZE_ENABLE_ALT_DRIVERS=/nowhere/libnone.so", NULL);
    assert_string_equal(outcome.output, "");
}

static void plain_alone(void)
{
    uint32_t count = 0;
    ze_driver_handle_t driver;
    ze_context_handle_t context;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    count = 1;
    CHECK_RESULT(zeDriverGet(&count, &driver), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeContextCreate(driver, &desc, &context), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeContextDestroy(context), ZE_RESULT_SUCCESS);
    explain_check("plain", "in use", "without dispatch tables");
    /* it is in use: what comes later cannot join it */
    scenario_setenv("ZE_ENABLE_ALT_DRIVERS", "{plain},{npu}");
    CHECK_RESULT(zeInit(ZE_INIT_FLAG_VPU_ONLY), ZE_RESULT_ERROR_UNINITIALIZED);
    explain_check("npu", "left out", "no dispatch tables");
    CHECK_RESULT(zeContextCreate(driver, &desc, &context), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeContextDestroy(context), ZE_RESULT_SUCCESS);
}

/* INI-5, INI-11: what was given without dispatch tables cannot be told from another driver's. */
static void test_a_driver_that_was_alone_without_dispatch_tables_stays_alone(void **state)
{
    (void)state;
    scenario_passes("plain_alone", "ZE_ENABLE_ALT_DRIVERS={plain}", NULL);
}

static void old_driver(void)
{
    uint32_t count = 1;
    ze_driver_handle_t driver;
    ze_device_handle_t device, root;
    ze_context_handle_t context;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeDriverGet(&count, &driver), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeDeviceGet(driver, &count, &device), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeContextCreate(driver, &desc, &context), ZE_RESULT_SUCCESS);
    /* later than the driver, in tables it has and in tables it does not have */
    CHECK_RESULT(zeDeviceGetRootDevice(device, &root), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    const char *text = NULL;
    CHECK_RESULT(zeDriverGetLastErrorDescription(driver, &text),
                 ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    CHECK_RESULT(zeMemFree(context, NULL), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    ze_graph_handle_t graph;
    CHECK_RESULT(zeGraphCreateExt(context, NULL, &graph), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    CHECK_RESULT(zeContextDestroy(context), ZE_RESULT_SUCCESS);
    CHECK(zerTranslateDeviceHandleToIdentifier(device) == UINT32_MAX);
    CHECK(!zerTranslateIdentifierToDeviceHandle(0) && !zerGetDefaultContext());
    CHECK_RESULT(zerGetLastErrorDescription(&text), ZE_RESULT_SUCCESS);
    CHECK(strcmp(text, "ERROR UNSUPPORTED FEATURE") == 0);
    explain_check("old", "in use", "tables of version 1.3");
    CHECK_RESULT(zesInit(0), ZE_RESULT_ERROR_UNINITIALIZED); /* it has no sysman */
}

/* INI-4, GEN-6, GEN-7, GEN-26: a table that is short is an error code, not a crash. */
static void test_an_old_driver_answers_unsupported_for_newer_functions(void **state)
{
    (void)state;
    scenario_passes("old_driver", "ZE_ENABLE_ALT_DRIVERS={old}", NULL);
}

#define S(name) {#name, name}
static const struct scenario scenarios[] = {
    S(bad_files),        S(doubles),          S(not_drivers),  S(usual_names),
    S(established_name), S(explain_protocol), S(driver_paths), S(managed_path),
    S(log_of_failure),   S(plain_alone),      S(old_driver),
};

int main(int argc, char **argv)
{
    scenario_main(argc, argv, scenarios, sizeof(scenarios) / sizeof(scenarios[0]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_that_are_no_drivers_are_explained),
        cmocka_unit_test(test_one_file_under_two_names_is_one_driver),
        cmocka_unit_test(test_the_loader_is_no_driver_for_itself),
        cmocka_unit_test(test_the_usual_driver_names_are_tried),
        cmocka_unit_test(test_an_established_name_is_found_in_the_library_path),
        cmocka_unit_test(test_the_explanation_follows_its_buffer_protocol),
        cmocka_unit_test(test_the_library_of_a_driver_is_told),
        cmocka_unit_test(test_the_log_says_what_was_tried),
        cmocka_unit_test(test_a_driver_that_was_alone_without_dispatch_tables_stays_alone),
        cmocka_unit_test(test_an_old_driver_answers_unsupported_for_newer_functions),
    };
    return cmocka_run_group_tests(tests, files_make, files_remove);
}
