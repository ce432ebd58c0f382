/* API test of GEOID_BUILD_KERNELS=ahead: a thread of the driver builds kernels before the program
 * creates them, if the device has several cores. */
#include "deferred_support.h"
#include "forks.h"
#include "patience.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

/* The thread sanitizer by default ends a forked child that starts threads. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}

enum { KERNELS = 24, LARGE_BYTES = 256 << 10 };

static const char *const many = "deferred_many";

static uint32_t core_count(const struct api *api)
{
    const ze_device_properties_t *p = &api->properties;
    return p->numThreadsPerEU * p->numEUsPerSubslice * p->numSubslicesPerSlice * p->numSlices;
}

static pid_t owner;         /* of the folder of dumps */
static unsigned builds_old; /* that earlier tests have begun */

static void folder_remove(void)
{
    if (getpid() == owner) {
        dumps_visit(NULL, file_remove);
        (void)rmdir(folder);
    }
}

/* The environment stays the same in all tests, because the driver's thread reads variables. */
static void set_up(void)
{
    if (!owner) {
        owner = getpid();
        dumps_begin();
        build_kernels("ahead");
        assert_int_equal(atexit(folder_remove), 0);
    }
    builds_old = builds_made();
}

/* Returns how many builds have begun since set_up. */
static unsigned builds_new(void)
{
    return builds_made() - builds_old;
}

static ze_module_handle_t module_begin(struct api *api, const char *name, size_t least,
                                       ze_module_build_log_handle_t *log)
{
    size_t size;
    ze_module_handle_t module = NULL;
    uint8_t *bytes = spirv_pad(name, least, &size);
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV,
                             .inputSize = size,
                             .pInputModule = bytes};
    assert_success(zeModuleCreate(api->context, api->device, &desc, &module, log));
    free(bytes);
    return module;
}

static void pause_ms(long ms)
{
    const struct timespec nap = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&nap, NULL);
}

/* Waits until so many builds have begun. */
static void builds_await(unsigned count)
{
    for (unsigned ms = 0; builds_new() < count; ms += 5) {
        assert_true(ms < 1000 * patience_s());
        pause_ms(5);
    }
}

static void kernels_create(ze_module_handle_t module)
{
    ze_kernel_handle_t kernel;
    char name[16];
    for (int i = 0; i < KERNELS; i++) {
        snprintf(name, sizeof(name), "many_%d", i);
        assert_success(kernel_try(module, name, &kernel));
        assert_success(zeKernelDestroy(kernel));
    }
}

static void idle_cores_build_the_kernels_that_are_left(void **state)
{
    struct api *api = *state;
    set_up();
    ze_module_handle_t module = module_begin(api, many, 0, NULL);
    int *out = api_alloc_shared(api, ITEMS * sizeof(int));
    if (core_count(api) > 1) {
        builds_await(1 + KERNELS);
    } else { /* it would take time from the program */
        pause_ms(300);
        assert_int_equal(builds_new(), 1);
    }
    kernels_create(module);
    assert_int_equal(builds_new(), 1 + KERNELS);
    run(api, module, "many_17", sizeof(out), &out);
    assert_int_equal(out[ITEMS - 1], 17);
    api_free(api, out);
    assert_success(zeModuleDestroy(module));
}

/* Kernels that are being built are waited for, others are built by the program. */
static void nothing_is_built_twice(void **state)
{
    struct api *api = *state;
    set_up();
    for (unsigned i = 1; i <= 5; i++) {
        ze_module_handle_t module = module_begin(api, many, 0, NULL);
        pause_ms(5 * i);
        kernels_create(module);
        assert_int_equal(builds_new(), i * (1 + KERNELS));
        assert_success(zeModuleDestroy(module));
    }
}

static void the_end_of_a_module_ends_its_builds(void **state)
{
    struct api *api = *state;
    set_up();
    ze_module_handle_t module = module_begin(api, many, 0, NULL);
    if (core_count(api) > 1) {
        builds_await(2);
    }
    assert_success(zeModuleDestroy(module));
    unsigned made = builds_new();
    /* The thread takes kernels of all modules in turn, so it would go on with the first module
     * while it builds this one. */
    module = module_begin(api, many, 0, NULL);
    if (core_count(api) > 1) {
        builds_await(made + 1 + KERNELS);
    }
    kernels_create(module);
    made += 1 + KERNELS;
    assert_in_range(builds_new(), made, made + 1); /* one may have been about to begin */
    assert_success(zeModuleDestroy(module));
}

/* MOD-5: the program learns of a failure when it creates the kernel. */
static void failures_wait_for_the_program(void **state)
{
    struct api *api = *state;
    char text[LOG_BYTES];
    size_t size = sizeof(text);
    ze_module_build_log_handle_t log = NULL;
    ze_kernel_handle_t kernel;
    set_up();
    ze_module_handle_t module = module_begin(api, "deferred_bad", LARGE_BYTES, &log);
    if (core_count(api) > 1) {
        builds_await(4);
    }
    assert_success(zeModuleBuildLogGetString(log, &size, text));
    assert_string_equal(text, "");
    for (int i = 0; i < 2; i++) {
        assert_result(kernel_try(module, "too_much_local_memory", &kernel),
                      ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    }
    assert_success(kernel_try(module, "good", &kernel));
    assert_success(zeKernelDestroy(kernel));
    assert_int_equal(builds_new(), core_count(api) > 1 ? 4 : 3);
    size = sizeof(text);
    assert_success(zeModuleBuildLogGetString(log, &size, text));
    const char *told = strstr(text, "the build of kernel too_much_local_memory");
    assert_non_null(told);
    assert_null(strstr(told + 1, "the build of kernel too_much_local_memory"));
    assert_success(zeModuleDestroy(module));
    assert_success(zeModuleBuildLogDestroy(log));
}

static void linked_modules_are_built_ahead(void **state)
{
    struct api *api = *state;
    set_up();
    ze_module_handle_t modules[2] = {module_begin(api, "deferred_import", LARGE_BYTES, NULL),
                                     module_begin(api, "deferred", 0, NULL)};
    assert_success(zeModuleDynamicLink(2, modules, NULL));
    if (core_count(api) > 1) {
        builds_await(3 + 3); /* the modules, the link, three kernels */
    }
    ze_kernel_handle_t kernel = api_kernel(modules[0], "imported");
    assert_success(zeKernelDestroy(kernel));
    assert_int_equal(builds_new(), core_count(api) > 1 ? 6 : 4);
    assert_success(zeModuleDestroy(modules[0]));
    assert_success(zeModuleDestroy(modules[1]));
}

/* Returns whether the kernels of a new module are built ahead in this process. */
static bool module_completes(struct api *api)
{
    (void)module_begin(api, many, 0, NULL);
    for (unsigned ms = 0; builds_made() < 1 + KERNELS; ms += 5) {
        if (ms >= 1000 * patience_s()) {
            return false;
        }
        pause_ms(5);
    }
    return true;
}

/* GEN-27: the child writes its dumps to a folder of its own. */
static void a_forked_child_builds_ahead_for_itself(void **state)
{
    struct api *api = *state;
    int status;
    if (!forks_beside_threads_work()) {
        skip();
    }
    set_up();
    const size_t length = strlen(folder);
    ze_module_handle_t module = module_begin(api, many, 0, NULL); /* its thread runs */
    pid_t child = fork();
    assert_true(child >= 0);
    snprintf(folder + length, sizeof(folder) - length, "/child");
    if (child == 0) {
        bool good = mkdir(folder, 0700) == 0 && setenv("GEOID_DUMP", folder, 1) == 0 &&
                    (core_count(api) < 2 || module_completes(api));
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    dumps_visit(NULL, file_remove);
    assert_int_equal(rmdir(folder), 0);
    folder[length] = '\0';
    assert_int_equal(status, 0);
    kernels_create(module);
    assert_success(zeModuleDestroy(module));
}

/* GEN-27: modules of the parent stay usable. Their kernels are built when they are created. */
static void a_forked_child_creates_kernels(void **state)
{
    struct api *api = *state;
    ze_kernel_handle_t kernel;
    int status;
    if (!forks_beside_threads_work()) {
        skip();
    }
    set_up();
    ze_module_handle_t module = module_begin(api, many, 0, NULL);
    for (int i = 0; i < 10; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            bool good = kernel_try(module, "many_20", &kernel) == ZE_RESULT_SUCCESS &&
                        zeKernelDestroy(kernel) == ZE_RESULT_SUCCESS &&
                        zeModuleDestroy(module) == ZE_RESULT_SUCCESS;
            _exit(good ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    kernels_create(module);
    assert_success(zeModuleDestroy(module));
}

/* A program may end while kernels are built. */
static void exit_does_not_wait(void **state)
{
    struct api *api = *state;
    int status;
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
    skip(); /* it crashes when threads begin while a forked child ends */
#endif
#endif
    set_up();
    for (int i = 0; i < 4; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            (void)module_begin(api, many, 0, NULL);
            pause_ms(10L * i);
            exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

static const struct api_case cases[] = {
    API_RUN_CASE(idle_cores_build_the_kernels_that_are_left),
    API_CASE(nothing_is_built_twice),
    API_CASE(the_end_of_a_module_ends_its_builds),
    API_CASE(failures_wait_for_the_program),
    API_CASE(linked_modules_are_built_ahead),
    API_CASE(a_forked_child_builds_ahead_for_itself),
    API_CASE(a_forked_child_creates_kernels),
    API_CASE(exit_does_not_wait),
};
API_MAIN("spirv_ahead", cases)
