/* Allocation sweeps: every function that makes something is called with its first, second, third
 * ... allocation failing. It must answer with an out-of-memory code, leave nothing behind, and work
 * when called again. malloc and its kin are replaced at link time. */
#include "unit.h"

#include "ddi/geo_api.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the failing allocator ---- */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void __real_free(void *memory);
char *__wrap_strdup(const char *text);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void __wrap_free(void *memory);

static long countdown = -1; /* allocations until one fails; negative: none does */
static long living;

static bool fails_now(void)
{
    return countdown >= 0 && countdown-- == 0;
}

void *__wrap_malloc(size_t bytes)
{
    void *memory = fails_now() ? NULL : __real_malloc(bytes);
    living += memory != NULL;
    return memory;
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    void *memory = fails_now() ? NULL : __real_calloc(count, bytes);
    living += memory != NULL;
    return memory;
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    void *grown = fails_now() ? NULL : __real_realloc(memory, bytes);
    living += grown && !memory;
    return grown;
}

char *__wrap_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = __wrap_malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

void __wrap_free(void *memory)
{
    living -= memory != NULL;
    __real_free(memory);
}

/* ---- what is there for all operations ---- */

static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context;
static ze_module_handle_t module;
static void *memory, *reserved;
static ze_physical_mem_handle_t physical;
static ze_ipc_mem_handle_t ipc;
static void *object_bytes;
static size_t object_size;
static size_t page;

static const ze_device_mem_alloc_desc_t device_desc = {.stype =
                                                           ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
static const ze_host_mem_alloc_desc_t host_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};

static void object_read(void)
{
    char path[4096];
    const char *build = getenv("GEOID_BUILD_DIR");
    snprintf(path, sizeof(path), "%s/tests/fixtures/native_module.o", build ? build : ".");
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    object_bytes = malloc(1 << 20);
    assert_non_null(object_bytes);
    object_size = fread(object_bytes, 1, 1 << 20, file);
    fclose(file);
}

static int setup(void **state)
{
    (void)state;
    uint32_t one = 1;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_physical_mem_desc_t pages = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC};
    object_read();
    ze_module_desc_t native = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                               .format = ZE_MODULE_FORMAT_NATIVE,
                               .inputSize = object_size,
                               .pInputModule = object_bytes};
    int failed = geo_zeInit(0) || geo_zeDriverGet(&one, &driver) ||
                 geo_zeDeviceGet(driver, &one, &device) ||
                 geo_zeContextCreate(driver, &desc, &context) ||
                 geo_zeModuleCreate(context, device, &native, &module, NULL) ||
                 geo_zeMemAllocDevice(context, &device_desc, 1 << 21, 0, device, &memory) ||
                 geo_zeMemGetIpcHandle(context, memory, &ipc) ||
                 geo_zeVirtualMemQueryPageSize(context, device, 4096, &page);
    pages.size = 4 * page;
    return failed || geo_zeVirtualMemReserve(context, NULL, 4 * page, &reserved) ||
           geo_zePhysicalMemCreate(context, device, &pages, &physical);
}

/* ---- operations: each makes something; undo takes it back after success ---- */

static void *made;

static ze_result_t do_context(void)
{
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    return geo_zeContextCreateEx(driver, &desc, 1, &device, (ze_context_handle_t *)&made);
}

static void undo_context(void)
{
    geo_zeContextDestroy(made);
}

static ze_result_t do_host(void)
{
    return geo_zeMemAllocHost(context, &host_desc, 5000, 0, &made);
}

static ze_result_t do_device(void)
{
    return geo_zeMemAllocDevice(context, &device_desc, 3 << 20, 1 << 16, device, &made);
}

static ze_result_t do_shared(void)
{
    return geo_zeMemAllocShared(context, &device_desc, &host_desc, 5000, 0, NULL, &made);
}

static void undo_memory(void)
{
    geo_zeMemFree(context, made);
}

static ze_result_t do_open(void)
{
    return geo_zeMemOpenIpcHandle(context, device, ipc, 0, &made);
}

static void undo_open(void)
{
    geo_zeMemCloseIpcHandle(context, made);
}

static ze_result_t do_reserve(void)
{
    return geo_zeVirtualMemReserve(context, NULL, 2 * page, &made);
}

static void undo_reserve(void)
{
    geo_zeVirtualMemFree(context, made, 2 * page);
}

static ze_result_t do_physical(void)
{
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, .size = page};
    return geo_zePhysicalMemCreate(context, device, &desc, (ze_physical_mem_handle_t *)&made);
}

static void undo_physical(void)
{
    geo_zePhysicalMemDestroy(context, made);
}

static ze_result_t do_map(void)
{
    return geo_zeVirtualMemMap(context, reserved, 4 * page, physical, 0,
                               ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE);
}

static void undo_map(void)
{
    geo_zeVirtualMemUnmap(context, reserved, 4 * page);
}

static ze_result_t do_module(void)
{
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_NATIVE,
                             .inputSize = object_size,
                             .pInputModule = object_bytes};
    return geo_zeModuleCreate(context, device, &desc, (ze_module_handle_t *)&made, NULL);
}

static void undo_module(void)
{
    geo_zeModuleDestroy(made);
}

static ze_result_t do_kernel(void)
{
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "scale"};
    return geo_zeKernelCreate(module, &desc, (ze_kernel_handle_t *)&made);
}

static void undo_kernel(void)
{
    geo_zeKernelDestroy(made);
}

static ze_result_t do_link(void)
{
    return geo_zeModuleDynamicLink(1, &module, (ze_module_build_log_handle_t *)&made);
}

static ze_result_t do_inspect(void)
{
    ze_linkage_inspection_ext_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_LINKAGE_INSPECTION_EXT_DESC,
                                             .flags = ZE_LINKAGE_INSPECTION_EXT_FLAG_EXPORTS};
    return geo_zeModuleInspectLinkageExt(&desc, 1, &module, (ze_module_build_log_handle_t *)&made);
}

static void undo_log(void)
{
    geo_zeModuleBuildLogDestroy(made);
}

struct operation {
    const char *name;
    ze_result_t (*run)(void);
    void (*undo)(void);
    bool text_only; /* lack of memory may also shorten a log instead of failing */
};

static const struct operation operations[] = {
    {"zeContextCreateEx", do_context, undo_context, false},
    {"zeMemAllocHost", do_host, undo_memory, false},
    {"zeMemAllocDevice", do_device, undo_memory, false},
    {"zeMemAllocShared", do_shared, undo_memory, false},
    {"zeMemOpenIpcHandle", do_open, undo_open, false},
    {"zeVirtualMemReserve", do_reserve, undo_reserve, false},
    {"zePhysicalMemCreate", do_physical, undo_physical, false},
    {"zeVirtualMemMap", do_map, undo_map, false},
    {"zeModuleCreate", do_module, undo_module, false},
    {"zeKernelCreate", do_kernel, undo_kernel, false},
    {"zeModuleDynamicLink", do_link, undo_log, false},
    {"zeModuleInspectLinkageExt", do_inspect, undo_log, true},
};

/* Brings what is freed late (epoch.h) to a known state. */
static void settle(void)
{
    void *pointer;
    countdown = -1;
    assert_int_equal(geo_zeMemAllocHost(context, &host_desc, 64, 0, &pointer), ZE_RESULT_SUCCESS);
    assert_int_equal(geo_zeMemFree(context, pointer), ZE_RESULT_SUCCESS);
}

static void sweep(const struct operation *operation)
{
    for (long n = 0;; n++) {
        settle();
        long before = living;
        made = NULL;
        countdown = n;
        ze_result_t result = operation->run();
        bool failed = countdown < 0;
        countdown = -1;
        if (result == ZE_RESULT_SUCCESS) {
            operation->undo();
            settle();
            if (living != before) {
                fail_msg("%s, allocation %ld: %ld blocks became %ld", operation->name, n, before,
                         living);
            }
            if (!failed) {
                assert_true(n > 0); /* something was allocated at all */
                return;
            }
            assert_true(operation->text_only);
            continue;
        }
        if (result != ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY &&
            result != ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY) {
            fail_msg("%s, allocation %ld: 0x%x", operation->name, n, (unsigned)result);
        }
        assert_null(made);
        settle();
        if (living != before) {
            fail_msg("%s, allocation %ld: %ld blocks left behind", operation->name, n,
                     living - before);
        }
        assert_true(n < 1000);
    }
}

/* MEM-16, VAL-7, VAL-12 */
static void every_create_path_survives_failing_allocations(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        sweep(&operations[i]);
    }
}

/* VMM-7: cutting a mapping in pieces needs memory and leaves everything as it was without. */
static void access_changes_survive_failing_allocations(void **state)
{
    (void)state;
    const ze_memory_access_attribute_t readwrite = ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE;
    for (long n = 0;; n++) {
        ze_memory_access_attribute_t access;
        size_t same;
        countdown = -1;
        assert_int_equal(do_map(), ZE_RESULT_SUCCESS);
        countdown = n;
        ze_result_t result = geo_zeVirtualMemSetAccessAttribute(
            context, (char *)reserved + page, page, ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY);
        bool failed = countdown < 0;
        countdown = -1;
        assert_int_equal(geo_zeVirtualMemGetAccessAttribute(context, (char *)reserved + page, page,
                                                            &access, &same),
                         ZE_RESULT_SUCCESS);
        if (result == ZE_RESULT_SUCCESS) {
            assert_int_equal(access, ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY);
        } else {
            assert_int_equal(result, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
            assert_int_equal(access, readwrite);
            assert_int_equal(
                geo_zeVirtualMemGetAccessAttribute(context, reserved, 4 * page, &access, &same),
                ZE_RESULT_SUCCESS);
            assert_int_equal(same, 4 * page);
        }
        undo_map();
        if (!failed) {
            return;
        }
        assert_true(n < 100);
    }
}

/* INI-7 */
static void initialisation_survives_failing_allocations(void **state)
{
    (void)state;
    for (long n = 0; n < 200; n++) {
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) { /* a process in which nothing was initialised yet: see main */
            char number[32];
            snprintf(number, sizeof(number), "%ld", n);
            execl("/proc/self/exe", "init", number, (char *)NULL);
            _exit(127);
        }
        int status;
        waitpid(child, &status, 0);
        assert_true(WIFEXITED(status));
        if (WEXITSTATUS(status) == 3) {
            return; /* it succeeded without reaching that allocation */
        }
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    fail_msg("initialisation allocates without end");
}

/* 0: failed cleanly and worked the second time, or went without; 3: never got that far. */
static int init_with_failure(long n)
{
    countdown = n;
    ze_result_t result = geo_zeInit(0);
    bool failed = countdown < 0;
    countdown = -1;
    if (!failed) {
        return result == ZE_RESULT_SUCCESS ? 3 : 1;
    }
    if (result != ZE_RESULT_SUCCESS && result != ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY &&
        result != ZE_RESULT_ERROR_UNINITIALIZED) {
        return 1;
    }
    return geo_zeInit(0) == ZE_RESULT_SUCCESS ? 0 : 2;
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        return init_with_failure(atol(argv[1]));
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_create_path_survives_failing_allocations),
        cmocka_unit_test(access_changes_survive_failing_allocations),
        cmocka_unit_test(initialisation_survives_failing_allocations),
    };
    return cmocka_run_group_tests_name("sweep", tests, setup, NULL);
}
