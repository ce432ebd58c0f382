/* API test of modules as producers write them: their kernels compute what their sources say, and
 * the host finds their variables. The modules are in tests/unit/compiler/fixtures/producers, or
 * built from kernels/byte_chains.cl and kernels/pointer_tables.spvasm. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>

static ze_module_handle_t module_build_bytes(struct api *api, const char *name,
                                             const uint8_t *bytes, size_t size)
{
    char log[4096];
    size_t log_size = sizeof(log);
    ze_module_handle_t module = NULL;
    ze_module_build_log_handle_t handle = NULL;
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV,
                             .inputSize = size,
                             .pInputModule = bytes};
    ze_result_t result = zeModuleCreate(api->context, api->device, &desc, &module, &handle);
    assert_success(zeModuleBuildLogGetString(handle, &log_size, log));
    assert_success(zeModuleBuildLogDestroy(handle));
    if (result != ZE_RESULT_SUCCESS) {
        fail_msg("%s: 0x%x: %s", name, (unsigned)result, log);
    }
    return module;
}

/* A module of the folder of producers. */
static ze_module_handle_t module_build(struct api *api, const char *name)
{
    char path[512];
    uint8_t bytes[8192];
    snprintf(path, sizeof(path), PRODUCERS "/%s.spv", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    return module_build_bytes(api, name, bytes, size);
}

/* One that is built from tests/api/kernels. */
static ze_module_handle_t kernels_build(struct api *api, const char *name)
{
    char path[256];
    size_t size;
    snprintf(path, sizeof(path), "tests/%s.spv", name);
    uint8_t *bytes = api_read_file(path, &size);
    ze_module_handle_t module = module_build_bytes(api, name, bytes, size);
    free(bytes);
    return module;
}

struct argument {
    size_t size;
    const void *value;
};

/* Runs one group of so many items. */
static void run(struct api *api, ze_module_handle_t module, const char *name, uint32_t items,
                const struct argument *arguments, uint32_t count)
{
    struct api_list list = api_list_create(api);
    ze_kernel_handle_t kernel = api_kernel(module, name);
    ze_group_count_t groups = {1, 1, 1};
    for (uint32_t i = 0; i < count; i++) {
        assert_success(zeKernelSetArgumentValue(kernel, i, arguments[i].size, arguments[i].value));
    }
    assert_success(zeKernelSetGroupSize(kernel, items, 1, 1));
    assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL));
    api_list_run(api, &list);
    api_list_destroy(&list);
    assert_success(zeKernelDestroy(kernel));
}

static int *global_of(ze_module_handle_t module, const char *name, size_t bytes)
{
    size_t size = 0;
    void *pointer = NULL;
    assert_success(zeModuleGetGlobalPointer(module, name, &size, &pointer));
    assert_int_equal(size, bytes);
    return pointer;
}

/* Both numberings of HostAccess: the extension's and its draft's. */
static void the_host_finds_variables_by_its_names(void **state)
{
    static const char *const names[] = {"llc_hostaccess", "llvmspirv_draft"};
    struct api *api = *state;
    for (int i = 0; i < 2; i++) {
        ze_module_handle_t module = module_build(api, names[i]);
        int *out = api_alloc_shared(api, sizeof(*out));
        const struct argument argument = {sizeof(out), &out};
        int *counter = global_of(module, i ? "counter" : "host_counter", sizeof(int));
        int *table = global_of(module, "host_table", 4 * sizeof(int));
        assert_int_equal(*counter, 5);
        assert_int_equal(table[2], 3);
        run(api, module, "hosts", 1, &argument, 1);
        assert_int_equal(*out, 8);
        table[2] = 40;
        run(api, module, "hosts", 1, &argument, 1);
        assert_int_equal(*out, 45);
        api_free(api, out);
        assert_success(zeModuleDestroy(module));
    }
}

/* SYCL's device_global: of an image's scope a variable, without it a pointer that the host sets. */
static void device_globals_are_found_and_written(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = module_build(api, "sycl_device_global");
    int *out = api_alloc_shared(api, 2 * sizeof(*out)), *counter = api_alloc_shared(api, 4);
    const struct argument argument = {sizeof(out), &out};
    int *table = global_of(module, "_Z5table", 4 * sizeof(int));
    int *readable = global_of(module, "_Z8readable", sizeof(int));
    void *pointer = global_of(module, "_Z7counter", 2 * sizeof(void *));
    memcpy(pointer, &counter, sizeof(counter));
    *counter = 9;
    table[1] = 17;
    out[1] = 23;
    run(api, module, "__sycl_kernel_globals", 1, &argument, 1);
    assert_int_equal(out[0], 17);
    assert_int_equal(*readable, 23);
    assert_int_equal(*counter, 10);
    api_free(api, counter);
    api_free(api, out);
    assert_success(zeModuleDestroy(module));
}

/* LLVM 22 gives predicated loads and stores other numbers than the extension. */
static void predicated_accesses_are_told_from_image_handles(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = module_build(api, "llc_predicated");
    int *a = api_alloc_shared(api, sizeof(*a));
    for (int x = 0; x < 2; x++) {
        const struct argument arguments[] = {{sizeof(a), &a}, {sizeof(x), &x}};
        *a = 123;
        run(api, module, "predicated", 1, arguments, 2);
        assert_int_equal(*a, 123);
    }
    api_free(api, a);
    assert_success(zeModuleDestroy(module));
}

/* Clang makes n (n - 1) / 2 of a loop, and computes it in 33 bits. */
static void sums_of_loops_keep_their_carry(void **state)
{
    static const uint32_t counts[] = {0, 1, 2, 1000, 0x7fffffff, 0x80000001, 0xffffffff};
    struct api *api = *state;
    ze_module_handle_t module = module_build(api, "clang_sums");
    uint32_t *out = api_alloc_shared(api, 2 * sizeof(*out));
    for (uint32_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
        uint32_t n = counts[i];
        const struct argument arguments[] = {{sizeof(out), &out}, {sizeof(n), &n}};
        unsigned __int128 m = n, below = n ? m * (m - 1) : 0;
        run(api, module, "sums", 1, arguments, 2);
        assert_int_equal(out[0], (uint32_t)(below / 2));
        assert_int_equal(out[1], n ? (uint32_t)(below * (2 * m - 1) / 6) : 0);
    }
    api_free(api, out);
    assert_success(zeModuleDestroy(module));
}

/* The table 150 is the sum of three bits. */
static void bitwise_functions_of_three_are_computed(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = module_build(api, "llc_bitwise");
    uint32_t *out = api_alloc_shared(api, sizeof(*out));
    uint32_t x = 0xF0F0F0F0u, y = 0xCCCCCCCCu, z = 0xAAAAAAAAu;
    const struct argument arguments[] = {{8, &out}, {4, &x}, {4, &y}, {4, &z}};
    run(api, module, "bitwise", 1, arguments, 4);
    assert_int_equal(*out, x ^ y ^ z);
    api_free(api, out);
    assert_success(zeModuleDestroy(module));
}

/* ---- addresses in initialisers ---- */

/* As LLVM 22 wrote them when this was written, whatever it writes now. */
static void chains_of_bytes_and_tables_are_understood(void **state)
{
    static const uint32_t wanted[] = {3, 5, 6, 6, 0, 5};
    struct api *api = *state;
    ze_module_handle_t module = kernels_build(api, "pointer_tables");
    uint32_t *out = api_alloc_shared(api, sizeof(wanted));
    const struct argument argument = {sizeof(out), &out};
    run(api, module, "store", 1, &argument, 1);
    for (uint32_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
        assert_int_equal(out[i], wanted[i]);
    }
    api_free(api, out);
    assert_success(zeModuleDestroy(module));
}

/* As the clang that is here writes them. */
static void addresses_of_variables_initialise_others(void **state)
{
    static const int64_t wanted[] = {3, 8, 'd', 8, 8, 11, 16, 14, 'l', 'e', 'a', 2};
    struct api *api = *state;
    ze_module_handle_t module = kernels_build(api, "byte_chains");
    int64_t *out = api_alloc_shared(api, sizeof(wanted));
    int zero = 0;
    const struct argument arguments[] = {{sizeof(out), &out}, {sizeof(zero), &zero}};
    run(api, module, "read", 1, arguments, 2);
    for (uint32_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
        assert_int_equal(out[i], wanted[i]);
    }
    api_free(api, out);
    assert_success(zeModuleDestroy(module));
}

/* ---- matrices ---- */

enum { ROWS = 8, COLUMNS = 16, INNER = 16, INNER_TF32 = 8, ELEMENTS = 2048 };

static uint16_t bfloat_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return (uint16_t)(bits >> 16);
}

static float small(uint32_t i, uint32_t factor)
{
    return (float)((int)(i * factor % 7) - 3);
}

/* What the source sycl_matrix.cpp writes; x = 8 is the first row, y = 16 the first column. */
static void matrices_wanted(float *c)
{
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t column = 0; column < COLUMNS; column++) {
            float sum = 1 + (float)(row * 100 + column);
            for (uint32_t k = 0; k < INNER; k++) {
                uint32_t a = (8 + row) * 16 + 16 + k, b = k / 2 * 32 + 2 * column + k % 2;
                sum += small(a, 3) * small(b, 5);
            }
            c[(8 + row) * 16 + 16 + column] = sum;
            for (uint32_t k = 0; k < INNER_TF32; k++) {
                sum += small(row * 8 + k, 2) * small(k * 16 + column, 2);
            }
            c[row * 16 + column] = sum;
        }
    }
}

static void matrices_of_dpcpp_are_multiplied(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = module_build(api, "sycl_matrix");
    uint16_t *a = api_alloc_shared(api, ELEMENTS * 2), *b = api_alloc_shared(api, ELEMENTS * 2);
    float *c = api_alloc_shared(api, ELEMENTS * 4), *t = api_alloc_shared(api, ELEMENTS * 4);
    static float wanted[ELEMENTS];
    int *none = NULL;
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        a[i] = bfloat_of(small(i, 3));
        b[i] = bfloat_of(small(i, 5));
        t[i] = small(i, 2);
        c[i] = wanted[i] = -1;
    }
    matrices_wanted(wanted);
    const struct argument arguments[] = {{8, &a}, {8, &b}, {8, &c}, {8, &t}, {8, &none}};
    run(api, module, "__sycl_kernel_matrices", 16, arguments, 5);
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        if (c[i] != wanted[i]) {
            fail_msg("element %u: %g instead of %g", i, (double)c[i], (double)wanted[i]);
        }
    }
    api_free(api, a);
    api_free(api, b);
    api_free(api, c);
    api_free(api, t);
    assert_success(zeModuleDestroy(module));
}

static const struct api_case cases[] = {
    API_RUN_CASE(the_host_finds_variables_by_its_names),
    API_RUN_CASE(device_globals_are_found_and_written),
    API_RUN_CASE(predicated_accesses_are_told_from_image_handles),
    API_RUN_CASE(sums_of_loops_keep_their_carry),
    API_RUN_CASE(bitwise_functions_of_three_are_computed),
    API_RUN_CASE(chains_of_bytes_and_tables_are_understood),
    API_RUN_CASE(addresses_of_variables_initialise_others),
    API_RUN_CASE(matrices_of_dpcpp_are_multiplied),
};
API_MAIN("spirv_producers", cases)
