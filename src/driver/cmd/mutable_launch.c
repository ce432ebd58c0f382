/* Changes launches of mutable lists (arguments, group counts and sizes, offsets, kernels), and
 * writes them into the records when the list is closed. See mutable.h. */
#include "driver/cmd/mutable.h"

#include "driver/core/check.h"

/* The trial of a chain of changes. */
struct trial {
    struct geo_command_list *list;
    struct geo_mutable_command *touched;
};

/* Finds a command, which must launch a single kernel, and adds it to those that the chain
 * touches. */
static ze_result_t trial_command(struct trial *trial, uint64_t id,
                                 ze_mutable_command_exp_flag_t flag,
                                 struct geo_mutable_command **out)
{
    struct geo_mutable_command *command;
    GEO_CHECK(geo_mutable_find(trial->list, id, flag, &command));
    if (!command->launch) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "command %llu is not the launch of one kernel", (unsigned long long)id);
    }
    if (!command->touched) {
        command->touched = true;
        command->next_touched = trial->touched;
        trial->touched = command;
    }
    *out = command;
    return ZE_RESULT_SUCCESS;
}

/* ---- structures of the chain ---- */

/* Tries an argument. Invalid indices and sizes have another error code here than in
 * zeKernelSetArgumentValue. */
static ze_result_t try_argument(struct trial *trial,
                                const ze_mutable_kernel_argument_exp_desc_t *desc)
{
    struct geo_mutable_command *command;
    GEO_CHECK(trial_command(trial, desc->commandId, ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_ARGUMENTS,
                            &command));
    ze_result_t result = geo_kernel_set_argument(geo_mutable_kernel(command)->draft, desc->argIndex,
                                                 desc->argSize, desc->pArgValue);
    return result == ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX ||
                   result == ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE
               ? ZE_RESULT_ERROR_INVALID_ARGUMENT
               : result;
}

static ze_result_t try_group_count(struct trial *trial,
                                   const ze_mutable_group_count_exp_desc_t *desc)
{
    struct geo_mutable_command *command;
    GEO_CHECK(
        trial_command(trial, desc->commandId, ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_COUNT, &command));
    GEO_CHECK(geo_check_pointer(desc->pGroupCount, "pGroupCount"));
    if (command->indirect) {
        return geo_fail(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            "command %llu is an indirect launch: it reads its group count from memory when it runs",
            (unsigned long long)desc->commandId);
    }
    command->draft_groups = *desc->pGroupCount;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t try_group_size(struct trial *trial, const ze_mutable_group_size_exp_desc_t *desc)
{
    struct geo_mutable_command *command;
    GEO_CHECK(
        trial_command(trial, desc->commandId, ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_SIZE, &command));
    return geo_kernel_set_group_size(geo_mutable_kernel(command)->draft, desc->groupSizeX,
                                     desc->groupSizeY, desc->groupSizeZ);
}

static ze_result_t try_global_offset(struct trial *trial,
                                     const ze_mutable_global_offset_exp_desc_t *desc)
{
    struct geo_mutable_command *command;
    GEO_CHECK(
        trial_command(trial, desc->commandId, ZE_MUTABLE_COMMAND_EXP_FLAG_GLOBAL_OFFSET, &command));
    struct geo_kernel *kernel = geo_mutable_kernel(command)->draft;
    kernel->global_offset[0] = desc->offsetX;
    kernel->global_offset[1] = desc->offsetY;
    kernel->global_offset[2] = desc->offsetZ;
    return ZE_RESULT_SUCCESS;
}

/* Tries one structure of a chain. Unknown structures are skipped, as in every chain. */
static ze_result_t try_link(struct trial *trial, const ze_base_desc_t *link)
{
    switch ((uint32_t)link->stype) {
    case GEO_LINK_STYPE(ze_mutable_commands_exp_desc_t, ze_mutable_kernel_argument_exp_desc_t):
        return try_argument(trial, (const void *)link);
    case GEO_LINK_STYPE(ze_mutable_commands_exp_desc_t, ze_mutable_group_count_exp_desc_t):
        return try_group_count(trial, (const void *)link);
    case GEO_LINK_STYPE(ze_mutable_commands_exp_desc_t, ze_mutable_group_size_exp_desc_t):
        return try_group_size(trial, (const void *)link);
    case GEO_LINK_STYPE(ze_mutable_commands_exp_desc_t, ze_mutable_global_offset_exp_desc_t):
        return try_global_offset(trial, (const void *)link);
    case GEO_LINK_STYPE(ze_mutable_commands_exp_desc_t, ze_mutable_graph_argument_exp_desc_t):
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "graph arguments are not supported by any command");
    default:
        return ZE_RESULT_SUCCESS;
    }
}

/* ---- chain of changes ---- */

/* Marks the command as changed, so that the close encodes it. */
static void command_mark(struct geo_mutation *mutation, struct geo_mutable_command *command)
{
    if (!command->dirty) {
        command->dirty = true;
        command->next_dirty = mutation->dirty;
        mutation->dirty = command;
    }
}

/* Checks a launch with these values; returns the errors of an append. */
static ze_result_t command_check(const struct geo_command_list *list,
                                 const struct geo_mutable_command *command,
                                 const struct geo_kernel *kernel, const ze_group_count_t *groups)
{
    const uint32_t counts[3] = {groups->groupCountX, groups->groupCountY, groups->groupCountZ};
    GEO_CHECK(geo_kernel_launch_check(kernel, counts));
    return geo_kernel_launch_check_cooperation(kernel, list->device, command->cooperative, counts);
}

/* Tries the whole chain, which may be as long as the list has commands and arguments. */
static ze_result_t try_all(struct trial *trial, const void *chain)
{
    const ze_base_desc_t *before = NULL; /* trails behind: a circular chain reaches it again */
    uint64_t steps = 0, mark = 1;
    for (const ze_base_desc_t *link = chain; link; link = link->pNext) {
        if (link == before) {
            return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                            "the pNext chain of mutable commands is circular");
        }
        if (++steps == mark) {
            before = link;
            mark *= 2;
        }
        GEO_CHECK(try_link(trial, link));
    }
    for (struct geo_mutable_command *at = trial->touched; at; at = at->next_touched) {
        /* after a change of the kernel more changes may follow: the close checks it */
        if (!at->renewed) {
            GEO_CHECK(
                command_check(trial->list, at, geo_mutable_kernel(at)->draft, &at->draft_groups));
        }
    }
    return ZE_RESULT_SUCCESS;
}

/* Makes state and draft equal again: keeps the changes or drops them. */
static void trial_end(struct trial *trial, bool keep)
{
    for (struct geo_mutable_command *at = trial->touched; at; at = at->next_touched) {
        struct geo_mutable_kernel *kernel = geo_mutable_kernel(at);
        GEO_ASSERT(at->touched && at->launch);
        at->touched = false;
        if (keep) {
            geo_kernel_copy_assign(kernel->state, kernel->draft);
            at->groups = at->draft_groups;
            command_mark(trial->list->mutation, at);
        } else {
            geo_kernel_copy_assign(kernel->draft, kernel->state);
            at->draft_groups = at->groups;
        }
    }
}

ze_result_t geo_mutable_launch_update(struct geo_command_list *list, const void *chain)
{
    struct trial trial = {.list = list};
    ze_result_t result = try_all(&trial, chain);
    trial_end(&trial, result == ZE_RESULT_SUCCESS);
    return result;
}

/* ---- kernels ---- */

static ze_result_t choice_find(const struct geo_mutable_command *command, uint64_t id,
                               ze_kernel_handle_t handle, uint32_t *out)
{
    struct geo_kernel *kernel;
    ze_result_t result = geo_kernel_from(handle, &kernel);
    if (result != ZE_RESULT_SUCCESS) {
        return handle ? ZE_RESULT_ERROR_INVALID_KERNEL_HANDLE : result;
    }
    for (uint32_t i = 0; i < command->kernel_count; i++) {
        if (command->kernels[i].handle == kernel) {
            *out = i;
            return ZE_RESULT_SUCCESS;
        }
    }
    return geo_fail(ZE_RESULT_ERROR_INVALID_KERNEL_HANDLE,
                    "the kernel is not among those for which the id of command %llu was created",
                    (unsigned long long)id);
}

static ze_result_t choice_check(const struct geo_command_list *list, uint64_t id,
                                ze_kernel_handle_t handle, struct geo_mutable_command **command,
                                uint32_t *choice)
{
    GEO_CHECK(geo_mutable_find(list, id, ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_INSTRUCTION, command));
    if (!(*command)->launch) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "command %llu is not the launch of one kernel", (unsigned long long)id);
    }
    return choice_find(*command, id, handle, choice);
}

/* Switches to another kernel of the command. Its arguments are unset; the offset is taken over, and
 * the group size if it is valid. */
static void kernel_switch(struct geo_mutable_command *command, uint32_t choice)
{
    struct geo_mutable_kernel *old = geo_mutable_kernel(command);
    GEO_ASSERT(!command->touched && choice < command->kernel_count && choice != command->chosen);
    struct geo_mutable_kernel *next = &command->kernels[choice];
    geo_kernel_copy_clear(next->state);
    for (int i = 0; i < 3; i++) {
        next->state->global_offset[i] = old->state->global_offset[i];
    }
    if (geo_kernel_allows_group_size(next->state, old->state->group_size)) {
        for (int i = 0; i < 3; i++) {
            next->state->group_size[i] = old->state->group_size[i];
        }
    }
    geo_kernel_copy_assign(next->draft, next->state);
    geo_kernel_copy_clear(old->state); /* releases images */
    geo_kernel_copy_clear(old->draft);
    command->chosen = choice;
    command->renewed = true;
}

ze_result_t geo_mutable_launch_set_kernels(struct geo_command_list *list, uint32_t count,
                                           const uint64_t *ids, ze_kernel_handle_t *kernels)
{
    struct geo_mutable_command *command;
    uint32_t choice;
    for (uint32_t i = 0; i < count; i++) { /* checks all of them before changing the first */
        GEO_CHECK(choice_check(list, ids[i], kernels[i], &command, &choice));
    }
    for (uint32_t i = 0; i < count; i++) {
        GEO_CHECK(choice_check(list, ids[i], kernels[i], &command, &choice));
        if (choice != command->chosen) {
            kernel_switch(command, choice);
            command_mark(list->mutation, command);
        }
    }
    return ZE_RESULT_SUCCESS;
}

/* ---- closing ---- */

static ze_result_t command_encode(struct geo_command_list *list,
                                  struct geo_mutable_command *command)
{
    struct geo_command_launch *launch =
        (struct geo_command_launch *)(void *)(list->records + command->first);
    GEO_ASSERT(command->dirty && command->launch && command->first == command->last);
    GEO_ASSERT(launch->header.operation ==
               (command->indirect ? GEO_COMMAND_LAUNCH_INDIRECT : GEO_COMMAND_LAUNCH));
    /* not part of the kernel's state, so they are restored */
    const uint32_t *counts = launch->indirect_counts;
    const ze_group_count_t *groups = command->indirect ? NULL : &command->groups;
    uint8_t *block = (uint8_t *)launch + launch->argument_offset;
    ze_result_t result =
        geo_kernel_launch_encode(geo_mutable_kernel(command)->state, groups, launch, block);
    launch->indirect_counts = counts;
    return result;
}

ze_result_t geo_mutation_close(struct geo_command_list *list)
{
    struct geo_mutation *mutation = list->mutation;
    for (struct geo_mutable_command *at = mutation->dirty; at; at = at->next_dirty) {
        if (at->renewed) {
            GEO_CHECK(command_check(list, at, geo_mutable_kernel(at)->state, &at->groups));
        }
    }
    while (mutation->dirty) {
        struct geo_mutable_command *command = mutation->dirty;
        GEO_CHECK(command_encode(list, command));
        command->dirty = command->renewed = false;
        mutation->dirty = command->next_dirty;
    }
    return ZE_RESULT_SUCCESS;
}
