/* Test of the tools zeinfo and geoid-run, as people call them. */
#include "scenario.h"

#include <level_zero/ze_ddi_common.h>

#include <jansson.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* What the headers that the tools were built with say: their version, and the functions in all
 * their tables. */
#define FUNCTIONS                                                                                  \
    ((sizeof(ze_dditable_t) + sizeof(zes_dditable_t) + sizeof(zet_dditable_t) +                    \
      sizeof(zer_dditable_t)) /                                                                    \
     sizeof(void *))
static char api_version[16];

static char folder[] = "/tmp/geoid-tools-XXXXXX";
static char output[1 << 20];

/* Runs a shell command line in the build's bin folder; "%A" stands for the folder of the fake
 * drivers. Returns its exit status, 128 + signal when it was killed; standard output in `output`.
 */
static int run(const char *command)
{
    char line[4096];
    snprintf(line, sizeof(line), "cd '%s/bin' && A='%s' F='%s' && unset ZE_ENABLE_ALT_DRIVERS; %s",
             getenv("GEOID_BUILD_DIR"), FAKE_FOLDER, folder, command);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    size_t length = fread(output, 1, sizeof(output) - 1, pipe);
    output[length] = '\0';
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void output_has(const char *text)
{
    if (!strstr(output, text)) {
        fail_msg("no '%s' in:\n%s", text, output);
    }
}

#define FAKES "ZE_ENABLE_ALT_DRIVERS=$A/libfake_a.so,$A/libfake_b.so "

/* Loader, layers and drivers have the table of options each; the process prints it once. */
static void test_the_table_of_options_is_printed_once(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "", "ZE_ENABLE_VALIDATION_LAYER=1 ZE_ENABLE_TRACING_LAYER=1 ",
        "ZE_ENABLE_ALT_DRIVERS=../lib/libze_geoid.so.1,../lib/libze_null.so.1 "};
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        char command[256];
        snprintf(command, sizeof(command), "%sGEOID_DEBUG=help ./zeinfo 2>&1 >/dev/null",
                 settings[i]);
        assert_int_equal(run(command), 0);
        const char *first = strstr(output, "GEOID_LOG_FILE ");
        assert_non_null(first);
        assert_null(strstr(first + 1, "GEOID_LOG_FILE "));
    }
}

/* INI-15, INI-16: a listing from public queries alone. */
static void test_zeinfo_lists_drivers_and_devices(void **state)
{
    (void)state;
    assert_int_equal(run(FAKES "./zeinfo"), 0);
    output_has("\ndrivers [1]\n");
    char version[80];
    snprintf(version, sizeof(version), "  apiVersion                                 %s\n",
             api_version);
    output_has(version);
    output_has("      type                                   GPU\n");
    output_has("      name                                   fake b 1\n");
    output_has("compute\n      error                                  ERROR_UNSUPPORTED_FEATURE\n");
    assert_int_equal(run(FAKES "./zeinfo --list"), 0);
    output_has("[gpu] fake a 0\n");
    output_has("[gpu] fake b 1\n");
    assert_null(strstr(output, "ERROR"));
}

static json_t *json_read(void)
{
    json_error_t error;
    json_t *root = json_loads(output, 0, &error);
    if (!root) {
        fail_msg("line %d: %s\n%s", error.line, error.text, output);
    }
    return root;
}

/* INI-15 */
static void test_zeinfo_writes_json(void **state)
{
    (void)state;
    assert_int_equal(run(FAKES "./zeinfo -j"), 0);
    json_t *root = json_read();
    json_t *drivers = json_object_get(root, "drivers");
    assert_int_equal(json_array_size(drivers), 2);
    json_t *devices = json_object_get(json_array_get(drivers, 1), "devices");
    assert_int_equal(json_array_size(devices), 2);
    json_t *properties = json_object_get(json_array_get(devices, 1), "properties");
    assert_string_equal(json_string_value(json_object_get(properties, "type")), "GPU");
    assert_string_equal(json_string_value(json_object_get(properties, "name")), "fake b 1");
    assert_string_equal(json_string_value(json_object_get(properties, "vendorId")), "0x2");
    assert_true(json_is_array(json_object_get(properties, "flags")));
    json_decref(root);
}

/* INI-9, INI-13 */
static void test_zeinfo_tells_which_functions_are_implemented(void **state)
{
    (void)state;
    /* by the driver's own word: this one says yes to everything */
    assert_int_equal(run("ZE_ENABLE_ALT_DRIVERS=$A/libfake_a.so ./zeinfo -fj"), 0);
    json_t *root = json_read();
    json_t *driver = json_array_get(json_object_get(root, "drivers"), 0);
    assert_int_equal(json_integer_value(json_object_get(driver, "implemented")), FUNCTIONS);
    json_decref(root);
    /* by its tables */
    assert_int_equal(run("ZE_ENABLE_ALT_DRIVERS=$A/libfake_plain.so ./zeinfo -fj"), 0);
    root = json_read();
    driver = json_array_get(json_object_get(root, "drivers"), 0);
    json_t *functions = json_object_get(driver, "functions");
    assert_int_equal(json_object_size(functions), FUNCTIONS);
    assert_string_equal(json_string_value(json_object_get(functions, "zeContextCreate")),
                        "implemented");
    assert_string_equal(json_string_value(json_object_get(functions, "zeMemFree")), "-");
    assert_string_equal(json_string_value(json_object_get(functions, "zeInitDrivers")), "-");
    json_decref(root);
    /* with several drivers, by the tables of the right one */
    assert_int_equal(run("ZE_ENABLE_ALT_DRIVERS=$A/libfake_mortal.so,$A/libfake_a.so ./zeinfo -fj"),
                     0);
    root = json_read();
    driver = json_array_get(json_object_get(root, "drivers"), 0);
    assert_int_equal(json_integer_value(json_object_get(driver, "implemented")), 19 + 5);
    json_decref(root);
}

/* A driver whose handles are translated is its own library's: name and functions. */
static void test_zeinfo_names_the_library_of_a_translated_driver(void **state)
{
    (void)state;
    json_int_t implemented[2];
    for (int beside = 0; beside < 2; beside++) {
        assert_int_equal(run(beside ? "ZE_ENABLE_ALT_DRIVERS=$A/libfake_plain.so,$A/libfake_a.so "
                                      "./zeinfo -fj"
                                    : "ZE_ENABLE_ALT_DRIVERS=$A/libfake_plain.so ./zeinfo -fj"),
                         0);
        json_t *root = json_read();
        json_t *driver = json_array_get(json_object_get(root, "drivers"), 0);
        implemented[beside] = json_integer_value(json_object_get(driver, "implemented"));
        assert_non_null(
            strstr(json_string_value(json_object_get(driver, "library")), "/libfake_plain.so"));
        json_decref(root);
    }
    assert_int_equal(implemented[0], implemented[1]);
    assert_true(implemented[0] > 0 && implemented[0] < (json_int_t)FUNCTIONS);
}

/* INI-13 */
static void test_zeinfo_explains_a_missing_driver(void **state)
{
    (void)state;
    assert_int_equal(run("ZE_ENABLE_ALT_DRIVERS=/nowhere/libnone.so ./zeinfo --why 2>&1"), 1);
    output_has("/nowhere/libnone.so: No such file or directory");
    output_has("ZE_ENABLE_ALT_DRIVERS                      /nowhere/libnone.so");
    output_has("libze_loader.so.1");
    output_has("no driver: ERROR_UNINITIALIZED");
    assert_int_equal(run("ZE_ENABLE_ALT_DRIVERS=/nowhere/libnone.so ./zeinfo 2>&1"), 1);
    output_has("zeinfo --why");
    assert_int_equal(run("ZE_ENABLE_ALT_DRIVERS=$A/libfake_broken.so ./zeinfo -wj 2>/dev/null"), 1);
    json_t *root = json_read();
    json_t *library = json_array_get(json_object_get(root, "libraries"), 0);
    assert_string_equal(json_string_value(json_object_get(library, "outcome")), "failed");
    assert_non_null(strstr(json_string_value(json_object_get(library, "detail")),
                           "ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE"));
    json_decref(root);
    assert_int_equal(run(FAKES "./zeinfo -w"), 0);
    output_has("in use");
}

/* INI-13 */
static void test_zeinfo_tells_which_manifest_named_a_driver(void **state)
{
    (void)state;
    static const char manifest[] =
        "chmod 755 $F && printf '{\"file_format_version\": \"1.0\", \"name\": \"Fake\", "
        "\"library\": \"%s\"}' $A/libfake_a.so > $F/a.json && echo '{}' > $F/b.json";
    char path[64];
    assert_int_equal(run(manifest), 0);
    assert_int_equal(run("GEOID_DRIVER_PATH=$F ./zeinfo -wj"), 0);
    json_t *root = json_read(), *item;
    size_t index, found = 0;
    json_array_foreach(json_object_get(root, "libraries"), index, item)
    {
        const char *detail = json_string_value(json_object_get(item, "detail"));
        if (!json_object_get(item, "manifest")) {
            continue;
        }
        assert_string_equal(json_string_value(json_object_get(item, "origin")), "manifest");
        snprintf(path, sizeof(path), "%s/%c.json", folder, found ? 'b' : 'a');
        assert_string_equal(json_string_value(json_object_get(item, "manifest")), path);
        assert_non_null(strstr(detail, found ? "\"file_format_version\" is missing" : "Fake; "));
        found++;
    }
    assert_int_equal(found, 2);
    json_decref(root);
    assert_int_equal(run("GEOID_DRIVER_PATH=$F ./zeinfo -w"), 0);
    output_has("  manifest                                   /tmp/");
    assert_int_equal(run("rm $F/a.json $F/b.json"), 0);
}

#define REAL "ZE_ENABLE_NULL_DRIVER=1 ZE_ENABLE_ALT_DRIVERS=libze_geoid.so.1 "

/* The queries that every device answers; the others may say that they are not supported. */
static void device_is_complete(json_t *device)
{
    static const char *const objects[] = {"properties", "compute", "module", "memoryAccess"};
    static const char *const lists[] = {"queueGroups", "memory", "caches"};
    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
        json_t *object = json_object_get(device, objects[i]);
        assert_true(json_is_object(object) && !json_object_get(object, "error"));
    }
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        assert_true(json_is_array(json_object_get(device, lists[i])));
    }
    assert_true(json_is_array(json_object_get(device, "subDevices")));
    json_t *properties = json_object_get(device, "properties");
    assert_string_equal(json_string_value(json_object_get(properties, "type")), "GPU");
    assert_true(json_string_length(json_object_get(properties, "name")) > 0);
    assert_true(json_integer_value(json_object_get(properties, "maxMemAllocSize")) > 0);
    json_t *group = json_array_get(json_object_get(device, "queueGroups"), 0);
    assert_string_equal(json_string_value(json_array_get(json_object_get(group, "flags"), 0)),
                        "COMPUTE");
}

/* INI-15, INI-5, INI-16: the two drivers of this project, loaded at once. */
static void test_zeinfo_describes_both_drivers_of_the_project(void **state)
{
    (void)state;
    assert_int_equal(run(REAL "./zeinfo -j"), 0);
    json_t *root = json_read();
    json_t *drivers = json_object_get(root, "drivers");
    assert_int_equal(json_array_size(drivers), 2);
    const char *versions[2];
    for (size_t i = 0; i < 2; i++) {
        json_t *driver = json_array_get(drivers, i);
        assert_non_null(strstr(json_string_value(json_object_get(driver, "library")),
                               i ? "libze_geoid.so.1" : "libze_null.so.1"));
        assert_string_equal(json_string_value(json_object_get(driver, "apiVersion")), api_version);
        json_t *extensions = json_object_get(driver, "extensions");
        assert_non_null(json_object_get(extensions, "ZE_extension_driver_ddi_handles"));
        assert_int_equal(json_array_size(json_object_get(driver, "devices")), 1);
        device_is_complete(json_array_get(json_object_get(driver, "devices"), 0));
        json_t *properties = json_object_get(driver, "properties");
        versions[i] = json_string_value(json_object_get(properties, "driverVersion"));
    }
    assert_string_not_equal(versions[0], versions[1]); /* clients tell drivers apart by it */
    json_decref(root);
}

/* INI-15: a device of two tiles, with what each has of its memory */
static void test_zeinfo_lists_sub_devices(void **state)
{
    (void)state;
    assert_int_equal(run("GEOID_DEVICES=1x2 ZE_ENABLE_ALT_DRIVERS=libze_geoid.so.1 ./zeinfo -j"),
                     0);
    json_t *root = json_read();
    json_t *driver = json_array_get(json_object_get(root, "drivers"), 0);
    json_t *devices = json_object_get(driver, "devices");
    assert_int_equal(json_array_size(devices), 1);
    json_t *parts = json_object_get(json_array_get(devices, 0), "subDevices");
    assert_int_equal(json_array_size(parts), 2);
    for (size_t i = 0; i < 2; i++) {
        json_t *part = json_array_get(parts, i);
        json_t *number = json_object_get(json_object_get(part, "properties"), "subdeviceId");
        assert_int_equal(json_integer_value(number), i);
        json_t *memory = json_array_get(json_object_get(part, "memory"), 0);
        assert_true(json_integer_value(json_object_get(memory, "totalSize")) > 0);
    }
    json_decref(root);
}

/* Tracers are the tracing layer's, whatever a driver has, and so work with any of them. */
static void test_zeinfo_knows_what_the_tracing_layer_implements(void **state)
{
    static const char *const names[] = {"zetTracerExpCreate", "zetTracerExpDestroy",
                                        "zetTracerExpSetPrologues", "zetTracerExpSetEpilogues",
                                        "zetTracerExpSetEnabled"};
    (void)state;
    assert_int_equal(run("ZE_ENABLE_ALT_DRIVERS=$A/libfake_plain.so ./zeinfo -fj"), 0);
    json_t *root = json_read();
    json_t *driver = json_array_get(json_object_get(root, "drivers"), 0);
    json_t *functions = json_object_get(driver, "functions");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        assert_string_equal(json_string_value(json_object_get(functions, names[i])),
                            "tracing layer");
    }
    json_decref(root);
}

/* INI-9: a function that only answers "unsupported" is not implemented. */
static void test_zeinfo_knows_what_the_driver_implements(void **state)
{
    (void)state;
    assert_int_equal(run("ZE_ENABLE_ALT_DRIVERS=libze_geoid.so.1 ./zeinfo -fj"), 0);
    json_t *root = json_read();
    json_t *driver = json_array_get(json_object_get(root, "drivers"), 0);
    json_t *functions = json_object_get(driver, "functions");
    assert_int_equal(json_object_size(functions), FUNCTIONS);
    json_int_t implemented = json_integer_value(json_object_get(driver, "implemented"));
    assert_true(implemented > 80 && implemented <= (json_int_t)FUNCTIONS);
    assert_string_equal(json_string_value(json_object_get(functions, "zeContextCreate")),
                        "implemented");
    json_decref(root);
}

static void test_zeinfo_refuses_wrong_usage(void **state)
{
    (void)state;
    assert_int_equal(run("./zeinfo --nonsense 2>/dev/null"), 2);
    assert_int_equal(run("./zeinfo surplus 2>&1"), 2);
    output_has("zeinfo: unexpected argument 'surplus'\nusage: zeinfo");
    assert_int_equal(run("./zeinfo -lf 2>&1"), 2);
    output_has("zeinfo: --list and --functions cannot be combined\nusage: zeinfo");
    assert_int_equal(run("./zeinfo --help"), 0);
    output_has("usage: zeinfo");
    assert_int_equal(run("./zeinfo --version"), 0);
    assert_int_equal(run(FAKES "./zeinfo >/dev/full 2>/dev/null"), 1); /* lost output is an error */
}

#define KEEP "ZE_ENABLE_ALT_DRIVERS=$A/libfake_a.so ./geoid-run "

/* Arguments, exit status, signals and standard streams are the program's own. */
static void test_geoid_run_is_transparent(void **state)
{
    (void)state;
    assert_int_equal(run(KEEP "printf '[%s]' 'a b' '' '*' '$HOME' -x \"it's\" 'tab\there'"), 0);
    assert_string_equal(output, "[a b][][*][$HOME][-x][it's][tab\there]");
    assert_int_equal(run(KEEP "sh -c 'exit 43'"), 43);
    assert_int_equal(run(KEEP "sh -c 'kill -TERM $$'"), 128 + SIGTERM);
    assert_int_equal(run("echo through | " KEEP "cat"), 0);
    assert_string_equal(output, "through\n");
    assert_int_equal(run(KEEP "-- echo dashes"), 0);
    assert_string_equal(output, "dashes\n");
    assert_int_equal(run(KEEP "/nowhere/program 2>/dev/null"), 127);
    assert_int_equal(run(KEEP "/etc/passwd 2>/dev/null"), 126);
    assert_int_equal(run(KEEP "2>/dev/null"), 2);
    assert_int_equal(run(KEEP "--nonsense echo 2>/dev/null"), 2);
    assert_int_equal(run("./geoid-run --help"), 0);
    /* it is the program, not its parent */
    assert_int_equal(run(KEEP "sh -c 'echo $$' & wait $!; echo $!"), 0);
    char *second = strchr(output, '\n');
    assert_non_null(second);
    assert_int_equal(strtol(output, NULL, 10), strtol(second, NULL, 10));
}

/* The program gets our loader first, whatever else is in its path, and the driver beside it. */
static void test_geoid_run_selects_loader_and_driver(void **state)
{
    (void)state;
    assert_int_equal(run(KEEP "sh -c 'echo $LD_LIBRARY_PATH $ZEL_LIBRARY_PATH'"), 0);
    char expected[4096];
    snprintf(expected, sizeof(expected), "%s/lib", getenv("GEOID_BUILD_DIR"));
    assert_memory_equal(output, expected, strlen(expected));
    assert_int_equal(run("LD_LIBRARY_PATH=/some/where " KEEP "sh -c 'echo $LD_LIBRARY_PATH'"), 0);
    strcat(expected, ":/some/where\n");
    assert_string_equal(output, expected);
    assert_int_equal(
        run("ln -sf \"$PWD/geoid-run\" $F/run && cd / && ZE_ENABLE_ALT_DRIVERS=x $F/run "
            "sh -c 'echo ok'"),
        0);
    assert_string_equal(output, "ok\n");
    assert_int_equal(run("PATH=\"$PWD:$PATH\"; cd / && ZE_ENABLE_ALT_DRIVERS=x geoid-run "
                         "printenv ZE_ENABLE_ALT_DRIVERS"),
                     0);
    assert_string_equal(output, "x\n"); /* a choice that the user made is kept */
}

/* An installed tree works from wherever it lies, and a broken one says what is missing. */
static void test_geoid_run_works_installed(void **state)
{
    (void)state;
    assert_int_equal(run("mkdir -p $F/tree/bin $F/tree/lib && cp geoid-run $F/tree/bin/ && "
                         "$F/tree/bin/geoid-run true 2>&1"),
                     125);
    output_has("libze_loader.so.1 is missing below");
    assert_int_equal(run("cp ../lib/libze_loader.so.1 $F/tree/lib/ && "
                         "$F/tree/bin/geoid-run true 2>&1"),
                     125);
    output_has("libze_geoid.so.1 is missing in");
    assert_int_equal(run("cp $A/libfake_a.so $F/tree/lib/libze_geoid.so.1 && mv $F/tree "
                         "\"$F/tree moved\" && \"$F/tree moved/bin/geoid-run\" ./zeinfo -l"),
                     0);
    output_has("[gpu] fake a 0");
    output_has("tree moved/lib/libze_geoid.so.1");
}

static int folder_make(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int folder_remove(void **state)
{
    (void)state;
    char command[256];
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command) == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_table_of_options_is_printed_once),
        cmocka_unit_test(test_zeinfo_lists_drivers_and_devices),
        cmocka_unit_test(test_zeinfo_writes_json),
        cmocka_unit_test(test_zeinfo_tells_which_functions_are_implemented),
        cmocka_unit_test(test_zeinfo_names_the_library_of_a_translated_driver),
        cmocka_unit_test(test_zeinfo_explains_a_missing_driver),
        cmocka_unit_test(test_zeinfo_tells_which_manifest_named_a_driver),
        cmocka_unit_test(test_zeinfo_describes_both_drivers_of_the_project),
        cmocka_unit_test(test_zeinfo_lists_sub_devices),
        cmocka_unit_test(test_zeinfo_knows_what_the_driver_implements),
        cmocka_unit_test(test_zeinfo_knows_what_the_tracing_layer_implements),
        cmocka_unit_test(test_zeinfo_refuses_wrong_usage),
        cmocka_unit_test(test_geoid_run_is_transparent),
        cmocka_unit_test(test_geoid_run_selects_loader_and_driver),
        cmocka_unit_test(test_geoid_run_works_installed),
    };
    snprintf(api_version, sizeof(api_version), "%u.%u",
             (unsigned)ZE_MAJOR_VERSION(ZE_API_VERSION_CURRENT),
             (unsigned)ZE_MINOR_VERSION(ZE_API_VERSION_CURRENT));
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
