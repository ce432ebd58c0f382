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

/* --- no fault: lists of their own, one list in turns, one event for all --- */

static void *legal_thread(void *argument)
{
    struct pair *pair = argument;
    ze_command_list_handle_t list = faulty_list(pair->world, 0);
    for (int i = 0; i < 2000; i++) {
        ze_event_pool_handle_t pool = faulty_pool(pair->world, 1);
        ze_event_handle_t event = faulty_event(pool, 0);
        MUST(zeCommandListAppendBarrier(list, NULL, 1, &event));
        MUST(zeCommandListReset(list));
        zeEventQueryStatus(pair->event);
        MUST(zeEventDestroy(event));
        MUST(zeEventPoolDestroy(pool));
    }
    MUST(zeCommandListDestroy(list));
    return NULL;
}

static void legal_threads(struct faulty_world *world)
{
    enum { THREADS = 64 };
    ze_event_pool_handle_t pool = faulty_pool(world, 1);
    struct pair pair = {.world = world, .event = faulty_event(pool, 0)};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, legal_thread, &pair);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
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
