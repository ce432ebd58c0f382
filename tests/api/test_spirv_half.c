/* API test of SPIR-V modules, half precision: a device that reports it computes with it. */
#include "harness.h"

#define COUNT 4096u

static uint16_t bits_of(_Float16 value)
{
    uint16_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static _Float16 value_of(uint16_t bits)
{
    _Float16 value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Finite values of all sizes, denormals among them; divisors are not 0. */
static void fill(uint16_t *a, uint16_t *b, uint16_t *expected)
{
    uint32_t random = 1;
    for (uint32_t i = 0; i < COUNT; i++) {
        random = random * 1664525u + 1013904223u;
        a[i] = (uint16_t)((random >> 16) & 0xbbff); /* below 2 */
        random = random * 1664525u + 1013904223u;
        b[i] = (uint16_t)(((random >> 16) & 0xbbff) | 1);
        /* float holds products exactly and rounds quotients far behind half's last bit */
        _Float16 product = (_Float16)((float)value_of(a[i]) * (float)value_of(b[i]));
        _Float16 quotient = (_Float16)((float)value_of(a[i]) / (float)value_of(b[i]));
        expected[i] = bits_of((_Float16)((float)product + (float)quotient));
    }
}

/* DEV-13, SPV-10, SPV-6 */
static void reported_half_precision_works(void **state)
{
    struct api *api = *state;
    ze_device_module_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
    assert_success(zeDeviceGetModuleProperties(api->device, &p));
    assert_true(p.flags & ZE_DEVICE_MODULE_FLAG_FP16);
    assert_true(p.fp16flags & ZE_DEVICE_FP_FLAG_DENORM);
    static uint16_t expected[COUNT];
    uint16_t *a = api_alloc_shared(api, COUNT * sizeof(*a));
    uint16_t *b = api_alloc_shared(api, COUNT * sizeof(*b)),
             *old = api_alloc_shared(api, 2 * COUNT);
    int32_t *order = api_alloc_shared(api, COUNT * sizeof(*order));
    fill(a, b, expected);
    memcpy(old, b, COUNT * sizeof(*b));

    ze_module_handle_t module = api_spirv_module(api, "api_half");
    ze_kernel_handle_t kernel = api_kernel(module, "half_mad");
    void *arguments[] = {a, b, order};
    for (uint32_t i = 0; i < 3; i++) {
        assert_success(zeKernelSetArgumentValue(kernel, i, sizeof(void *), &arguments[i]));
    }
    assert_success(zeKernelSetGroupSize(kernel, 64, 1, 1));
    struct api_list list = api_list_create(api);
    ze_group_count_t groups = {COUNT / 64, 1, 1};
    assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL));
    api_list_run(api, &list);
    for (uint32_t i = 0; i < COUNT; i++) {
        bool nan = value_of(expected[i]) != value_of(expected[i]);
        assert_true(nan ? value_of(b[i]) != value_of(b[i]) : b[i] == expected[i]);
        assert_int_equal(order[i], value_of(a[i]) < value_of(old[i]));
    }

    api_list_destroy(&list);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    api_free(api, a);
    api_free(api, b);
    api_free(api, old);
    api_free(api, order);
}

static const struct api_case cases[] = {
    API_RUN_CASE(reported_half_precision_works),
};

API_MAIN("half precision", cases)
