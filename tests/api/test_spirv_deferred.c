/* API test of kernels that are built when they are created: kernels/deferred*.cl. Programs see no
 * difference to kernels that are built with their module, except in time. */
#include "deferred_support.h"
#include "graph_support.h"

#include <pthread.h>
#include <sys/wait.h>

/* The thread sanitizer by default ends a forked child that starts threads. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}

/* ---- cases ---- */

/* Returns what `read` of deferred.cl stores after `write` with this value. */
static int read_expected(int i, int value)
{
    static const int table[4] = {10, 20, 30, 40}, squares[4] = {0, 1, 4, 9};
    int hidden = 7;
    for (int k = i & 7; k < ITEMS; k += 8) {
        hidden += value + k;
    }
    return hidden + value + table[i & 3] + squares[i & 3];
}

/* MOD-12 */
static void kernels_share_the_variables_of_their_module(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = module_build(api, "deferred", "needed");
    int *out = api_alloc_shared(api, ITEMS * sizeof(int));
    int *counter = global_of(module, "counter"); /* before any kernel has code */
    assert_int_equal(*counter, 5);
    /* The additions of several groups to one element do not overlap with a single group each. */
    for (int group = 0; group < ITEMS / 8; group++) {
        ze_kernel_handle_t kernel = api_kernel(module, "write");
        struct api_list list = api_list_create(api);
        const ze_group_count_t one = {1, 1, 1};
        int value = 100;
        assert_success(zeKernelSetGroupSize(kernel, 8, 1, 1));
        assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(value), &value));
        assert_success(zeKernelSetGlobalOffsetExp(kernel, (uint32_t)group * 8, 0, 0));
        assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &one, NULL, 0, NULL));
        api_list_run(api, &list);
        api_list_destroy(&list);
        assert_success(zeKernelDestroy(kernel));
    }
    assert_int_equal(*counter, 100);
    run(api, module, "read", sizeof(out), &out);
    for (int i = 0; i < ITEMS; i++) {
        assert_int_equal(out[i], read_expected(i, 100));
    }
    *counter = 200;
    run(api, module, "read", sizeof(out), &out);
    assert_int_equal(out[0], read_expected(0, 100) + 100);
    global_of(module, "pattern")[1] = -60;
    run(api, module, "scale", sizeof(out), &out);
    assert_int_equal(out[1], 20 - 60);
    run(api, module, "remember", sizeof(out), &out); /* by a private variable */
    run_on_value(api, module, "recall", 77);
    assert_int_equal(out[0], 77);
    run(api, module, "group", sizeof(out), &out);
    assert_int_equal(out[9], 6 + 20 - 60);
    run(api, module, "call_twin", sizeof(out), &out);
    assert_int_equal(out[3], 3 + 20 - 60);
    api_free(api, out);
    assert_success(zeModuleDestroy(module));
}

/* Each kernel costs one build, the module another. */
static void kernels_are_built_when_they_are_created(void **state)
{
    struct api *api = *state;
    ze_kernel_handle_t kernel, again;
    dumps_begin();
    ze_module_handle_t module = module_build(api, "deferred", "needed");
    assert_int_equal(builds_made(), 1);
    assert_success(kernel_try(module, "read", &kernel));
    assert_int_equal(builds_made(), 2);
    assert_success(kernel_try(module, "read", &again));
    assert_int_equal(builds_made(), 2);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeKernelDestroy(again));
    assert_success(kernel_try(module, "read", &kernel)); /* the code stays with the module */
    assert_int_equal(builds_made(), 2);
    assert_success(zeKernelDestroy(kernel));
    assert_result(kernel_try(module, "nobody", &kernel), ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
    assert_int_equal(builds_made(), 2);
    assert_success(zeModuleDestroy(module));
    dumps_end();
}

/* Returns how many builds a module of at least this size and one of its kernels cost. */
static unsigned builds_of_padded(struct api *api, const char *name, const char *kernels,
                                 size_t least, const char *kernel_name)
{
    ze_module_handle_t module = NULL;
    ze_kernel_handle_t kernel;
    dumps_begin();
    assert_success(module_pad(api, name, kernels, least, &module, NULL));
    assert_success(kernel_try(module, kernel_name, &kernel));
    unsigned count = builds_made();
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    dumps_end();
    return count;
}

static unsigned builds_of(struct api *api, const char *name, const char *kernels,
                          const char *kernel_name)
{
    return builds_of_padded(api, name, kernels, 0, kernel_name);
}

static void large_modules_of_several_kernels_are_deferred(void **state)
{
    struct api *api = *state;
    assert_int_equal(builds_of_padded(api, "deferred", NULL, (256 << 10) - 4, "read"), 1);
    assert_int_equal(builds_of_padded(api, "deferred", NULL, 256 << 10, "read"), 2);
    assert_int_equal(builds_of_padded(api, "ids", NULL, 256 << 10, "ids"), 1);
}

static void the_option_says_when_kernels_are_built(void **state)
{
    struct api *api = *state;
    assert_int_equal(builds_of(api, "deferred", "all", "read"), 1);
    assert_int_equal(builds_of(api, "deferred", "needed", "read"), 2);
    assert_int_equal(builds_of(api, "deferred_many", "all", "many_3"), 1);
    static const char *const automatic[] = {NULL, "auto", "sometimes"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(builds_of(api, "deferred", automatic[i], "read"), 1);
        assert_int_equal(builds_of(api, "deferred_few", automatic[i], "many_3"), 1);
        assert_int_equal(builds_of(api, "deferred_many", automatic[i], "many_3"), 2);
    }
}

/* ---- what programs ask for ---- */

/* MOD-10 */
static void the_native_binary_is_complete(void **state)
{
    struct api *api = *state;
    size_t size, other_size;
    ze_module_handle_t whole = module_build(api, "deferred", "all");
    void *expected = binary_of(whole, &size);
    assert_success(zeModuleDestroy(whole));
    dumps_begin();
    ze_module_handle_t module = module_build(api, "deferred", "needed");
    void *bytes = binary_of(module, &other_size); /* before a kernel was created */
    assert_int_equal(builds_made(), 2);
    assert_int_equal(size, other_size);
    assert_memory_equal(bytes, expected, size);
    ze_kernel_handle_t kernel = api_kernel(module, "read");
    uint8_t *kernel_bytes = malloc(size + 1);
    size_t kernel_size = size + 1;
    assert_non_null(kernel_bytes);
    assert_success(zeKernelGetBinaryExp(kernel, &kernel_size, kernel_bytes));
    assert_int_equal(kernel_size, size);
    assert_memory_equal(kernel_bytes, expected, size);
    assert_int_equal(builds_made(), 3); /* the whole module was built once */
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    dumps_end();
    free(kernel_bytes);
    free(bytes);
    free(expected);
}

static void properties_compare(ze_kernel_handle_t kernel, ze_kernel_handle_t other)
{
    ze_kernel_preferred_group_size_properties_t preferred[2] = {
        {.stype = ZE_STRUCTURE_TYPE_KERNEL_PREFERRED_GROUP_SIZE_PROPERTIES},
        {.stype = ZE_STRUCTURE_TYPE_KERNEL_PREFERRED_GROUP_SIZE_PROPERTIES}};
    ze_kernel_properties_t properties[2] = {
        {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES, .pNext = &preferred[0]},
        {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES, .pNext = &preferred[1]}};
    char name[2][64] = {"", ""}, attributes[2][128] = {"", ""};
    for (int i = 0; i < 2; i++) {
        ze_kernel_handle_t of = i ? other : kernel;
        size_t name_size = sizeof(name[i]);
        uint32_t size = sizeof(attributes[i]);
        char *text = attributes[i];
        assert_success(zeKernelGetProperties(of, &properties[i]));
        assert_success(zeKernelGetName(of, &name_size, name[i]));
        assert_success(zeKernelGetSourceAttributes(of, &size, &text));
        memset(&properties[i].uuid, 0, sizeof(properties[i].uuid)); /* one for each module */
        properties[i].spillMemSize = 0; /* of the code, which may lack rare launches here */
        properties[i].pNext = NULL;
    }
    assert_memory_equal(&properties[0], &properties[1], sizeof(properties[0]));
    assert_int_equal(preferred[0].preferredMultiple, preferred[1].preferredMultiple);
    assert_string_equal(name[0], name[1]);
    assert_string_equal(attributes[0], attributes[1]);
}

/* Reads the names of the kernels. */
static uint32_t names_of(ze_module_handle_t module, const char *names[NAMES_MAX])
{
    uint32_t count = NAMES_MAX;
    assert_success(zeModuleGetKernelNames(module, &count, names));
    assert_in_range(count, 1, NAMES_MAX - 1);
    return count;
}

static void names_and_properties_are_those_of(struct api *api, const char *name)
{
    const char *names[NAMES_MAX], *other_names[NAMES_MAX];
    ze_module_handle_t whole = module_build(api, name, "all");
    ze_module_handle_t module = module_build(api, name, "needed");
    uint32_t count = names_of(whole, names);
    assert_int_equal(names_of(module, other_names), count);
    ze_kernel_uuid_t last = {{0}, {0}};
    for (uint32_t i = 0; i < count; i++) {
        ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
        assert_string_equal(names[i], other_names[i]);
        ze_kernel_handle_t kernel = api_kernel(module, names[i]);
        ze_kernel_handle_t other = api_kernel(whole, names[i]);
        properties_compare(kernel, other);
        assert_success(zeKernelGetProperties(kernel, &properties));
        assert_memory_not_equal(&last, &properties.uuid, sizeof(last));
        last = properties.uuid;
        assert_success(zeKernelDestroy(kernel));
        assert_success(zeKernelDestroy(other));
    }
    assert_success(zeModuleDestroy(whole));
    assert_success(zeModuleDestroy(module));
}

/* KRN-14 */
static void names_and_properties_are_those_of_a_whole_build(void **state)
{
    names_and_properties_are_those_of(*state, "deferred");
    names_and_properties_are_those_of(*state, "matrix_sizes");
}

/* MOD-6 to MOD-9 */
static void other_modules_link_with_a_deferred_one(void **state)
{
    struct api *api = *state;
    ze_module_handle_t modules[2] = {module_build(api, "deferred_import", "needed"),
                                     module_build(api, "deferred", "needed")};
    int *out = api_alloc_shared(api, ITEMS * sizeof(int));
    void *function = NULL;
    assert_success(zeModuleDynamicLink(2, modules, NULL));
    global_of(modules[1], "counter")[0] = 1000;
    run(api, modules[0], "imported", sizeof(out), &out);
    for (int i = 0; i < ITEMS; i++) {
        assert_int_equal(out[i], i * 10 * ((i & 3) + 1) + (i & 3) + 1 + 1000);
    }
    assert_success(zeModuleGetFunctionPointer(modules[1], "scaled", &function));
    assert_non_null(function);
    api_free(api, out);
    assert_success(zeModuleDestroy(modules[1]));
    assert_success(zeModuleDestroy(modules[0]));
}

static void kernels_outlive_their_module(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = module_build(api, "deferred", "needed");
    int *out = api_alloc_shared(api, ITEMS * sizeof(int));
    ze_kernel_handle_t kernel = api_kernel(module, "scale");
    assert_success(zeModuleDestroy(module));
    kernel_run(api, kernel, sizeof(out), &out);
    assert_int_equal(out[5], 5 * 20 + 2);
    assert_success(zeKernelDestroy(kernel));
    api_free(api, out);
}

static void a_dump_of_a_graph_shows_their_arguments(void **state)
{
    struct api *api = *state;
    char path[600], text[4096] = "", address[32];
    dumps_begin();
    snprintf(path, sizeof(path), "%s/graph.gv", folder);
    ze_module_handle_t module = module_build(api, "deferred", "needed");
    ze_kernel_handle_t kernel = api_kernel(module, "scale");
    ze_command_list_handle_t list = graph_list(api);
    const ze_group_count_t groups = {1, 1, 1};
    int *out = api_alloc_shared(api, ITEMS * sizeof(int));
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(out), &out));
    graph_begin(list);
    assert_success(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
    ze_graph_handle_t graph = graph_end(list);
    assert_success(zeGraphDumpContentsExt(graph, path, NULL));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
    fclose(file);
    snprintf(address, sizeof(address), "0x%016llx", (unsigned long long)(uintptr_t)out);
    assert_non_null(strstr(text, "launch of scale"));
    assert_non_null(strstr(text, address));
    assert_success(zeGraphDestroyExt(graph));
    assert_success(zeCommandListDestroy(list));
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    api_free(api, out);
    dumps_end();
}

/* A binary whose kernels have no code is only for the process that built it. */
static void a_native_binary_without_code_is_refused(void **state)
{
    struct api *api = *state;
    size_t size;
    void *bytes = api_read_file("tests/fixtures/native_deferred.o", &size);
    ze_module_handle_t module = NULL;
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_NATIVE,
                             .inputSize = size,
                             .pInputModule = bytes};
    assert_result(zeModuleCreate(api->context, api->device, &desc, &module, NULL),
                  ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    free(bytes);
}

/* ---- kernels that do not build ---- */

static void log_read(ze_module_build_log_handle_t log, char text[LOG_BYTES])
{
    size_t size = LOG_BYTES;
    assert_success(zeModuleBuildLogGetString(log, &size, text));
}

/* MOD-5 */
static void a_kernel_that_does_not_build_fails_alone(void **state)
{
    struct api *api = *state;
    char text[LOG_BYTES];
    const char *error = NULL;
    ze_module_handle_t module = NULL;
    ze_module_build_log_handle_t log = NULL;
    ze_kernel_handle_t kernel;
    size_t size = 0;
    assert_result(module_try(api, "deferred_bad", "all", &module, NULL),
                  ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    dumps_begin();
    assert_success(module_try(api, "deferred_bad", "needed", &module, &log));
    log_read(log, text);
    assert_string_equal(text, "");
    for (int i = 0; i < 2; i++) {
        assert_result(kernel_try(module, "too_much_local_memory", &kernel),
                      ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
        assert_null(kernel);
        assert_success(zeDriverGetLastErrorDescription(api->driver, &error));
        assert_non_null(strstr(error, "\"too_much_local_memory\" did not build"));
        assert_non_null(strstr(error, "1100000000 bytes"));
        assert_int_equal(builds_made(), 2); /* the second attempt is answered without a build */
    }
    log_read(log, text);
    assert_non_null(strstr(text, "the build of kernel too_much_local_memory"));
    assert_non_null(strstr(text, "1100000000 bytes"));
    assert_success(kernel_try(module, "good", &kernel));
    assert_success(zeKernelDestroy(kernel));
    assert_result(zeModuleGetNativeBinary(module, &size, NULL),
                  ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_success(zeDriverGetLastErrorDescription(api->driver, &error));
    assert_non_null(strstr(error, "it has no native binary"));
    assert_success(zeModuleDestroy(module));
    log_read(log, text); /* outlives its module */
    assert_non_null(strstr(text, "the build of all kernels"));
    assert_success(zeModuleBuildLogDestroy(log));
    dumps_end();
}

static void a_log_may_be_destroyed_before_a_kernel_fails(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = NULL;
    ze_module_build_log_handle_t log = NULL;
    ze_kernel_handle_t kernel;
    assert_success(module_try(api, "deferred_bad", "needed", &module, &log));
    assert_success(zeModuleBuildLogDestroy(log));
    assert_result(kernel_try(module, "too_much_local_memory", &kernel),
                  ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_success(zeModuleDestroy(module));
}

/* ---- threads and processes ---- */

enum { THREADS = 6 };

struct creator {
    ze_module_handle_t module;
    const char **names;
    uint32_t count, first; /* the kernel that it begins with */
    ze_result_t result;
};

static void *create_all(void *argument)
{
    struct creator *creator = argument;
    for (uint32_t i = 0; i < creator->count && creator->result == ZE_RESULT_SUCCESS; i++) {
        ze_kernel_handle_t kernel;
        creator->result = kernel_try(
            creator->module, creator->names[(creator->first + i) % creator->count], &kernel);
        if (creator->result == ZE_RESULT_SUCCESS) {
            creator->result = zeKernelDestroy(kernel);
        }
    }
    return NULL;
}

/* Half of the threads begin with the same kernel, the others with different ones. */
static void threads_build_each_kernel_once(void **state)
{
    struct api *api = *state;
    struct creator creators[THREADS];
    pthread_t threads[THREADS];
    const char *names[NAMES_MAX];
    dumps_begin();
    ze_module_handle_t module = module_build(api, "deferred", "needed");
    uint32_t count = names_of(module, names);
    for (uint32_t i = 0; i < THREADS; i++) {
        creators[i] = (struct creator){module, names, count, i < 3 ? 0 : i, ZE_RESULT_SUCCESS};
        assert_int_equal(pthread_create(&threads[i], NULL, create_all, &creators[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_success(creators[i].result);
    }
    assert_int_equal(builds_made(), 1 + count);
    assert_success(zeModuleDestroy(module));
    dumps_end();
}

static void children_build_kernels(void **state)
{
    struct api *api = *state;
    int *out = api_alloc_shared(api, ITEMS * sizeof(int));
    setenv("GEOID_BUILD", "process", 1);
    ze_module_handle_t module = module_build(api, "deferred", "needed");
    run(api, module, "scale", sizeof(out), &out);
    unsetenv("GEOID_BUILD");
    assert_int_equal(out[6], 6 * 30 + 3);
    api_free(api, out);
    assert_success(zeModuleDestroy(module));
}

/* GEN-27 */
static void a_forked_child_creates_kernels(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = module_build(api, "deferred", "needed");
    ze_kernel_handle_t kernel;
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(kernel_try(module, "scale", &kernel) == ZE_RESULT_SUCCESS ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_success(zeModuleDestroy(module));
}

static const struct api_case cases[] = {
    API_RUN_CASE(kernels_share_the_variables_of_their_module),
    API_CASE(kernels_are_built_when_they_are_created),
    API_CASE(large_modules_of_several_kernels_are_deferred),
    API_CASE(the_option_says_when_kernels_are_built),
    API_CASE(the_native_binary_is_complete),
    API_CASE(names_and_properties_are_those_of_a_whole_build),
    API_RUN_CASE(other_modules_link_with_a_deferred_one),
    API_RUN_CASE(kernels_outlive_their_module),
    API_CASE(a_dump_of_a_graph_shows_their_arguments),
    API_CASE(a_native_binary_without_code_is_refused),
    API_CASE(a_kernel_that_does_not_build_fails_alone),
    API_CASE(a_log_may_be_destroyed_before_a_kernel_fails),
    API_CASE(threads_build_each_kernel_once),
    API_RUN_CASE(children_build_kernels),
    API_CASE(a_forked_child_creates_kernels),
};
API_MAIN("spirv_deferred", cases)
