/* Measures calls that programs make for every piece of work. Prints "cost NAME NANOSECONDS", each
 * the best of several rounds, through the loader. */
#include <stdio.h>

#include "common.h"
#include "table.h"

enum { CALLS = 1000, ROUNDS = 300, GROUPS = 1024 };

struct costs {
    struct example ze;
    ze_kernel_handle_t kernel, with_argument;
    ze_command_list_handle_t regular;
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    void *memory;
};

static void append_recorded(struct costs *costs)
{
    const ze_group_count_t one = {1, 1, 1};
    for (int i = 0; i < CALLS; i++) {
        CHECK(&costs->ze,
              zeCommandListAppendLaunchKernel(costs->regular, costs->kernel, &one, NULL, 0, NULL));
    }
}

static void append_recorded_undo(struct costs *costs)
{
    CHECK(&costs->ze, zeCommandListReset(costs->regular));
}

static void append_immediate(struct costs *costs)
{
    const ze_group_count_t one = {1, 1, 1};
    for (int i = 0; i < CALLS; i++) {
        CHECK(&costs->ze,
              zeCommandListAppendLaunchKernel(costs->ze.list, costs->kernel, &one, NULL, 0, NULL));
    }
}

static void append_immediate_undo(struct costs *costs)
{
    CHECK(&costs->ze, zeCommandListHostSynchronize(costs->ze.list, UINT64_MAX));
}

static void query_event(struct costs *costs)
{
    for (int i = 0; i < CALLS; i++) {
        CHECK(&costs->ze, zeEventQueryStatus(costs->event));
    }
}

static void set_argument(struct costs *costs)
{
    for (int i = 0; i < CALLS; i++) {
        CHECK(&costs->ze, zeKernelSetArgumentValue(costs->with_argument, 0, sizeof(costs->memory),
                                                   &costs->memory));
    }
}

static void create_and_destroy_event(struct costs *costs)
{
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = 1};
    for (int i = 0; i < CALLS; i++) {
        ze_event_handle_t event;
        CHECK(&costs->ze, zeEventCreate(costs->pool, &desc, &event));
        CHECK(&costs->ze, zeEventDestroy(event));
    }
}

static void allocation_properties(struct costs *costs)
{
    ze_memory_allocation_properties_t properties = {
        .stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    for (int i = 0; i < CALLS; i++) {
        CHECK(&costs->ze,
              zeMemGetAllocProperties(costs->ze.context, costs->memory, &properties, NULL));
    }
}

/* Launches and waits. */
static void launch_groups_of_one(struct costs *costs)
{
    const ze_group_count_t groups = {GROUPS, 1, 1};
    for (int i = 0; i < CALLS; i++) {
        CHECK(&costs->ze, zeCommandListAppendLaunchKernel(costs->ze.list, costs->kernel, &groups,
                                                          NULL, 0, NULL));
        CHECK(&costs->ze, zeCommandListHostSynchronize(costs->ze.list, UINT64_MAX));
    }
}

static void open_all(struct costs *costs)
{
    struct example *ze = &costs->ze;
    const ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    const ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                            .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                            .count = 2};
    const ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    example_open(ze, "bench");
    ze_module_handle_t module = example_module(ze, "kernels.spv");
    costs->kernel = example_kernel(ze, module, "empty");
    costs->with_argument = example_kernel(ze, module, "triad");
    CHECK(ze, zeKernelSetGroupSize(costs->kernel, 1, 1, 1));
    CHECK(ze, zeCommandListCreate(ze->context, ze->device, &list_desc, &costs->regular));
    CHECK(ze, zeEventPoolCreate(ze->context, &pool_desc, 0, NULL, &costs->pool));
    CHECK(ze, zeEventCreate(costs->pool, &event_desc, &costs->event));
    CHECK(ze, zeEventHostSignal(costs->event));
    costs->memory = example_alloc(ze, 1 << 20);
}

int main(void)
{
    static const struct {
        const char *name;
        void (*run)(struct costs *costs);
        void (*undo)(struct costs *costs); /* not measured */
    } rows[] = {
        {"append_recorded", append_recorded, append_recorded_undo},
        {"append_immediate", append_immediate, append_immediate_undo},
        {"query_event", query_event, NULL},
        {"set_argument", set_argument, NULL},
        {"create_and_destroy_event", create_and_destroy_event, NULL},
        {"allocation_properties", allocation_properties, NULL},
        {"launch_1024_groups_of_one", launch_groups_of_one, NULL},
    };
    struct costs costs = {.kernel = NULL};
    open_all(&costs);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double best = 1e9;
        for (int round = 0; round < ROUNDS; round++) {
            double start = bench_now_ms();
            rows[i].run(&costs);
            double ns = (bench_now_ms() - start) * 1e6 / CALLS;
            best = ns < best ? ns : best;
            if (rows[i].undo) {
                rows[i].undo(&costs);
            }
        }
        printf("cost %s %.2f\n", rows[i].name, best);
    }
    example_close(&costs.ze);
    return 0;
}
