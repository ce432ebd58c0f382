/* Drivers that manifests name, in a whole process: which are used, and what is said of the rest.
 * tests/unit/loader has what a manifest may say and where it may lie. */
#include "scenario.h"

#include <geoid/loader.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/geoid-manifests-XXXXXX";

/* Scenarios are other processes: they find the folder in a variable. */
static const char *folder_path(const char *name)
{
    static char path[512];
    const char *where = getenv("FAKE_FILES");
    snprintf(path, sizeof(path), "%s/%s", where ? where : folder, name);
    return path;
}

static void file_write(const char *name, const char *format, ...)
{
    va_list args;
    FILE *file = fopen(folder_path(name), "w");
    CHECK(file);
    va_start(args, format);
    vfprintf(file, format, args);
    va_end(args);
    fclose(file);
}

static void manifest_write(const char *name, const char *library)
{
    file_write(name, "{\"file_format_version\": \"1.0\", \"library\": \"%s\"}", library);
}

static void line_has(const char *name, const char *outcome, const char *detail)
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

/* The names of the libraries in use, in the order of drivers, by their fake names: "b a". */
static const char *drivers(void)
{
    static char text[256];
    ze_driver_handle_t handles[8];
    uint32_t count = 8;
    text[0] = '\0';
    CHECK_RESULT(zeDriverGet(&count, handles), ZE_RESULT_SUCCESS);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t one = 1;
        ze_device_handle_t device;
        ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
        char name[64] = "geoid";
        CHECK_RESULT(zeDeviceGet(handles[i], &one, &device), ZE_RESULT_SUCCESS);
        CHECK_RESULT(zeDeviceGetProperties(device, &properties), ZE_RESULT_SUCCESS);
        sscanf(properties.name, "fake %63s", name);
        strcat(strcat(text, i ? " " : ""), name);
    }
    return text;
}

/* ---- scenarios ---- */

static void by_manifest(void)
{
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK(strcmp(drivers(), getenv("FAKE_EXPECTED")) == 0);
}

static void told(void)
{
    char path[600];
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    line_has("a", "in use", "Fake \\x1bA, declared version 1.2; tables of version 1.17");
    snprintf(path, sizeof(path), "\tmanifest %s\t", folder_path("told/1.json"));
    CHECK(strstr(explanation_of("a"), path));
    line_has(folder_path("told/2.json"), "not loaded", "line 1: \"library\" is not a string");
    line_has(folder_path("told/3.json"), "not loaded", "not a regular file");
    line_has("libm.so.6", "rejected", "it has no zeGetGlobalProcAddrTable");
    line_has("libze_nowhere.so.1", "not loaded", "not found in the dynamic linker's search path");
    line_has(FAKE_FOLDER "/libfake_needy.so", "not loaded",
             "it needs libfake_gone.so, which is not found");
    line_has("broken", "failed", "ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE");
    line_has("empty", "failed", "found no devices");
    line_has(FAKE_FOLDER "/./libfake_a.so", "rejected", "the same file as");
}

/* A manifest that is mended counts at the next call, one of a driver in use does not. */
static void mended(void)
{
    CHECK_RESULT(zeInit(ZE_INIT_FLAG_VPU_ONLY), ZE_RESULT_ERROR_UNINITIALIZED);
    line_has(folder_path("mended/1.json"), "not loaded", "\"library\" is missing");
    manifest_write("mended/1.json", FAKE_FOLDER "/libfake_npu.so");
    CHECK_RESULT(zeInit(ZE_INIT_FLAG_VPU_ONLY), ZE_RESULT_SUCCESS);
    line_has("npu", "in use", "tables of version");
    CHECK(!*explanation_of(folder_path("mended/1.json")));
    manifest_write("mended/1.json", FAKE_FOLDER "/libfake_b.so");
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    line_has("npu", "in use", "tables of version");
    CHECK(!*explanation_of("b"));
}

/* ---- tests ---- */

static char files[64];

static void passes(const char *path, const char *expected)
{
    char variable[256], wanted[64];
    snprintf(variable, sizeof(variable), "GEOID_DRIVER_PATH=%s", path);
    snprintf(wanted, sizeof(wanted), "FAKE_EXPECTED=%s", expected);
    scenario_passes("by_manifest", variable, wanted, files, NULL);
}

static void folder_make(const char *name)
{
    assert_int_equal(mkdir(folder_path(name), 0755), 0);
}

/* INI-13: beside the drivers that are found by name; they come in the order of their names. */
static void test_manifests_add_drivers(void **state)
{
    (void)state;
    char path[256];
    folder_make("two");
    manifest_write("two/20-a.json", FAKE_FOLDER "/libfake_a.so");
    manifest_write("two/10-b.json", FAKE_FOLDER "/libfake_b.so");
    passes(folder_path("two"), "b a geoid");
    assert_int_equal(symlink(FAKE_FOLDER, folder_path("two/lib")), 0);
    manifest_write("two/10-b.json", "lib/libfake_b.so"); /* beside the manifest */
    passes(folder_path("two"), "b a geoid");
    snprintf(path, sizeof(path), "%s/two/20-a.json", folder);
    passes(path, "a geoid");
}

static void test_the_users_manifests_are_found(void **state)
{
    (void)state;
    char config[128], home[128];
    folder_make("home");
    folder_make("home/.config");
    folder_make("home/.config/level_zero");
    folder_make("home/.config/level_zero/drivers.d");
    manifest_write("home/.config/level_zero/drivers.d/a.json", FAKE_FOLDER "/libfake_a.so");
    snprintf(home, sizeof(home), "HOME=%s/home", folder);
    snprintf(config, sizeof(config), "XDG_CONFIG_HOME=%s/home/.config", folder);
    scenario_passes("by_manifest", "GEOID_DRIVER_PATH=", "XDG_CONFIG_HOME=", home,
                    "FAKE_EXPECTED=a geoid", files, NULL);
    scenario_passes("by_manifest", "GEOID_DRIVER_PATH=", "HOME=/nowhere", config,
                    "FAKE_EXPECTED=a geoid", files, NULL);
}

/* INI-13: ZE_ENABLE_ALT_DRIVERS says what is tried, and nothing else is. */
static void test_alternatives_replace_manifests(void **state)
{
    (void)state;
    char variable[256];
    folder_make("replaced");
    manifest_write("replaced/a.json", FAKE_FOLDER "/libfake_a.so");
    snprintf(variable, sizeof(variable), "GEOID_DRIVER_PATH=%s/replaced", folder);
    scenario_passes("by_manifest", variable, "ZE_ENABLE_ALT_DRIVERS={b}", "FAKE_EXPECTED=b", files,
                    NULL);
}

/* INI-13: what each is, where it comes from and why it is not used; none hinders another. */
static void test_manifests_are_explained(void **state)
{
    (void)state;
    char variable[256];
    folder_make("told");
    file_write("told/1.json",
               "{\"file_format_version\": \"1.0\", \"library\": \"%s/libfake_a.so\", "
               "\"api_version\": \"1.2\", \"name\": \"Fake \\u001bA\"}",
               FAKE_FOLDER);
    file_write("told/2.json", "{\"library\": 1}");
    assert_int_equal(mkfifo(folder_path("told/3.json"), 0644), 0);
    manifest_write("told/4.json", "libm.so.6");
    manifest_write("told/5.json", "libze_nowhere.so.1");
    manifest_write("told/6.json", FAKE_FOLDER "/libfake_needy.so");
    manifest_write("told/7.json", FAKE_FOLDER "/libfake_broken.so");
    manifest_write("told/8.json", FAKE_FOLDER "/libfake_empty.so");
    manifest_write("told/9.json", FAKE_FOLDER "/./libfake_a.so");
    snprintf(variable, sizeof(variable), "GEOID_DRIVER_PATH=%s/told", folder);
    scenario_passes("told", variable, files, NULL);
}

static void test_a_mended_manifest_counts_at_the_next_call(void **state)
{
    (void)state;
    char variable[256];
    folder_make("mended");
    file_write("mended/1.json", "{\"file_format_version\": \"1.0\"}");
    snprintf(variable, sizeof(variable), "GEOID_DRIVER_PATH=%s/mended", folder);
    scenario_passes("mended", variable, files, NULL);
}

static int group_setup(void **state)
{
    (void)state;
    umask(022);
    bool made = mkdtemp(folder) != NULL;
    snprintf(files, sizeof(files), "FAKE_FILES=%s", folder);
    return made ? 0 : -1;
}

static int group_teardown(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command);
}

#define S(name) {#name, name}
static const struct scenario scenarios[] = {S(by_manifest), S(told), S(mended)};

int main(int argc, char **argv)
{
    scenario_main(argc, argv, scenarios, sizeof(scenarios) / sizeof(scenarios[0]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_manifests_add_drivers),
        cmocka_unit_test(test_the_users_manifests_are_found),
        cmocka_unit_test(test_alternatives_replace_manifests),
        cmocka_unit_test(test_manifests_are_explained),
        cmocka_unit_test(test_a_mended_manifest_counts_at_the_next_call),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
