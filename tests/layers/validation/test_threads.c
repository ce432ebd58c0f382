/* Calls that meet although they may not. That they do meet is no chance: the first is a host
 * function or a wait that lasts until the second has come. */
#include "faulty.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

struct pair {
    struct faulty_world *world;
    ze_command_list_handle_t list;
    ze_event_handle_t event;
    ze_module_handle_t module;
    atomic_bool go, stop;
};

static void *append_barriers(void *argument)
{
    struct pair *pair = argument;
    while (!atomic_load(&pair->go))
        ;
    for (int i = 0; i < 200000 && !atomic_load(&pair->stop); i++)
        zeCommandListAppendBarrier(pair->list, NULL, 0, NULL);
    return NULL;
}

/* VAL-5 */
static void two_threads_append(struct faulty_world *world)
{
    struct pair pair = {.world = world, .list = faulty_immediate(world, 0)};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, append_barriers, &pair);
    atomic_store(&pair.go, true);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    MUST(zeCommandListHostSynchronize(pair.list, UINT64_MAX));
    MUST(zeCommandListDestroy(pair.list));
}

static void *wait_for_event(void *argument)
{
    struct pair *pair = argument;
    atomic_store(&pair->go, true);
    zeEventHostSynchronize(pair->event, 400000000u);
    return NULL;
}

/* VAL-5 */
static void event_destroyed_while_waited_for(struct faulty_world *world)
{
    ze_event_pool_handle_t pool = faulty_pool(world, 1);
    struct pair pair = {.world = world, .event = faulty_event(pool, 0)};
    pthread_t thread;
    pthread_create(&thread, NULL, wait_for_event, &pair);
    while (!atomic_load(&pair.go))
        ;
    usleep(100000);
    zeEventDestroy(pair.event);
    pthread_join(thread, NULL);
    MUST(zeEventPoolDestroy(pool));
}

/* --- no fault: kernels, lists and queues of their own, one event and module for all --- */

/* A kernel, list and queue that no other thread has. */
struct own {
    ze_command_list_handle_t list;
    ze_command_queue_handle_t queue;
    ze_kernel_handle_t kernel;
    void *memory;
};

static void own_launch(struct own *own)
{
    const ze_group_count_t groups = {1, 1, 1};
    MUST(zeKernelSetArgumentValue(own->kernel, 0, sizeof(own->memory), &own->memory));
    MUST(zeCommandListAppendLaunchKernel(own->list, own->kernel, &groups, NULL, 0, NULL));
    MUST(zeCommandListClose(own->list));
    MUST(zeCommandQueueExecuteCommandLists(own->queue, 1, &own->list, NULL));
    MUST(zeCommandQueueSynchronize(own->queue, UINT64_MAX));
    MUST(zeCommandListReset(own->list));
}

static void own_end(const struct pair *pair, const struct own *own)
{
    MUST(zeCommandListDestroy(own->list));
    MUST(zeCommandQueueDestroy(own->queue));
    MUST(zeKernelDestroy(own->kernel));
    MUST(zeMemFree(pair->world->context, own->memory));
}

static void *legal_thread(void *argument)
{
    struct pair *pair = argument;
    struct own own = {.list = faulty_list(pair->world, 0),
                      .queue = faulty_queue(pair->world),
                      .kernel = faulty_kernel(pair->module, "ids"),
                      .memory = faulty_memory(pair->world, 4096)};
    ze_command_list_handle_t list = own.list;
    for (int i = 0; i < 2000; i++) {
        ze_event_pool_handle_t pool = faulty_pool(pair->world, 1);
        ze_event_handle_t event = faulty_event(pool, 0);
        MUST(zeCommandListAppendBarrier(list, NULL, 1, &event));
        MUST(zeCommandListReset(list));
        zeEventQueryStatus(pair->event);
        MUST(zeEventDestroy(event));
        MUST(zeEventPoolDestroy(pool));
        if (i % 16 == 0)
            own_launch(&own);
    }
    own_end(pair, &own);
    return NULL;
}

static void legal_threads(struct faulty_world *world)
{
    enum { THREADS = 64 };
    ze_event_pool_handle_t pool = faulty_pool(world, 1);
    struct pair pair = {
        .world = world, .event = faulty_event(pool, 0), .module = faulty_module(world)};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, legal_thread, &pair);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    MUST(zeModuleDestroy(pair.module));
    MUST(zeEventDestroy(pair.event));
    MUST(zeEventPoolDestroy(pool));
}

const struct faulty faulty_programs[] = {
    {"two_threads_append", two_threads_append, "simultaneous-use",
     "is in use by zeCommandListAppendBarrier in thread", NULL},
    {"event_destroyed_while_waited_for", event_destroyed_while_waited_for, "destroyed-while-used",
     "zeEventDestroy: hEvent", NULL},
    {"legal_threads", legal_threads, "", NULL, NULL},
    {0}};
