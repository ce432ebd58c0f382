/* Faults of mutable lists: when commands are changed, and to what. */
#include "objects.h"

#include <stdlib.h>

/* A closed mutable list with one launch whose argument, sizes and events can be changed. */
struct changeable {
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    ze_command_list_handle_t list;
    struct signal before;
    void *memory;
    uint64_t id;
};

static struct changeable changeable_open(const struct faulty_world *world)
{
    const ze_mutable_command_list_exp_desc_t mutable = {
        .stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_DESC};
    const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                         .pNext = &mutable,
                                         .flags = ZE_COMMAND_LIST_FLAG_IN_ORDER};
    const ze_mutable_command_id_exp_desc_t id = {
        .stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_ID_EXP_DESC,
        .flags = ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_ARGUMENTS |
                 ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_COUNT | ZE_MUTABLE_COMMAND_EXP_FLAG_WAIT_EVENTS};
    const ze_group_count_t groups = {1, 1, 1};
    struct changeable change = {.module = faulty_module(world),
                                .before = signal_begin(world, 0),
                                .memory = faulty_memory(world, 4096)};
    change.kernel = faulty_kernel(change.module, "ids");
    set_pointer(change.kernel, 0, change.memory);
    MUST(zeCommandListCreate(world->context, world->device, &desc, &change.list));
    MUST(zeCommandListGetNextCommandIdExp(change.list, &id, &change.id));
    MUST(zeCommandListAppendLaunchKernel(change.list, change.kernel, &groups, NULL, 1,
                                         &change.before.event));
    return change;
}

static struct changeable changeable_begin(const struct faulty_world *world)
{
    struct changeable change = changeable_open(world);
    MUST(zeCommandListClose(change.list));
    return change;
}

static void changeable_end(const struct faulty_world *world, const struct changeable *change)
{
    MUST(zeCommandListDestroy(change->list));
    MUST(zeKernelDestroy(change->kernel));
    MUST(zeModuleDestroy(change->module));
    if (change->before.event)
        signal_end(&change->before);
    if (change->memory)
        MUST(zeMemFree(world->context, change->memory));
}

/* Gives the launch another pointer; `next` is what follows in the chain. */
static ze_result_t change_pointer(const struct changeable *change, void *pointer, const void *next)
{
    const ze_mutable_kernel_argument_exp_desc_t argument = {
        .stype = ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC,
        .pNext = next,
        .commandId = change->id,
        .argSize = sizeof(pointer),
        .pArgValue = &pointer};
    const ze_mutable_commands_exp_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMANDS_EXP_DESC, .pNext = &argument};
    return zeCommandListUpdateMutableCommandsExp(change->list, &desc);
}

static ze_result_t run_opened(const struct faulty_world *world, const struct changeable *change)
{
    MUST(zeEventHostSignal(change->before.event));
    const ze_result_t result = run_list(world, change->list);
    MUST(zeEventHostReset(change->before.event)); /* CMQ-17: a list does not reset events */
    return result;
}

static void changed_in_flight(struct faulty_world *world)
{
    /* zeCommandListUpdateMutableCommandsExp: "The list is not being executed." */
    struct changeable change = changeable_begin(world);
    ze_command_queue_handle_t queue = faulty_queue(world);
    MUST(zeCommandQueueExecuteCommandLists(queue, 1, &change.list, NULL));
    change_pointer(&change, change.memory, NULL);
    MUST(zeEventHostSignal(change.before.event));
    MUST(zeCommandQueueSynchronize(queue, UINT64_MAX));
    MUST(zeCommandQueueDestroy(queue));
    changeable_end(world, &change);
}

static void run_before_it_is_closed_again(struct faulty_world *world)
{
    /* zeCommandListUpdateMutableCommandsExp: "it has to be closed again"; CMQ-12. */
    struct changeable change = changeable_begin(world);
    MUST(change_pointer(&change, change.memory, NULL));
    run_opened(world, &change);
    changeable_end(world, &change);
}

static void changed_before_it_is_closed(struct faulty_world *world)
{
    /* zeCommandListUpdateMutableCommandsExp: "Changes commands of a closed list". */
    struct changeable change = changeable_open(world);
    change_pointer(&change, change.memory, NULL);
    changeable_end(world, &change);
}

static void id_of_a_closed_list(struct faulty_world *world)
{
    /* zeCommandListGetNextCommandIdExp: "Of a mutable list that is open." */
    const ze_mutable_command_id_exp_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_ID_EXP_DESC};
    struct changeable change = changeable_begin(world);
    uint64_t id;
    zeCommandListGetNextCommandIdExp(change.list, &desc, &id);
    changeable_end(world, &change);
}

static void changed_to_freed_memory(struct faulty_world *world)
{
    /* GEN-10, MEM-19: the launch gets memory that is gone. */
    struct changeable change = changeable_begin(world);
    void *freed = faulty_memory(world, 4096);
    MUST(zeMemFree(world->context, freed));
    change_pointer(&change, freed, NULL);
    changeable_end(world, &change);
}

static void changed_to_memory_of_another_context(struct faulty_world *world)
{
    /* CTX-4 and "Contexts": memory of one context is not for lists of another. */
    struct faulty_world other = other_begin(world);
    struct changeable change = changeable_begin(world);
    void *theirs = faulty_memory(&other, 4096);
    change_pointer(&change, theirs, NULL);
    changeable_end(world, &change);
    MUST(zeMemFree(other.context, theirs));
    other_end(&other);
}

static void changed_to_wait_for_a_destroyed_event(struct faulty_world *world)
{
    /* VAL-3: use after destruction is reported. */
    struct changeable change = changeable_begin(world);
    struct signal gone = signal_begin(world, 0);
    signal_end(&gone);
    zeCommandListUpdateMutableCommandWaitEventsExp(change.list, change.id, 1, &gone.event);
    changeable_end(world, &change);
}

static void change_that_changes_nothing(struct faulty_world *world)
{
    /* EXN-7, VAL-2: a scheduling hint does not extend the changes of a list. */
    const ze_scheduling_hint_exp_desc_t hint = {.stype =
                                                    ZE_STRUCTURE_TYPE_SCHEDULING_HINT_EXP_DESC};
    struct changeable change = changeable_begin(world);
    change_pointer(&change, change.memory, &hint);
    changeable_end(world, &change);
}

static void memory_freed_after_the_change(struct faulty_world *world)
{
    /* GEN-10: the list runs with an argument that has been freed since. */
    struct changeable change = changeable_begin(world);
    void *freed = faulty_memory(world, 4096);
    MUST(change_pointer(&change, freed, NULL));
    MUST(zeCommandListClose(change.list));
    MUST(zeMemFree(world->context, freed));
    run_opened(world, &change);
    changeable_end(world, &change);
}

/* --- no fault --- */

static void memory_freed_when_it_is_no_argument_any_more(struct faulty_world *world)
{
    /* zeCommandListUpdateMutableCommandsExp: "Changes commands of a closed list". */
    struct changeable change = changeable_begin(world);
    MUST(run_opened(world, &change));
    for (int i = 0; i < 3; i++) {
        void *next = faulty_memory(world, 4096);
        MUST(change_pointer(&change, next, NULL));
        MUST(zeMemFree(world->context, change.memory));
        change.memory = next;
        MUST(zeCommandListClose(change.list));
        MUST(run_opened(world, &change));
    }
    changeable_end(world, &change);
}

static void event_destroyed_when_nothing_waits_for_it(struct faulty_world *world)
{
    /* zeCommandListUpdateMutableCommandWaitEventsExp: "null: none, also in their place". */
    struct changeable change = changeable_begin(world);
    ze_event_handle_t none = NULL;
    MUST(zeCommandListUpdateMutableCommandWaitEventsExp(change.list, change.id, 1, &none));
    MUST(zeCommandListClose(change.list));
    signal_end(&change.before);
    change.before.event = NULL;
    MUST(run_list(world, change.list));
    changeable_end(world, &change);
}

static void two_changes_in_any_order(struct faulty_world *world)
{
    /* EXN-7: chains may be in any order. */
    struct changeable change = changeable_begin(world);
    const ze_group_count_t groups = {4, 1, 1};
    const ze_mutable_group_count_exp_desc_t count = {
        .stype = ZE_STRUCTURE_TYPE_MUTABLE_GROUP_COUNT_EXP_DESC,
        .commandId = change.id,
        .pGroupCount = &groups};
    const ze_mutable_kernel_argument_exp_desc_t argument = {
        .stype = ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC,
        .commandId = change.id,
        .argSize = sizeof(void *),
        .pArgValue = &change.memory};
    ze_mutable_group_count_exp_desc_t first = count;
    ze_mutable_commands_exp_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMANDS_EXP_DESC,
                                           .pNext = &first};
    first.pNext = &argument;
    MUST(change_pointer(&change, change.memory, &count));
    MUST(zeCommandListUpdateMutableCommandsExp(change.list, &desc));
    MUST(zeCommandListClose(change.list));
    MUST(run_opened(world, &change));
    changeable_end(world, &change);
}

static void kernel_exchanged(struct faulty_world *world)
{
    /* zeCommandListUpdateMutableCommandKernelsExp: one "of those that their ids were made with";
     * arguments and sizes are given afterwards. */
    const ze_mutable_command_list_exp_desc_t mutable = {
        .stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_DESC};
    const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                         .pNext = &mutable};
    const ze_mutable_command_id_exp_desc_t id = {
        .stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_ID_EXP_DESC,
        .flags = ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_INSTRUCTION |
                 ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_ARGUMENTS |
                 ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_COUNT | ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_SIZE};
    struct changeable change = {.module = faulty_module(world),
                                .memory = faulty_memory(world, 4096)};
    const ze_kernel_desc_t fixed = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "fixed"};
    ze_kernel_handle_t kernels[2] = {faulty_kernel(change.module, "ids")};
    MUST(zeKernelCreate(change.module, &fixed, &kernels[1]));
    MUST(zeKernelSetGroupSize(kernels[1], 4, 2, 1));
    const ze_group_count_t groups = {1, 1, 1};
    const ze_mutable_group_count_exp_desc_t count = {
        .stype = ZE_STRUCTURE_TYPE_MUTABLE_GROUP_COUNT_EXP_DESC, .pGroupCount = &groups};
    ze_mutable_group_count_exp_desc_t counts = count;
    ze_mutable_group_size_exp_desc_t size = {.stype = ZE_STRUCTURE_TYPE_MUTABLE_GROUP_SIZE_EXP_DESC,
                                             .pNext = &counts,
                                             .groupSizeX = 4,
                                             .groupSizeY = 2,
                                             .groupSizeZ = 1};
    change.kernel = kernels[0];
    set_pointer(kernels[0], 0, change.memory);
    MUST(zeCommandListCreate(world->context, world->device, &desc, &change.list));
    MUST(zeCommandListGetNextCommandIdWithKernelsExp(change.list, &id, 2, kernels, &change.id));
    MUST(launch(change.list, kernels[0]));
    MUST(close_and_run(world, change.list));
    MUST(zeCommandListUpdateMutableCommandKernelsExp(change.list, 1, &change.id, &kernels[1]));
    counts.commandId = size.commandId = change.id;
    MUST(change_pointer(&change, change.memory, &size));
    MUST(close_and_run(world, change.list));
    MUST(zeKernelDestroy(kernels[1]));
    changeable_end(world, &change);
}

const struct faulty faulty_programs[] = {
    {"changed_in_flight", changed_in_flight, "list-in-flight",
     "zeCommandListUpdateMutableCommandsExp", NULL},
    {"run_before_it_is_closed_again", run_before_it_is_closed_again, "open-list",
     "zeCommandQueueExecuteCommandLists", NULL},
    {"changed_before_it_is_closed", changed_before_it_is_closed, "open-list",
     "zeCommandListUpdateMutableCommandsExp", NULL},
    {"id_of_a_closed_list", id_of_a_closed_list, "closed-list", "zeCommandListGetNextCommandIdExp",
     NULL},
    {"changed_to_freed_memory", changed_to_freed_memory, "freed-memory",
     "zeCommandListUpdateMutableCommandsExp", NULL},
    {"changed_to_memory_of_another_context", changed_to_memory_of_another_context,
     "other-context-memory", "zeCommandListUpdateMutableCommandsExp", NULL},
    {"changed_to_wait_for_a_destroyed_event", changed_to_wait_for_a_destroyed_event,
     "destroyed-handle", "phWaitEvents[0]", NULL},
    {"change_that_changes_nothing", change_that_changes_nothing, "misplaced-extension",
     "ze_scheduling_hint_exp_desc_t", NULL},
    {"memory_freed_after_the_change", memory_freed_after_the_change, "freed-memory",
     "zeCommandQueueExecuteCommandLists", NULL},
    {"memory_freed_when_it_is_no_argument_any_more", memory_freed_when_it_is_no_argument_any_more,
     "", NULL, NULL},
    {"event_destroyed_when_nothing_waits_for_it", event_destroyed_when_nothing_waits_for_it, "",
     NULL, NULL},
    {"two_changes_in_any_order", two_changes_in_any_order, "", NULL, NULL},
    {"kernel_exchanged", kernel_exchanged, "", NULL, NULL},
    {0}};
