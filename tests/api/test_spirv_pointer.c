/* API test of SPIR-V modules with function pointers: kernels/pointer_*.spvasm. Runs at several
 * widths, see CMakeLists.txt. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* The thread sanitizer by default ends a forked child that starts threads. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}

#define ITEMS 50 /* no multiple of any width */

static ze_result_t module_try(struct api *api, const char *name, const char *options,
                              ze_module_handle_t *module, char *log, size_t log_size)
{
    char path[256];
    size_t size;
    ze_module_build_log_handle_t handle = NULL;
    snprintf(path, sizeof(path), "tests/%s.spv", name);
    void *bytes = api_read_file(path, &size);
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV,
                             .inputSize = size,
                             .pInputModule = bytes,
                             .pBuildFlags = options};
    ze_result_t result = zeModuleCreate(api->context, api->device, &desc, module, &handle);
    assert_success(zeModuleBuildLogGetString(handle, &log_size, log));
    assert_success(zeModuleBuildLogDestroy(handle));
    free(bytes);
    return result;
}

static ze_module_handle_t module_build(struct api *api, const char *name, const char *options)
{
    ze_module_handle_t module = NULL;
    char log[4096];
    ze_result_t result = module_try(api, name, options, &module, log, sizeof(log));
    if (result != ZE_RESULT_SUCCESS) {
        fail_msg("%s: 0x%x: %s", name, (unsigned)result, log);
    }
    return module;
}

static uint64_t function_of(ze_module_handle_t module, const char *name)
{
    void *pointer = NULL;
    assert_success(zeModuleGetFunctionPointer(module, name, &pointer));
    assert_non_null(pointer);
    return (uint64_t)(uintptr_t)pointer;
}

struct argument {
    size_t size;
    const void *value;
};

/* Runs a kernel over ITEMS items in groups of 25. */
static void run(struct api *api, ze_module_handle_t module, const char *name,
                const struct argument *arguments, uint32_t count)
{
    struct api_list list = api_list_create(api);
    ze_kernel_handle_t kernel = api_kernel(module, name);
    ze_group_count_t groups = {2, 1, 1};
    for (uint32_t i = 0; i < count; i++) {
        assert_success(zeKernelSetArgumentValue(kernel, i, arguments[i].size, arguments[i].value));
    }
    assert_success(zeKernelSetGroupSize(kernel, ITEMS / 2, 1, 1));
    assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL));
    api_list_run(api, &list);
    assert_success(zeKernelDestroy(kernel));
    api_list_destroy(&list);
}

static int by_array(int x)
{
    return x + 49;
}

static int *out_new(struct api *api)
{
    int *out = api_alloc_shared(api, ITEMS * sizeof(int));
    for (int i = 0; i < ITEMS; i++) {
        out[i] = -1;
    }
    return out;
}

/* MOD-12 */
static void a_kernel_calls_what_its_argument_points_to(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = module_build(api, "pointer_calls", NULL);
    static const char *const names[] = {"add_one", "twice", "by_id", "by_array", "count_calls"};
    int *out = out_new(api);
    for (int which = 0; which < 5; which++) {
        uint64_t pointer = function_of(module, names[which]);
        run(api, module, "call_argument",
            (struct argument[]){{sizeof(pointer), &pointer}, {sizeof(out), &out}}, 2);
        for (int i = 0; i < ITEMS; i++) {
            const int expected[] = {i + 1, i * 2, i * 2, by_array(i), i};
            assert_int_equal(out[i], expected[which]);
        }
    }
    int *counter = NULL;
    assert_success(zeModuleGetGlobalPointer(module, "counter", NULL, (void **)&counter));
    assert_int_equal(*counter, ITEMS * (ITEMS - 1) / 2);
    void *pointer = NULL;
    assert_result(zeModuleGetFunctionPointer(module, "nobody", &pointer),
                  ZE_RESULT_ERROR_INVALID_FUNCTION_NAME);
    api_free(api, out);
    assert_success(zeModuleDestroy(module));
}

/* MOD-12: each work-item has its own, some have none to call */
static void pointers_differ_between_work_items(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = module_build(api, "pointer_calls", NULL);
    int *out = out_new(api);
    run(api, module, "call_varying", (struct argument[]){{sizeof(out), &out}}, 1);
    for (int i = 0; i < ITEMS; i++) {
        int expected = i % 3 == 0 ? -1 : i % 3 == 2 ? 2 * i : i & 1 ? i + 1 : by_array(i);
        assert_int_equal(out[i], expected);
    }
    run(api, module, "call_table", (struct argument[]){{sizeof(out), &out}}, 1);
    for (int i = 0; i < ITEMS; i++) {
        assert_int_equal(out[i], i % 3 == 0 ? i + 1 : 2 * i);
    }
    api_free(api, out);
    assert_success(zeModuleDestroy(module));
}

/* MOD-12, PIN-5 */
static void pointers_are_data(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = module_build(api, "pointer_calls", NULL);
    int *out = out_new(api);
    uint64_t *pointers = api_alloc_shared(api, ITEMS * sizeof(uint64_t));
    run(api, module, "store_pointers", (struct argument[]){{sizeof(pointers), &pointers}}, 1);
    assert_int_equal(pointers[0], function_of(module, "add_one"));
    assert_int_equal(pointers[1], function_of(module, "twice"));
    assert_int_equal(pointers[2], function_of(module, "by_id"));
    assert_int_equal(pointers[3], function_of(module, "recursive"));
    uint64_t few[3] = {pointers[0], pointers[1], function_of(module, "by_array")};
    for (int i = 0; i < ITEMS; i++) {
        pointers[i] = few[i * 7 % 3];
    }
    run(api, module, "call_memory",
        (struct argument[]){{sizeof(pointers), &pointers}, {sizeof(out), &out}}, 2);
    for (int i = 0; i < ITEMS; i++) {
        const int expected[] = {i + 1, 2 * i, by_array(i)};
        assert_int_equal(out[i], expected[i * 7 % 3]);
    }
    api_free(api, pointers);
    api_free(api, out);
    assert_success(zeModuleDestroy(module));
}

/* MOD-12, PIN-5: the pointer carries code for any caller */
static void kernels_of_other_modules_and_widths_call_them(void **state)
{
    struct api *api = *state;
    static const char *const options[] = {NULL, "-ze-opt-disable"};
    for (int i = 0; i < 4; i++) {
        ze_module_handle_t owner = module_build(api, "pointer_calls", options[i / 2]);
        ze_module_handle_t other = module_build(api, "pointer_other", NULL);
        ze_module_handle_t plain = module_build(api, "pointer_calls", options[i % 2]);
        int *out = out_new(api);
        uint64_t *pointers = api_alloc_shared(api, ITEMS * sizeof(uint64_t));
        for (int k = 0; k < ITEMS; k++) {
            pointers[k] = function_of(owner, k % 2 ? "by_id" : "by_array");
        }
        run(api, plain, "call_memory",
            (struct argument[]){{sizeof(pointers), &pointers}, {sizeof(out), &out}}, 2);
        for (int k = 0; k < ITEMS; k++) {
            assert_int_equal(out[k], k % 2 ? 2 * k : by_array(k));
        }
        ze_kernel_handle_t kernel = api_kernel(other, "other_memory");
        ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
        assert_success(zeKernelGetProperties(kernel, &properties));
        assert_success(zeKernelDestroy(kernel));
        int lanes = (int)properties.maxSubgroupSize;
        run(api, other, "other_memory",
            (struct argument[]){{sizeof(pointers), &pointers}, {sizeof(out), &out}}, 2);
        for (int k = 0; k < ITEMS; k++) {
            int lane = k % (ITEMS / 2) % lanes;
            assert_int_equal(out[k], k % 2 ? lane + k : by_array(lane));
        }
        api_free(api, pointers);
        api_free(api, out);
        assert_success(zeModuleDestroy(owner));
        assert_success(zeModuleDestroy(other));
        assert_success(zeModuleDestroy(plain));
    }
}

/* MOD-12 */
static void functions_call_themselves_by_pointer(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = module_build(api, "pointer_calls", NULL);
    int *out = out_new(api), depth = 10;
    uint64_t pointer = function_of(module, "recursive");
    run(api, module, "call_recursive",
        (struct argument[]){
            {sizeof(pointer), &pointer}, {sizeof(depth), &depth}, {sizeof(out), &out}},
        3);
    for (int i = 0; i < ITEMS; i++) {
        int n = depth + i;
        assert_int_equal(out[i], n * (n + 1) / 2);
    }
    api_free(api, out);
    assert_success(zeModuleDestroy(module));
}

/* MOD-10, MOD-12 */
static void pointers_come_out_of_native_binaries(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = module_build(api, "pointer_calls", NULL), again = NULL;
    size_t size = 0;
    assert_success(zeModuleGetNativeBinary(module, &size, NULL));
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    assert_success(zeModuleGetNativeBinary(module, &size, bytes));
    assert_success(zeModuleDestroy(module));
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_NATIVE,
                             .inputSize = size,
                             .pInputModule = bytes};
    assert_success(zeModuleCreate(api->context, api->device, &desc, &again, NULL));
    free(bytes);
    int *out = out_new(api);
    uint64_t pointer = function_of(again, "twice");
    run(api, again, "call_argument",
        (struct argument[]){{sizeof(pointer), &pointer}, {sizeof(out), &out}}, 2);
    assert_int_equal(out[ITEMS - 1], 2 * (ITEMS - 1));
    api_free(api, out);
    assert_success(zeModuleDestroy(again));
}

/* MOD-12: also of modules that know nothing of function pointers */
static void any_exported_function_has_a_pointer(void **state)
{
    struct api *api = *state;
    ze_module_handle_t pair[2] = {api_spirv_module(api, "link_back"),
                                  api_spirv_module(api, "link_front")};
    ze_module_handle_t module = module_build(api, "pointer_calls", NULL);
    void *unlinked = NULL;
    assert_result(zeModuleGetFunctionPointer(pair[0], "back_scale", &unlinked),
                  ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED);
    assert_success(zeModuleDynamicLink(2, pair, NULL));
    uint64_t pointer = function_of(pair[0], "back_scale");
    assert_int_equal(pointer, function_of(pair[0], "back_scale")); /* always the same */
    int *out = out_new(api), *value = NULL, *counter = out_new(api);
    run(api, module, "call_argument",
        (struct argument[]){{sizeof(pointer), &pointer}, {sizeof(out), &out}}, 2);
    assert_success(zeModuleGetGlobalPointer(pair[1], "front_value", NULL, (void **)&value));
    for (int i = 0; i < ITEMS; i++) {
        assert_int_equal(out[i], i * (i & 1 ? 4 : 3) + i + 7 + *value);
    }
    run(api, pair[0], "back_read_counter", (struct argument[]){{sizeof(counter), &counter}}, 1);
    assert_int_equal(counter[0], 5 + ITEMS); /* the module's own variables are meant */
    api_free(api, out);
    api_free(api, counter);
    assert_success(zeModuleDestroy(module));
    assert_success(zeModuleDestroy(pair[0]));
    assert_success(zeModuleDestroy(pair[1]));
}

/* MOD-12: local memory of the module's kernels */
static void functions_use_local_memory(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = module_build(api, "pointer_local", NULL);
    int *out = out_new(api);
    uint64_t *pointers = api_alloc_shared(api, ITEMS * sizeof(uint64_t));
    for (int i = 0; i < ITEMS; i++) {
        pointers[i] = function_of(module, "by_local");
    }
    run(api, module, "call_memory",
        (struct argument[]){{sizeof(pointers), &pointers}, {sizeof(out), &out}}, 2);
    for (int i = 0; i < ITEMS; i++) {
        assert_int_equal(out[i], 3 * i);
    }
    api_free(api, pointers);
    api_free(api, out);
    assert_success(zeModuleDestroy(module));
}

/* VAL-13 */
static void functions_with_barriers_have_no_address(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = NULL;
    char log[4096];
    assert_int_equal(module_try(api, "pointer_barrier", NULL, &module, log, sizeof(log)),
                     ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_non_null(strstr(log, "meet"));
    assert_non_null(strstr(log, "a function with a barrier cannot be called by pointer"));
}

/* ---- pointers into nowhere ---- */

/* One of the work-items has a bad pointer. 0: the launch was reported as lost. */
static int call_badly(struct api *api, uint64_t bad, int depth)
{
    ze_module_handle_t owner = module_build(api, "pointer_local", NULL);
    ze_module_handle_t module = module_build(api, "pointer_calls", NULL);
    struct api_list list = api_list_create(api);
    uint64_t *pointers = api_alloc_shared(api, ITEMS * sizeof(uint64_t)), pointer;
    int *out = out_new(api);
    ze_kernel_handle_t kernel = api_kernel(module, depth ? "call_recursive" : "call_memory");
    for (int i = 0; i < ITEMS; i++) {
        pointers[i] = function_of(module, "add_one");
    }
    pointers[17] = bad == 1   ? (uint64_t)(uintptr_t)out       /* somewhere in memory */
                   : bad == 2 ? function_of(owner, "by_local") /* other kernels' local memory */
                              : bad;
    if (depth) {
        pointer = function_of(module, "recursive");
        assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(pointer), &pointer));
        assert_success(zeKernelSetArgumentValue(kernel, 1, sizeof(depth), &depth));
        assert_success(zeKernelSetArgumentValue(kernel, 2, sizeof(out), &out));
    } else {
        assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(pointers), &pointers));
        assert_success(zeKernelSetArgumentValue(kernel, 1, sizeof(out), &out));
    }
    assert_success(zeKernelSetGroupSize(kernel, ITEMS, 1, 1));
    ze_group_count_t groups = {1, 1, 1};
    ze_result_t result = zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL);
    if (list.queue) {
        assert_success(zeCommandListClose(list.list));
        result = zeCommandQueueExecuteCommandLists(list.queue, 1, &list.list, NULL);
        result = result ? result : zeCommandQueueSynchronize(list.queue, UINT64_MAX);
    } else {
        result = result ? result : zeCommandListHostSynchronize(list.list, UINT64_MAX);
    }
    return result == ZE_RESULT_ERROR_DEVICE_LOST ? 0 : 1;
}

/* CTX-7: a fault of the kernel, not of the process */
static void bad_pointers_are_faults_of_the_kernel(void **state)
{
    struct api *api = *state;
    static const uint64_t bad[] = {0, 1, 2, 12, UINT64_C(0x123456789000), UINT64_MAX - 100};
    for (size_t i = 0; i <= sizeof(bad) / sizeof(bad[0]); i++) {
        bool recursion = i == sizeof(bad) / sizeof(bad[0]); /* without an end */
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            _exit(call_badly(api, recursion ? 0 : bad[i], recursion ? 1 << 30 : 0));
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            fail_msg("pointer %zu: status 0x%x", i, (unsigned)status);
        }
    }
}

static const struct api_case cases[] = {
    API_RUN_CASE(a_kernel_calls_what_its_argument_points_to),
    API_RUN_CASE(pointers_differ_between_work_items),
    API_RUN_CASE(pointers_are_data),
    API_RUN_CASE(kernels_of_other_modules_and_widths_call_them),
    API_RUN_CASE(functions_call_themselves_by_pointer),
    API_RUN_CASE(pointers_come_out_of_native_binaries),
    API_RUN_CASE(any_exported_function_has_a_pointer),
    API_RUN_CASE(functions_use_local_memory),
    API_CASE(functions_with_barriers_have_no_address),
    API_RUN_CASE(bad_pointers_are_faults_of_the_kernel),
};

API_MAIN("pointer", cases)
