/* libcuda: what is found in it, what its failures become, and children. */
#include "cuda_fixture.h"

#include "nvidia.h"

#include "backend/cuda/driver/result.h"

#include <stdio.h>

static struct geo_strbuf why;

static void why_begin(void)
{
    geo_strbuf_finish(&why);
    geo_strbuf_init(&why, 400);
}

static void assert_why(const char *part)
{
    if (!strstr(geo_strbuf_text(&why), part)) {
        print_error("\"%s\" does not contain \"%s\"\n", geo_strbuf_text(&why), part);
        fail();
    }
}

static void library_open(struct cudas *cudas, struct geo_cuda *cuda, enum cuda_age age)
{
    cudas_library(cudas, age, "h100");
    why_begin();
    assert_int_equal(geo_cuda_open(cuda, &why), ZE_RESULT_SUCCESS);
    assert_string_equal(geo_strbuf_text(&why), "");
}

static void library_close(struct cudas *cudas, struct geo_cuda *cuda)
{
    geo_cuda_close(cuda);
    geo_strbuf_finish(&why);
    cudas_close(cudas);
}

/* ---- opening ---- */

static void a_new_library_has_every_function(void **state)
{
    (void)state;
    struct cudas cudas;
    struct geo_cuda cuda;
    library_open(&cudas, &cuda, CUDA_NEW);
#define ASSERT_FOUND(name, symbol, version, parameters) assert_non_null(cuda.name);
    GEO_CUDA_FUNCTIONS(ASSERT_FOUND)
#undef ASSERT_FOUND
    assert_int_equal(cuda.version, 12040);
    library_close(&cudas, &cuda);
}

static void an_older_library_lacks_functions_and_the_error_says_so(void **state)
{
    (void)state;
    struct cudas cudas;
    struct geo_cuda cuda;
    int count = 0;
    library_open(&cudas, &cuda, CUDA_OLD);
    assert_int_equal(GEO_CUDA_ASK(&cuda, &why, DeviceGetCount, &count), ZE_RESULT_SUCCESS);
    assert_int_equal(count, 1);
    assert_int_equal(GEO_CUDA(&cuda, StreamWaitValue64, NULL, 0, 0, 0), GEO_CUDA_LACKS_FUNCTION);
    assert_int_equal(GEO_CUDA_ASK(&cuda, &why, StreamWaitValue64, NULL, 0, 0, 0),
                     ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_why("cuStreamWaitValue64: NVIDIA's driver is too old: it supports CUDA 11.4, and this "
               "needs 11.7");
    library_close(&cudas, &cuda);
}

static void a_missing_library_is_an_error_with_its_name(void **state)
{
    (void)state;
    struct geo_cuda cuda;
    if (nvidia_is_installed()) {
        skip();
    }
    why_begin();
    assert_int_equal(geo_cuda_open(&cuda, &why), ZE_RESULT_ERROR_UNINITIALIZED);
    assert_why("libcuda.so.1 was not found");
    geo_cuda_close(&cuda);
    geo_strbuf_finish(&why);
}

static void failures_of_the_initialisation_leave_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *code, *text;
        ze_result_t result;
    } table[] = {
        {"100", "cuInit: no CUDA-capable device is detected (100)", ZE_RESULT_ERROR_UNINITIALIZED},
        {"2", "cuInit: out of memory (2)", ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY},
        {"803", "cuInit: failed (803)", ZE_RESULT_ERROR_UNINITIALIZED},
        {"719", "cuInit: failed (719)", ZE_RESULT_ERROR_UNINITIALIZED},
    };
    struct cudas cudas;
    struct geo_cuda cuda;
    cudas_library(&cudas, CUDA_NEW, "h100");
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        setenv("FAKE_CUDA_INIT", table[i].code, 1);
        why_begin();
        assert_int_equal(geo_cuda_open(&cuda, &why), table[i].result);
        assert_string_equal(geo_strbuf_text(&why), table[i].text);
        assert_null(cuda.library);
    }
    unsetenv("FAKE_CUDA_INIT");
    library_close(&cudas, &cuda);
}

/* ---- results ---- */

static void results_become_those_of_the_api(void **state)
{
    (void)state;
    static const struct {
        int theirs;
        ze_result_t ours;
    } table[] = {
        {GEO_CUDA_SUCCESS, ZE_RESULT_SUCCESS},
        {GEO_CUDA_NOT_READY, ZE_RESULT_NOT_READY},
        {GEO_CUDA_OUT_OF_MEMORY, ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY},
        {GEO_CUDA_NOT_INITIALIZED, ZE_RESULT_ERROR_UNINITIALIZED},
        {GEO_CUDA_DEINITIALIZED, ZE_RESULT_ERROR_UNINITIALIZED},
        {GEO_CUDA_NO_DEVICE, ZE_RESULT_ERROR_UNINITIALIZED},
        {GEO_CUDA_FORKED, ZE_RESULT_ERROR_UNINITIALIZED},
        {GEO_CUDA_LACKS_FUNCTION, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE},
        {GEO_CUDA_NOT_SUPPORTED, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE},
        {GEO_CUDA_UNSUPPORTED_PTX_VERSION, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE},
        {GEO_CUDA_NOT_PERMITTED, ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS},
        {GEO_CUDA_INVALID_VALUE, ZE_RESULT_ERROR_INVALID_ARGUMENT},
        {GEO_CUDA_INVALID_PTX, ZE_RESULT_ERROR_INVALID_NATIVE_BINARY},
        {GEO_CUDA_LAUNCH_OUT_OF_RESOURCES, ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION},
        {GEO_CUDA_ILLEGAL_ADDRESS, ZE_RESULT_ERROR_DEVICE_LOST},
        {GEO_CUDA_MISALIGNED_ADDRESS, ZE_RESULT_ERROR_DEVICE_LOST},
        {GEO_CUDA_LAUNCH_FAILED, ZE_RESULT_ERROR_DEVICE_LOST},
        {GEO_CUDA_LAUNCH_TIMEOUT, ZE_RESULT_ERROR_DEVICE_LOST},
        {GEO_CUDA_ASSERT, ZE_RESULT_ERROR_DEVICE_LOST},
        {GEO_CUDA_ECC_UNCORRECTABLE, ZE_RESULT_ERROR_DEVICE_LOST},
        {GEO_CUDA_DEVICE_UNAVAILABLE, ZE_RESULT_ERROR_DEVICE_LOST},
        {GEO_CUDA_UNKNOWN, ZE_RESULT_ERROR_UNKNOWN},
        {12345, ZE_RESULT_ERROR_UNKNOWN},
    };
    struct cudas cudas;
    struct geo_cuda cuda;
    library_open(&cudas, &cuda, CUDA_NEW);
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        why_begin();
        assert_int_equal(geo_cuda_answer(&cuda, table[i].theirs, "MemAlloc", &why), table[i].ours);
        assert_int_equal(geo_strbuf_text(&why)[0] == '\0', table[i].theirs == GEO_CUDA_SUCCESS);
        assert_int_equal(geo_cuda_result_is_lost(table[i].theirs),
                         table[i].ours == ZE_RESULT_ERROR_DEVICE_LOST);
        if (table[i].theirs) {
            assert_why("cuMemAlloc: ");
        }
    }
    why_begin();
    (void)geo_cuda_answer(&cuda, GEO_CUDA_ILLEGAL_ADDRESS, "StreamSynchronize", &why);
    assert_string_equal(geo_strbuf_text(&why),
                        "cuStreamSynchronize: an illegal memory access was encountered (700)");
    library_close(&cudas, &cuda);
}

/* ---- children ---- */

struct inherited {
    struct cudas *cudas;
    struct geo_cuda *cuda;
};

static int child_calls(void *data)
{
    const struct inherited *inherited = data;
    struct geo_cuda *cuda = inherited->cuda;
    int count = 0;
    why_begin();
    bool good =
        GEO_CUDA(cuda, DeviceGetCount, &count) == GEO_CUDA_FORKED &&
        GEO_CUDA_ASK(cuda, &why, DeviceGetCount, &count) == ZE_RESULT_ERROR_UNINITIALIZED &&
        strstr(geo_strbuf_text(&why), "cuDeviceGetCount: CUDA cannot be used in a child process");
    geo_cuda_close(cuda);
    return good && inherited->cudas->fake->calls_in_children == 0 ? 0 : 1;
}

/* The library itself fails there. */
static int child_opens(void *data)
{
    struct geo_cuda cuda;
    (void)data;
    why_begin();
    return geo_cuda_open(&cuda, &why) == ZE_RESULT_ERROR_UNINITIALIZED &&
                   strstr(geo_strbuf_text(&why), "cuInit: ")
               ? 0
               : 1;
}

static void a_child_gets_errors_and_calls_nothing(void **state)
{
    (void)state;
    struct cudas cudas;
    struct geo_cuda cuda;
    char text[512];
    int count = 0;
    library_open(&cudas, &cuda, CUDA_NEW);
    struct inherited inherited = {&cudas, &cuda};
    assert_int_equal(cudas_child(child_calls, &inherited, text), 0);
    assert_int_equal(cudas_child(child_opens, NULL, text), 0);
    assert_int_equal(GEO_CUDA_ASK(&cuda, &why, DeviceGetCount, &count), ZE_RESULT_SUCCESS);
    library_close(&cudas, &cuda);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_library_is_an_error_with_its_name),
        cmocka_unit_test(a_new_library_has_every_function),
        cmocka_unit_test(an_older_library_lacks_functions_and_the_error_says_so),
        cmocka_unit_test(failures_of_the_initialisation_leave_nothing),
        cmocka_unit_test(results_become_those_of_the_api),
        cmocka_unit_test(a_child_gets_errors_and_calls_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
