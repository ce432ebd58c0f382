/* API test of GEOID_BUILD_KERNELS=parallel: the kernels of a module are built at the same time,
 * before zeModuleCreate returns. */
#include "deferred_support.h"

enum { KERNELS = 24, BLOCKS = 2, PADDED_BYTES = 32768 };

static ze_module_handle_t calls_build(struct api *api)
{
    ze_module_handle_t module = NULL;
    assert_success(module_pad(api, "deferred_calls", "parallel", PADDED_BYTES, &module, NULL));
    return module;
}

static uint64_t sum;

/* Adds up what the objects contain, in any order. */
static void object_add(const char *path)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (int byte; (byte = fgetc(file)) != EOF;) {
        hash = (hash ^ (uint64_t)byte) * UINT64_C(1099511628211);
    }
    fclose(file);
    sum += hash;
}

static void run_numbered(struct api *api, ze_module_handle_t module, int number, uint32_t *out)
{
    char name[16];
    snprintf(name, sizeof(name), "call_%d", number);
    run(api, module, name, sizeof(out), &out);
}

static void all_kernels_have_code_before_they_are_created(void **state)
{
    struct api *api = *state;
    ze_module_handle_t whole = module_build(api, "deferred_calls", "all");
    uint32_t *out = api_alloc_shared(api, ITEMS * sizeof(uint32_t));
    uint32_t *expected = api_alloc_shared(api, ITEMS * sizeof(uint32_t));
    dumps_begin();
    ze_module_handle_t module = calls_build(api);
    assert_int_equal(builds_made(), 1 + BLOCKS);
    for (int i = 0; i < KERNELS; i++) {
        run_numbered(api, module, i, out);
        run_numbered(api, whole, i, expected);
        assert_memory_equal(out, expected, ITEMS * sizeof(uint32_t));
    }
    assert_int_equal(builds_made(), 1 + BLOCKS);
    assert_success(zeModuleDestroy(module));
    assert_success(zeModuleDestroy(whole));
    dumps_end();
    api_free(api, out);
    api_free(api, expected);
}

/* Which thread builds what is different each time. */
static void the_code_is_the_same_each_time(void **state)
{
    struct api *api = *state;
    uint64_t sums[3];
    for (int i = 0; i < 3; i++) {
        dumps_begin();
        sum = 0;
        ze_module_handle_t module = calls_build(api);
        assert_int_equal(dumps_visit(".o", object_add), 1 + BLOCKS);
        sums[i] = sum;
        assert_success(zeModuleDestroy(module));
        dumps_end();
    }
    assert_true(sums[0] == sums[1] && sums[0] == sums[2]);
}

static void small_kernels_are_built_together(void **state)
{
    struct api *api = *state;
    dumps_begin();
    ze_module_handle_t module = module_build(api, "deferred_many", "parallel");
    assert_int_equal(builds_made(), 1);
    assert_success(zeModuleDestroy(module));
    dumps_end();
}

/* MOD-5 */
static void a_kernel_that_does_not_build_fails_the_module(void **state)
{
    struct api *api = *state;
    char text[LOG_BYTES];
    size_t size = sizeof(text);
    ze_module_handle_t module = NULL;
    ze_module_build_log_handle_t log = NULL;
    assert_result(module_pad(api, "deferred_bad", "parallel", PADDED_BYTES, &module, &log),
                  ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_null(module);
    assert_success(zeModuleBuildLogGetString(log, &size, text));
    assert_non_null(strstr(text, "1100000000 bytes"));
    assert_success(zeModuleBuildLogDestroy(log));
}

/* MOD-6 to MOD-9: links are built whole. */
static void linked_modules_have_code(void **state)
{
    struct api *api = *state;
    ze_module_handle_t modules[2] = {module_build(api, "deferred_import", "parallel"),
                                     module_build(api, "deferred", "parallel")};
    int *out = api_alloc_shared(api, ITEMS * sizeof(int));
    build_kernels("parallel");
    assert_success(zeModuleDynamicLink(2, modules, NULL));
    build_kernels(NULL);
    run(api, modules[0], "imported", sizeof(out), &out);
    assert_int_equal(out[1], 20 + 2 + 5);
    api_free(api, out);
    assert_success(zeModuleDestroy(modules[0]));
    assert_success(zeModuleDestroy(modules[1]));
}

static const struct api_case cases[] = {
    API_RUN_CASE(all_kernels_have_code_before_they_are_created),
    API_CASE(the_code_is_the_same_each_time),
    API_CASE(small_kernels_are_built_together),
    API_CASE(a_kernel_that_does_not_build_fails_the_module),
    API_RUN_CASE(linked_modules_have_code),
};
API_MAIN("spirv_parallel", cases)
