/* API test of restricted kernels: a module is first built with the code that most launches need,
 * and the first launch that needs more has the complete kernel built. The number of builds is that
 * of the files which GEOID_DUMP writes. */
#include "deferred_support.h"
#include "mutable_support.h"

#include <pthread.h>

enum { WIDE = 64, WORDS = 4096 };

struct program {
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    struct api_list list;
    int *out; /* WORDS of shared memory */
};

static struct program program_open(struct api *api, const char *kernel)
{
    struct program program = {.list = api_list_create(api)};
    dumps_begin();
    program.module = module_build(api, "restricted", NULL);
    program.kernel = api_kernel(program.module, kernel);
    program.out = api_alloc_shared(api, WORDS * sizeof(int));
    memset(program.out, 0, WORDS * sizeof(int));
    assert_success(zeKernelSetArgumentValue(program.kernel, 0, sizeof(program.out), &program.out));
    return program;
}

static void program_close(struct api *api, struct program *program)
{
    api_list_destroy(&program->list);
    assert_success(zeKernelDestroy(program->kernel));
    assert_success(zeModuleDestroy(program->module));
    api_free(api, program->out);
    dumps_end();
}

static ze_result_t append(struct program *program, uint32_t size, uint32_t groups)
{
    const ze_group_count_t count = {groups, 1, 1};
    assert_success(zeKernelSetGroupSize(program->kernel, size, 1, 1));
    return zeCommandListAppendLaunchKernel(program->list.list, program->kernel, &count, NULL, 0,
                                           NULL);
}

static void launch(struct api *api, struct program *program, uint32_t size, uint32_t groups)
{
    assert_success(append(program, size, groups));
    api_list_run(api, &program->list);
}

/* ---- which launches need more ---- */

static void assert_places(const struct program *program, uint32_t items, uint64_t offset,
                          uint32_t size)
{
    const uint64_t *out = (const uint64_t *)(const void *)program->out;
    for (uint32_t i = 0; i < items; i++) {
        assert_true(out[i] == (offset + i) * 100 + size);
    }
}

static void launches_of_whole_groups_need_one_build(void **state)
{
    struct api *api = *state;
    struct program program = program_open(api, "places");
    launch(api, &program, WIDE, 3);
    assert_places(&program, 3 * WIDE, 0, WIDE);
    launch(api, &program, 2 * WIDE, 2);
    assert_places(&program, 4 * WIDE, 0, 2 * WIDE);
    assert_int_equal(builds_made(), 1);
    program_close(api, &program);
}

static void a_partial_group_needs_the_complete_kernel_once(void **state)
{
    struct api *api = *state;
    struct program program = program_open(api, "places");
    launch(api, &program, WIDE, 1);
    for (uint32_t size = 3; size < 60; size += 14) {
        launch(api, &program, size, 5);
        assert_places(&program, 5 * size, 0, size);
        assert_int_equal(builds_made(), 2);
    }
    ze_kernel_handle_t other = api_kernel(program.module, "places"); /* shares the code */
    assert_success(zeKernelDestroy(program.kernel));
    program.kernel = other;
    assert_success(zeKernelSetArgumentValue(other, 0, sizeof(program.out), &program.out));
    launch(api, &program, 7, 9);
    assert_places(&program, 63, 0, 7);
    assert_int_equal(builds_made(), 2);
    program_close(api, &program);
}

static void large_ids_need_the_complete_kernel(void **state)
{
    struct api *api = *state;
    struct program program = program_open(api, "places");
    assert_success(zeKernelSetGlobalOffsetExp(program.kernel, 1000, 0, 0));
    launch(api, &program, WIDE, 2);
    assert_places(&program, 2 * WIDE, 1000, WIDE);
    assert_int_equal(builds_made(), 1);
    assert_success(zeKernelSetGlobalOffsetExp(program.kernel, UINT32_MAX - WIDE, 0, 0));
    launch(api, &program, WIDE, 2);
    assert_places(&program, 2 * WIDE, UINT32_MAX - WIDE, WIDE);
    assert_int_equal(builds_made(), 2);
    program_close(api, &program);
}

/* The grid alone decides if the launcher may choose the groups. */
static void groups_that_the_launcher_chooses_need_whole_rows_of_the_grid(void **state)
{
    struct api *api = *state;
    struct program program = program_open(api, "thirds");
    const uint32_t sizes[][2] = {{4, 16}, {1, 64}, {8, 40}, {5, 7}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const ze_group_count_t count = {sizes[i][1], 3, 1};
        const uint32_t row = sizes[i][0] * sizes[i][1];
        assert_success(zeKernelSetGroupSize(program.kernel, sizes[i][0], 2, 1));
        assert_success(zeCommandListAppendLaunchKernel(program.list.list, program.kernel, &count,
                                                       NULL, 0, NULL));
        api_list_run(api, &program.list);
        for (uint32_t item = 0; item < 6 * row; item++) {
            assert_int_equal(program.out[item], (int)((item % row * 1000 + item / row) / 3));
        }
        assert_int_equal(builds_made(), row % WIDE == 0 ? 1 : 2);
    }
    program_close(api, &program);
}

static void counts_from_memory_need_the_complete_kernel(void **state)
{
    struct api *api = *state;
    struct program program = program_open(api, "places");
    ze_group_count_t *count = api_alloc_shared(api, sizeof(*count));
    *count = (ze_group_count_t){3, 1, 1};
    assert_success(zeKernelSetGroupSize(program.kernel, WIDE, 1, 1));
    assert_success(zeCommandListAppendLaunchKernelIndirect(program.list.list, program.kernel, count,
                                                           NULL, 0, NULL));
    assert_int_equal(builds_made(), 2);
    api_list_run(api, &program.list);
    assert_places(&program, 3 * WIDE, 0, WIDE);
    program_close(api, &program);
    api_free(api, count);
}

/* The masked code is there anyway. */
static void chunks_that_may_start_again_need_one_build(void **state)
{
    struct api *api = *state;
    struct program program = program_open(api, "bounded");
    const int limit = 90;
    assert_success(zeKernelSetArgumentValue(program.kernel, 1, sizeof(limit), &limit));
    for (uint32_t size = 7; size <= WIDE; size += 19) {
        memset(program.out, 0, WORDS * sizeof(int));
        launch(api, &program, size, 6);
        for (int i = 0; i < 6 * (int)size; i++) {
            assert_int_equal(program.out[i], i < limit ? i * 7 + (int)size : 0);
        }
    }
    assert_int_equal(builds_made(), 1);
    program_close(api, &program);
}

static void kernels_with_calls_need_one_build(void **state)
{
    struct api *api = *state;
    struct program program = program_open(api, "calls");
    launch(api, &program, 7, 5);
    for (int i = 0; i < 35; i++) {
        assert_int_equal(program.out[i], i / 7 + i % 5 + (i + 1) / 7 + (i + 1) % 5 + 7);
    }
    assert_int_equal(builds_made(), 1);
    program_close(api, &program);
}

/* ---- the same results ---- */

static void barriers_work_in_both_forms(void **state)
{
    struct api *api = *state;
    struct program program = program_open(api, "reversed");
    for (uint32_t size = 64; size > 1; size -= 21) {
        assert_success(zeKernelSetArgumentValue(program.kernel, 1, size * sizeof(int), NULL));
        launch(api, &program, size, 4);
        for (uint32_t i = 0; i < 4 * size; i++) {
            assert_int_equal(program.out[i], (int)(i / size * size + size - 1 - i % size));
        }
    }
    assert_int_equal(builds_made(), 2);
    program_close(api, &program);
}

static void clipped_rows_keep_their_masks(void **state)
{
    struct api *api = *state;
    struct program program = program_open(api, "sums");
    assert_success(zeKernelSetArgumentValue(program.kernel, 1, WIDE * sizeof(int), NULL));
    launch(api, &program, WIDE, 5);
    for (int group = 0; group < 5; group++) {
        assert_int_equal(program.out[group], WIDE * WIDE * group + WIDE * (WIDE - 1) / 2);
    }
    assert_int_equal(builds_made(), 1);
    program_close(api, &program);
}

static void both_forms_use_the_same_variables(void **state)
{
    struct api *api = *state;
    struct program program = program_open(api, "count");
    launch(api, &program, WIDE, 2);
    launch(api, &program, 5, 5);
    assert_success(zeKernelDestroy(program.kernel));
    program.kernel = api_kernel(program.module, "counted");
    assert_success(zeKernelSetArgumentValue(program.kernel, 0, sizeof(program.out), &program.out));
    launch(api, &program, 1, 1);
    assert_int_equal(program.out[0], 2 * WIDE + 25);
    program_close(api, &program);
}

/* ---- changes ---- */

static void changed_launches_get_the_code_that_they_need(void **state)
{
    struct api *api = *state;
    struct program program = program_open(api, "places");
    ze_command_list_handle_t list = mutable_list(api, 0);
    ze_command_queue_handle_t queue;
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = api->ordinal};
    const ze_group_count_t count = {2, 1, 1}, more = {3, 1, 1};
    assert_success(zeCommandQueueCreate(api->context, api->device, &desc, &queue));
    uint64_t id = mutable_id(list, LAUNCH_FLAGS);
    assert_success(zeKernelSetGroupSize(program.kernel, WIDE, 1, 1));
    assert_success(zeCommandListAppendLaunchKernel(list, program.kernel, &count, NULL, 0, NULL));
    const uint32_t sizes[] = {WIDE, 9, 2 * WIDE};
    for (size_t i = 0; i < 3; i++) {
        if (i) {
            assert_success(
                mutable_update(list, NEW_SIZE(id, sizes[i], 1, 1, NEW_COUNT(id, &more, NULL))));
        }
        assert_success(zeCommandListClose(list));
        assert_success(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
        assert_success(zeCommandQueueSynchronize(queue, UINT64_MAX));
        assert_places(&program, (i ? 3 : 2) * sizes[i], 0, sizes[i]);
        assert_int_equal(builds_made(), i ? 2 : 1);
    }
    assert_success(zeCommandListDestroy(list));
    assert_success(zeCommandQueueDestroy(queue));
    program_close(api, &program);
}

/* ---- native binaries ---- */

/* MOD-8: a binary has all code, whatever the program has launched. */
static void a_native_binary_is_complete(void **state)
{
    struct api *api = *state;
    struct program program = program_open(api, "places");
    launch(api, &program, WIDE, 1);
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_NATIVE};
    void *bytes = binary_of(program.module, &desc.inputSize);
    desc.pInputModule = bytes;
    assert_success(zeKernelDestroy(program.kernel));
    assert_success(zeModuleDestroy(program.module));
    program.module = NULL;
    assert_success(zeModuleCreate(api->context, api->device, &desc, &program.module, NULL));
    free(bytes);
    assert_int_equal(builds_made(), 2);
    program.kernel = api_kernel(program.module, "places");
    assert_success(zeKernelSetArgumentValue(program.kernel, 0, sizeof(program.out), &program.out));
    launch(api, &program, 7, 5);
    assert_places(&program, 35, 0, 7);
    assert_int_equal(builds_made(), 2);
    program_close(api, &program);
}

/* Only the driver's own builds have restricted kernels. */
static void restricted_native_binaries_are_refused(void **state)
{
    struct api *api = *state;
    char text[LOG_BYTES];
    size_t size = sizeof(text);
    ze_module_build_log_handle_t log = NULL;
    ze_module_handle_t module = NULL;
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_NATIVE};
    void *bytes = api_read_file("tests/fixtures/native_restricted.o", &desc.inputSize);
    desc.pInputModule = bytes;
    assert_result(zeModuleCreate(api->context, api->device, &desc, &module, &log),
                  ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    assert_success(zeModuleBuildLogGetString(log, &size, text));
    assert_non_null(strstr(text, "its kernels lack code for some launches"));
    assert_success(zeModuleBuildLogDestroy(log));
    free(bytes);
}

static void with_all_kernels_are_complete_at_once(void **state)
{
    struct api *api = *state;
    struct program program = program_open(api, "places");
    assert_success(zeKernelDestroy(program.kernel));
    assert_success(zeModuleDestroy(program.module));
    program.module = module_build(api, "restricted", "all");
    program.kernel = api_kernel(program.module, "places");
    assert_success(zeKernelSetArgumentValue(program.kernel, 0, sizeof(program.out), &program.out));
    launch(api, &program, 7, 5);
    assert_places(&program, 35, 0, 7);
    assert_int_equal(builds_made(), 2);
    program_close(api, &program);
}

/* ---- threads and errors ---- */

struct appender {
    struct api *api;
    ze_module_handle_t module;
    ze_result_t result;
};

static void *append_partial(void *argument)
{
    struct appender *appender = argument;
    const ze_group_count_t count = {3, 1, 1};
    ze_kernel_handle_t kernel = api_kernel(appender->module, "places");
    ze_command_list_handle_t list = mutable_list(appender->api, 0);
    assert_success(zeKernelSetGroupSize(kernel, 5, 1, 1));
    appender->result = zeCommandListAppendLaunchKernel(list, kernel, &count, NULL, 0, NULL);
    assert_success(zeCommandListDestroy(list));
    assert_success(zeKernelDestroy(kernel));
    return NULL;
}

static void threads_share_one_build(void **state)
{
    enum { THREADS = 4 };
    struct api *api = *state;
    struct program program = program_open(api, "places");
    struct appender appenders[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        appenders[i] = (struct appender){api, program.module, ZE_RESULT_ERROR_UNKNOWN};
        assert_int_equal(pthread_create(&threads[i], NULL, append_partial, &appenders[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(appenders[i].result, ZE_RESULT_SUCCESS);
    }
    assert_int_equal(builds_made(), 2);
    program_close(api, &program);
}

/* The launch that needs more fails, and others go on. */
static void a_build_that_fails_is_the_launch_s_error(void **state)
{
    struct api *api = *state;
    struct program program = program_open(api, "places");
    char level[64] = "";
    const char *cpu = getenv("GEOID_CPU") ? strncpy(level, getenv("GEOID_CPU"), 63) : NULL;
    launch(api, &program, WIDE, 1);
    setenv("GEOID_CPU", "unknown", 1);
    for (int i = 0; i < 2; i++) {
        const char *text = NULL;
        assert_result(append(&program, 3, 1), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
        assert_success(zeDriverGetLastErrorDescription(api->driver, &text));
        assert_non_null(strstr(text, "complete code of kernel \"places\""));
        assert_non_null(strstr(text, "unknown"));
    }
    cpu ? setenv("GEOID_CPU", cpu, 1) : unsetenv("GEOID_CPU");
    assert_int_equal(builds_made(), 2);
    launch(api, &program, WIDE, 3);
    assert_places(&program, 3 * WIDE, 0, WIDE);
    program_close(api, &program);
}

static const struct api_case cases[] = {
    API_RUN_CASE(launches_of_whole_groups_need_one_build),
    API_RUN_CASE(a_partial_group_needs_the_complete_kernel_once),
    API_RUN_CASE(large_ids_need_the_complete_kernel),
    API_RUN_CASE(groups_that_the_launcher_chooses_need_whole_rows_of_the_grid),
    API_RUN_CASE(counts_from_memory_need_the_complete_kernel),
    API_RUN_CASE(chunks_that_may_start_again_need_one_build),
    API_RUN_CASE(kernels_with_calls_need_one_build),
    API_RUN_CASE(barriers_work_in_both_forms),
    API_RUN_CASE(clipped_rows_keep_their_masks),
    API_RUN_CASE(both_forms_use_the_same_variables),
    API_RUN_CASE(changed_launches_get_the_code_that_they_need),
    API_RUN_CASE(a_native_binary_is_complete),
    API_CASE(restricted_native_binaries_are_refused),
    API_RUN_CASE(with_all_kernels_are_complete_at_once),
    API_RUN_CASE(threads_share_one_build),
    API_RUN_CASE(a_build_that_fails_is_the_launch_s_error),
};
API_MAIN("spirv_restricted", cases)
