/* Builds as a service: whatever thread asks, whatever the build does, in this process or a child.
 * Each scenario runs in a process of its own, started as this program with its name as argument. */
#include "limit.h"

#include <level_zero/ze_api.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fenv.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Lengths of chains. SLOW_CHAIN takes several seconds on the fastest machines, LONG_CHAIN more than
 * 48 MiB. */
enum { SLOW_CHAIN = 250000, LONG_CHAIN = 60000, DEEP_CHAIN = 8000 };

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZER
#endif
#endif

/* ---- modules ---- */

struct spirv {
    uint32_t *words;
    size_t bytes;
};

static struct spirv small; /* a kernel of the cases of the API */
static struct spirv chain;

static struct spirv file_read(const char *name)
{
    char path[4096];
    struct spirv module = {.words = malloc(1 << 20)};
    snprintf(path, sizeof(path), "%s/tests/%s", getenv("GEOID_BUILD_DIR"), name);
    FILE *file = fopen(path, "rb");
    if (file) {
        module.bytes = fread(module.words, 1, 1 << 20, file);
        fclose(file);
    }
    return module;
}

static void put(struct spirv *module, uint32_t op, uint32_t count, const uint32_t *operands)
{
    module->words[module->bytes / 4] = (count + 1) << 16 | op;
    memcpy(module->words + module->bytes / 4 + 1, operands, count * sizeof(uint32_t));
    module->bytes += (count + 1) * sizeof(uint32_t);
}

#define PUT(module, op, ...)                                                                       \
    put((module), (op), sizeof((uint32_t[]){__VA_ARGS__}) / 4, (uint32_t[]){__VA_ARGS__})

/* A kernel that makes a value of the one before it, so many times: as deep as it is long. */
static struct spirv chain_make(uint32_t length)
{
    enum { VOID = 1, WORD, POINTER, FUNCTION_TYPE, FACTOR, MASK, KERNEL, PARAMETER, LABEL, FIRST };
    struct spirv module = {.words = malloc((size_t)length * 20 + 4096)};
    const uint32_t header[] = {0x07230203, 0x00010200, 0, FIRST + length + 2, 0};
    memcpy(module.words, header, sizeof(header));
    module.bytes = sizeof(header);
    PUT(&module, 17, 4);                              /* OpCapability Addresses */
    PUT(&module, 17, 6);                              /* OpCapability Kernel */
    PUT(&module, 17, 11);                             /* OpCapability Int64 */
    PUT(&module, 14, 2, 2);                           /* OpMemoryModel Physical64 OpenCL */
    PUT(&module, 15, 6, KERNEL, 0x6e726b);            /* OpEntryPoint Kernel "krn" */
    PUT(&module, 19, VOID);                           /* OpTypeVoid */
    PUT(&module, 21, WORD, 32, 0);                    /* OpTypeInt 32 0 */
    PUT(&module, 32, POINTER, 5, WORD);               /* OpTypePointer CrossWorkgroup */
    PUT(&module, 33, FUNCTION_TYPE, VOID, POINTER);   /* OpTypeFunction */
    PUT(&module, 43, WORD, FACTOR, 0x9e3779b1);       /* OpConstant */
    PUT(&module, 43, WORD, MASK, 0x7f4a7c15);         /* OpConstant */
    PUT(&module, 54, VOID, KERNEL, 0, FUNCTION_TYPE); /* OpFunction */
    PUT(&module, 55, POINTER, PARAMETER);             /* OpFunctionParameter */
    PUT(&module, 248, LABEL);                         /* OpLabel */
    PUT(&module, 61, WORD, FIRST, PARAMETER, 2, 4);   /* OpLoad Aligned 4 */
    for (uint32_t i = 0; i < length; i++) {           /* OpIMul, OpBitwiseXor in turn */
        PUT(&module, i % 2 ? 198 : 132, WORD, FIRST + i + 1, FIRST + i, i % 2 ? MASK : FACTOR);
    }
    PUT(&module, 62, PARAMETER, FIRST + length, 2, 4);  /* OpStore Aligned 4 */
    module.words[module.bytes / 4] = 1u << 16 | 253;    /* OpReturn */
    module.words[module.bytes / 4 + 1] = 1u << 16 | 56; /* OpFunctionEnd */
    module.bytes += 8;
    return module;
}

/* ---- builds ---- */

static ze_driver_handle_t drivers[8];
static ze_device_handle_t device;
static ze_context_handle_t context;
static char build_log[65536];

/* The first driver is the CPU's: ZE_ENABLE_ALT_DRIVERS names it first. */
static bool open_all(void)
{
    ze_init_driver_type_desc_t types = {ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC, NULL, UINT32_MAX};
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    uint32_t count = 8, one = 1;
    small = file_read("api_subgroups.spv");
    return small.bytes && zeInitDrivers(&count, drivers, &types) == ZE_RESULT_SUCCESS &&
           zeDeviceGet(drivers[0], &one, &device) == ZE_RESULT_SUCCESS &&
           zeContextCreate(drivers[0], &desc, &context) == ZE_RESULT_SUCCESS;
}

static ze_module_desc_t desc_of(const struct spirv *spirv)
{
    return (ze_module_desc_t){.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                              .format = ZE_MODULE_FORMAT_IL_SPIRV,
                              .inputSize = spirv->bytes,
                              .pInputModule = (const uint8_t *)spirv->words};
}

/* A module whose kernels have been created, since each may have a build of its own; or NULL. */
static ze_result_t create_all(const struct spirv *spirv, ze_module_handle_t *module,
                              ze_module_build_log_handle_t *log)
{
    const ze_module_desc_t desc = desc_of(spirv);
    const char *names[64];
    uint32_t count = 64;
    *module = NULL;
    ze_result_t result = zeModuleCreate(context, device, &desc, module, log);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    result = zeModuleGetKernelNames(*module, &count, names);
    for (uint32_t i = 0; i < count && result == ZE_RESULT_SUCCESS; i++) {
        ze_kernel_desc_t kernel_desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
                                        .pKernelName = names[i]};
        ze_kernel_handle_t kernel;
        result = zeKernelCreate(*module, &kernel_desc, &kernel);
        if (result == ZE_RESULT_SUCCESS) {
            result = zeKernelDestroy(kernel);
        }
    }
    if (result != ZE_RESULT_SUCCESS) {
        zeModuleDestroy(*module);
        *module = NULL;
    }
    return result;
}

/* The same; the build log is in build_log. */
static ze_result_t create(const struct spirv *spirv, ze_module_handle_t *module)
{
    ze_module_build_log_handle_t log = NULL;
    size_t size = sizeof(build_log);
    ze_result_t result = create_all(spirv, module, &log);
    build_log[0] = '\0';
    if (log) {
        zeModuleBuildLogGetString(log, &size, build_log);
        zeModuleBuildLogDestroy(log);
    }
    return result;
}

static ze_result_t build(const struct spirv *spirv)
{
    ze_module_handle_t module;
    ze_result_t result = create(spirv, &module);
    return result == ZE_RESULT_SUCCESS ? zeModuleDestroy(module) : result;
}

/* The same without the log, for threads. */
static ze_result_t build_silently(const struct spirv *spirv)
{
    ze_module_handle_t module;
    ze_result_t result = create_all(spirv, &module, NULL);
    return result == ZE_RESULT_SUCCESS ? zeModuleDestroy(module) : result;
}

/* The native binary of a build (malloc). */
static void *binary(const struct spirv *spirv, size_t *size)
{
    ze_module_handle_t module;
    void *bytes = NULL;
    *size = 0;
    if (create(spirv, &module) == ZE_RESULT_SUCCESS &&
        zeModuleGetNativeBinary(module, size, NULL) == ZE_RESULT_SUCCESS) {
        bytes = malloc(*size);
        if (zeModuleGetNativeBinary(module, size, bytes) != ZE_RESULT_SUCCESS ||
            zeModuleDestroy(module) != ZE_RESULT_SUCCESS) {
            *size = 0;
        }
    }
    return bytes;
}

/* ---- scenarios: who asks ---- */

static void *build_deep(void *argument)
{
    struct spirv deep = chain_make(DEEP_CHAIN);
    *(ze_result_t *)argument = build(&small);
    if (*(ze_result_t *)argument == ZE_RESULT_SUCCESS) {
        *(ze_result_t *)argument = build(&deep);
    }
    free(deep.words);
    return NULL;
}

static int scenario_small_stack(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    ze_result_t result = ZE_RESULT_ERROR_UNKNOWN;
    CHECK(open_all());
    CHECK(pthread_attr_init(&attributes) == 0);
    CHECK(pthread_attr_setstacksize(&attributes, 64 << 10) == 0);
    CHECK(pthread_create(&thread, &attributes, build_deep, &result) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(result == ZE_RESULT_SUCCESS);
    return 0;
}

static int clone_is_denied(void)
{
    static struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
    };
    const struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* No thread and no process: on the caller's thread, and still on a large stack. */
static int scenario_no_threads(void)
{
    chain = chain_make(DEEP_CHAIN);
    CHECK(open_all());
    CHECK(clone_is_denied());
    CHECK(build(&small) == ZE_RESULT_SUCCESS);
    CHECK(strstr(build_log, "note: no thread for the build"));
    CHECK(setrlimit(RLIMIT_STACK, &(struct rlimit){256 << 10, 256 << 10}) == 0);
    CHECK(build(&chain) == ZE_RESULT_SUCCESS);
    setenv("GEOID_BUILD_MEMORY", "8", 1);
    CHECK(build(&chain) == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    CHECK(strstr(build_log, "GEOID_BUILD_MEMORY"));
    setenv("GEOID_BUILD_MEMORY", "0", 1);
    CHECK(build(&small) == ZE_RESULT_SUCCESS); /* in this process again: there is no other */
    setenv("GEOID_BUILD", "process", 1);
    CHECK(build(&small) == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    CHECK(strstr(build_log, "no child process can be started"));
    return 0;
}

/* What the caller has set for floats, and the signals that it has blocked, are not the build's. */
static int scenario_float_modes(void)
{
    size_t size, other_size;
    CHECK(open_all());
    static struct spirv floats;
    floats = file_read("float_modes.spv");
    CHECK(floats.bytes);
    static void *plain, *other;
    plain = binary(&floats, &size);
    CHECK(plain && size);
    fesetround(FE_UPWARD);
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040); /* flush to zero, denormals are 0 */
    other = binary(&floats, &other_size);
    CHECK(fegetround() == FE_UPWARD);
    fesetround(FE_TONEAREST);
    CHECK(other && other_size == size && memcmp(plain, other, size) == 0);
    return 0;
}

static _Atomic int builds;
static _Atomic bool stop;

static void *build_until_stopped(void *argument)
{
    while (!atomic_load(&stop)) {
        if (build_silently(&small) != ZE_RESULT_SUCCESS) {
            atomic_store((_Atomic bool *)argument, true);
        }
        atomic_fetch_add(&builds, 1);
    }
    return NULL;
}

static bool builds_or_tells(void)
{
    ze_result_t result = build(&small);
    if (result != ZE_RESULT_SUCCESS) {
        fprintf(stderr, "build: %#x\n%s", (unsigned)result, build_log);
    }
    return result == ZE_RESULT_SUCCESS;
}

/* A child of a fork in the middle of builds builds, too, and so does a child of that one. */
static int child_builds(int depth)
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        limit_stall(); /* a lock that was held for ever would show as its signal */
        _exit(!builds_or_tells() || (depth > 1 && child_builds(depth - 1) != 0) ||
              !builds_or_tells());
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    if (status != 0) {
        fprintf(stderr, "%s:%d: status %#x at depth %d\n", __FILE__, __LINE__, (unsigned)status,
                depth);
    }
    return status;
}

static int scenario_fork_while_others_build(void)
{
    pthread_t threads[2];
    _Atomic bool failed = false;
    bool child_failed = false;
    CHECK(open_all());
    for (int i = 0; i < 2; i++) {
        CHECK(pthread_create(&threads[i], NULL, build_until_stopped, &failed) == 0);
    }
    for (int round = 0; round < 10; round++) {
        int seen = atomic_load(&builds);
        while (atomic_load(&builds) == seen) {
            sched_yield();
        }
        child_failed |= child_builds(round == 0 ? 2 : 1) != 0;
    }
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    CHECK(!failed && !child_failed);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD); /* nobody is left to wait for */
    return 0;
}

/* ---- scenarios: how a build ends ---- */

/* The limit of GEOID_BUILD_TIME is reached inside LLVM in most runs. */
static int scenario_time(void)
{
    chain = chain_make(SLOW_CHAIN);
    CHECK(open_all());
    CHECK(build(&chain) == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    CHECK(strstr(build_log, "GEOID_BUILD_TIME"));
    CHECK(build(&small) == ZE_RESULT_SUCCESS);
    return 0;
}

static int scenario_memory(void)
{
    chain = chain_make(LONG_CHAIN);
    CHECK(open_all());
    CHECK(build(&chain) == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    CHECK(strstr(build_log, "GEOID_BUILD_MEMORY"));
    CHECK(build(&small) == ZE_RESULT_SUCCESS);
    CHECK(build(&small) == ZE_RESULT_SUCCESS);
    return 0;
}

/* Addresses end somewhere in the build, each time elsewhere; whatever comes of it is a result. */
static int scenario_no_memory(void)
{
    unsigned long long pages = 0;
    CHECK(open_all());
    chain = chain_make(DEEP_CHAIN);
    CHECK(build(&small) == ZE_RESULT_SUCCESS);
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%llu", &pages) == 1);
    fclose(file);
    for (unsigned mib = 1; mib <= 256; mib *= 2) {
        struct rlimit limit = {pages * 4096 + ((rlim_t)mib << 20), RLIM_INFINITY};
        CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
        ze_result_t result = build(&chain);
        CHECK(result == ZE_RESULT_SUCCESS || result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY ||
              result == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    }
    CHECK(setrlimit(RLIMIT_AS, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}) == 0);
    CHECK(build(&small) == ZE_RESULT_SUCCESS);
    return 0;
}

/* ---- scenarios: in a child ---- */

static int scenario_same_code(void)
{
    size_t size, other_size;
    CHECK(open_all());
    static void *here, *there;
    here = binary(&small, &size);
    CHECK(here && size);
    setenv("GEOID_BUILD", "process", 1);
    there = binary(&small, &other_size);
    CHECK(there && other_size == size && memcmp(here, there, size) == 0);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
    return 0;
}

/* A refusal has the same log. */
static int scenario_same_log(void)
{
    char here[sizeof(build_log)];
    CHECK(open_all());
    struct spirv cut = {.words = small.words, .bytes = small.bytes - 8};
    CHECK(build(&cut) == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE && build_log[0]);
    strcpy(here, build_log);
    setenv("GEOID_BUILD", "process", 1);
    CHECK(build(&cut) == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    CHECK(strcmp(build_log, here) == 0);
    return 0;
}

static void *build_some(void *argument)
{
    for (int i = 0; i < 5; i++) {
        if (build_silently(&small) != ZE_RESULT_SUCCESS) {
            atomic_store((_Atomic bool *)argument, true);
        }
    }
    return NULL;
}

static int scenario_many_callers(void)
{
    pthread_t threads[6];
    _Atomic bool failed = false;
    CHECK(open_all());
    for (int i = 0; i < 6; i++) {
        CHECK(pthread_create(&threads[i], NULL, build_some, &failed) == 0);
    }
    for (int i = 0; i < 6; i++) {
        pthread_join(threads[i], NULL);
    }
    CHECK(!failed);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(void);
} scenarios[] = {
    {"small_stack", scenario_small_stack},
    {"no_threads", scenario_no_threads},
    {"float_modes", scenario_float_modes},
    {"fork_while_others_build", scenario_fork_while_others_build},
    {"time", scenario_time},
    {"memory", scenario_memory},
    {"no_memory", scenario_no_memory},
    {"same_code", scenario_same_code},
    {"same_log", scenario_same_log},
    {"many_callers", scenario_many_callers},
};

/* ---- cases ---- */

static void run(const char *name, const char *variable, const char *value)
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        if (variable) {
            setenv(variable, value, 1);
        }
        execl("/proc/self/exe", "scenario", name, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status != 0) {
        print_error("%s (%s=%s): status %#x\n", name, variable ? variable : "", value ? value : "",
                    (unsigned)status);
    }
    assert_int_equal(status, 0);
}

/* Sanitizers end a process that lacks memory or threads. */
static void skip_if_sanitized(void)
{
#ifdef GEOID_SANITIZED
    skip();
#endif
}

static void the_stack_of_the_caller_does_not_matter(void **state)
{
    (void)state;
    run("small_stack", NULL, NULL);
    run("small_stack", "GEOID_BUILD", "process");
}

static void without_threads_the_caller_builds(void **state)
{
    (void)state;
    skip_if_sanitized();
    run("no_threads", NULL, NULL);
}

static void float_modes_of_the_caller_do_not_matter(void **state)
{
    (void)state;
    run("float_modes", NULL, NULL);
}

static void forks_in_the_middle_of_builds_build(void **state)
{
    (void)state;
#ifndef THREAD_SANITIZER /* which makes no thread in the child of a fork */
    run("fork_while_others_build", NULL, NULL);
#endif
    run("fork_while_others_build", "GEOID_BUILD", "process");
}

static void builds_take_bounded_time(void **state)
{
    (void)state;
    setenv("GEOID_BUILD_TIME", "1", 1);
    run("time", NULL, NULL);
    run("time", "GEOID_BUILD", "process");
    unsetenv("GEOID_BUILD_TIME");
}

static void builds_take_bounded_memory(void **state)
{
    (void)state;
    setenv("GEOID_BUILD_MEMORY", "48", 1);
    run("memory", NULL, NULL);
    run("memory", "GEOID_BUILD", "process");
    unsetenv("GEOID_BUILD_MEMORY");
}

static void running_out_of_memory_ends_the_build_alone(void **state)
{
    (void)state;
    skip_if_sanitized();
    run("no_memory", NULL, NULL);
}

static void a_child_makes_the_same_code(void **state)
{
    (void)state;
    run("same_code", NULL, NULL);
}

static void a_child_refuses_in_the_same_words(void **state)
{
    (void)state;
    run("same_log", NULL, NULL);
}

static void children_serve_many_callers(void **state)
{
    (void)state;
    run("many_callers", "GEOID_BUILD", "process");
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
        if (strcmp(argv[1], scenarios[i].name) == 0) {
            return scenarios[i].run();
        }
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stack_of_the_caller_does_not_matter),
        cmocka_unit_test(without_threads_the_caller_builds),
        cmocka_unit_test(float_modes_of_the_caller_do_not_matter),
        cmocka_unit_test(forks_in_the_middle_of_builds_build),
        cmocka_unit_test(builds_take_bounded_time),
        cmocka_unit_test(builds_take_bounded_memory),
        cmocka_unit_test(running_out_of_memory_ends_the_build_alone),
        cmocka_unit_test(a_child_makes_the_same_code),
        cmocka_unit_test(a_child_refuses_in_the_same_words),
        cmocka_unit_test(children_serve_many_callers),
    };
    return cmocka_run_group_tests_name("spirv_service", tests, NULL, NULL);
}
