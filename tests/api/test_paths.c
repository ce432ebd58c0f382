/* Programs that change their folder or root: relative paths mean what they meant when the libraries
 * were loaded. Each case is a process of its own. */
#include "harness.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "paths-of-a-test-XXXXXX"; /* in the working folder */
static void *spirv;
static size_t spirv_bytes;
static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context;
static char build_log[4096];

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static void program_begin(void)
{
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_init_driver_type_desc_t types = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                        .flags = UINT32_MAX};
    uint32_t count = 1;
    MUST(zeInitDrivers(&count, &driver, &types) == ZE_RESULT_SUCCESS);
    count = 1;
    MUST(zeDeviceGet(driver, &count, &device) == ZE_RESULT_SUCCESS);
    MUST(zeContextCreate(driver, &desc, &context) == ZE_RESULT_SUCCESS);
}

static ze_result_t module_build(void)
{
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                   .inputSize = spirv_bytes,
                                   .pInputModule = spirv};
    ze_module_handle_t module = NULL;
    ze_module_build_log_handle_t log = NULL;
    size_t size = sizeof(build_log);
    ze_result_t result = zeModuleCreate(context, device, &desc, &module, &log);
    MUST(zeModuleBuildLogGetString(log, &size, build_log) == ZE_RESULT_SUCCESS);
    MUST(zeModuleBuildLogDestroy(log) == ZE_RESULT_SUCCESS);
    if (module) {
        MUST(zeModuleDestroy(module) == ZE_RESULT_SUCCESS);
    }
    return result;
}

static void in_a_child(const char *build, void (*run)(void))
{
    char command[64];
    int status = -1;
    strcpy(strrchr(folder, '-'), "-XXXXXX");
    assert_non_null(mkdtemp(folder));
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("GEOID_BUILD", build, 1);
        setenv("ZE_ENABLE_ALT_DRIVERS", "lib/libze_geoid.so.1", 1);
        run();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(status, 0);
}

/* ---- the folder ---- */

/* The dynamic linker knows the driver by a relative path when somebody has opened it by one. */
static void child_leaves_before(void)
{
    MUST(dlopen("lib/libze_geoid.so.1", RTLD_NOW | RTLD_LOCAL) != NULL);
    MUST(chdir("/") == 0);
    program_begin();
    MUST(module_build() == ZE_RESULT_SUCCESS);
    MUST(strstr(build_log, "no child process") == NULL);
}

static void child_leaves_after(void)
{
    program_begin();
    MUST(chdir("/") == 0);
    MUST(module_build() == ZE_RESULT_SUCCESS);
    MUST(strstr(build_log, "no child process") == NULL);
}

static void modules_are_built_in_any_folder(void **state)
{
    static const char *const builds[] = {"thread", "process"};
    (void)state;
    for (size_t i = 0; i < sizeof(builds) / sizeof(builds[0]); i++) {
        in_a_child(builds[i], child_leaves_before);
        in_a_child(builds[i], child_leaves_after);
    }
}

/* Also those of the process that builds. */
static void child_writes(void)
{
    char log[64], own[4096];
    struct stat status;
    unsigned files = 0;
    MUST(getcwd(own, sizeof(own)) != NULL);
    snprintf(log, sizeof(log), "%s/log", folder);
    setenv("GEOID_LOG", "info", 1);
    setenv("GEOID_LOG_FILE", log, 1);
    setenv("GEOID_DUMP", folder, 1);
    program_begin();
    MUST(chdir("/") == 0);
    MUST(module_build() == ZE_RESULT_SUCCESS);
    MUST(chdir(own) == 0);
    MUST(stat(log, &status) == 0 && status.st_size > 0);
    DIR *list = opendir(folder);
    while (list && readdir(list)) {
        files++;
    }
    MUST(files > 4); /* with the log and the two of any folder */
}

static void files_are_written_where_they_were_named(void **state)
{
    (void)state;
    in_a_child("thread", child_writes);
    in_a_child("process", child_writes);
}

/* ---- the root ---- */

static void child_is_locked_up(void)
{
    program_begin();
    MUST(chroot(folder) == 0 && chdir("/") == 0);
    MUST(module_build() == ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE);
    MUST(strstr(build_log, "another root folder (chroot)") != NULL);
}

static void child_has_built_before(void)
{
    program_begin();
    MUST(module_build() == ZE_RESULT_SUCCESS);
    MUST(chroot(folder) == 0 && chdir("/") == 0);
    MUST(module_build() == ZE_RESULT_SUCCESS);
}

/* A compiler that is loaded goes on building; one that is not cannot be found, and the log says
 * why. */
static void another_root_is_told(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        skip();
    }
    in_a_child("thread", child_is_locked_up);
    in_a_child("thread", child_has_built_before);
}

/* Starts the program once more in the build's folder: that is where libraries are loaded then. */
static void begin_in_the_builds_folder(char **arguments)
{
    const char *build = getenv("GEOID_BUILD_DIR");
    if (build && !getenv("GEOID_TEST_PATHS")) {
        setenv("GEOID_TEST_PATHS", "1", 1);
        if (chdir(build) == 0) {
            execv("/proc/self/exe", arguments);
        }
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    begin_in_the_builds_folder(argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_are_built_in_any_folder),
        cmocka_unit_test(files_are_written_where_they_were_named),
        cmocka_unit_test(another_root_is_told),
    };
    spirv = api_read_file("tests/api_basic.spv", &spirv_bytes);
    int failed = cmocka_run_group_tests_name("paths", tests, NULL, NULL);
    free(spirv);
    return failed;
}
