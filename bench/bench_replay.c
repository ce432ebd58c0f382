/* Measures the cost of an empty kernel in a list that is recorded once and executed repeatedly, in
 * a graph, and appended each time. Prints "replay NAME NANOSECONDS" for one kernel, the best of
 * several rounds. */
#include <stdio.h>

#include "common.h"
#include "table.h"

enum { KERNELS = 1000, ROUNDS = 200 };

struct replay {
    struct example ze;
    ze_kernel_handle_t kernel;
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t regular, immediate;
    ze_graph_handle_t graph;
    ze_executable_graph_handle_t executable;
};

static void append_all(struct replay *replay, ze_command_list_handle_t list)
{
    const ze_group_count_t one = {1, 1, 1};
    for (int i = 0; i < KERNELS; i++) {
        CHECK(&replay->ze,
              zeCommandListAppendLaunchKernel(list, replay->kernel, &one, NULL, 0, NULL));
    }
}

static void run_immediate(struct replay *replay)
{
    append_all(replay, replay->immediate);
    CHECK(&replay->ze, zeCommandListHostSynchronize(replay->immediate, UINT64_MAX));
}

static void run_list(struct replay *replay)
{
    CHECK(&replay->ze, zeCommandQueueExecuteCommandLists(replay->queue, 1, &replay->regular, NULL));
    CHECK(&replay->ze, zeCommandQueueSynchronize(replay->queue, UINT64_MAX));
}

static void run_graph(struct replay *replay)
{
    CHECK(&replay->ze,
          zeCommandListAppendGraphExt(replay->immediate, replay->executable, NULL, NULL, 0, NULL));
    CHECK(&replay->ze, zeCommandListHostSynchronize(replay->immediate, UINT64_MAX));
}

static void measure(struct replay *replay, const char *name, void (*run)(struct replay *))
{
    double best = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        double start = bench_now_ms();
        run(replay);
        double ns = (bench_now_ms() - start) * 1e6 / KERNELS;
        best = ns < best ? ns : best;
    }
    printf("replay %s %.2f\n", name, best);
}

static void record(struct replay *replay)
{
    struct example *ze = &replay->ze;
    append_all(replay, replay->regular);
    CHECK(ze, zeCommandListClose(replay->regular));
    CHECK(ze, zeCommandListBeginGraphCaptureExt(replay->immediate, NULL));
    append_all(replay, replay->immediate);
    CHECK(ze, zeCommandListEndGraphCaptureExt(replay->immediate, NULL, &replay->graph));
    CHECK(ze, zeGraphInstantiateExt(replay->graph, NULL, &replay->executable));
}

int main(void)
{
    struct replay replay = {.kernel = NULL};
    struct example *ze = &replay.ze;
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_desc_t list = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    example_open(ze, "bench");
    ze_module_handle_t module = example_module(ze, "kernels.spv");
    replay.kernel = example_kernel(ze, module, "empty");
    CHECK(ze, zeKernelSetGroupSize(replay.kernel, 1, 1, 1));
    CHECK(ze, zeCommandQueueCreate(ze->context, ze->device, &desc, &replay.queue));
    CHECK(ze, zeCommandListCreate(ze->context, ze->device, &list, &replay.regular));
    CHECK(ze, zeCommandListCreateImmediate(ze->context, ze->device, &desc, &replay.immediate));
    record(&replay);
    measure(&replay, "immediate", run_immediate);
    measure(&replay, "list", run_list);
    measure(&replay, "graph", run_graph);
    CHECK(ze, zeExecutableGraphDestroyExt(replay.executable));
    CHECK(ze, zeGraphDestroyExt(replay.graph));
    CHECK(ze, zeCommandListDestroy(replay.immediate));
    CHECK(ze, zeCommandListDestroy(replay.regular));
    CHECK(ze, zeCommandQueueDestroy(replay.queue));
    CHECK(ze, zeKernelDestroy(replay.kernel));
    CHECK(ze, zeModuleDestroy(module));
    example_close(ze);
    return 0;
}
