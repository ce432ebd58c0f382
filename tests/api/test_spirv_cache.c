/* API test of modules that were built before: by which process does not show, except that no
 * compiler is loaded. Each step runs in a process of its own, as programs find it: this one never
 * initialises a driver. */
#include <level_zero/ze_api.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NAMES = 2, BINARY_BYTES = 1 << 18, LOG_BYTES = 4096 };

/* What is built: one module, or two that are linked. */
struct order {
    const char *names[NAMES];
    const char *options;
    const ze_module_constants_t *constants;
    const char *variable, *value; /* of the environment; or NULL */
    const char *kernel;           /* to create; the native binary is not asked for then. Or NULL */
};

/* What came of it; shared with the process that did it. */
static struct outcome {
    ze_result_t result;
    bool compiler_loaded;
    size_t binary_bytes, log_length;
    uint8_t binary[BINARY_BYTES];
    char log[LOG_BYTES];
} *outcome;

static char folder[256], cache[300];

/* ---- in a process of its own ---- */

static ze_context_handle_t context;
static ze_device_handle_t device;

static bool driver_open(void)
{
    ze_init_driver_type_desc_t types = {ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC, NULL, UINT32_MAX};
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_driver_handle_t drivers[8];
    uint32_t count = 8, one = 1;
    return zeInitDrivers(&count, drivers, &types) == ZE_RESULT_SUCCESS &&
           zeDeviceGet(drivers[0], &one, &device) == ZE_RESULT_SUCCESS &&
           zeContextCreate(drivers[0], &desc, &context) == ZE_RESULT_SUCCESS;
}

/* Reads a log at the end, because builds of kernels write to their module's. */
static void log_take(ze_module_build_log_handle_t log)
{
    size_t length = LOG_BYTES - outcome->log_length;
    if (zeModuleBuildLogGetString(log, &length, outcome->log + outcome->log_length) !=
        ZE_RESULT_SUCCESS) {
        _exit(3);
    }
    outcome->log_length = strlen(outcome->log);
    zeModuleBuildLogDestroy(log);
}

static ze_module_handle_t module_build(const struct order *order, const char *name,
                                       ze_module_build_log_handle_t *log)
{
    char path[4096];
    ze_module_handle_t module = NULL;
    uint8_t *spirv = malloc(1 << 20);
    snprintf(path, sizeof(path), "%s/tests/%s.spv", getenv("GEOID_BUILD_DIR"), name);
    FILE *file = fopen(path, "rb");
    size_t bytes = file ? fread(spirv, 1, 1 << 20, file) : 8; /* no such module: zeros */
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV,
                             .inputSize = bytes,
                             .pInputModule = spirv,
                             .pBuildFlags = order->options,
                             .pConstants = order->constants};
    outcome->result = zeModuleCreate(context, device, &desc, &module, log);
    if (file) {
        fclose(file);
    }
    free(spirv);
    return module;
}

static int library_look(struct dl_phdr_info *info, size_t size, void *found)
{
    (void)size;
    *(bool *)found |= strstr(info->dlpi_name, "libgeoid_compiler") != NULL;
    return 0;
}

static void order_run(const struct order *order)
{
    ze_module_handle_t modules[NAMES] = {NULL};
    ze_module_build_log_handle_t logs[NAMES + 1] = {NULL};
    ze_kernel_handle_t kernel = NULL;
    uint32_t count = 0;
    if (!driver_open()) {
        _exit(2);
    }
    while (count < NAMES && order->names[count] && outcome->result == ZE_RESULT_SUCCESS) {
        modules[count] = module_build(order, order->names[count], &logs[count]);
        count++;
    }
    if (count == NAMES && outcome->result == ZE_RESULT_SUCCESS) {
        outcome->result = zeModuleDynamicLink(count, modules, &logs[NAMES]);
    }
    if (order->kernel && outcome->result == ZE_RESULT_SUCCESS) {
        ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
                                 .pKernelName = order->kernel};
        outcome->result = zeKernelCreate(modules[0], &desc, &kernel);
    }
    outcome->binary_bytes = order->kernel ? 0 : BINARY_BYTES;
    if (outcome->result == ZE_RESULT_SUCCESS && !order->kernel) {
        outcome->result =
            zeModuleGetNativeBinary(modules[0], &outcome->binary_bytes, outcome->binary);
    }
    for (int i = 0; i <= NAMES; i++) {
        if (logs[i]) {
            log_take(logs[i]);
        }
    }
    dl_iterate_phdr(library_look, &outcome->compiler_loaded);
    if (kernel) {
        zeKernelDestroy(kernel);
    }
    while (count > 0) {
        if (modules[--count]) {
            zeModuleDestroy(modules[count]);
        }
    }
    zeContextDestroy(context);
}

static pid_t process_start(const struct order *order)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (order->variable) {
            setenv(order->variable, order->value, 1);
        }
        order_run(order);
        exit(0); /* what is told at exit is told */
    }
    return child;
}

static struct outcome *build(const struct order *order)
{
    int status;
    memset(outcome, 0, sizeof(*outcome));
    pid_t child = process_start(order);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return outcome;
}

static void is_built(const struct order *order)
{
    build(order);
    assert_int_equal(outcome->result, ZE_RESULT_SUCCESS);
    assert_true(outcome->compiler_loaded);
}

/* With what the build before this one gave. */
static void is_kept(const struct order *order)
{
    struct outcome *before = malloc(sizeof(*before));
    *before = *outcome;
    build(order);
    assert_int_equal(outcome->result, ZE_RESULT_SUCCESS);
    assert_false(outcome->compiler_loaded);
    assert_string_equal(outcome->log, before->log);
    assert_int_equal(outcome->binary_bytes, before->binary_bytes);
    assert_memory_equal(outcome->binary, before->binary, before->binary_bytes);
    free(before);
}

/* ---- the folder ---- */

static int set_up(void **state)
{
    (void)state;
    outcome =
        mmap(NULL, sizeof(*outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    snprintf(folder, sizeof(folder), "%s/cache-XXXXXX", getenv("GEOID_BUILD_DIR"));
    assert_non_null(mkdtemp(folder));
    snprintf(cache, sizeof(cache), "%s/cache", folder);
    setenv("GEOID_CACHE_DIR", cache, 1);
    setenv("GEOID_CACHE_SIZE", "100", 1);
    return 0;
}

/* Calls back for each file of the folder, with its path; how many there are. */
static unsigned files_visit(const char *path, void (*visit)(const char *file))
{
    unsigned count = 0;
    DIR *stream = opendir(path);
    for (const struct dirent *entry; stream && (entry = readdir(stream)) != NULL;) {
        char file[600];
        snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        count++;
        if (visit) {
            visit(file);
        }
    }
    if (stream) {
        closedir(stream);
    }
    return count;
}

static void file_remove(const char *file)
{
    remove(file);
}

static int tear_down(void **state)
{
    (void)state;
    munmap(outcome, sizeof(*outcome));
    files_visit(cache, file_remove);
    rmdir(cache);
    files_visit(folder, file_remove);
    return rmdir(folder);
}

static const struct order basic = {.names = {"api_basic"}, .options = "-geoid-unknown"};

/* The entries for a module whose native binary was asked for: the binary, and the module as
 * it was built first, with restricted kernels or none. */
enum { MODULE_ENTRIES = 2 };

/* ---- cases ---- */

/* The log, too: it warns of an option. */
static void a_module_that_was_built_needs_no_compiler(void **state)
{
    (void)state;
    is_built(&basic);
    assert_non_null(strstr(outcome->log, "-geoid-unknown"));
    assert_int_equal(files_visit(cache, NULL), MODULE_ENTRIES);
    is_kept(&basic);
    is_kept(&basic);
    assert_int_equal(files_visit(cache, NULL), MODULE_ENTRIES);
}

static void linked_modules_are_kept(void **state)
{
    const struct order order = {.names = {"api_import", "api_export"}};
    (void)state;
    is_built(&order);
    assert_int_equal(files_visit(cache, NULL), 3); /* two modules, and what was made of them */
    is_kept(&order);
}

static void what_changes_code_is_another_module(void **state)
{
    uint32_t id = 1, value = 8;
    const void *values = &value;
    const ze_module_constants_t constants = {1, &id, &values};
    const struct order orders[] = {
        {.names = {"api_constants"}},
        {.names = {"api_constants"}, .constants = &constants},
        {.names = {"api_constants"}, .options = "-ze-opt-disable"},
        {.names = {"api_constants"}, .variable = "GEOID_LANES", .value = "1"},
        {.names = {"api_constants"}, .variable = "GEOID_LANES", .value = "8"},
        {.names = {"api_constants"}, .variable = "GEOID_CPU", .value = "x86-64"},
        {.names = {"api_constants"}, .variable = "GEOID_CPU", .value = ""}, /* as if unset */
        {.names = {"api_constants"}, .variable = "GEOID_BUILD", .value = "process"},
        {.names = {"api_basic"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        is_built(&orders[i]);
        is_kept(&orders[i]);
    }
}

/* Kernels that are built when they are created have entries of their own. */
static void each_kernel_is_kept(void **state)
{
    const struct order write = {.names = {"deferred"},
                                .kernel = "write",
                                .variable = "GEOID_BUILD_KERNELS",
                                .value = "needed"};
    const struct order broken = {.names = {"deferred_bad"},
                                 .kernel = "too_much_local_memory",
                                 .variable = "GEOID_BUILD_KERNELS",
                                 .value = "needed"};
    struct order read = write;
    (void)state;
    files_visit(cache, file_remove);
    is_built(&write);
    assert_int_equal(files_visit(cache, NULL), 2); /* the module and the kernel */
    is_kept(&write);
    read.kernel = "read";
    is_built(&read);
    assert_int_equal(files_visit(cache, NULL), 3);
    is_kept(&read);
    is_kept(&write);
    read.kernel = NULL; /* for the native binary */
    is_built(&read);
    is_kept(&read);
    assert_int_equal(files_visit(cache, NULL), 4);
    for (int again = 0; again < 2; again++) {
        build(&broken);
        assert_int_equal(outcome->result, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
        assert_true(outcome->compiler_loaded);
        assert_int_equal(files_visit(cache, NULL), 5); /* its module only */
    }
    files_visit(cache, file_remove);
}

/* MOD-5: the module's log says why, also when its code is built later than the module. */
static void failures_are_not_kept(void **state)
{
    const struct order orders[] = {
        {.names = {"no such module"}},
        {.names = {"api_basic"}, .variable = "GEOID_CPU", .value = "unknown"},
        {.names = {"api_basic"}, .variable = "GEOID_BUILD_MEMORY", .value = "1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        for (int again = 0; again < 2; again++) {
            build(&orders[i]);
            assert_int_equal(outcome->result, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
            assert_true(outcome->compiler_loaded);
            assert_true(outcome->log[0] != '\0');
        }
    }
    /* What fails to build is not kept. The module without its kernels did not fail. */
    const char *kernels = getenv("GEOID_BUILD_KERNELS");
    assert_int_equal(files_visit(cache, NULL), kernels && strcmp(kernels, "needed") == 0);
}

/* Where a byte is changed; beyond the end: a byte is cut off. */
static size_t damage;

static void file_damage(const char *path)
{
    struct stat status;
    uint8_t byte;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0 && fstat(fd, &status) == 0);
    if (damage >= (size_t)status.st_size) {
        assert_int_equal(ftruncate(fd, status.st_size - 1), 0);
    } else {
        assert_int_equal(pread(fd, &byte, 1, (off_t)damage), 1);
        byte ^= 0x10;
        assert_int_equal(pwrite(fd, &byte, 1, (off_t)damage), 1);
    }
    close(fd);
}

static void damaged_entries_are_built_again(void **state)
{
    static const size_t places[] = {0, 9, 20, 50, 1000, 3000, 5000, 8000, SIZE_MAX};
    (void)state;
    is_built(&basic);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        damage = places[i];
        assert_int_equal(files_visit(cache, file_damage), MODULE_ENTRIES);
        is_built(&basic);
        is_kept(&basic);
    }
}

static void who_wants_to_see_a_build_gets_one(void **state)
{
    struct order order = basic;
    (void)state;
    is_built(&basic);
    order.variable = "GEOID_DUMP";
    order.value = folder;
    is_built(&order);
    assert_true(files_visit(folder, NULL) > 3);
    is_built(&order);
}

/* The id lies somewhere in the first pages. */
static void id_change(int fd)
{
    static uint8_t start[1 << 16];
    ssize_t count = pread(fd, start, sizeof(start), 0);
    uint8_t *note = count > 0 ? memmem(start, (size_t)count, "\x03\0\0\0GNU", 8) : NULL;
    assert_non_null(note);
    note[8] ^= 1;
    assert_int_equal(pwrite(fd, &note[8], 1, note + 8 - start), 1);
}

static void another_compiler_builds_itself(void **state)
{
    char from[4096], to[400];
    struct stat status;
    struct order order = basic;
    (void)state;
    is_built(&basic);
    snprintf(from, sizeof(from), "%s/lib/libgeoid_compiler.so.1", getenv("GEOID_BUILD_DIR"));
    snprintf(to, sizeof(to), "%s/libgeoid_compiler_other.so", folder);
    int source = open(from, O_RDONLY | O_CLOEXEC);
    int copy = open(to, O_RDWR | O_CREAT | O_CLOEXEC, 0700);
    assert_true(source >= 0 && copy >= 0 && fstat(source, &status) == 0);
    for (off_t left = status.st_size; left > 0;) {
        ssize_t part = sendfile(copy, source, NULL, (size_t)left);
        assert_true(part > 0);
        left -= part;
    }
    order.variable = "GEOID_COMPILER";
    order.value = to;
    is_kept(&order); /* a copy is the same compiler */
    id_change(copy);
    close(source);
    close(copy);
    is_built(&order);
    is_kept(&order);
    is_kept(&basic);
}

static void without_a_folder_modules_are_built(void **state)
{
    struct order order = basic;
    (void)state;
    order.variable = "GEOID_CACHE_DIR";
    order.value = "/proc/geoid";
    is_built(&order);
    is_built(&order);
    order.variable = "GEOID_CACHE_SIZE";
    order.value = "off";
    is_built(&order);
    assert_int_equal(files_visit(cache, NULL), 0);
}

static void counts_are_told_at_exit(void **state)
{
    char text[512] = "", path[400], wanted[80];
    struct order order = basic;
    (void)state;
    is_built(&basic);
    snprintf(path, sizeof(path), "%s/told", folder);
    int told = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    int error = dup(STDERR_FILENO);
    assert_true(told >= 0 && error >= 0);
    order.variable = "GEOID_DEBUG";
    order.value = "cache";
    dup2(told, STDERR_FILENO);
    is_kept(&order);
    dup2(error, STDERR_FILENO);
    assert_true(pread(told, text, sizeof(text) - 1, 0) > 0);
    snprintf(wanted, sizeof(wanted), "%d hits, 0 misses (0 refused), 0 stored, 0 evicted",
             MODULE_ENTRIES);
    assert_non_null(strstr(text, wanted));
    close(error);
    close(told);
}

/* Killed while they build, look up and keep. */
static void kills_leave_nothing_wrong(void **state)
{
    (void)state;
    is_built(&basic);
    struct outcome *first = malloc(sizeof(*first));
    *first = *outcome;
    files_visit(cache, file_remove);
    for (int i = 0; i < 20; i++) {
        pid_t children[3];
        const struct timespec pause = {.tv_nsec = i * 7000000L};
        for (int k = 0; k < 3; k++) {
            children[k] = process_start(&basic);
        }
        nanosleep(&pause, NULL);
        for (int k = 0; k < 3; k++) {
            kill(children[k], SIGKILL);
            waitpid(children[k], NULL, 0);
        }
        if (i % 5 == 0) {
            files_visit(cache, file_remove);
        }
    }
    build(&basic);
    assert_int_equal(outcome->result, ZE_RESULT_SUCCESS);
    assert_string_equal(outcome->log, first->log);
    assert_int_equal(outcome->binary_bytes, first->binary_bytes);
    assert_memory_equal(outcome->binary, first->binary, first->binary_bytes);
    is_kept(&basic);
    free(first);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_module_that_was_built_needs_no_compiler),
        CASE(linked_modules_are_kept),
        CASE(what_changes_code_is_another_module),
        CASE(each_kernel_is_kept),
        CASE(failures_are_not_kept),
        CASE(damaged_entries_are_built_again),
        CASE(who_wants_to_see_a_build_gets_one),
        CASE(another_compiler_builds_itself),
        CASE(without_a_folder_modules_are_built),
        CASE(counts_are_told_at_exit),
        CASE(kills_leave_nothing_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
