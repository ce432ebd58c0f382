/* API test of memory of every kind as kernels see it: under the address that the host has. */
#include "harness.h"

#include <stdlib.h>

static const ze_device_mem_alloc_desc_t device_desc = {.stype =
                                                           ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
static const ze_host_mem_alloc_desc_t host_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};

/* Lets a kernel read the first word and write the second. The host's writes come before it and its
 * reads after it. */
static void expect_one_place(struct api *api, uint32_t *memory)
{
    struct api_list list = api_list_create(api);
    ze_module_handle_t module = api_spirv_module(api, "memory_places");
    ze_kernel_handle_t kernel = api_kernel(module, "place");
    const ze_group_count_t groups = {1, 1, 1};
    uint64_t *out = api_alloc_host(api, 3 * sizeof(*out));
    memset(out, 0, 3 * sizeof(*out));
    memory[0] = 42;
    memory[1] = 0;
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(memory), &memory));
    assert_success(zeKernelSetArgumentValue(kernel, 1, sizeof(out), &out));
    assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL));
    api_list_run(api, &list);
    assert_int_equal(out[0], (uintptr_t)memory);
    assert_int_equal(out[1], sizeof(memory));
    assert_int_equal(out[2], 42);
    assert_int_equal(memory[1], 77);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    api_free(api, out);
    api_list_destroy(&list);
}

/* MEM-1, MEM-2 */
static void host_memory_is_at_one_address(void **state)
{
    struct api *api = *state;
    uint32_t *memory = api_alloc_host(api, 4096);
    expect_one_place(api, memory);
    api_free(api, memory);
}

/* MEM-1, MEM-3: the host may look into it here, which the specification leaves open. */
static void device_memory_is_at_one_address(void **state)
{
    struct api *api = *state;
    uint32_t *memory = api_alloc_device(api, 4096);
    expect_one_place(api, memory);
    api_free(api, memory);
}

/* MEM-1, MEM-4, MEM-5 */
static void shared_memory_is_at_one_address(void **state)
{
    struct api *api = *state;
    uint32_t *with = api_alloc_shared(api, 4096), *without = NULL;
    expect_one_place(api, with);
    assert_success(
        zeMemAllocShared(api->context, &device_desc, &host_desc, 4096, 0, NULL, (void **)&without));
    expect_one_place(api, without);
    api_free(api, with);
    api_free(api, without);
}

/* MEM-1, MEM-6 */
static void system_memory_is_at_one_address(void **state)
{
    struct api *api = *state;
    uint32_t *memory = malloc(4096), local[2];
    assert_non_null(memory);
    expect_one_place(api, memory);
    expect_one_place(api, local);
    free(memory);
}

static const struct api_case cases[] = {
    API_RUN_CASE(host_memory_is_at_one_address),
    API_RUN_CASE(device_memory_is_at_one_address),
    API_RUN_CASE(shared_memory_is_at_one_address),
    API_RUN_CASE(system_memory_is_at_one_address),
};

API_MAIN("spirv_memory", cases)
