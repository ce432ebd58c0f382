/* Float atomics: what the device reports is what kernels can do. */
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
    return bits == 32 ? (double)*(const float *)place : *(const double *)place;
}

static void place_set(void *place, int bits, double value)
{
    if (bits == 32) {
        *(float *)place = (float)value;
    } else {
        *(double *)place = value;
    }
}

/* SPV-25, SPV-26, SPV-27, DEV-13 */
static void reported_float_atomics_work(void **state)
{
    static const struct {
        const char *operation;
        ze_device_fp_atomic_ext_flags_t global, local;
        double start, global_result, local_result; /* 64 groups of 50; one group of 200 */
    } forms[] = {
        {"add", ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_ADD, ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_ADD,
         0.5, 0.5 + 3200.0 * 3199 / 2, 0.5 + 200 * 199 / 2},
        {"min", ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_MIN_MAX,
         ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_MIN_MAX, 1e6, 0, 0},
        {"max", ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_MIN_MAX,
         ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_MIN_MAX, -1e6, 3199, 199},
    };
    struct api *api = *state;
    ze_float_atomic_ext_properties_t atomics = {.stype =
                                                    ZE_STRUCTURE_TYPE_FLOAT_ATOMIC_EXT_PROPERTIES};
    ze_device_module_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES,
                                       .pNext = &atomics};
    assert_success(zeDeviceGetModuleProperties(api->device, &p));
    assert_true(atomics.fp32Flags & ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_ADD);
    assert_true((atomics.fp16Flags == 0) || (p.flags & ZE_DEVICE_MODULE_FLAG_FP16));
    ze_module_handle_t module = api_spirv_module(api, "api_atomics");
    void *place = api_alloc_shared(api, 64);
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        for (int bits = 32; bits <= 64; bits += 32) {
            char name[32];
            uint32_t flags = bits == 32 ? atomics.fp32Flags : atomics.fp64Flags;
            if (flags & forms[i].global) {
                snprintf(name, sizeof(name), "%s%d_global", forms[i].operation, bits);
                place_set(place, bits, forms[i].start);
                run(api, module, name, place, 64, 50);
                assert_true(place_get(place, bits) == forms[i].global_result);
            }
            if (flags & forms[i].local) {
                snprintf(name, sizeof(name), "%s%d_local", forms[i].operation, bits);
                place_set(place, bits, forms[i].start);
                run(api, module, name, place, 1, 200);
                assert_true(place_get(place, bits) == forms[i].local_result);
            }
        }
    }
    api_free(api, place);
    assert_success(zeModuleDestroy(module));
}

static const struct api_case cases[] = {
    API_RUN_CASE(reported_float_atomics_work),
};

API_MAIN("float atomics", cases)
