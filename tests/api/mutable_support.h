/* Mutable command lists in API tests: lists, ids, chains of changes, and kernels to change. */
#ifndef TESTS_API_MUTABLE_SUPPORT_H
#define TESTS_API_MUTABLE_SUPPORT_H

#include "harness.h"

#include <string.h>

#define ARGUMENTS    ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_ARGUMENTS
#define COUNT        ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_COUNT
#define SIZE         ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_SIZE
#define OFFSET       ZE_MUTABLE_COMMAND_EXP_FLAG_GLOBAL_OFFSET
#define SIGNAL       ZE_MUTABLE_COMMAND_EXP_FLAG_SIGNAL_EVENT
#define WAITS        ZE_MUTABLE_COMMAND_EXP_FLAG_WAIT_EVENTS
#define KERNEL       ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_INSTRUCTION
#define LAUNCH_FLAGS (ARGUMENTS | COUNT | SIZE | OFFSET)

/* Links of a chain; `next` is the link that follows, or NULL. */
#define NEW_BYTES(id, index, bytes, value, next)                                                   \
    (&(ze_mutable_kernel_argument_exp_desc_t){ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC,  \
                                              (next), (id), (index), (bytes), (value)})
#define NEW_ARGUMENT(id, index, value, next) NEW_BYTES(id, index, sizeof(value), &(value), next)
#define NEW_COUNT(id, groups, next)                                                                \
    (&(ze_mutable_group_count_exp_desc_t){ZE_STRUCTURE_TYPE_MUTABLE_GROUP_COUNT_EXP_DESC, (next),  \
                                          (id), (groups)})
#define NEW_SIZE(id, x, y, z, next)                                                                \
    (&(ze_mutable_group_size_exp_desc_t){ZE_STRUCTURE_TYPE_MUTABLE_GROUP_SIZE_EXP_DESC, (next),    \
                                         (id), (x), (y), (z)})
#define NEW_OFFSET(id, x, y, z, next)                                                              \
    (&(ze_mutable_global_offset_exp_desc_t){ZE_STRUCTURE_TYPE_MUTABLE_GLOBAL_OFFSET_EXP_DESC,      \
                                            (next), (id), (x), (y), (z)})

static inline ze_result_t mutable_update(ze_command_list_handle_t list, const void *chain)
{
    ze_mutable_commands_exp_desc_t desc = {ZE_STRUCTURE_TYPE_MUTABLE_COMMANDS_EXP_DESC, chain, 0};
    return zeCommandListUpdateMutableCommandsExp(list, &desc);
}

static inline uint64_t mutable_id(ze_command_list_handle_t list,
                                  ze_mutable_command_exp_flags_t flags)
{
    ze_mutable_command_id_exp_desc_t desc = {ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_ID_EXP_DESC, NULL,
                                             flags};
    uint64_t id = 0;
    assert_success(zeCommandListGetNextCommandIdExp(list, &desc, &id));
    return id;
}

static inline uint64_t mutable_id_of(ze_command_list_handle_t list,
                                     ze_mutable_command_exp_flags_t flags, uint32_t count,
                                     ze_kernel_handle_t *kernels)
{
    ze_mutable_command_id_exp_desc_t desc = {ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_ID_EXP_DESC, NULL,
                                             flags};
    uint64_t id = 0;
    assert_success(zeCommandListGetNextCommandIdWithKernelsExp(list, &desc, count, kernels, &id));
    return id;
}

static inline ze_command_list_handle_t mutable_list(struct api *api, ze_command_list_flags_t flags)
{
    ze_mutable_command_list_exp_desc_t mutable = {
        .stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_DESC};
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                   .pNext = &mutable,
                                   .commandQueueGroupOrdinal = api->ordinal,
                                   .flags = flags};
    ze_command_list_handle_t list;
    assert_success(zeCommandListCreate(api->context, api->device, &desc, &list));
    return list;
}

#define RIG_WORDS 256u

/* A queue, an open list, and the kernels of the hand-written module. */
struct rig {
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t list;
    ze_module_handle_t module;
    ze_kernel_handle_t ids, scale;
    uint32_t *out[2]; /* RIG_WORDS of shared memory */
};

static inline void rig_forget(struct rig *rig)
{
    memset(rig->out[0], 0xff, RIG_WORDS * sizeof(uint32_t));
    memset(rig->out[1], 0xff, RIG_WORDS * sizeof(uint32_t));
}

static inline struct rig rig_open(struct api *api, ze_command_list_flags_t flags)
{
    struct rig rig = {.list = mutable_list(api, flags), .module = api_native_module(api)};
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = api->ordinal,
                                    .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    assert_success(zeCommandQueueCreate(api->context, api->device, &desc, &rig.queue));
    rig.ids = api_kernel(rig.module, "ids");
    rig.scale = api_kernel(rig.module, "scale");
    for (int i = 0; i < 2; i++) {
        rig.out[i] = api_alloc_shared(api, RIG_WORDS * sizeof(uint32_t));
    }
    rig_forget(&rig);
    return rig;
}

static inline void rig_close(struct api *api, struct rig *rig)
{
    assert_success(zeCommandListDestroy(rig->list));
    assert_success(zeCommandQueueDestroy(rig->queue));
    assert_success(zeKernelDestroy(rig->ids));
    assert_success(zeKernelDestroy(rig->scale));
    assert_success(zeModuleDestroy(rig->module));
    api_free(api, rig->out[0]);
    api_free(api, rig->out[1]);
}

/* Appends ids(out) with groups of 8 items, as many as fit `items`. */
static inline void rig_append_ids(struct rig *rig, uint32_t *out, uint32_t items,
                                  ze_event_handle_t signal, uint32_t waits, ze_event_handle_t *wait)
{
    ze_group_count_t groups = {items / 8, 1, 1};
    assert_success(zeKernelSetGroupSize(rig->ids, 8, 1, 1));
    assert_success(zeKernelSetArgumentValue(rig->ids, 0, sizeof(out), &out));
    assert_success(
        zeCommandListAppendLaunchKernel(rig->list, rig->ids, &groups, signal, waits, wait));
}

static inline void rig_execute(struct rig *rig)
{
    assert_success(zeCommandQueueExecuteCommandLists(rig->queue, 1, &rig->list, NULL));
}

static inline void rig_run(struct rig *rig)
{
    rig_execute(rig);
    assert_success(zeCommandQueueSynchronize(rig->queue, UINT64_MAX));
}

static inline void rig_run_closed(struct rig *rig)
{
    assert_success(zeCommandListClose(rig->list));
    rig_run(rig);
}

/* The first words are ids from `offset` on, the others untouched; forgotten afterwards. */
static inline void rig_expect_ids(struct api *api, uint32_t *out, uint32_t items, uint32_t offset)
{
    for (uint32_t i = 0; i < RIG_WORDS && api->executes; i++) {
        uint32_t expected = i < items ? i + offset : UINT32_MAX;
        if (out[i] != expected) {
            fail_msg("word %u is %u instead of %u", i, out[i], expected);
        }
    }
    memset(out, 0xff, RIG_WORDS * sizeof(uint32_t));
}

#endif
