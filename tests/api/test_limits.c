/* Limits and filters of the system, one after the other, from the start or after initialisation:
 * what a program does then works, or is refused with a reason. No signal comes and nothing is
 * silent. Each row of the table is a process of its own. */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE              65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

#define LOG_PATH "/tmp/geoid-limits-%d.log"

enum { SMALL = 4096, LARGE = 40 << 20, SLABS = 80, SLAB_PIECE = 900000, ITEMS = 1000 };

/* ---- limits ---- */

static bool limit_set(int which, rlim_t value)
{
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)which, &limit) != 0) {
        return false;
    }
    limit.rlim_cur = value;
    return setrlimit((__rlimit_resource_t)which, &limit) == 0;
}

static bool no_files(void)
{
    return limit_set(RLIMIT_FSIZE, 0);
}

static bool files_of_a_megabyte(void)
{
    return limit_set(RLIMIT_FSIZE, 1 << 20);
}

static bool no_locked_memory(void)
{
    return limit_set(RLIMIT_MEMLOCK, 0);
}

#ifdef GEOID_SANITIZED
#define SANITIZED true /* needs much address space, and /proc */
#else
#define SANITIZED false
#endif

/* Room for some more megabytes. */
static bool little_address_space(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    bool known = file && fscanf(file, "%llu", &pages) == 1;
    if (file) {
        fclose(file);
    }
    return !SANITIZED && known && limit_set(RLIMIT_AS, pages * 4096 + (24u << 20));
}

static bool no_descriptors(void)
{
    if (!limit_set(RLIMIT_NOFILE, 256)) {
        return false;
    }
    while (open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0) {
    }
    return errno == EMFILE;
}

/* The system call fails with this error. */
static bool deny(int call, int error)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {4, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static bool memory_files_unknown(void)
{
    return deny(SYS_memfd_create, ENOSYS);
}

static bool memory_files_denied(void)
{
    return deny(SYS_memfd_create, EPERM);
}

static bool modes_denied(void)
{
    return deny(SYS_fchmod, EPERM);
}

static bool no_new_code(void)
{
    return prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) == 0;
}

static bool no_new_code_nor_files(void)
{
    return no_new_code() && memory_files_denied();
}

/* An empty file system over a folder, in a name space of our own. */
static bool hide(const char *path)
{
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", path, "tmpfs", MS_RDONLY, NULL) == 0;
}

static bool no_proc(void)
{
    return !SANITIZED && hide("/proc");
}

static bool no_shm(void)
{
    return hide("/dev/shm");
}

enum outcome {
    SAYS,    /* works, or says why not */
    WORKS,   /* has to work */
    REFUSED, /* has to be refused, with a reason */
};

/* What comes of each. */
static const struct limit {
    const char *name;
    bool (*apply)(void); /* false: not possible on this system */
    enum outcome memory, large, share, share_large, native, spirv;
    bool late_only; /* nothing starts under it */
} limits[] = {
    {"no files", no_files, WORKS, WORKS, REFUSED, REFUSED, WORKS, WORKS, false},
    {"files of a megabyte", files_of_a_megabyte, WORKS, WORKS, WORKS, REFUSED, WORKS, WORKS, false},
    {"no memfd_create", memory_files_unknown, WORKS, WORKS, REFUSED, REFUSED, WORKS, WORKS, false},
    {"memfd_create denied", memory_files_denied, WORKS, WORKS, REFUSED, REFUSED, WORKS, WORKS,
     false},
    {"fchmod denied", modes_denied, WORKS, WORKS, REFUSED, REFUSED, WORKS, WORKS, false},
    {"no new code", no_new_code, WORKS, WORKS, WORKS, WORKS, WORKS, WORKS, false},
    {"no new code nor files", no_new_code_nor_files, WORKS, WORKS, REFUSED, REFUSED, REFUSED,
     REFUSED, false},
    {"no locked memory", no_locked_memory, WORKS, WORKS, WORKS, WORKS, WORKS, WORKS, false},
    {"no /proc", no_proc, WORKS, WORKS, WORKS, WORKS, WORKS, WORKS, false},
    {"no /dev/shm", no_shm, WORKS, WORKS, WORKS, WORKS, WORKS, WORKS, false},
    /* some come back with slabs that are empty */
    {"no descriptors", no_descriptors, WORKS, WORKS, SAYS, SAYS, WORKS, SAYS, true},
    {"little address space", little_address_space, WORKS, SAYS, SAYS, SAYS, WORKS, SAYS, true},
};

/* ---- what a program does ---- */

struct program {
    struct api api;
    const char *limit;
    ze_result_t last; /* result that was checked */
    int failed;
};

static struct {
    void *bytes;
    size_t size;
} native_file, spirv_file;

static void wrong(struct program *program, const char *step, const char *what, ze_result_t result)
{
    fprintf(stderr, "%s, driver %s: %s %s (0x%x)\n", program->limit, program->api.name, step, what,
            (unsigned)result);
    program->failed++;
}

/* The result, and the reason if it is an error, against what has to come of it. */
static bool outcome_check(struct program *program, const char *step, enum outcome outcome,
                          ze_result_t result)
{
    const char *text = NULL;
    bool good = result == ZE_RESULT_SUCCESS;
    program->last = result;
    if (good && outcome == REFUSED) {
        wrong(program, step, "was not refused", result);
    } else if (!good && outcome == WORKS) {
        wrong(program, step, "does not work", result);
    }
    if (!good && (zeDriverGetLastErrorDescription(program->api.driver, &text) != 0 || !text ||
                  text[0] == '\0')) {
        wrong(program, step, "gives no reason", result);
    }
    return good;
}

static void *allocate(struct program *program, const char *step, enum outcome outcome, size_t bytes)
{
    ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    struct api *api = &program->api;
    void *pointer = NULL;
    ze_result_t result =
        zeMemAllocShared(api->context, &device, &host, bytes, 0, api->device, &pointer);
    if (!outcome_check(program, step, outcome, result)) {
        return NULL;
    }
    memset(pointer, 'm', SMALL);
    ((char *)pointer)[bytes - 1] = 'm';
    return pointer;
}

/* Twice, because what comes back is used again. */
static void step_memory(struct program *program, const struct limit *limit)
{
    for (int round = 0; round < 2; round++) {
        void *small = allocate(program, "small memory", limit->memory, SMALL);
        void *large = allocate(program, "large memory", limit->large, LARGE);
        void *pieces[SLABS];
        for (int i = 0; i < SLABS; i++) {
            pieces[i] = allocate(program, "much memory", limit->large, SLAB_PIECE);
        }
        for (int i = 0; i < SLABS; i++) {
            (void)(pieces[i] && zeMemFree(program->api.context, pieces[i]));
        }
        (void)(small && zeMemFree(program->api.context, small));
        (void)(large && zeMemFree(program->api.context, large));
    }
}

/* What is missing may come later, when it is descriptors or memory. */
static void refusal_check(struct program *program, const char *step)
{
    bool later = strstr(program->limit, "descriptors") || strstr(program->limit, "address");
    if (program->last !=
        (later ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)) {
        wrong(program, step, "has another code", program->last);
    }
}

/* Memory that is shared is the same memory; refused, it is as it was. */
static void share(struct program *program, const char *step, enum outcome outcome, char *memory,
                  size_t bytes)
{
    struct api *api = &program->api;
    ze_ipc_mem_handle_t handle;
    char *opened = NULL;
    ze_result_t result = zeMemGetIpcHandle(api->context, memory, &handle);
    if (!outcome_check(program, step, outcome, result)) {
        refusal_check(program, step);
    } else {
        result = zeMemOpenIpcHandle(api->context, api->device, handle, 0, (void **)&opened);
        if (outcome_check(program, "opening", WORKS, result)) {
            opened[bytes - 1] = 'o';
            if (memory[bytes - 1] != 'o' || opened[0] != 'm') {
                wrong(program, step, "is other memory", result);
            }
            (void)zeMemCloseIpcHandle(api->context, opened);
        }
        (void)zeMemPutIpcHandle(api->context, handle);
    }
    memory[0] = 'm';
}

static void step_share(struct program *program, const struct limit *limit)
{
    struct api *api = &program->api;
    ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                      .flags =
                                          ZE_EVENT_POOL_FLAG_IPC | ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                      .count = 4};
    ze_event_pool_handle_t pool = NULL;
    ze_ipc_event_pool_handle_t handle;
    char *small = allocate(program, "memory to share", limit->memory, SMALL);
    char *large = allocate(program, "large memory to share", limit->large, LARGE);
    if (small) {
        share(program, "sharing", limit->share, small, SMALL);
        (void)zeMemFree(api->context, small);
    }
    if (large) {
        share(program, "sharing much", limit->share_large, large, LARGE);
        (void)zeMemFree(api->context, large);
    }
    ze_result_t result = zeEventPoolCreate(api->context, &pool_desc, 1, &api->device, &pool);
    if (result == ZE_RESULT_SUCCESS) {
        result = zeEventPoolGetIpcHandle(pool, &handle);
        (void)zeEventPoolDestroy(pool);
    }
    if (!outcome_check(program, "sharing events", limit->share, result)) {
        refusal_check(program, "sharing events");
    }
}

static bool log_is_empty(ze_module_build_log_handle_t log)
{
    size_t size = 0;
    return !log || zeModuleBuildLogGetString(log, &size, NULL) != ZE_RESULT_SUCCESS || size < 2;
}

/* Returns whether kernels get their code when they are created, not with their module. */
static bool kernels_are_deferred(void)
{
    const char *kernels = getenv("GEOID_BUILD_KERNELS");
    return kernels && strcmp(kernels, "needed") == 0;
}

/* Creates a module, and with deferred kernels its kernel "ids", whose code is refused then. */
static ze_module_handle_t module_make(struct program *program, const char *step,
                                      enum outcome outcome, const ze_module_desc_t *desc)
{
    struct api *api = &program->api;
    ze_kernel_desc_t kernel_desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "ids"};
    ze_module_handle_t module = NULL;
    ze_kernel_handle_t kernel = NULL;
    ze_module_build_log_handle_t log = NULL;
    ze_result_t result = zeModuleCreate(api->context, api->device, desc, &module, &log);
    if (result == ZE_RESULT_SUCCESS && kernels_are_deferred()) {
        result = zeKernelCreate(module, &kernel_desc, &kernel);
    }
    if (!api->executes && outcome == REFUSED) {
        outcome = SAYS; /* it loads no code */
    }
    if (!outcome_check(program, step, outcome, result) && log_is_empty(log)) {
        wrong(program, step, "has an empty log", result);
    }
    if (log) {
        (void)zeModuleBuildLogDestroy(log);
    }
    if (kernel) {
        (void)zeKernelDestroy(kernel);
    }
    return module;
}

static ze_result_t kernel_run(struct api *api, ze_kernel_handle_t kernel, uint32_t *out)
{
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = api->ordinal,
                                    .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    const ze_group_count_t groups = {ITEMS, 1, 1};
    ze_command_list_handle_t list;
    ze_result_t result = zeCommandListCreateImmediate(api->context, api->device, &desc, &list);
    if (result == ZE_RESULT_SUCCESS) {
        (void)zeKernelSetGroupSize(kernel, 1, 1, 1);
        (void)zeKernelSetArgumentValue(kernel, 0, sizeof(void *), &out);
        result = zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL);
        (void)zeCommandListDestroy(list);
    }
    return result;
}

static void step_native(struct program *program, const struct limit *limit)
{
    struct api *api = &program->api;
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_NATIVE,
                             .inputSize = native_file.size,
                             .pInputModule = native_file.bytes};
    ze_kernel_desc_t kernel_desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "ids"};
    ze_kernel_handle_t kernel = NULL;
    ze_module_handle_t module = module_make(program, "a native module", limit->native, &desc);
    uint32_t *out = module ? allocate(program, "results", limit->memory, 4 * ITEMS) : NULL;
    if (out) {
        ze_result_t result = zeKernelCreate(module, &kernel_desc, &kernel);
        outcome_check(program, "a kernel", WORKS, result);
        outcome_check(program, "a launch", WORKS, kernel_run(api, kernel, out));
        for (uint32_t i = 0; api->executes && i < ITEMS; i++) {
            if (out[i] != i) {
                wrong(program, "a launch", "has wrong results", ZE_RESULT_SUCCESS);
                break;
            }
        }
        (void)zeKernelDestroy(kernel);
        (void)zeMemFree(api->context, out);
    }
    if (module) {
        (void)zeModuleDestroy(module);
    }
}

static void step_spirv(struct program *program, const struct limit *limit)
{
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV,
                             .inputSize = spirv_file.size,
                             .pInputModule = spirv_file.bytes};
    ze_module_handle_t module = module_make(program, "a module", limit->spirv, &desc);
    if (module) {
        (void)zeModuleDestroy(module);
    }
}

/* ---- processes ---- */

static void program_open(struct program *program)
{
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    struct api *api = &program->api;
    uint32_t one = 1;
    if (zeDeviceGet(api->driver, &one, &api->device) != ZE_RESULT_SUCCESS ||
        zeContextCreate(api->driver, &desc, &api->context) != ZE_RESULT_SUCCESS) {
        wrong(program, "a context", "does not work", ZE_RESULT_ERROR_UNKNOWN);
        _exit(1);
    }
    api->properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    (void)zeDeviceGetProperties(api->device, &api->properties);
    api->executes = !strstr(api->properties.name, "Geoid null");
    api->name = api->executes ? "cpu" : "null";
}

/* All drivers that the environment names have to be there, under every limit. */
static uint32_t drivers_named(void)
{
    uint32_t count = 1;
    for (const char *at = getenv("ZE_ENABLE_ALT_DRIVERS"); at && (at = strchr(at, ',')); at++) {
        count++;
    }
    return count;
}

/* 77: the limit cannot be had here. */
static int child_run(const struct limit *limit, bool late)
{
    ze_init_driver_type_desc_t types = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                        .flags = UINT32_MAX};
    ze_driver_handle_t drivers[2];
    uint32_t count = 2;
    int failed = 0;
    char log[64];
    setenv("GEOID_PERF", "1", 1); /* more files that are written */
    setenv("GEOID_LOG", "info", 1);
    snprintf(log, sizeof(log), LOG_PATH, (int)getpid());
    setenv("GEOID_LOG_FILE", log, 1);
    if (!late && !limit->apply()) {
        return 77;
    }
    if (zeInitDrivers(&count, drivers, &types) != ZE_RESULT_SUCCESS || count != drivers_named()) {
        fprintf(stderr, "%s: %u drivers\n", limit->name, count);
        return 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct program program = {.limit = limit->name, .api = {.driver = drivers[i], .name = "?"}};
        program_open(&program);
        if (late && i == 0) {
            void *warm = allocate(&program, "memory before", WORKS, SMALL);
            (void)zeMemFree(program.api.context, warm);
            if (!limit->apply()) {
                return 77;
            }
        }
        step_memory(&program, limit);
        step_share(&program, limit);
        step_native(&program, limit);
        step_spirv(&program, limit);
        (void)zeContextDestroy(program.api.context);
        failed += program.failed;
    }
    return failed < 77 ? failed : 76;
}

static void limit_try(const struct limit *limit, bool late)
{
    int status = -1;
    char path[64];
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(child_run(limit, late));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)child);
    (void)unlink(path);
    snprintf(path, sizeof(path), LOG_PATH, (int)child);
    (void)unlink(path);
    if (WIFSIGNALED(status)) {
        fail_msg("%s: signal %d", limit->name, WTERMSIG(status));
    }
    if (WEXITSTATUS(status) == 77) {
        print_message("%s: not possible here\n", limit->name);
    } else if (status != 0) {
        fail_msg("%s, %s initialisation: %d failures", limit->name, late ? "after" : "before",
                 WEXITSTATUS(status));
    }
}

/* GEN-8, MOD-5 */
static void limits_from_the_start_are_met(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        if (!limits[i].late_only) {
            limit_try(&limits[i], false);
        }
    }
}

static void limits_that_come_later_are_met(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        limit_try(&limits[i], true);
    }
}

/* In the child: what is allocated while there are no descriptors. */
static int child_recover(void)
{
    static const struct limit all_works = {.name = "descriptors again"};
    ze_init_driver_type_desc_t types = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                        .flags = UINT32_MAX};
    struct program program = {.limit = all_works.name, .api = {.name = "?"}};
    struct api *api = &program.api;
    char *pieces[SLABS];
    uint32_t count = 1;
    if (zeInitDrivers(&count, &api->driver, &types) != ZE_RESULT_SUCCESS) {
        return 1;
    }
    program_open(&program);
    if (!no_descriptors()) {
        return 2;
    }
    char *large = allocate(&program, "large memory", WORKS, LARGE);
    for (int i = 0; i < SLABS; i++) { /* more than fits in one slab */
        pieces[i] = allocate(&program, "much memory", WORKS, SLAB_PIECE);
    }
    share(&program, "sharing too early", REFUSED, large, LARGE);
    share(&program, "sharing too early", REFUSED, pieces[SLABS - 1], SLAB_PIECE);
    for (int fd = 128; fd < 256; fd++) {
        close(fd);
    }
    share(&program, "sharing", WORKS, large, LARGE);
    for (int i = 0; i < SLABS; i++) {
        share(&program, "sharing", WORKS, pieces[i], SLAB_PIECE);
        (void)zeMemFree(api->context, pieces[i]);
    }
    (void)zeMemFree(api->context, large);
    for (int i = 0; i < SLABS; i++) { /* places in the slabs are used again */
        pieces[i] = allocate(&program, "memory again", WORKS, SLAB_PIECE);
    }
    return program.failed;
}

/* IPC-2 */
static void memory_that_found_no_file_is_shared_once_there_are_some(void **state)
{
    int status = -1;
    (void)state;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(child_recover());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_from_the_start_are_met),
        cmocka_unit_test(limits_that_come_later_are_met),
        cmocka_unit_test(memory_that_found_no_file_is_shared_once_there_are_some),
    };
    native_file.bytes = api_read_file("tests/fixtures/native_module.o", &native_file.size);
    spirv_file.bytes = api_read_file("tests/api_basic.spv", &spirv_file.size);
    int failed = cmocka_run_group_tests_name("limits", tests, NULL, NULL);
    free(native_file.bytes);
    free(spirv_file.bytes);
    return failed;
}
