/* Translates result codes of CUDA. See result.h. */
#include "backend/cuda/driver/result.h"

#include "base/log.h"

#include <string.h>

#define TEXT_BYTES 400u

/* Errors after which nothing of the context can be used, and errors of the hardware. */
bool geo_cuda_result_is_lost(int code)
{
    switch (code) {
    case GEO_CUDA_DEVICE_UNAVAILABLE:
    case GEO_CUDA_ECC_UNCORRECTABLE:
    case GEO_CUDA_NVLINK_UNCORRECTABLE:
    case GEO_CUDA_CONTAINED:
    case GEO_CUDA_ILLEGAL_ADDRESS:
    case GEO_CUDA_LAUNCH_TIMEOUT:
    case GEO_CUDA_CONTEXT_IS_DESTROYED:
    case GEO_CUDA_ASSERT:
    case GEO_CUDA_HARDWARE_STACK_ERROR:
    case GEO_CUDA_ILLEGAL_INSTRUCTION:
    case GEO_CUDA_MISALIGNED_ADDRESS:
    case GEO_CUDA_INVALID_ADDRESS_SPACE:
    case GEO_CUDA_INVALID_PC:
    case GEO_CUDA_LAUNCH_FAILED:
    case GEO_CUDA_TENSOR_MEMORY_LEAK:
    case GEO_CUDA_MPS_CLIENT_TERMINATED:
    case GEO_CUDA_EXTERNAL_DEVICE:
        return true;
    default:
        return false;
    }
}

ze_result_t geo_cuda_result_of(int code)
{
    if (geo_cuda_result_is_lost(code)) {
        return ZE_RESULT_ERROR_DEVICE_LOST;
    }
    switch (code) {
    case GEO_CUDA_SUCCESS:
        return ZE_RESULT_SUCCESS;
    case GEO_CUDA_NOT_READY:
    case GEO_CUDA_TIMEOUT:
        return ZE_RESULT_NOT_READY;
    case GEO_CUDA_OUT_OF_MEMORY:
        return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
    case GEO_CUDA_FORKED:
    case GEO_CUDA_NOT_INITIALIZED:
    case GEO_CUDA_DEINITIALIZED:
    case GEO_CUDA_STUB_LIBRARY:
    case GEO_CUDA_NO_DEVICE:
    case GEO_CUDA_SYSTEM_NOT_READY:
    case GEO_CUDA_SYSTEM_DRIVER_MISMATCH:
    case GEO_CUDA_COMPAT_NOT_SUPPORTED_ON_DEVICE:
        return ZE_RESULT_ERROR_UNINITIALIZED;
    case GEO_CUDA_LACKS_FUNCTION:
    case GEO_CUDA_NOT_SUPPORTED:
    case GEO_CUDA_JIT_COMPILER_NOT_FOUND:
    case GEO_CUDA_JIT_COMPILATION_DISABLED:
    case GEO_CUDA_UNSUPPORTED_PTX_VERSION:
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    case GEO_CUDA_NOT_PERMITTED:
    case GEO_CUDA_DEVICE_NOT_LICENSED:
        return ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS;
    case GEO_CUDA_INVALID_VALUE:
    case GEO_CUDA_HOST_MEMORY_ALREADY_REGISTERED:
    case GEO_CUDA_HOST_MEMORY_NOT_REGISTERED:
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    case GEO_CUDA_INVALID_IMAGE:
    case GEO_CUDA_NO_BINARY_FOR_GPU:
    case GEO_CUDA_INVALID_PTX:
    case GEO_CUDA_INVALID_SOURCE:
        return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    case GEO_CUDA_LAUNCH_OUT_OF_RESOURCES:
    case GEO_CUDA_COOPERATIVE_LAUNCH_TOO_LARGE:
        return ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION;
    default:
        return ZE_RESULT_ERROR_UNKNOWN;
    }
}

/* Returns the version of CUDA that a function needs, or 0. */
static int version_needed(const char *function)
{
    static const struct {
        const char *name;
        int version;
    } rows[] = {
#define ROW(name, symbol, version, parameters) {#name, version},
        GEO_CUDA_FUNCTIONS(ROW)
#undef ROW
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcmp(rows[i].name, function) == 0) {
            return rows[i].version;
        }
    }
    return 0;
}

static void text_write(const struct geo_cuda *cuda, int code, const char *function,
                       struct geo_strbuf *why)
{
    const char *text = NULL;
    if (code == GEO_CUDA_FORKED) {
        geo_strbuf_printf(why,
                          "cu%s: CUDA cannot be used in a child process, because its parent "
                          "initialised it: fork before the first use of Level Zero, or start a "
                          "program in the child",
                          function);
    } else if (code == GEO_CUDA_LACKS_FUNCTION) {
        const int needed = version_needed(function);
        geo_strbuf_printf(why,
                          "cu%s: NVIDIA's driver is too old: it supports CUDA %d.%d, and this "
                          "needs %d.%d",
                          function, cuda->version / 1000, cuda->version % 1000 / 10, needed / 1000,
                          needed % 1000 / 10);
    } else {
        if (GEO_CUDA(cuda, GetErrorString, code, &text) != GEO_CUDA_SUCCESS || !text) {
            text = "failed";
        }
        geo_strbuf_printf(why, "cu%s: %s (%d)", function, text, code);
    }
}

void geo_cuda_result_explain(const struct geo_cuda *cuda, int code, const char *function,
                             struct geo_strbuf *why)
{
    if (why) {
        text_write(cuda, code, function, why);
    } else if (geo_log_enabled("cuda", GEO_LOG_INFO)) {
        struct geo_strbuf line;
        geo_strbuf_init(&line, TEXT_BYTES);
        text_write(cuda, code, function, &line);
        geo_log("cuda", GEO_LOG_INFO, "%s", geo_strbuf_text(&line));
        geo_strbuf_finish(&line);
    }
}
