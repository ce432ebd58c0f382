/* Faults of launches: what their arguments point to, when, and whose they are. */
#include "objects.h"

#include <stdlib.h>

/* The kernel writes its numbers to memory; its list runs commands in order. */
struct numbers {
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    ze_command_list_handle_t list;
    void *memory;
};

static struct numbers numbers_begin(const struct faulty_world *world)
{
    struct numbers numbers = {.module = faulty_module(world),
                              .list = faulty_list(world, ZE_COMMAND_LIST_FLAG_IN_ORDER),
                              .memory = faulty_memory(world, 4096)};
    numbers.kernel = faulty_kernel(numbers.module, "ids");
    set_pointer(numbers.kernel, 0, numbers.memory);
    return numbers;
}

static void numbers_end(const struct faulty_world *world, const struct numbers *numbers)
{
    MUST(zeCommandListDestroy(numbers->list));
    if (numbers->kernel)
        MUST(zeKernelDestroy(numbers->kernel));
    MUST(zeModuleDestroy(numbers->module));
    if (numbers->memory)
        MUST(zeMemFree(world->context, numbers->memory));
}

static void freed_memory_as_an_argument(struct faulty_world *world)
{
    /* KRN-5: values are copied at append, when the memory is gone; GEN-10. */
    struct numbers numbers = numbers_begin(world);
    MUST(zeMemFree(world->context, numbers.memory));
    numbers.memory = NULL;
    launch(numbers.list, numbers.kernel);
    numbers_end(world, &numbers);
}

static void argument_freed_before_its_list_runs(struct faulty_world *world)
{
    /* GEN-10, MEM-19: the launch writes memory that is gone when the list runs. */
    struct numbers numbers = numbers_begin(world);
    MUST(launch(numbers.list, numbers.kernel));
    MUST(zeCommandListClose(numbers.list));
    MUST(zeMemFree(world->context, numbers.memory));
    numbers.memory = NULL;
    run_list(world, numbers.list);
    numbers_end(world, &numbers);
}

static void argument_freed_in_flight(struct faulty_world *world)
{
    /* MEM-19: the device must be finished. */
    struct numbers numbers = numbers_begin(world);
    struct gate gate = gate_begin(world);
    MUST(launch(gate.list, numbers.kernel));
    const ze_result_t result = zeMemFree(world->context, numbers.memory);
    gate_end(&gate);
    if (result == ZE_RESULT_SUCCESS)
        numbers.memory = NULL;
    numbers_end(world, &numbers);
}

static void argument_of_another_context(struct faulty_world *world)
{
    /* CTX-4 and "Contexts": memory of one context is not for kernels of another. */
    struct faulty_world other = other_begin(world);
    struct numbers numbers = numbers_begin(world);
    void *theirs = faulty_memory(&other, 4096);
    if (zeKernelSetArgumentValue(numbers.kernel, 0, sizeof(theirs), &theirs) == ZE_RESULT_SUCCESS)
        launch(numbers.list, numbers.kernel);
    numbers_end(world, &numbers);
    MUST(zeMemFree(other.context, theirs));
    other_end(&other);
}

static void value_of_a_wrong_size(struct faulty_world *world)
{
    /* VAL-15: ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE; the kernel takes a float. */
    const double factor = 1;
    struct numbers numbers = numbers_begin(world);
    ze_kernel_handle_t scale = faulty_kernel(numbers.module, "scale");
    zeKernelSetArgumentValue(scale, 2, sizeof(factor), &factor);
    MUST(zeKernelDestroy(scale));
    numbers_end(world, &numbers);
}

static void kernel_of_another_context(struct faulty_world *world)
{
    /* CTX-4 and "Contexts": objects of one context are not for calls on another. */
    struct faulty_world other = other_begin(world);
    struct numbers numbers = numbers_begin(&other);
    ze_command_list_handle_t list = faulty_list(world, 0);
    launch(list, numbers.kernel);
    MUST(zeCommandListDestroy(list));
    numbers_end(&other, &numbers);
    other_end(&other);
}

static void kernel_destroyed_before_its_list_runs(struct faulty_world *world)
{
    /* GEN-15: handles have no reference counts, so the launch is of a kernel that is gone. */
    struct numbers numbers = numbers_begin(world);
    MUST(launch(numbers.list, numbers.kernel));
    MUST(zeCommandListClose(numbers.list));
    MUST(zeKernelDestroy(numbers.kernel));
    numbers.kernel = NULL;
    run_list(world, numbers.list);
    numbers_end(world, &numbers);
}

static void group_counts_in_freed_memory(struct faulty_world *world)
{
    /* KRN-9: the counts are read from memory when the launch runs. */
    struct numbers numbers = numbers_begin(world);
    ze_group_count_t *counts = shared_memory(world, sizeof(*counts));
    MUST(zeMemFree(world->context, counts));
    zeCommandListAppendLaunchKernelIndirect(numbers.list, numbers.kernel, counts, NULL, 0, NULL);
    numbers_end(world, &numbers);
}

static void group_counts_beyond_the_memory(struct faulty_world *world)
{
    /* KRN-10: a contiguous array of as many group counts as kernels; MEM-11. */
    struct numbers numbers = numbers_begin(world);
    ze_kernel_handle_t kernels[2] = {numbers.kernel, numbers.kernel};
    ze_group_count_t *counts = shared_memory(world, sizeof(*counts));
    uint32_t *count = shared_memory(world, sizeof(*count));
    zeCommandListAppendLaunchMultipleKernelsIndirect(numbers.list, 2, kernels, count, counts, NULL,
                                                     0, NULL);
    numbers_end(world, &numbers);
    MUST(zeMemFree(world->context, counts));
    MUST(zeMemFree(world->context, count));
}

static void group_counts_filled_without_order(struct faulty_world *world)
{
    /* KRN-9: the buffer stays untouched until the launch is done; SYN-12. */
    struct numbers numbers = numbers_begin(world);
    ze_command_list_handle_t list = faulty_list(world, 0);
    ze_group_count_t *counts = shared_memory(world, sizeof(*counts));
    *counts = (ze_group_count_t){1, 1, 1};
    MUST(zeCommandListAppendLaunchKernelIndirect(list, numbers.kernel, counts, NULL, 0, NULL));
    fill(list, counts, 0, sizeof(*counts));
    close_and_run(world, list);
    MUST(zeCommandListDestroy(list));
    numbers_end(world, &numbers);
    MUST(zeMemFree(world->context, counts));
}

static void group_size_of_zero(struct faulty_world *world)
{
    /* VAL-15: ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION; a work-group has work-items. */
    struct numbers numbers = numbers_begin(world);
    zeKernelSetGroupSize(numbers.kernel, 1, 0, 1);
    numbers_end(world, &numbers);
}

static void chain_of_another_call(struct faulty_world *world)
{
    /* KRN-7, VAL-2: a mutable list's descriptor does not extend a launch. */
    const ze_mutable_command_list_exp_desc_t extra = {
        .stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_DESC};
    const ze_group_count_t groups = {1, 1, 1};
    struct numbers numbers = numbers_begin(world);
    zeCommandListAppendLaunchKernelWithParameters(numbers.list, numbers.kernel, &groups, &extra,
                                                  NULL, 0, NULL);
    numbers_end(world, &numbers);
}

/* --- no fault --- */

static void argument_replaced_after_its_memory_is_freed(struct faulty_world *world)
{
    /* KRN-5: values are copied at append; what the kernel holds in between is not used. */
    struct numbers numbers = numbers_begin(world);
    for (int i = 0; i < 4; i++) {
        MUST(launch(numbers.list, numbers.kernel));
        MUST(close_and_run(world, numbers.list));
        MUST(zeCommandListReset(numbers.list));
        MUST(zeMemFree(world->context, numbers.memory));
        numbers.memory = faulty_memory(world, (size_t)4096 << i);
        set_pointer(numbers.kernel, 0, numbers.memory);
    }
    numbers_end(world, &numbers);
}

static void null_arguments(struct faulty_world *world)
{
    /* KRN-5: a null value means a null argument; the kernel reads nothing of it with count 0. */
    struct numbers numbers = numbers_begin(world);
    const float factor = 2;
    const uint32_t count = 0;
    ze_kernel_handle_t scale = faulty_kernel(numbers.module, "scale");
    set_pointer(scale, 0, NULL);
    MUST(zeKernelSetArgumentValue(scale, 1, sizeof(void *), NULL));
    MUST(zeKernelSetArgumentValue(scale, 2, sizeof(factor), &factor));
    MUST(zeKernelSetArgumentValue(scale, 3, sizeof(count), &count));
    MUST(launch(numbers.list, scale));
    MUST(close_and_run(world, numbers.list));
    MUST(zeKernelDestroy(scale));
    numbers_end(world, &numbers);
}

static void arguments_inside_one_allocation(struct faulty_world *world)
{
    /* KRN-5: an argument is a value, here two addresses inside of one allocation. */
    struct numbers numbers = numbers_begin(world);
    const float factor = 2;
    const uint32_t count = 1;
    ze_kernel_handle_t scale = faulty_kernel(numbers.module, "scale");
    fill(numbers.list, numbers.memory, 0, 4096);
    set_pointer(scale, 0, (char *)numbers.memory + 256);
    set_pointer(scale, 1, (char *)numbers.memory + 512);
    MUST(zeKernelSetArgumentValue(scale, 2, sizeof(factor), &factor));
    MUST(zeKernelSetArgumentValue(scale, 3, sizeof(count), &count));
    MUST(launch(numbers.list, scale));
    MUST(close_and_run(world, numbers.list));
    MUST(zeKernelDestroy(scale));
    numbers_end(world, &numbers);
}

static void argument_of_malloc(struct faulty_world *world)
{
    /* MEM-6: memory of malloc is usable by a device with the capability, at the same pointer. */
    struct numbers numbers = numbers_begin(world);
    for (int i = 0; i < 3; i++) {
        void *memory = malloc(4096);
        set_pointer(numbers.kernel, 0, memory);
        MUST(launch(numbers.list, numbers.kernel));
        MUST(close_and_run(world, numbers.list));
        MUST(zeCommandListReset(numbers.list));
        free(memory);
    }
    numbers_end(world, &numbers);
}

static void group_size_never_set(struct faulty_world *world)
{
    /* KRN-3: if never set a default is chosen. */
    const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "ids"};
    struct numbers numbers = numbers_begin(world);
    void *memory = faulty_memory(world, 65536);
    ze_kernel_handle_t kernel;
    MUST(zeKernelCreate(numbers.module, &desc, &kernel));
    set_pointer(kernel, 0, memory);
    MUST(launch(numbers.list, kernel));
    MUST(close_and_run(world, numbers.list));
    MUST(zeKernelDestroy(kernel));
    MUST(zeMemFree(world->context, memory));
    numbers_end(world, &numbers);
}

static void group_counts_written_in_order(struct faulty_world *world)
{
    /* KRN-9: the counts are read when the launch runs, after the copy in the same list. */
    struct numbers numbers = numbers_begin(world);
    const ze_group_count_t groups = {2, 1, 1};
    ze_group_count_t *counts = shared_memory(world, sizeof(*counts));
    copy(numbers.list, counts, &groups, sizeof(groups));
    MUST(zeCommandListAppendLaunchKernelIndirect(numbers.list, numbers.kernel, counts, NULL, 0,
                                                 NULL));
    MUST(close_and_run(world, numbers.list));
    MUST(zeMemFree(world->context, counts)); /* the list will not run again */
    numbers_end(world, &numbers);
}

static void cooperative_by_arguments(struct faulty_world *world)
{
    /* KRN-8, KRN-11: as many groups as zeKernelSuggestMaxCooperativeGroupCount tells. */
    const ze_command_list_append_launch_kernel_param_cooperative_desc_t cooperative = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_APPEND_PARAM_COOPERATIVE_DESC, .isCooperative = 1};
    struct numbers numbers = numbers_begin(world);
    uint32_t most;
    MUST(zeKernelSuggestMaxCooperativeGroupCount(numbers.kernel, &most));
    void *memory = faulty_memory(world, (size_t)most * 4), *arguments[] = {&memory};
    const ze_group_count_t groups = {most, 1, 1};
    const ze_group_size_t size = {1, 1, 1};
    MUST(zeCommandListAppendLaunchKernelWithArguments(numbers.list, numbers.kernel, groups, size,
                                                      arguments, &cooperative, NULL, 0, NULL));
    MUST(close_and_run(world, numbers.list));
    MUST(zeMemFree(world->context, memory));
    numbers_end(world, &numbers);
}

static void arguments_stay_with_the_kernel(struct faulty_world *world)
{
    /* KRN-8: WithArguments sets size and arguments as if the setters had been called. KRN-7: a
     * launch with parameters may have none. */
    const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "ids"};
    const ze_command_list_append_launch_kernel_param_cooperative_desc_t plain = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_APPEND_PARAM_COOPERATIVE_DESC};
    struct numbers numbers = numbers_begin(world);
    ze_kernel_handle_t kernel;
    void *arguments[] = {&numbers.memory};
    const ze_group_count_t groups = {1, 1, 1};
    const ze_group_size_t size = {8, 1, 1};
    MUST(zeKernelCreate(numbers.module, &desc, &kernel));
    MUST(zeCommandListAppendLaunchKernelWithArguments(numbers.list, kernel, groups, size, arguments,
                                                      NULL, NULL, 0, NULL));
    MUST(launch(numbers.list, kernel));
    MUST(zeCommandListAppendLaunchKernelWithParameters(numbers.list, kernel, &groups, NULL, NULL, 0,
                                                       NULL));
    MUST(zeCommandListAppendLaunchKernelWithParameters(numbers.list, kernel, &groups, &plain, NULL,
                                                       0, NULL));
    MUST(close_and_run(world, numbers.list));
    MUST(zeKernelDestroy(kernel));
    numbers_end(world, &numbers);
}

static void local_memory_by_both_calls(struct faulty_world *world)
{
    /* KRN-8: a local argument points at a size_t; zeKernelSetArgumentValue takes null for it. */
    struct numbers numbers = numbers_begin(world);
    ze_kernel_handle_t local = faulty_kernel(numbers.module, "local");
    size_t bytes = 64;
    void *arguments[] = {&numbers.memory, &bytes, &bytes};
    const ze_group_count_t groups = {1, 1, 1};
    const ze_group_size_t size = {1, 1, 1};
    set_pointer(local, 0, numbers.memory);
    MUST(zeKernelSetArgumentValue(local, 1, 128, NULL));
    MUST(zeKernelSetArgumentValue(local, 2, 128, NULL));
    MUST(launch(numbers.list, local));
    MUST(zeCommandListAppendLaunchKernelWithArguments(numbers.list, local, groups, size, arguments,
                                                      NULL, NULL, 0, NULL));
    MUST(launch(numbers.list, local));
    MUST(close_and_run(world, numbers.list));
    MUST(zeKernelDestroy(local));
    numbers_end(world, &numbers);
}

static void kernel_destroyed_when_its_list_has_run(struct faulty_world *world)
{
    /* GEN-15: the device is done, and the list is reset before it runs again. */
    struct numbers numbers = numbers_begin(world);
    MUST(launch(numbers.list, numbers.kernel));
    MUST(close_and_run(world, numbers.list));
    MUST(zeKernelDestroy(numbers.kernel));
    numbers.kernel = faulty_kernel(numbers.module, "ids");
    set_pointer(numbers.kernel, 0, numbers.memory);
    MUST(zeCommandListReset(numbers.list));
    MUST(launch(numbers.list, numbers.kernel));
    MUST(close_and_run(world, numbers.list));
    numbers_end(world, &numbers);
}

const struct faulty faulty_programs[] = {
    {"freed_memory_as_an_argument", freed_memory_as_an_argument, "freed-memory",
     "zeCommandListAppendLaunchKernel", NULL},
    {"argument_freed_before_its_list_runs", argument_freed_before_its_list_runs, "freed-memory",
     "zeCommandQueueExecuteCommandLists", NULL},
    {"argument_freed_in_flight", argument_freed_in_flight, "destroyed-in-use", "zeMemFree", NULL},
    {"argument_of_another_context", argument_of_another_context, "other-context-memory", NULL,
     NULL},
    {"value_of_a_wrong_size", value_of_a_wrong_size, "argument-size", "zeKernelSetArgumentValue",
     NULL},
    {"kernel_of_another_context", kernel_of_another_context, "other-context", "hKernel", NULL},
    {"kernel_destroyed_before_its_list_runs", kernel_destroyed_before_its_list_runs,
     "destroyed-handle", "zeCommandQueueExecuteCommandLists", NULL},
    {"group_counts_in_freed_memory", group_counts_in_freed_memory, "freed-memory",
     "pLaunchArgumentsBuffer", NULL},
    {"group_counts_beyond_the_memory", group_counts_beyond_the_memory, "out-of-range",
     "pLaunchArgumentsBuffer", NULL},
    {"group_counts_filled_without_order", group_counts_filled_without_order, "missing-dependency",
     "zeCommandListAppendLaunchKernelIndirect", NULL},
    {"group_size_of_zero", group_size_of_zero, "wrong-size", "zeKernelSetGroupSize", NULL},
    {"chain_of_another_call", chain_of_another_call, "misplaced-extension", "pNext", NULL},
    {"argument_replaced_after_its_memory_is_freed", argument_replaced_after_its_memory_is_freed, "",
     NULL, NULL},
    {"null_arguments", null_arguments, "", NULL, NULL},
    {"arguments_inside_one_allocation", arguments_inside_one_allocation, "", NULL, NULL},
    {"argument_of_malloc", argument_of_malloc, "", NULL, NULL},
    {"group_size_never_set", group_size_never_set, "", NULL, NULL},
    {"group_counts_written_in_order", group_counts_written_in_order, "", NULL, NULL},
    {"cooperative_by_arguments", cooperative_by_arguments, "", NULL, NULL},
    {"arguments_stay_with_the_kernel", arguments_stay_with_the_kernel, "", NULL, NULL},
    {"local_memory_by_both_calls", local_memory_by_both_calls, "", NULL, NULL},
    {"kernel_destroyed_when_its_list_has_run", kernel_destroyed_when_its_list_has_run, "", NULL,
     NULL},
    {0}};
