/* Faults of threads that meet at one object, and legal meetings. */
#include "objects.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What two threads share. */
struct meeting {
    struct faulty_world *world;
    ze_kernel_handle_t kernel;
    ze_event_pool_handle_t pool;
    ze_fence_handle_t fence;
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t list;
    ze_module_handle_t module;
    ze_event_handle_t event;
    void *memory;
    atomic_uint number;
    time_t limit;
    int told; /* a file for standard error: when something is there, the threads have met */
};

enum { BYTES = 4096, ROUNDS = 64, MOST_SECONDS = 60 };

/* Runs the function in several threads at once and waits for all. */
static void meet(struct meeting *meeting, unsigned threads, void *(*run)(void *))
{
    pthread_t all[16];
    for (unsigned i = 0; i < threads; i++)
        pthread_create(&all[i], NULL, run, meeting);
    for (unsigned i = 0; i < threads; i++)
        pthread_join(all[i], NULL);
}

/* Whether the layer has told nothing. The limit is for a layer that never does. */
static bool not_yet_met(const struct meeting *meeting)
{
    struct timespec now;
    struct stat file;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return fstat(meeting->told, &file) == 0 && file.st_size == 0 && now.tv_sec < meeting->limit;
}

/* Lets two threads repeat calls until the layer has seen them meet, however busy the machine is. */
static void meet_until_told(struct meeting *meeting, void *(*run)(void *))
{
    static char told[65536];
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    meeting->limit = now.tv_sec + MOST_SECONDS;
    meeting->told = memfd_create("told", 0);
    const int error = dup(STDERR_FILENO);
    dup2(meeting->told, STDERR_FILENO);
    meet(meeting, 2, run);
    dup2(error, STDERR_FILENO);
    const ssize_t length = pread(meeting->told, told, sizeof(told) - 1, 0);
    told[length > 0 ? length : 0] = '\0';
    close(meeting->told);
    close(error);
    fputs(told, stderr);
}

/* Waits until the second thread is here as well. */
static uint32_t arrive(struct meeting *meeting)
{
    const uint32_t number = atomic_fetch_add(&meeting->number, 1);
    while (atomic_load(&meeting->number) < 2)
        ;
    return number;
}

static void *set_arguments(void *argument)
{
    struct meeting *meeting = argument;
    arrive(meeting);
    while (not_yet_met(meeting)) {
        for (int i = 0; i < ROUNDS; i++)
            zeKernelSetArgumentValue(meeting->kernel, 0, sizeof(void *), &meeting->memory);
    }
    return NULL;
}

static void two_threads_set_an_argument(struct faulty_world *world)
{
    /* GEN-14, GEN-17: a kernel is not for two threads; KRN-5's setter changes it. */
    struct meeting meeting = {.module = faulty_module(world),
                              .memory = faulty_memory(world, BYTES)};
    meeting.kernel = faulty_kernel(meeting.module, "ids");
    meet_until_told(&meeting, set_arguments);
    MUST(zeKernelDestroy(meeting.kernel));
    MUST(zeModuleDestroy(meeting.module));
    MUST(zeMemFree(world->context, meeting.memory));
}

static void *create_events(void *argument)
{
    struct meeting *meeting = argument;
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = arrive(meeting)};
    ze_event_handle_t event;
    while (not_yet_met(meeting)) {
        for (int i = 0; i < ROUNDS; i++) {
            if (zeEventCreate(meeting->pool, &desc, &event) == ZE_RESULT_SUCCESS)
                MUST(zeEventDestroy(event));
        }
    }
    return NULL;
}

static void two_threads_create_events(struct faulty_world *world)
{
    /* zeEventCreate: "Not from several threads with one pool at once." */
    struct meeting meeting = {.pool = faulty_pool(world, 2)};
    meet_until_told(&meeting, create_events);
    MUST(zeEventPoolDestroy(meeting.pool));
}

static void *wait_for_fence(void *argument)
{
    struct meeting *meeting = argument;
    atomic_fetch_add(&meeting->number, 1);
    zeFenceHostSynchronize(meeting->fence, UINT64_C(4000000000)); /* long after the destroy below */
    return NULL;
}

static void fence_destroyed_while_waited_for(struct faulty_world *world)
{
    /* GEN-17: destroy is not for the time of another call with the handle. */
    const ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    struct meeting meeting = {.queue = faulty_queue(world)};
    ze_command_list_handle_t list = faulty_list(world, 0);
    pthread_t thread;
    MUST(zeFenceCreate(meeting.queue, &desc, &meeting.fence));
    pthread_create(&thread, NULL, wait_for_fence, &meeting);
    while (atomic_load(&meeting.number) == 0)
        ;
    usleep(300000);
    const ze_result_t result = zeFenceDestroy(meeting.fence);
    if (result != ZE_RESULT_SUCCESS) { /* the waiter need not wait longer */
        MUST(zeCommandListClose(list));
        MUST(zeCommandQueueExecuteCommandLists(meeting.queue, 1, &list, meeting.fence));
    }
    pthread_join(thread, NULL);
    MUST(zeCommandQueueSynchronize(meeting.queue, UINT64_MAX));
    MUST(zeCommandListDestroy(list));
    if (result != ZE_RESULT_SUCCESS)
        MUST(zeFenceDestroy(meeting.fence));
    MUST(zeCommandQueueDestroy(meeting.queue));
}

/* --- no fault --- */

static void *open_gate_later(void *event)
{
    usleep(50000);
    MUST(zeEventHostSignal(event));
    return NULL;
}

static void *submit_own_list(void *argument)
{
    struct meeting *meeting = argument;
    for (int i = 0; i < 50; i++) {
        ze_command_list_handle_t list = faulty_list(meeting->world, 0);
        void *memory = faulty_memory(meeting->world, BYTES);
        fill(list, memory, 1, BYTES);
        MUST(zeCommandListClose(list));
        MUST(zeCommandQueueExecuteCommandLists(meeting->queue, 1, &list, NULL));
        MUST(zeCommandQueueSynchronize(meeting->queue, UINT64_MAX));
        MUST(zeCommandListDestroy(list));
        MUST(zeMemFree(meeting->world->context, memory));
    }
    return NULL;
}

static void queue_of_several_threads(struct faulty_world *world)
{
    /* CMQ-7: submission is free-threaded; GEN-17: execute and synchronise from many threads. */
    struct meeting meeting = {.world = world, .queue = faulty_queue(world)};
    meet(&meeting, 8, submit_own_list);
    MUST(zeCommandQueueDestroy(meeting.queue));
}

static void *wait_for_the_event(void *argument)
{
    struct meeting *meeting = argument;
    MUST(zeEventHostSynchronize(meeting->event, UINT64_MAX));
    MUST(zeEventQueryStatus(meeting->event));
    return NULL;
}

static void event_of_several_threads(struct faulty_world *world)
{
    /* GEN-17: host waits, questions and signals from many threads. */
    struct signal signal = signal_begin(world, 0);
    struct meeting meeting = {.event = signal.event};
    pthread_t thread;
    pthread_create(&thread, NULL, open_gate_later, signal.event);
    meet(&meeting, 8, wait_for_the_event);
    pthread_join(thread, NULL);
    signal_end(&signal);
}

static void *make_kernels(void *argument)
{
    struct meeting *meeting = argument;
    for (int i = 0; i < 200; i++)
        MUST(zeKernelDestroy(faulty_kernel(meeting->module, "ids")));
    return NULL;
}

static void module_of_several_threads(struct faulty_world *world)
{
    /* GEN-17: creates may be called from many threads. */
    struct meeting meeting = {.module = faulty_module(world)};
    meet(&meeting, 8, make_kernels);
    MUST(zeModuleDestroy(meeting.module));
}

static void *close_and_submit(void *argument)
{
    struct meeting *meeting = argument;
    MUST(close_and_run(meeting->world, meeting->list));
    MUST(zeCommandListReset(meeting->list));
    return NULL;
}

static void list_handed_from_thread_to_thread(struct faulty_world *world)
{
    /* GEN-27, CMQ-13: handing one handle from thread to thread; no list belongs to a thread. */
    struct meeting meeting = {
        .world = world, .list = faulty_list(world, 0), .memory = faulty_memory(world, BYTES)};
    for (int i = 0; i < 20; i++) {
        fill(meeting.list, meeting.memory, 1, BYTES);
        meet(&meeting, 1, close_and_submit);
    }
    MUST(zeCommandListDestroy(meeting.list));
    MUST(zeMemFree(world->context, meeting.memory));
}

const struct faulty faulty_programs[] = {
    {"two_threads_set_an_argument", two_threads_set_an_argument, "simultaneous-use",
     "zeKernelSetArgumentValue", NULL},
    {"two_threads_create_events", two_threads_create_events, "simultaneous-use", "zeEventCreate",
     NULL},
    {"fence_destroyed_while_waited_for", fence_destroyed_while_waited_for, "destroyed-while-used",
     "zeFenceDestroy", NULL},
    {"queue_of_several_threads", queue_of_several_threads, "", NULL, NULL},
    {"event_of_several_threads", event_of_several_threads, "", NULL, NULL},
    {"module_of_several_threads", module_of_several_threads, "", NULL, NULL},
    {"list_handed_from_thread_to_thread", list_handed_from_thread_to_thread, "", NULL, NULL},
    {0}};
