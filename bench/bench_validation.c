/* Measures what a validation layer adds. Prints "validation query NS" for a call with one handle
 * and "validation append NS" for a call with three. Prints "validation program US" for a launch
 * with its five calls, in a program that waits for each of its kernels of about 100 us. Each is the
 * best of several rounds. The environment selects the layer and its checks. Usage: bench_validation
 * [GROUPS]; without an argument it prints "validation groups N", the number of work-groups of such
 * a kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common.h"
#include "table.h"

/* Few launches in many rounds, so that other processes leave some rounds undisturbed. */
enum { CALLS = 100000, LAUNCHES = 10, ROUNDS = 15, PROGRAM_ROUNDS = 150 };
enum { ITEMS = 64, GROUPS_MAX = 1 << 20 };

struct validation {
    struct example ze;
    ze_command_list_handle_t list; /* regular: upstream's layer refuses immediate lists */
    ze_command_queue_handle_t queue;
    ze_event_handle_t events[2];
    ze_kernel_handle_t kernel;
};

static double cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void validation_open(struct validation *validation)
{
    struct example *ze = &validation->ze;
    const ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                           .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    const ze_command_list_desc_t list = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    const ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                            .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                            .count = 2};
    ze_event_pool_handle_t pool = NULL;
    example_open(ze, "bench");
    CHECK(ze, zeCommandListCreate(ze->context, ze->device, &list, &validation->list));
    CHECK(ze, zeCommandQueueCreate(ze->context, ze->device, &queue, &validation->queue));
    CHECK(ze, zeEventPoolCreate(ze->context, &pool_desc, 0, NULL, &pool));
    for (uint32_t i = 0; i < 2; i++) {
        const ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = i};
        CHECK(ze, zeEventCreate(pool, &event, &validation->events[i]));
    }
    validation->kernel = example_kernel(ze, example_module(ze, "kernels.spv"), "sin_pow");
    CHECK(ze, zeKernelSetGroupSize(validation->kernel, ITEMS, 1, 1));
    for (uint32_t i = 0; i < 2; i++) {
        void *memory = example_alloc(ze, sizeof(float) * ITEMS * GROUPS_MAX);
        example_arg(ze, validation->kernel, i, sizeof(memory), &memory);
    }
}

static double time_query(const struct validation *validation)
{
    const double start = cpu_ns();
    for (int i = 0; i < CALLS; i++)
        zeEventQueryStatus(validation->events[0]);
    return (cpu_ns() - start) / CALLS;
}

static double time_append(const struct validation *validation)
{
    ze_event_handle_t wait = validation->events[1];
    const double start = cpu_ns();
    for (int i = 0; i < CALLS; i++)
        zeCommandListAppendBarrier(validation->list, validation->events[0], 1, &wait);
    const double ns = (cpu_ns() - start) / CALLS;
    CHECK(&validation->ze, zeCommandListReset(validation->list));
    return ns;
}

static double time_launches(const struct validation *validation, uint32_t groups)
{
    const struct example *ze = &validation->ze;
    const ze_group_count_t count = {groups, 1, 1};
    ze_command_list_handle_t list = validation->list;
    const double start = bench_now_ms();
    for (int i = 0; i < LAUNCHES; i++) {
        CHECK(ze, zeCommandListAppendLaunchKernel(list, validation->kernel, &count, NULL, 0, NULL));
        CHECK(ze, zeCommandListClose(list));
        CHECK(ze, zeCommandQueueExecuteCommandLists(validation->queue, 1, &list, NULL));
        CHECK(ze, zeCommandQueueSynchronize(validation->queue, UINT64_MAX));
        CHECK(ze, zeCommandListReset(list));
    }
    return (bench_now_ms() - start) * 1e3 / LAUNCHES;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double program_us(const struct validation *validation, uint32_t groups, int rounds)
{
    double us = 1e9;
    for (int i = 0; i < rounds; i++)
        us = least(us, time_launches(validation, groups));
    return us;
}

static uint32_t groups_of_100_us(const struct validation *validation)
{
    uint32_t groups = 64;
    while (groups < GROUPS_MAX && program_us(validation, groups, PROGRAM_ROUNDS / 10) < 100)
        groups += groups / 4;
    return groups;
}

int main(int count, char **arguments)
{
    struct validation validation = {.list = NULL};
    validation_open(&validation);
    if (count < 2) {
        printf("validation groups %u\n", groups_of_100_us(&validation));
        return 0;
    }
    const uint32_t groups = (uint32_t)strtoul(arguments[1], NULL, 10);
    if (groups == 0 || groups > GROUPS_MAX)
        return 2;
    double query = 1e9, append = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        query = least(query, time_query(&validation));
        append = least(append, time_append(&validation));
    }
    printf("validation query %.3f\nvalidation append %.3f\nvalidation program %.3f\n", query,
           append, program_us(&validation, groups, PROGRAM_ROUNDS));
    return 0;
}
