/* What the environment may choose: nothing in a program that runs with privileges of its own
 * (set-user-id, set-group-id, file capabilities: AT_SECURE), and elsewhere only what is asked for
 * by secure_getenv; and which libraries an initialisation opens.
 *
 * This program's getenv and secure_getenv stand before the C library's for all libraries of the
 * process, so it sees who asks for what. */
#include "scenario.h"

#include <level_zero/zes_api.h>

#include <dirent.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define EXPORT __attribute__((visibility("default")))

/* ---- the environment, watched ---- */

extern char **environ;

EXPORT char *getenv(const char *name);
EXPORT char *secure_getenv(const char *name);

static atomic_bool watched;
static atomic_uint plain_reads; /* while watched */

static char *value_of(const char *name)
{
    size_t length = strlen(name);
    for (char **variable = environ; variable && *variable; variable++) {
        if (strncmp(*variable, name, length) == 0 && (*variable)[length] == '=') {
            return *variable + length + 1;
        }
    }
    return NULL;
}

/* LLVM reads what only shows in files of a kind that is never written here. */
EXPORT char *getenv(const char *name)
{
    if (watched && strcmp(name, "LLVM_OVERRIDE_PRODUCER") != 0) {
        plain_reads++;
        fprintf(stderr, "getenv(\"%s\")\n", name);
    }
    return value_of(name);
}

/* FAKE_PRIVILEGES makes any process one that has them. */
EXPORT char *secure_getenv(const char *name)
{
    return getauxval(AT_SECURE) || value_of("FAKE_PRIVILEGES") ? NULL : value_of(name);
}

/* ---- libraries ---- */

/* How many libraries of this process have `text` in their path. */
static unsigned libraries_named(const char *text)
{
    unsigned count = 0;
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
        count += map->l_name && strstr(map->l_name, text);
    }
    return count;
}

/* Ends the scenario if a library is not one of `known` and stands after `last`. */
static void libraries_check(const struct link_map *last, const char *const *known, size_t count)
{
    for (const struct link_map *map = last->l_next; map; map = map->l_next) {
        const char *slash = strrchr(map->l_name, '/');
        const char *name = slash ? slash + 1 : map->l_name;
        bool found = false;
        for (size_t i = 0; i < count; i++) {
            found |= strncmp(name, known[i], strlen(known[i])) == 0;
        }
        if (!found) {
            fprintf(stderr, "opened: %s\n", map->l_name);
        }
        CHECK(found);
    }
}

static const struct link_map *library_last(void)
{
    const struct link_map *map = _r_debug.r_map;
    while (map->l_next) {
        map = map->l_next;
    }
    return map;
}

/* ---- a program that does everything ---- */

/* void k(void) {} */
static const uint32_t spirv[] = {
    0x07230203,
    0x00010000,
    0,
    5,
    0, /* header */
    2u << 16 | 17,
    4, /* OpCapability Addresses */
    2u << 16 | 17,
    6, /* OpCapability Kernel */
    3u << 16 | 14,
    2,
    2, /* Physical64, OpenCL */
    4u << 16 | 15,
    6,
    3,
    'k', /* OpEntryPoint Kernel %3 "k" */
    2u << 16 | 19,
    1, /* %1 = OpTypeVoid */
    3u << 16 | 33,
    2,
    1, /* %2 = OpTypeFunction %1 */
    5u << 16 | 54,
    1,
    3,
    0,
    2, /* %3 = OpFunction */
    2u << 16 | 248,
    4,
    1u << 16 | 253,
    1u << 16 | 56, /* label, return, end */
};

static ze_context_handle_t context;
static ze_device_handle_t device;

static void drivers_init(void)
{
    uint32_t one = 1;
    ze_driver_handle_t driver;
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zesInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeDriverGet(&one, &driver), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeDeviceGet(driver, &one, &device), ZE_RESULT_SUCCESS);
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    CHECK_RESULT(zeContextCreate(driver, &desc, &context), ZE_RESULT_SUCCESS);
}

static void kernel_run(void)
{
    ze_module_desc_t module_desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                    .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                    .inputSize = sizeof(spirv),
                                    .pInputModule = (const uint8_t *)spirv};
    ze_kernel_desc_t kernel_desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "k"};
    ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_group_count_t groups = {1, 1, 1};
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    ze_command_list_handle_t list;
    CHECK_RESULT(zeModuleCreate(context, device, &module_desc, &module, NULL), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeKernelCreate(module, &kernel_desc, &kernel), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeKernelSetGroupSize(kernel, 1, 1, 1), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeCommandListCreateImmediate(context, device, &queue_desc, &list),
                 ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL),
                 ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeCommandListDestroy(list), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeKernelDestroy(kernel), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeModuleDestroy(module), ZE_RESULT_SUCCESS);
}

/* ---- scenarios ---- */

static void open_libraries(void)
{
    static const char *const by_init[] = {"libze_geoid.so.1", "libm.so.6",       "libc.so.6",
                                          "libdl.so.2",       "libpthread.so.0", "librt.so.1"};
    static const char *const by_build[] = {
        "libgeoid_compiler.so.1", "libstdc++.so.6", "libgcc_s.so.1", "libm.so.6",    "libz.so.1",
        "libzstd.so.1",           "libxml2.so.2",   "libicu",        "liblzma.so.5", "libLLVM"};
    const struct link_map *last = library_last();
    drivers_init();
    libraries_check(last, by_init, sizeof(by_init) / sizeof(by_init[0]));
    last = library_last();
    kernel_run();
    libraries_check(last, by_build, sizeof(by_build) / sizeof(by_build[0]));
}

static void read_environment(void)
{
    watched = true;
    drivers_init();
    kernel_run();
    watched = false;
    CHECK(plain_reads == 0);
}

static void folder_empty_check(const char *path)
{
    unsigned count = 0;
    DIR *stream = opendir(path);
    CHECK(stream);
    for (const struct dirent *entry; (entry = readdir(stream));) {
        count += entry->d_name[0] != '.';
    }
    closedir(stream);
    CHECK(count == 0);
}

/* The folder for files is the working folder's "written". */
static void choose_nothing(void)
{
    char perf[64];
    snprintf(perf, sizeof(perf), "/tmp/perf-%d.map", (int)getpid());
    unlink(perf);
    drivers_init();
    kernel_run();
    CHECK(libraries_named("libfake_") == 0 && libraries_named("libze_null.so") == 0);
    CHECK(libraries_named("libze_geoid.so.1") == 1);
    CHECK(access(perf, F_OK) != 0);
    folder_empty_check("written");
}

static void find_manifest(void)
{
    drivers_init();
    CHECK(libraries_named("libfake_a") == 1);
}

static void choose_nothing_with_privileges(void)
{
    if (!getauxval(AT_SECURE)) {
        _exit(77);
    }
    CHECK(libraries_named("libze_intel_npu") == 0);
    choose_nothing();
    CHECK(libraries_named("libze_intel_npu") == 0);
    _exit(0); /* leak checkers cannot look into such a process */
}

/* ---- tests ---- */

static char own_driver[4096], hostile_library_path[4096], hostile_home[4096], hostile_config[4096];

#define HOSTILE_VARIABLES                                                                          \
    "ZE_ENABLE_ALT_DRIVERS={a}", "ZE_ENABLE_NULL_DRIVER=1", "GEOID_COMPILER={a}",                  \
        "GEOID_LOG=trace", "GEOID_LOG_FILE=written/log", "GEOID_DUMP=written", "GEOID_PERF=1",     \
        "ZE_AFFINITY_MASK=7", "GEOID_DEBUG=help", "ZEL_ENABLE_LOADER_LOGGING=1",                   \
        "ZEL_LOADER_LOG_DIR=written", "ZEL_LOADER_LOGGING_LEVEL=trace",                            \
        "GEOID_DRIVER_PATH=manifests", hostile_home, hostile_config

static void test_libraries_are_those_of_a_list(void **state)
{
    (void)state;
    scenario_passes("open_libraries", own_driver, NULL);
}

static void test_variables_are_read_with_regard_to_privileges(void **state)
{
    (void)state;
    scenario_passes("read_environment", own_driver, NULL);
}

static void test_privileged_programs_ignore_the_environment(void **state)
{
    (void)state;
    scenario_passes("choose_nothing", "FAKE_PRIVILEGES=1", HOSTILE_VARIABLES, NULL);
}

/* The variables have an effect where there are no privileges, so it is they that are ignored. */
static void test_other_programs_heed_it(void **state)
{
    (void)state;
    static struct scenario_outcome outcome;
    scenario_run(&outcome, "choose_nothing", HOSTILE_VARIABLES, NULL);
    assert_int_equal(outcome.exit_code, 1);
    assert_int_equal(access("written/log", F_OK), 0);
    assert_int_equal(unlink("written/log"), 0);
    assert_int_equal(unlink("written/ze_loader.log"), 0);
}

static void program_copy(const char *path)
{
    struct stat status;
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
    assert_true(from >= 0 && to >= 0 && fstat(from, &status) == 0);
    for (off_t left = status.st_size; left > 0;) {
        ssize_t copied = sendfile(to, from, NULL, (size_t)left);
        assert_true(copied > 0);
        left -= copied;
    }
    close(from);
    close(to);
}

/* Gives the file to another group of this user, or to any where that is allowed. */
static bool group_set(const char *path)
{
    gid_t groups[64];
    int count = getgroups(64, groups);
    bool done = geteuid() == 0 && chown(path, (uid_t)-1, 65534) == 0;
    for (int i = 0; i < count && !done; i++) {
        done = groups[i] != getegid() && chown(path, (uid_t)-1, groups[i]) == 0;
    }
    return done && chmod(path, 02755) == 0;
}

/* Needs a second group, and a file system and process where set-group-id counts. */
static void test_a_set_group_id_program_ignores_the_environment(void **state)
{
    (void)state;
    static struct scenario_outcome outcome;
    char copy[4096];
    snprintf(copy, sizeof(copy), "%s/privileged-%d", FAKE_FOLDER, (int)getpid());
    program_copy(copy);
    bool possible = group_set(copy);
    if (possible) {
        scenario_program(copy);
        scenario_run(&outcome, "choose_nothing_with_privileges", HOSTILE_VARIABLES,
                     hostile_library_path, NULL);
        scenario_program(NULL);
    }
    unlink(copy);
    if (!possible || outcome.exit_code == 77) {
        skip();
    }
    if (outcome.exit_code != 0) {
        fail_msg("exit code %d, signal %d\n%s", outcome.exit_code, outcome.signal, outcome.output);
    }
}

static char folder[] = "/tmp/geoid-privileges-XXXXXX";

/* Manifests of a driver, where each of the variables leads to. */
static const char *const folders[] = {"manifests", "config", "config/level_zero",
                                      "config/level_zero/drivers.d", ".config"};
static const char *const manifests[] = {"manifests/a.json", "config/level_zero/drivers.d/a.json"};

static bool manifests_make(void)
{
    bool made = true;
    for (size_t i = 0; i < 4; i++) {
        made &= mkdir(folders[i], 0755) == 0;
    }
    made &= symlink("config", folders[4]) == 0;
    for (size_t i = 0; i < 2; i++) {
        FILE *file = fopen(manifests[i], "w");
        made &= file && fprintf(file, "{\"file_format_version\": \"1.0\", \"library\": \"%s\"}",
                                FAKE_FOLDER "/libfake_a.so") > 0;
        made &= file && fclose(file) == 0;
    }
    snprintf(hostile_home, sizeof(hostile_home), "HOME=%s", folder);
    snprintf(hostile_config, sizeof(hostile_config), "XDG_CONFIG_HOME=%s/config", folder);
    return made;
}

static void manifests_remove(void)
{
    unlink(manifests[0]);
    unlink(manifests[1]);
    unlink(folders[4]);
    for (size_t i = 4; i-- > 0;) {
        rmdir(folders[i]);
    }
}

/* That it is the privileges which keep the manifests away. */
static void test_other_programs_find_the_manifests(void **state)
{
    (void)state;
    static const char *const none = "GEOID_DRIVER_PATH=";
    scenario_passes("find_manifest", "GEOID_DRIVER_PATH=manifests", "HOME=/nowhere", NULL);
    scenario_passes("find_manifest", none, hostile_home, "XDG_CONFIG_HOME=", NULL);
    scenario_passes("find_manifest", none, hostile_config, "HOME=/nowhere", NULL);
}

static int group_setup(void **state)
{
    (void)state;
    const char *build = value_of("GEOID_BUILD_DIR");
    snprintf(own_driver, sizeof(own_driver), "ZE_ENABLE_ALT_DRIVERS=%s/lib/libze_geoid.so.1",
             build);
    umask(022);
    if (!mkdtemp(folder) || chdir(folder) != 0 || mkdir("written", 0777) != 0 ||
        !manifests_make()) {
        return 1;
    }
    snprintf(hostile_library_path, sizeof(hostile_library_path), "LD_LIBRARY_PATH=%s", folder);
    return symlink(FAKE_FOLDER "/libfake_npu.so", "libze_intel_npu.so.1");
}

static int group_teardown(void **state)
{
    (void)state;
    unlink("libze_intel_npu.so.1");
    rmdir("written");
    manifests_remove();
    return rmdir(folder);
}

#define S(name) {#name, name}
static const struct scenario scenarios[] = {
    S(open_libraries),
    S(read_environment),
    S(choose_nothing),
    S(find_manifest),
    S(choose_nothing_with_privileges),
};

int main(int argc, char **argv)
{
    scenario_main(argc, argv, scenarios, sizeof(scenarios) / sizeof(scenarios[0]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_libraries_are_those_of_a_list),
        cmocka_unit_test(test_variables_are_read_with_regard_to_privileges),
        cmocka_unit_test(test_privileged_programs_ignore_the_environment),
        cmocka_unit_test(test_other_programs_heed_it),
        cmocka_unit_test(test_other_programs_find_the_manifests),
        cmocka_unit_test(test_a_set_group_id_program_ignores_the_environment),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
