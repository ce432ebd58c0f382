/* API test of mutable command lists: which commands can be changed, and what becomes of launches
 * whose arguments, sizes and kernels are. Events: test_mutable_events.c. */
#include "mutable_support.h"

/* ---- what is told ---- */

static void what_can_change_is_told(void **state)
{
    struct api *api = *state;
    ze_mutable_command_list_exp_properties_t properties = {
        .stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_PROPERTIES};
    ze_device_properties_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES,
                                     .pNext = &properties};
    assert_success(zeDeviceGetProperties(api->device, &device));
    assert_int_equal(properties.mutableCommandFlags, LAUNCH_FLAGS | SIGNAL | WAITS | KERNEL);
    assert_int_equal(properties.mutableCommandListFlags, 0);
    struct rig rig = rig_open(api, 0);
    ze_bool_t is = 2;
    assert_success(zeCommandListIsMutableExp(rig.list, &is));
    assert_int_equal(is, 1);
    for (int immediate = 0; immediate < 2; immediate++) {
        api->immediate = immediate;
        struct api_list other = api_list_create(api);
        assert_success(zeCommandListIsMutableExp(other.list, &is));
        assert_int_equal(is, 0);
        api_list_destroy(&other);
    }
    api->immediate = false;
    rig_close(api, &rig);
}

/* ---- launches ---- */

static void arguments_of_a_launch_change(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, 0);
    uint64_t id = mutable_id(rig.list, ARGUMENTS);
    rig_append_ids(&rig, rig.out[0], 32, NULL, 0, NULL);
    rig_run_closed(&rig);
    rig_expect_ids(api, rig.out[0], 32, 0);
    assert_success(mutable_update(rig.list, NEW_ARGUMENT(id, 0, rig.out[1], NULL)));
    rig_run_closed(&rig);
    rig_expect_ids(api, rig.out[0], 0, 0);
    rig_expect_ids(api, rig.out[1], 32, 0);
    rig_run(&rig); /* as often as wanted */
    rig_expect_ids(api, rig.out[1], 32, 0);
    rig_close(api, &rig);
}

/* A pointer, a float and a number, which lie behind each other; what is not named stays. */
static void arguments_change_alone(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, 0);
    float *in = api_alloc_shared(api, 64 * sizeof(*in)), *out = (float *)rig.out[0];
    float factor = 2.0f, other = 3.0f;
    uint32_t count = 64, fewer = 10;
    ze_group_count_t groups = {8, 1, 1};
    for (int i = 0; i < 64; i++) {
        in[i] = (float)i;
    }
    assert_success(zeKernelSetGroupSize(rig.scale, 8, 1, 1));
    assert_success(zeKernelSetArgumentValue(rig.scale, 0, sizeof(out), &out));
    assert_success(zeKernelSetArgumentValue(rig.scale, 1, sizeof(in), &in));
    assert_success(zeKernelSetArgumentValue(rig.scale, 2, sizeof(factor), &factor));
    assert_success(zeKernelSetArgumentValue(rig.scale, 3, sizeof(count), &count));
    uint64_t id = mutable_id(rig.list, 0);
    assert_success(zeCommandListAppendLaunchKernel(rig.list, rig.scale, &groups, NULL, 0, NULL));
    rig_run_closed(&rig);
    assert_true(out[63] == 126.0f);
    assert_success(mutable_update(rig.list, NEW_ARGUMENT(id, 2, other, NULL)));
    rig_run_closed(&rig);
    assert_true(out[63] == 189.0f);
    rig_forget(&rig);
    assert_success(mutable_update(rig.list, NEW_ARGUMENT(id, 3, fewer, NULL)));
    rig_run_closed(&rig);
    assert_true(out[9] == 27.0f);
    assert_int_equal(rig.out[0][10], UINT32_MAX);
    rig_close(api, &rig);
    api_free(api, in);
}

static void counts_sizes_and_offsets_change(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, 0);
    ze_group_count_t two = {2, 1, 1}, cube = {2, 2, 2}, one = {1, 1, 1};
    uint64_t id = mutable_id(rig.list, LAUNCH_FLAGS);
    rig_append_ids(&rig, rig.out[0], 32, NULL, 0, NULL);
    rig_run_closed(&rig);
    rig_expect_ids(api, rig.out[0], 32, 0);
    assert_success(mutable_update(rig.list, NEW_COUNT(id, &two, NULL)));
    rig_run_closed(&rig);
    rig_expect_ids(api, rig.out[0], 16, 0);
    assert_success(mutable_update(rig.list, NEW_SIZE(id, 5, 2, 1, NULL)));
    rig_run_closed(&rig);
    rig_expect_ids(api, rig.out[0], 20, 0);
    assert_success(mutable_update(rig.list, NEW_OFFSET(id, 700, 1, 2, NULL)));
    rig_run_closed(&rig);
    rig_expect_ids(api, rig.out[0], 20, 700);
    /* together, in whichever order */
    assert_success(mutable_update(
        rig.list,
        NEW_OFFSET(
            id, 9, 0, 0,
            NEW_COUNT(id, &cube, NEW_ARGUMENT(id, 0, rig.out[1], NEW_SIZE(id, 3, 2, 1, NULL))))));
    rig_run_closed(&rig);
    rig_expect_ids(api, rig.out[1], 48, 9);
    assert_success(mutable_update(
        rig.list, NEW_SIZE(id, 4, 1, 1, NEW_COUNT(id, &one, NEW_OFFSET(id, 0, 0, 0, NULL)))));
    rig_run_closed(&rig);
    rig_expect_ids(api, rig.out[1], 4, 0);
    rig_expect_ids(api, rig.out[0], 0, 0);
    rig_close(api, &rig);
}

/* Sizes of local memory are arguments, too. */
static void local_memory_changes(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, 0);
    ze_kernel_handle_t local = api_kernel(rig.module, "local");
    uint64_t *report = (uint64_t *)rig.out[0];
    ze_device_compute_properties_t compute = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    assert_success(zeDeviceGetComputeProperties(api->device, &compute));
    ze_group_count_t one = {1, 1, 1};
    assert_success(zeKernelSetGroupSize(local, 1, 1, 1));
    assert_success(zeKernelSetArgumentValue(local, 0, sizeof(report), &report));
    assert_success(zeKernelSetArgumentValue(local, 1, 64, NULL));
    assert_success(zeKernelSetArgumentValue(local, 2, 64, NULL));
    uint64_t id = mutable_id(rig.list, ARGUMENTS);
    assert_success(zeCommandListAppendLaunchKernel(rig.list, local, &one, NULL, 0, NULL));
    assert_success(zeCommandListClose(rig.list));
    assert_success(
        mutable_update(rig.list, NEW_BYTES(id, 1, 5000, NULL, NEW_BYTES(id, 2, 3000, NULL, NULL))));
    rig_run_closed(&rig);
    if (api->executes) {
        assert_true(report[1] >= report[0] + 5000);
        assert_int_equal(report[2], 1000);
        assert_int_equal(report[3], 2000);
    }
    assert_result(
        mutable_update(rig.list, NEW_BYTES(id, 2, compute.maxSharedLocalMemory, NULL, NULL)),
        ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    rig_run(&rig);
    assert_success(zeKernelDestroy(local));
    rig_close(api, &rig);
}

static void the_group_count_of_an_indirect_launch_stays_where_it_is(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, 0);
    ze_group_count_t *counts = api_alloc_shared(api, sizeof(*counts)), one = {1, 1, 1};
    *counts = (ze_group_count_t){3, 1, 1};
    assert_success(zeKernelSetGroupSize(rig.ids, 8, 1, 1));
    assert_success(zeKernelSetArgumentValue(rig.ids, 0, sizeof(rig.out[0]), &rig.out[0]));
    uint64_t id = mutable_id(rig.list, LAUNCH_FLAGS);
    assert_success(
        zeCommandListAppendLaunchKernelIndirect(rig.list, rig.ids, counts, NULL, 0, NULL));
    rig_run_closed(&rig);
    rig_expect_ids(api, rig.out[0], 24, 0);
    assert_success(
        mutable_update(rig.list, NEW_ARGUMENT(id, 0, rig.out[1], NEW_SIZE(id, 4, 1, 1, NULL))));
    counts->groupCountX = 5;
    rig_run_closed(&rig);
    rig_expect_ids(api, rig.out[1], 20, 0);
    assert_result(mutable_update(rig.list, NEW_COUNT(id, &one, NULL)),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    rig_close(api, &rig);
    api_free(api, counts);
}

static void cooperative_launches_stay_limited(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, 0);
    uint32_t most = 0;
    assert_success(zeKernelSetGroupSize(rig.ids, 1, 1, 1));
    assert_success(zeKernelSetArgumentValue(rig.ids, 0, sizeof(rig.out[0]), &rig.out[0]));
    assert_success(zeKernelSuggestMaxCooperativeGroupCount(rig.ids, &most));
    ze_group_count_t one = {1, 1, 1}, fits = {most, 1, 1}, too_many = {most, 2, 1};
    uint64_t id = mutable_id(rig.list, COUNT);
    assert_success(
        zeCommandListAppendLaunchCooperativeKernel(rig.list, rig.ids, &one, NULL, 0, NULL));
    assert_success(zeCommandListClose(rig.list));
    assert_result(mutable_update(rig.list, NEW_COUNT(id, &too_many, NULL)),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    rig_run(&rig);
    rig_expect_ids(api, rig.out[0], 1, 0);
    assert_success(mutable_update(rig.list, NEW_COUNT(id, &fits, NULL)));
    rig_run_closed(&rig);
    rig_expect_ids(api, rig.out[0], most < RIG_WORDS ? most : RIG_WORDS, 0);
    rig_close(api, &rig);
}

/* ---- kernels ---- */

/* The second kernel has more arguments, and a command follows right behind. */
static void a_launch_gets_another_kernel(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, 0);
    ze_kernel_handle_t kernels[] = {rig.ids, rig.scale};
    float *floats = api_alloc_shared(api, 64 * sizeof(*floats)), factor = 4.0f;
    uint32_t count = 64;
    ze_group_count_t eight = {8, 1, 1}, two = {2, 1, 1};
    for (int i = 0; i < 64; i++) {
        floats[i] = (float)i;
    }
    uint64_t id = mutable_id_of(rig.list, LAUNCH_FLAGS | KERNEL, 2, kernels);
    rig_append_ids(&rig, rig.out[0], 16, NULL, 0, NULL);
    rig_append_ids(&rig, rig.out[1], 24, NULL, 0, NULL);
    rig_run_closed(&rig);
    rig_expect_ids(api, rig.out[0], 16, 0);
    rig_expect_ids(api, rig.out[1], 24, 0);
    for (int round = 0; round < 3; round++) {
        assert_success(zeCommandListUpdateMutableCommandKernelsExp(rig.list, 1, &id, &rig.scale));
        assert_success(mutable_update(
            rig.list,
            NEW_ARGUMENT(id, 0, floats,
                         NEW_ARGUMENT(id, 1, floats,
                                      NEW_ARGUMENT(id, 2, factor,
                                                   NEW_ARGUMENT(id, 3, count,
                                                                NEW_COUNT(id, &eight, NULL)))))));
        float before = floats[63];
        rig_run_closed(&rig);
        assert_true(floats[63] == before * 4.0f);
        rig_expect_ids(api, rig.out[0], 0, 0);
        rig_expect_ids(api, rig.out[1], 24, 0);
        assert_success(zeCommandListUpdateMutableCommandKernelsExp(rig.list, 1, &id, &rig.ids));
        assert_success(
            mutable_update(rig.list, NEW_ARGUMENT(id, 0, rig.out[0], NEW_COUNT(id, &two, NULL))));
        rig_run_closed(&rig);
        rig_expect_ids(api, rig.out[0], 16, 0);
        rig_expect_ids(api, rig.out[1], 24, 0);
    }
    rig_close(api, &rig);
    api_free(api, floats);
}

/* What nobody gives stays: sizes where the new kernel allows them, counts, the offset; all of it
 * when it is the same kernel. */
static void another_kernel_keeps_sizes_that_it_allows(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, 0);
    ze_kernel_handle_t fixed = api_kernel(rig.module, "fixed");
    ze_kernel_handle_t same = api_kernel(rig.module, "ids");
    ze_kernel_handle_t kernels[] = {rig.ids, fixed, same};
    assert_success(zeKernelSetGlobalOffsetExp(rig.ids, 100, 0, 0));
    uint64_t id = mutable_id_of(rig.list, ARGUMENTS | KERNEL, 3, kernels);
    assert_success(zeKernelSetGroupSize(rig.ids, 2, 1, 1));
    ze_group_count_t six = {6, 1, 1};
    assert_success(zeKernelSetArgumentValue(rig.ids, 0, sizeof(rig.out[0]), &rig.out[0]));
    assert_success(zeCommandListAppendLaunchKernel(rig.list, rig.ids, &six, NULL, 0, NULL));
    assert_success(zeCommandListClose(rig.list));
    assert_success(zeCommandListUpdateMutableCommandKernelsExp(rig.list, 1, &id, &rig.ids));
    rig_run_closed(&rig);
    rig_expect_ids(api, rig.out[0], 12, 100);
    assert_success(zeCommandListUpdateMutableCommandKernelsExp(rig.list, 1, &id, &same));
    assert_success(mutable_update(rig.list, NEW_ARGUMENT(id, 0, rig.out[1], NULL)));
    rig_run_closed(&rig);
    rig_expect_ids(api, rig.out[1], 12, 100);
    assert_success(zeCommandListUpdateMutableCommandKernelsExp(rig.list, 1, &id, &fixed));
    assert_success(mutable_update(rig.list, NEW_ARGUMENT(id, 0, rig.out[1], NULL)));
    rig_run_closed(&rig); /* 4 x 2 x 1 */
    rig_expect_ids(api, rig.out[1], 48, 100);
    assert_success(zeKernelDestroy(fixed));
    assert_success(zeKernelDestroy(same));
    rig_close(api, &rig);
}

static void kernels_come_from_those_of_the_id(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, 0);
    ze_kernel_handle_t twin = api_kernel(rig.module, "ids");
    ze_kernel_handle_t kernels[] = {rig.ids, twin};
    ze_mutable_command_id_exp_desc_t desc = {ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_ID_EXP_DESC, NULL,
                                             KERNEL};
    ze_group_count_t one = {1, 1, 1};
    uint64_t id[2];
    assert_result(zeCommandListGetNextCommandIdExp(rig.list, &desc, id),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeCommandListGetNextCommandIdWithKernelsExp(rig.list, &desc, 0, kernels, id),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeCommandListGetNextCommandIdWithKernelsExp(rig.list, &desc, 2, NULL, id),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    kernels[1] = NULL;
    assert_result(zeCommandListGetNextCommandIdWithKernelsExp(rig.list, &desc, 2, kernels, id),
                  ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    kernels[1] = twin;
    id[0] = mutable_id_of(rig.list, ARGUMENTS | KERNEL, 2, kernels);
    assert_result(zeCommandListAppendLaunchKernel(rig.list, rig.scale, &one, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_KERNEL_HANDLE);
    rig_append_ids(&rig, rig.out[0], 16, NULL, 0, NULL);
    id[1] = mutable_id(rig.list, ARGUMENTS);
    rig_append_ids(&rig, rig.out[1], 16, NULL, 0, NULL);
    rig_run_closed(&rig);
    rig_expect_ids(api, rig.out[0], 16, 0);
    rig_expect_ids(api, rig.out[1], 16, 0);

    assert_result(zeCommandListUpdateMutableCommandKernelsExp(rig.list, 1, id, &rig.scale),
                  ZE_RESULT_ERROR_INVALID_KERNEL_HANDLE);
    kernels[0] = api_foreign_handle();
    assert_result(zeCommandListUpdateMutableCommandKernelsExp(rig.list, 1, id, kernels),
                  ZE_RESULT_ERROR_INVALID_KERNEL_HANDLE);
    kernels[0] = NULL;
    assert_result(zeCommandListUpdateMutableCommandKernelsExp(rig.list, 1, id, kernels),
                  ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    /* all or none: the second command was not made for it */
    kernels[0] = twin;
    assert_result(zeCommandListUpdateMutableCommandKernelsExp(rig.list, 2, id, kernels),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(mutable_update(rig.list, NULL));
    rig_run_closed(&rig);
    rig_expect_ids(api, rig.out[0], 16, 0);
    assert_success(zeKernelDestroy(twin)); /* the list knows it, nobody can name it any more */
    assert_result(zeCommandListUpdateMutableCommandKernelsExp(rig.list, 1, id, &twin),
                  ZE_RESULT_ERROR_INVALID_KERNEL_HANDLE);
    twin = api_kernel(rig.module, "ids"); /* is another one, wherever it lies */
    assert_result(zeCommandListUpdateMutableCommandKernelsExp(rig.list, 1, id, &twin),
                  ZE_RESULT_ERROR_INVALID_KERNEL_HANDLE);
    assert_success(zeKernelDestroy(twin));
    rig_close(api, &rig);
}

/* Of a new kernel some things come later, so the whole is looked at when the list is closed. */
static void another_kernel_is_checked_at_the_close(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, 0);
    ze_kernel_handle_t local = api_kernel(rig.module, "local");
    ze_kernel_handle_t kernels[] = {rig.ids, local};
    ze_device_compute_properties_t compute = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    assert_success(zeDeviceGetComputeProperties(api->device, &compute));
    size_t most = compute.maxSharedLocalMemory;
    uint64_t id = mutable_id_of(rig.list, LAUNCH_FLAGS | KERNEL, 2, kernels);
    rig_append_ids(&rig, rig.out[0], 16, NULL, 0, NULL);
    assert_success(zeCommandListClose(rig.list));
    assert_success(zeCommandListUpdateMutableCommandKernelsExp(rig.list, 1, &id, &local));
    assert_success(mutable_update(
        rig.list, NEW_ARGUMENT(id, 0, rig.out[1],
                               NEW_BYTES(id, 1, most, NULL, NEW_BYTES(id, 2, most, NULL, NULL)))));
    assert_result(zeCommandListClose(rig.list), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_result(zeCommandQueueExecuteCommandLists(rig.queue, 1, &rig.list, NULL),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(
        mutable_update(rig.list, NEW_BYTES(id, 1, 64, NULL, NEW_BYTES(id, 2, 64, NULL, NULL))));
    rig_run_closed(&rig);
    assert_int_equal(((uint64_t *)rig.out[1])[2], api->executes ? 1000 : UINT64_MAX);
    assert_success(zeKernelDestroy(local));
    rig_close(api, &rig);
}

/* ---- refusals ---- */

static void a_chain_of_changes_is_made_or_none_of_it(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, 0);
    ze_group_count_t two = {2, 1, 1}, beyond = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    uint64_t id[2] = {mutable_id(rig.list, LAUNCH_FLAGS), 0};
    rig_append_ids(&rig, rig.out[0], 32, NULL, 0, NULL);
    id[1] = mutable_id(rig.list, LAUNCH_FLAGS);
    rig_append_ids(&rig, rig.out[1], 32, NULL, 0, NULL);
    assert_success(zeCommandListClose(rig.list));
    uint32_t *swapped = rig.out[1];
#define GOOD(next)                                                                                 \
    NEW_ARGUMENT(                                                                                  \
        id[0], 0, swapped,                                                                         \
        NEW_COUNT(id[0], &two, NEW_OFFSET(id[0], 9, 9, 9, NEW_SIZE(id[0], 3, 1, 1, next))))
    assert_result(mutable_update(rig.list, GOOD(NEW_ARGUMENT(id[1], 1, swapped, NULL))),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(mutable_update(rig.list, GOOD(NEW_BYTES(id[1], 0, 3, swapped, NULL))),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(mutable_update(rig.list, GOOD(NEW_SIZE(id[1], 0, 1, 1, NULL))),
                  ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    assert_result(mutable_update(rig.list, GOOD(NEW_COUNT(id[1], NULL, NULL))),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(mutable_update(rig.list, GOOD(NEW_COUNT(id[1] + 1, &two, NULL))),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(mutable_update(rig.list, GOOD(NEW_COUNT(id[1], &beyond, NULL))),
                  ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION);
    rig_run(&rig); /* it is closed still */
    rig_expect_ids(api, rig.out[0], 32, 0);
    rig_expect_ids(api, rig.out[1], 32, 0);
    /* and what was tried is forgotten by what comes next */
    assert_success(mutable_update(rig.list, NEW_OFFSET(id[0], 50, 0, 0, NULL)));
    rig_run_closed(&rig);
    rig_expect_ids(api, rig.out[0], 32, 50);
    rig_expect_ids(api, rig.out[1], 32, 0);
#undef GOOD
    rig_close(api, &rig);
}

/* Each kind of change that a command was not made for, and that a command cannot have. */
static void commands_change_as_they_were_made_for(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, 0);
    const ze_mutable_command_exp_flags_t flags[] = {ARGUMENTS, COUNT, SIZE, OFFSET, SIGNAL, WAITS};
    ze_group_count_t one = {1, 1, 1};
    uint64_t id[7];
    for (int i = 0; i < 6; i++) {
        id[i] = mutable_id(rig.list, flags[i]);
        rig_append_ids(&rig, rig.out[0], 8, NULL, 0, NULL);
    }
    id[6] = mutable_id(rig.list, 0); /* all, but not of a barrier */
    assert_success(zeCommandListAppendBarrier(rig.list, NULL, 0, NULL));
    assert_success(zeCommandListClose(rig.list));
    for (int i = 0; i < 7; i++) {
        const ze_result_t no = ZE_RESULT_ERROR_INVALID_ARGUMENT;
        assert_result(mutable_update(rig.list, NEW_ARGUMENT(id[i], 0, rig.out[1], NULL)),
                      i == 0 ? ZE_RESULT_SUCCESS : no);
        assert_result(mutable_update(rig.list, NEW_COUNT(id[i], &one, NULL)),
                      i == 1 ? ZE_RESULT_SUCCESS : no);
        assert_result(mutable_update(rig.list, NEW_SIZE(id[i], 1, 1, 1, NULL)),
                      i == 2 ? ZE_RESULT_SUCCESS : no);
        assert_result(mutable_update(rig.list, NEW_OFFSET(id[i], 1, 1, 1, NULL)),
                      i == 3 ? ZE_RESULT_SUCCESS : no);
        assert_result(zeCommandListUpdateMutableCommandSignalEventExp(rig.list, id[i], NULL), no);
        assert_result(zeCommandListUpdateMutableCommandWaitEventsExp(rig.list, id[i], 0, NULL),
                      i == 5 || i == 6 ? ZE_RESULT_SUCCESS : no);
        assert_result(zeCommandListUpdateMutableCommandKernelsExp(rig.list, 1, &id[i], &rig.ids),
                      no);
    }
    rig_close(api, &rig);
}

static void ids_name_what_was_appended_next(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, 0);
    ze_group_count_t none = {0, 0, 0};
    uint64_t unused = mutable_id(rig.list, 0); /* another one takes its command */
    uint64_t first = mutable_id(rig.list, ARGUMENTS);
    assert_true(unused != first && unused != 0 && first != 0);
    assert_result(zeCommandListAppendLaunchKernel(rig.list, NULL, &none, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_HANDLE); /* was not appended */
    rig_append_ids(&rig, rig.out[0], 16, NULL, 0, NULL);
    rig_append_ids(&rig, rig.out[1], 16, NULL, 0, NULL); /* has none */
    uint64_t last = mutable_id(rig.list, ARGUMENTS);
    assert_success(zeCommandListClose(rig.list));
    const uint64_t wrong[] = {0, unused, last, last + 1, UINT64_MAX};
    for (int i = 0; i < 5; i++) {
        assert_result(mutable_update(rig.list, NEW_ARGUMENT(wrong[i], 0, rig.out[1], NULL)),
                      ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    assert_result(zeCommandListUpdateMutableCommandWaitEventsExp(rig.list, unused, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    uint32_t *third = api_alloc_shared(api, RIG_WORDS * sizeof(*third));
    memset(third, 0xff, RIG_WORDS * sizeof(*third));
    assert_success(mutable_update(rig.list, NEW_ARGUMENT(first, 0, third, NULL)));
    rig_run_closed(&rig);
    rig_expect_ids(api, third, 16, 0);
    rig_expect_ids(api, rig.out[0], 0, 0);
    rig_expect_ids(api, rig.out[1], 16, 0);
    /* a list that is recorded anew has forgotten them */
    assert_success(zeCommandListReset(rig.list));
    uint64_t again = mutable_id(rig.list, ARGUMENTS);
    rig_append_ids(&rig, rig.out[0], 16, NULL, 0, NULL);
    assert_success(zeCommandListClose(rig.list));
    for (int i = 0; i < 3; i++) {
        assert_result(mutable_update(rig.list, NEW_ARGUMENT(wrong[i], 0, third, NULL)),
                      ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    assert_result(mutable_update(rig.list, NEW_ARGUMENT(first, 0, third, NULL)),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(mutable_update(rig.list, NEW_ARGUMENT(again, 0, third, NULL)));
    rig_run_closed(&rig);
    rig_expect_ids(api, third, 16, 0);
    rig_close(api, &rig);
    api_free(api, third);
}

/* Changes are for lists that are mutable, closed and idle; they want to be closed again. */
static void lists_are_changed_between_two_closes(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, ZE_COMMAND_LIST_FLAG_EXP_CLONEABLE);
    const ze_result_t no = ZE_RESULT_ERROR_INVALID_ARGUMENT;
    ze_mutable_command_id_exp_desc_t desc = {ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_ID_EXP_DESC, NULL,
                                             0};
    ze_command_list_handle_t clone;
    struct api_list plain = api_list_create(api);
    uint64_t id = mutable_id(rig.list, 0), other;
    rig_append_ids(&rig, rig.out[0], 16, NULL, 0, NULL);
    assert_result(mutable_update(rig.list, NEW_ARGUMENT(id, 0, rig.out[1], NULL)), no); /* open */
    assert_success(zeCommandListClose(rig.list));
    assert_result(zeCommandListGetNextCommandIdExp(rig.list, &desc, &other), no);
    assert_result(zeCommandListGetNextCommandIdExp(plain.list, &desc, &other), no);
    assert_success(zeCommandListClose(plain.list));
    assert_result(mutable_update(plain.list, NULL), no);
    assert_result(zeCommandListUpdateMutableCommandSignalEventExp(plain.list, id, NULL), no);
    assert_result(zeCommandListUpdateMutableCommandWaitEventsExp(plain.list, id, 0, NULL), no);
    assert_result(zeCommandListUpdateMutableCommandKernelsExp(plain.list, 1, &id, &rig.ids), no);

    assert_success(mutable_update(rig.list, NEW_ARGUMENT(id, 0, rig.out[1], NULL)));
    assert_result(zeCommandQueueExecuteCommandLists(rig.queue, 1, &rig.list, NULL), no);
    assert_result(zeCommandListCreateCloneExp(rig.list, &clone), no);
    assert_result(zeCommandListAppendBarrier(rig.list, NULL, 0, NULL), no);
    rig_run_closed(&rig);
    rig_expect_ids(api, rig.out[0], 0, 0);
    rig_expect_ids(api, rig.out[1], 16, 0);
    api_list_destroy(&plain);
    rig_close(api, &rig);
}

static void a_list_in_flight_is_not_changed(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, 0);
    ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                      .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                      .count = 1};
    ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_event_pool_handle_t pool;
    ze_event_handle_t gate;
    assert_success(zeEventPoolCreate(api->context, &pool_desc, 0, NULL, &pool));
    assert_success(zeEventCreate(pool, &event_desc, &gate));
    uint64_t id = mutable_id(rig.list, 0);
    rig_append_ids(&rig, rig.out[0], 16, NULL, 1, &gate);
    assert_success(zeCommandListClose(rig.list));
    rig_execute(&rig);
    assert_result(mutable_update(rig.list, NEW_ARGUMENT(id, 0, rig.out[1], NULL)),
                  ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_success(zeEventHostSignal(gate));
    assert_success(zeCommandQueueSynchronize(rig.queue, UINT64_MAX));
    rig_expect_ids(api, rig.out[0], 16, 0);
    assert_success(mutable_update(rig.list, NEW_ARGUMENT(id, 0, rig.out[1], NULL)));
    rig_run_closed(&rig);
    rig_expect_ids(api, rig.out[1], 16, 0);
    rig_close(api, &rig);
    assert_success(zeEventDestroy(gate));
    assert_success(zeEventPoolDestroy(pool));
}

/* ---- chains ---- */

/* EXN-7 */
static void chains_have_any_length_and_strangers(void **state)
{
    struct api *api = *state;
    enum { LINKS = 1000 };
    static ze_mutable_global_offset_exp_desc_t links[LINKS];
    struct rig rig = rig_open(api, 0);
    uint64_t id = mutable_id(rig.list, 0);
    rig_append_ids(&rig, rig.out[0], 16, NULL, 0, NULL);
    assert_success(zeCommandListClose(rig.list));
    for (uint32_t i = 0; i < LINKS; i++) {
        links[i] = *NEW_OFFSET(id, i, 0, 0, i + 1 < LINKS ? &links[i + 1] : NULL);
    }
    ze_base_desc_t stranger = {.stype = (ze_structure_type_t)0x7ffffff0, .pNext = links};
    assert_success(mutable_update(rig.list, &stranger));
    rig_run_closed(&rig);
    rig_expect_ids(api, rig.out[0], 16, LINKS - 1);
    links[LINKS - 1].pNext = &links[3];
    assert_result(mutable_update(rig.list, links), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ze_mutable_graph_argument_exp_desc_t graph = {
        .stype = ZE_STRUCTURE_TYPE_MUTABLE_GRAPH_ARGUMENT_EXP_DESC,
        .commandId = id,
        .pArgValue = &id};
    assert_result(mutable_update(rig.list, &graph), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    rig_run(&rig);
    rig_expect_ids(api, rig.out[0], 16, LINKS - 1);
    rig_close(api, &rig);
}

/* ---- lives ---- */

/* GEN-15 */
static void changed_lists_keep_what_they_need(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, 0);
    ze_module_handle_t module = api_native_module(api);
    ze_kernel_handle_t kernels[2] = {rig.ids, api_kernel(module, "ids")};
    uint64_t id = mutable_id_of(rig.list, LAUNCH_FLAGS | KERNEL, 2, kernels);
    rig_append_ids(&rig, rig.out[0], 16, NULL, 0, NULL);
    assert_success(zeCommandListClose(rig.list));
    assert_success(zeCommandListUpdateMutableCommandKernelsExp(rig.list, 1, &id, &kernels[1]));
    assert_success(zeKernelDestroy(kernels[1]));
    assert_success(zeModuleDestroy(module));
    assert_success(mutable_update(rig.list, NEW_ARGUMENT(id, 0, rig.out[1], NULL)));
    rig_run_closed(&rig);
    rig_expect_ids(api, rig.out[0], 0, 0);
    rig_expect_ids(api, rig.out[1], 16, 0);
    rig_close(api, &rig);
}

/* A clone has the commands of its original under the same ids, as they are then. */
static void a_clone_is_changed_for_itself(void **state)
{
    struct api *api = *state;
    struct rig rig = rig_open(api, ZE_COMMAND_LIST_FLAG_EXP_CLONEABLE);
    ze_kernel_handle_t kernels[2] = {rig.scale, rig.ids};
    uint64_t id = mutable_id_of(rig.list, LAUNCH_FLAGS | KERNEL, 2, kernels);
    rig_append_ids(&rig, rig.out[0], 32, NULL, 0, NULL);
    assert_success(zeCommandListClose(rig.list));
    assert_success(mutable_update(rig.list, NEW_OFFSET(id, 40, 0, 0, NULL)));
    assert_success(zeCommandListClose(rig.list));
    struct rig copy = rig;
    ze_bool_t is = 0;
    assert_success(zeCommandListCreateCloneExp(rig.list, &copy.list));
    assert_success(zeCommandListIsMutableExp(copy.list, &is));
    assert_int_equal(is, 1);
    assert_success(mutable_update(copy.list, NEW_ARGUMENT(id, 0, rig.out[1], NULL)));
    assert_success(mutable_update(rig.list, NEW_OFFSET(id, 60, 0, 0, NULL)));
    rig_run_closed(&copy);
    rig_run_closed(&rig);
    rig_expect_ids(api, rig.out[0], 32, 60);
    rig_expect_ids(api, rig.out[1], 32, 40);
    assert_success(zeCommandListDestroy(copy.list));
    rig_close(api, &rig);
}

static const struct api_case cases[] = {
    API_CASE(what_can_change_is_told),
    API_CASE(arguments_of_a_launch_change),
    {"arguments_change_alone", arguments_change_alone, API_EXECUTES},
    API_CASE(counts_sizes_and_offsets_change),
    API_CASE(local_memory_changes),
    API_CASE(the_group_count_of_an_indirect_launch_stays_where_it_is),
    {"cooperative_launches_stay_limited", cooperative_launches_stay_limited, API_EXECUTES},
    {"a_launch_gets_another_kernel", a_launch_gets_another_kernel, API_EXECUTES},
    API_CASE(another_kernel_keeps_sizes_that_it_allows),
    API_CASE(kernels_come_from_those_of_the_id),
    API_CASE(another_kernel_is_checked_at_the_close),
    API_CASE(a_chain_of_changes_is_made_or_none_of_it),
    API_CASE(commands_change_as_they_were_made_for),
    API_CASE(ids_name_what_was_appended_next),
    API_CASE(lists_are_changed_between_two_closes),
    API_CASE(a_list_in_flight_is_not_changed),
    API_CASE(chains_have_any_length_and_strangers),
    API_CASE(changed_lists_keep_what_they_need),
    API_CASE(a_clone_is_changed_for_itself),
};

API_MAIN("mutable", cases)
