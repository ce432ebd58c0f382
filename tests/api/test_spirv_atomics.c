/* API test of SPIR-V modules, float atomics: what the device reports is what kernels can do. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>

static void run(struct api *api, ze_module_handle_t module, const char *name, void *place,
                uint32_t groups, uint32_t size)
{
    ze_kernel_handle_t kernel = api_kernel(module, name);
    struct api_list list = api_list_create(api);
    ze_group_count_t count = {groups, 1, 1};
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(place), &place));
    assert_success(zeKernelSetGroupSize(kernel, size, 1, 1));
    assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &count, NULL, 0, NULL));
    api_list_run(api, &list);
    api_list_destroy(&list);
    assert_success(zeKernelDestroy(kernel));
}

static double place_get(const void *place, int bits)
{
    return bits == 16   ? (double)*(const _Float16 *)place
           : bits == 32 ? (double)*(const float *)place
                        : *(const double *)place;
}

static void place_set(void *place, int bits, double value)
{
    if (bits == 16) {
        *(_Float16 *)place = (_Float16)value;
    } else if (bits == 32) {
        *(float *)place = (float)value;
    } else {
        *(double *)place = value;
    }
}

struct form {
    const char *operation;
    double start, global_result, local_result; /* 64 groups of 50; one group of 200 */
};

/* Of the ids themselves; half would round their sum, so it gets their low bits (see the kernels).
 */
static const struct form wide_forms[] = {
    {"add", 0.5, 0.5 + 3200.0 * 3199 / 2, 0.5 + 200 * 199 / 2},
    {"min", 1e6, 0, 0},
    {"max", -1e6, 3199, 199},
};
static const struct form half_forms[] = {
    {"add", 0, 1600, 100},
    {"min", 1000, 0, 0},
    {"max", -1000, 127, 127},
};

static void forms_check(struct api *api, ze_module_handle_t module, int bits)
{
    char name[32];
    void *place = api_alloc_shared(api, 64);
    const struct form *forms = bits == 16 ? half_forms : wide_forms;
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof(name), "%s%d_global", forms[i].operation, bits);
        place_set(place, bits, forms[i].start);
        run(api, module, name, place, 64, 50);
        assert_true(place_get(place, bits) == forms[i].global_result);
        snprintf(name, sizeof(name), "%s%d_local", forms[i].operation, bits);
        place_set(place, bits, forms[i].start);
        run(api, module, name, place, 1, 200);
        assert_true(place_get(place, bits) == forms[i].local_result);
    }
    api_free(api, place);
}

/* SPV-25, SPV-26, SPV-27, DEV-13 */
static void reported_float_atomics_work(void **state)
{
    const ze_device_fp_atomic_ext_flags_t all =
        ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_LOAD_STORE | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_ADD |
        ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_MIN_MAX |
        ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_LOAD_STORE | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_ADD |
        ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_MIN_MAX;
    struct api *api = *state;
    ze_float_atomic_ext_properties_t atomics = {.stype =
                                                    ZE_STRUCTURE_TYPE_FLOAT_ATOMIC_EXT_PROPERTIES};
    ze_device_module_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES,
                                       .pNext = &atomics};
    assert_success(zeDeviceGetModuleProperties(api->device, &p));
    assert_int_equal(atomics.fp16Flags, all);
    assert_int_equal(atomics.fp32Flags, all);
    assert_int_equal(atomics.fp64Flags, all);
    ze_module_handle_t module = api_spirv_module(api, "api_atomics");
    for (int bits = 16; bits <= 64; bits *= 2) {
        forms_check(api, module, bits);
    }
    assert_success(zeModuleDestroy(module));
}

static const struct api_case cases[] = {
    API_RUN_CASE(reported_float_atomics_work),
};

API_MAIN("float atomics", cases)
