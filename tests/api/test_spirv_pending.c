/* API test of SPIR-V modules, atomic additions without a result: several workers keep them until
 * the launch ends. Then the host and later launches see every one of them, whether the sums fit
 * into the workers' tables or not. GEOID_THREADS is 4. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#define ITEMS  300000u
#define SUMS   100000u
#define ROUNDS 5u

static const uint32_t key_counts[] = {1, 16, 1000, 1500, SUMS};

struct memory {
    uint32_t *keys, *values, *sums, *doubled;
    uint64_t *wide;
    uint32_t *expected;
    uint64_t *expected_wide;
};

static void memory_fill(struct memory *m, uint32_t keys, uint32_t round)
{
    uint32_t random = keys + round;
    memset(m->sums, 0, SUMS * sizeof(*m->sums));
    memset(m->wide, 0, SUMS * sizeof(*m->wide));
    memset(m->expected, 0, SUMS * sizeof(*m->expected));
    memset(m->expected_wide, 0, SUMS * sizeof(*m->expected_wide));
    for (uint32_t i = 0; i < ITEMS; i++) {
        random = random * 1664525u + 1013904223u;
        m->keys[i] = (random >> 8) % keys;
        m->values[i] = random ^ random >> 16;
        m->expected[m->keys[i]] += m->values[i];
        m->expected_wide[m->keys[i]] -= m->values[i];
    }
}

static void launch_append(struct api_list *list, ze_kernel_handle_t kernel, void **arguments,
                          uint32_t argument_count, uint32_t items)
{
    const ze_group_count_t groups = {items / 100, 1, 1};
    for (uint32_t i = 0; i < argument_count; i++) {
        assert_success(zeKernelSetArgumentValue(kernel, i, sizeof(void *), &arguments[i]));
    }
    assert_success(zeKernelSetGroupSize(kernel, 100, 1, 1));
    assert_success(zeCommandListAppendLaunchKernel(list->list, kernel, &groups, NULL, 0, NULL));
    assert_success(zeCommandListAppendBarrier(list->list, NULL, 0, NULL));
}

static void sums_check(struct api *api, ze_module_handle_t module, struct memory *m)
{
    ze_kernel_handle_t sums = api_kernel(module, "sums"), wide = api_kernel(module, "wide_sums");
    ze_kernel_handle_t doubled = api_kernel(module, "doubled");
    struct api_list list = api_list_create(api);
    launch_append(&list, sums, (void *[]){m->keys, m->values, m->sums}, 3, ITEMS);
    launch_append(&list, doubled, (void *[]){m->sums, m->doubled}, 2, SUMS);
    launch_append(&list, wide, (void *[]){m->keys, m->values, m->wide}, 3, ITEMS);
    api_list_run(api, &list);
    assert_memory_equal(m->sums, m->expected, SUMS * sizeof(*m->sums));
    assert_memory_equal(m->wide, m->expected_wide, SUMS * sizeof(*m->wide));
    for (uint32_t i = 0; i < SUMS; i++) {
        assert_int_equal(m->doubled[i], 2 * m->expected[i]);
    }
    api_list_destroy(&list);
    assert_success(zeKernelDestroy(sums));
    assert_success(zeKernelDestroy(wide));
    assert_success(zeKernelDestroy(doubled));
}

static void no_addition_is_lost_or_late(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_spirv_module(api, "pending_sums");
    struct memory m = {
        .keys = api_alloc_shared(api, ITEMS * sizeof(uint32_t)),
        .values = api_alloc_shared(api, ITEMS * sizeof(uint32_t)),
        .sums = api_alloc_shared(api, SUMS * sizeof(uint32_t)),
        .doubled = api_alloc_shared(api, SUMS * sizeof(uint32_t)),
        .wide = api_alloc_shared(api, SUMS * sizeof(uint64_t)),
        .expected = malloc(SUMS * sizeof(uint32_t)),
        .expected_wide = malloc(SUMS * sizeof(uint64_t)),
    };
    assert_non_null(m.expected);
    assert_non_null(m.expected_wide);
    for (size_t i = 0; i < sizeof(key_counts) / sizeof(key_counts[0]); i++) {
        for (uint32_t round = 0; round < ROUNDS; round++) {
            memory_fill(&m, key_counts[i], round);
            sums_check(api, module, &m);
        }
    }
    void *const shared[] = {m.keys, m.values, m.sums, m.doubled, m.wide};
    for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++) {
        api_free(api, shared[i]);
    }
    free(m.expected);
    free(m.expected_wide);
    assert_success(zeModuleDestroy(module));
}

static const struct api_case cases[] = {
    API_RUN_CASE(no_addition_is_lost_or_late),
};

API_MAIN("pending additions", cases)
