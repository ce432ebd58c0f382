/* API test of residency: kernels reach memory that their arguments show, and memory that they find
 * by pointers in memory, whatever was asked for before. */
#include "harness.h"

enum { NODES = 30, BYTES = 3 << 20 };

struct node {
    struct node *next;
    uint32_t value;
};

/* Nodes in memory of all kinds, each allocation with a node at its begin. */
static void *node_alloc(struct api *api, int number)
{
    switch (number % 3) {
    case 0:
        return api_alloc_device(api, BYTES);
    case 1:
        return api_alloc_host(api, BYTES);
    default:
        return api_alloc_shared(api, 4096);
    }
}

static size_t node_bytes(int number)
{
    return number % 3 == 2 ? 4096 : BYTES;
}

static void expect_sum(struct api *api, ze_kernel_handle_t kernel, struct node *first)
{
    struct api_list list = api_list_create(api);
    uint32_t *sum = api_alloc_shared(api, sizeof(*sum));
    ze_group_count_t one = {1, 1, 1};
    *sum = 0;
    assert_success(zeKernelSetGroupSize(kernel, 1, 1, 1));
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(first), &first));
    assert_success(zeKernelSetArgumentValue(kernel, 1, sizeof(sum), &sum));
    assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &one, NULL, 0, NULL));
    api_list_run(api, &list);
    assert_int_equal(*sum, NODES * (NODES + 1) / 2);
    api_free(api, sum);
    api_list_destroy(&list);
}

/* RES-2, RES-4 */
static void kernels_reach_what_was_evicted(void **state)
{
    struct api *api = *state;
    struct node *nodes[NODES + 1] = {NULL};
    ze_module_handle_t module = api_spirv_module(api, "residency");
    ze_kernel_handle_t plain = api_kernel(module, "nodes_sum"), forced = NULL;
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
                             .flags = ZE_KERNEL_FLAG_FORCE_RESIDENCY,
                             .pKernelName = "nodes_sum"};
    assert_success(zeKernelCreate(module, &desc, &forced));
    assert_success(zeKernelSetIndirectAccess(forced, ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST |
                                                         ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE |
                                                         ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED));
    for (int i = NODES; i-- > 0;) {
        nodes[i] = node_alloc(api, i);
        *nodes[i] = (struct node){nodes[i + 1], (uint32_t)i + 1};
        assert_success(
            zeContextMakeMemoryResident(api->context, api->device, nodes[i], node_bytes(i)));
    }
    expect_sum(api, plain, nodes[0]);
    for (int i = 0; i < NODES; i++) {
        assert_success(zeContextEvictMemory(api->context, api->device, nodes[i], node_bytes(i)));
    }
    expect_sum(api, plain, nodes[0]);
    for (int i = 0; i < NODES; i++) {
        assert_success(zeContextEvictMemory(api->context, api->device, nodes[i], 8));
    }
    expect_sum(api, forced, nodes[0]);
    for (int i = 0; i < NODES; i++) {
        api_free(api, nodes[i]);
    }
    assert_success(zeKernelDestroy(plain));
    assert_success(zeKernelDestroy(forced));
    assert_success(zeModuleDestroy(module));
}

static const struct api_case cases[] = {API_RUN_CASE(kernels_reach_what_was_evicted)};
API_MAIN("spirv_residency", cases)
