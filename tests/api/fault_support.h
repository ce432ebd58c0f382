/* Faults in API tests: memory that is not there, lists of every kind whose work touches it, a
 * process for each case. */
#ifndef TESTS_API_FAULT_SUPPORT_H
#define TESTS_API_FAULT_SUPPORT_H

#include "harness.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the process of a case: what has to hold there, as the assertions of the harness do outside. */
#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)
#define MUST_RESULT(call, expected)                                                                \
    do {                                                                                           \
        ze_result_t result_ = (call);                                                              \
        if (result_ != (expected)) {                                                               \
            fprintf(stderr, "line %d: %s: 0x%x\n", __LINE__, #call, (unsigned)result_);            \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)
#define MUST_WORK(call) MUST_RESULT(call, ZE_RESULT_SUCCESS)
#define MUST_LOSE(call) MUST_RESULT(call, ZE_RESULT_ERROR_DEVICE_LOST)

/* Runs a case in a child, apart: the test framework handles faults, too. A case that hangs is
 * killed. */
static inline bool run_apart(struct api *api, void (*run)(struct api *, const void *),
                             const void *argument)
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(2 * patience_s()); /* longer than a wait, whose failure names its line */
        run(api, argument);
        _exit(0);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#define WALL_BYTES (2u << 20)

/* A page, and behind it more memory that cannot be touched than any operation here goes through:
 * returns where that starts. */
static inline uint8_t *wall_make(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *pages =
        mmap(NULL, page + WALL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(pages != MAP_FAILED && mprotect(pages + page, WALL_BYTES, PROT_NONE) == 0);
    return pages + page;
}

enum kind_flags {
    KIND_REGULAR = 1u << 0, /* else immediate */
    KIND_SYNCHRONOUS = 1u << 1,
    KIND_IN_ORDER = 1u << 2,
    KIND_COUNTER = 1u << 3, /* the event is counter-based */
    KIND_COPY = 1u << 4,    /* of the copy engine: a copy faults, else a kernel */
};

/* A list whose work faults, and what hangs on it. */
struct scene {
    struct api *api;
    uint32_t kind;
    ze_command_queue_handle_t queue; /* regular: what the list is executed by */
    ze_command_list_handle_t list;
    ze_command_list_handle_t other;  /* immediate, of its own */
    ze_command_list_handle_t closed; /* regular, with nothing bad in it */
    ze_fence_handle_t fence;
    ze_event_handle_t event;  /* signalled by the work that faults, with timestamps */
    ze_event_handle_t behind; /* signalled by a list that waits for it */
    ze_event_handle_t never;  /* nobody signals it */
    ze_kernel_handle_t kernel;
    uint8_t *wall;
    void *memory;
    _Atomic uint32_t ran; /* host functions behind the fault */
};

static inline void scene_host(void *data)
{
    (*(_Atomic uint32_t *)data)++;
}

static inline ze_command_list_handle_t scene_immediate(struct api *api, uint32_t ordinal,
                                                       uint32_t kind)
{
    ze_command_queue_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
        .ordinal = ordinal,
        .flags = kind & KIND_IN_ORDER ? ZE_COMMAND_QUEUE_FLAG_IN_ORDER : 0,
        .mode = kind & KIND_SYNCHRONOUS ? ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS
                                        : ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
    };
    ze_command_list_handle_t list;
    MUST_WORK(zeCommandListCreateImmediate(api->context, api->device, &desc, &list));
    return list;
}

static inline ze_command_list_handle_t scene_regular(struct api *api, uint32_t ordinal,
                                                     uint32_t kind)
{
    ze_command_list_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
        .commandQueueGroupOrdinal = ordinal,
        .flags = kind & KIND_IN_ORDER ? ZE_COMMAND_LIST_FLAG_IN_ORDER : 0,
    };
    ze_command_list_handle_t list;
    MUST_WORK(zeCommandListCreate(api->context, api->device, &desc, &list));
    return list;
}

static inline void scene_events(struct scene *scene)
{
    struct api *api = scene->api;
    ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                      .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE |
                                               ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP,
                                      .count = 3};
    ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_event_counter_based_desc_t counter = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC,
        .flags = ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE | ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE |
                 ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE |
                 ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP,
    };
    ze_event_pool_handle_t pool;
    MUST_WORK(zeEventPoolCreate(api->context, &pool_desc, 0, NULL, &pool));
    if (scene->kind & KIND_COUNTER) {
        MUST_WORK(zeEventCounterBasedCreate(api->context, api->device, &counter, &scene->event));
    } else {
        MUST_WORK(zeEventCreate(pool, &desc, &scene->event));
    }
    desc.index = 1;
    MUST_WORK(zeEventCreate(pool, &desc, &scene->behind));
    desc.index = 2;
    MUST_WORK(zeEventCreate(pool, &desc, &scene->never));
}

static inline void scene_open(struct scene *scene, struct api *api, uint32_t kind)
{
    uint32_t ordinal = kind & KIND_COPY ? 1 : api->ordinal;
    *scene = (struct scene){.api = api, .kind = kind, .wall = wall_make()};
    scene->memory = calloc(1, 4096);
    if (kind & KIND_REGULAR) {
        ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                        .ordinal = ordinal,
                                        .mode = kind & KIND_SYNCHRONOUS
                                                    ? ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS
                                                    : ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
        ze_fence_desc_t fence = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
        MUST_WORK(zeCommandQueueCreate(api->context, api->device, &desc, &scene->queue));
        MUST_WORK(zeFenceCreate(scene->queue, &fence, &scene->fence));
        scene->list = scene_regular(api, ordinal, kind);
        scene->closed = scene_regular(api, ordinal, kind);
        MUST_WORK(zeCommandListClose(scene->closed));
    } else {
        scene->list = scene_immediate(api, ordinal, kind);
    }
    scene->other = scene_immediate(api, api->ordinal, 0);
    scene_events(scene);
    if (!(kind & KIND_COPY)) {
        scene->kernel = api_kernel(api_native_module(api), "scale");
    }
}

/* Four groups of one work-item, of which the last reads behind the wall. */
static inline ze_result_t scene_launch(struct scene *scene)
{
    const void *in = scene->wall - 3 * sizeof(float), *out = scene->memory;
    ze_group_count_t groups = {4, 1, 1};
    uint32_t count = 4;
    MUST_WORK(zeKernelSetGroupSize(scene->kernel, 1, 1, 1));
    MUST_WORK(zeKernelSetArgumentValue(scene->kernel, 0, sizeof(out), &out));
    MUST_WORK(zeKernelSetArgumentValue(scene->kernel, 1, sizeof(in), &in));
    MUST_WORK(zeKernelSetArgumentValue(scene->kernel, 3, sizeof(count), &count));
    return zeCommandListAppendLaunchKernel(scene->list, scene->kernel, &groups, scene->event, 0,
                                           NULL);
}

/* Work that waits for the event in another list, then the work that faults; a host function behind
 * each. Comes back when it is submitted, on synchronous lists when it has been lost. */
static inline void scene_fault(struct scene *scene)
{
    bool late = !(scene->kind & KIND_SYNCHRONOUS); /* the result comes with a wait */
    if (!(scene->kind & KIND_COUNTER)) {           /* those are waited for once signalled */
        MUST_WORK(zeCommandListAppendHostFunction(scene->other, scene_host, &scene->ran, NULL,
                                                  scene->behind, 1, &scene->event));
    }
    ze_result_t lost = late || scene->queue ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_DEVICE_LOST;
    if (scene->kind & KIND_COPY) {
        MUST_RESULT(zeCommandListAppendMemoryCopy(scene->list, scene->wall, scene->memory, 64,
                                                  scene->event, 0, NULL),
                    lost);
    } else {
        MUST_RESULT(scene_launch(scene), lost);
    }
    if (scene->queue) {
        MUST_WORK(zeCommandListAppendHostFunction(scene->list, scene_host, &scene->ran, NULL, NULL,
                                                  0, NULL));
        MUST_WORK(zeCommandListClose(scene->list));
        MUST_RESULT(zeCommandQueueExecuteCommandLists(scene->queue, 1, &scene->list, scene->fence),
                    late ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_DEVICE_LOST);
    }
}

/* The calling thread's last error names what faulted, where and at which address. */
static inline void text_must_tell(const struct scene *scene)
{
    const char *text = "";
    char address[32];
    MUST_WORK(zeDriverGetLastErrorDescription(scene->api->driver, &text));
    snprintf(address, sizeof(address), "0x%llx", (unsigned long long)(uintptr_t)scene->wall);
    const char *parts[] = {
        scene->kind & KIND_COPY ? "a copy of 64 bytes"
                                : "kernel `scale` faulted in work-group (3,0,0)",
        "invalid memory access at ",
        address,
    };
    for (int i = 0; i < 3; i++) {
        if (!strstr(text, parts[i])) {
            fprintf(stderr, "\"%s\" does not say \"%s\"\n", text, parts[i]);
            _exit(1);
        }
    }
}

/* Comes back when the context knows; no wait has been asked for. */
static inline void scene_until_lost(const struct scene *scene)
{
    while (zeContextGetStatus(scene->api->context) == ZE_RESULT_SUCCESS) {
        sched_yield();
    }
}

#endif
