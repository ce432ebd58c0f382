/* Compares our types and constants with NVIDIA's header, if it is installed. The comparison happens
 * at compile time. */
#include "backend/cuda/driver/api.h"

#ifdef CUDA_HEADER

#include <cuda.h>

#include <stdio.h>
#include <string.h>

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours " is not " #theirs)

/* ---- results ---- */

#define RESULT(name) SAME(GEO_CUDA_##name, CUDA_ERROR_##name)
RESULT(INVALID_VALUE);
RESULT(OUT_OF_MEMORY);
RESULT(NOT_INITIALIZED);
RESULT(DEINITIALIZED);
RESULT(STUB_LIBRARY);
RESULT(DEVICE_UNAVAILABLE);
RESULT(NO_DEVICE);
RESULT(INVALID_DEVICE);
RESULT(DEVICE_NOT_LICENSED);
RESULT(INVALID_IMAGE);
RESULT(INVALID_CONTEXT);
RESULT(NO_BINARY_FOR_GPU);
RESULT(ECC_UNCORRECTABLE);
RESULT(INVALID_PTX);
RESULT(NVLINK_UNCORRECTABLE);
RESULT(JIT_COMPILER_NOT_FOUND);
RESULT(UNSUPPORTED_PTX_VERSION);
RESULT(JIT_COMPILATION_DISABLED);
RESULT(INVALID_SOURCE);
RESULT(OPERATING_SYSTEM);
RESULT(INVALID_HANDLE);
RESULT(NOT_FOUND);
RESULT(NOT_READY);
RESULT(ILLEGAL_ADDRESS);
RESULT(LAUNCH_OUT_OF_RESOURCES);
RESULT(LAUNCH_TIMEOUT);
RESULT(CONTEXT_IS_DESTROYED);
RESULT(ASSERT);
RESULT(HOST_MEMORY_ALREADY_REGISTERED);
RESULT(HOST_MEMORY_NOT_REGISTERED);
RESULT(HARDWARE_STACK_ERROR);
RESULT(ILLEGAL_INSTRUCTION);
RESULT(MISALIGNED_ADDRESS);
RESULT(INVALID_ADDRESS_SPACE);
RESULT(INVALID_PC);
RESULT(LAUNCH_FAILED);
RESULT(COOPERATIVE_LAUNCH_TOO_LARGE);
RESULT(NOT_PERMITTED);
RESULT(NOT_SUPPORTED);
RESULT(SYSTEM_NOT_READY);
RESULT(SYSTEM_DRIVER_MISMATCH);
RESULT(COMPAT_NOT_SUPPORTED_ON_DEVICE);
RESULT(MPS_CLIENT_TERMINATED);
RESULT(TIMEOUT);
RESULT(EXTERNAL_DEVICE);
RESULT(UNKNOWN);
#if CUDA_VERSION >= 12080
RESULT(CONTAINED);
RESULT(TENSOR_MEMORY_LEAK);
#endif

/* ---- constants ---- */

#if CUDA_VERSION >= 12080
#define ATTRIBUTE(name, number) SAME(GEO_CUDA_ATTRIBUTE_##name, CU_DEVICE_ATTRIBUTE_##name);
GEO_CUDA_DEVICE_ATTRIBUTES(ATTRIBUTE)
#endif
SAME(GEO_CUDA_COMPUTE_PROHIBITED, CU_COMPUTEMODE_PROHIBITED);
SAME(GEO_CUDA_HOST_PORTABLE, CU_MEMHOSTALLOC_PORTABLE);
SAME(GEO_CUDA_HOST_DEVICE_MAP, CU_MEMHOSTALLOC_DEVICEMAP);
SAME(GEO_CUDA_REGISTER_PORTABLE, CU_MEMHOSTREGISTER_PORTABLE);
SAME(GEO_CUDA_REGISTER_DEVICE_MAP, CU_MEMHOSTREGISTER_DEVICEMAP);
SAME(GEO_CUDA_REGISTER_READ_ONLY, CU_MEMHOSTREGISTER_READ_ONLY);
SAME(GEO_CUDA_STREAM_NON_BLOCKING, CU_STREAM_NON_BLOCKING);
SAME(GEO_CUDA_EVENT_BLOCKING_SYNC, CU_EVENT_BLOCKING_SYNC);
SAME(GEO_CUDA_EVENT_DISABLE_TIMING, CU_EVENT_DISABLE_TIMING);
SAME(GEO_CUDA_WAIT_VALUE_GEQ, CU_STREAM_WAIT_VALUE_GEQ);
SAME(GEO_CUDA_WRITE_VALUE_DEFAULT, CU_STREAM_WRITE_VALUE_DEFAULT);
SAME(GEO_CUDA_MEMORY_UNIFIED, CU_MEMORYTYPE_UNIFIED);
SAME(GEO_CUDA_FUNCTION_MAX_DYNAMIC_SHARED, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(GEO_CUDA_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER);
SAME(GEO_CUDA_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);
SAME(GEO_CUDA_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER);
SAME(GEO_CUDA_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);

/* ---- structures ---- */

#define OFFSET(ours, theirs)                                                                       \
    SAME(offsetof(geo_cuda_copy_box, ours), offsetof(CUDA_MEMCPY3D, theirs))
SAME(sizeof(geo_cuda_copy_box), sizeof(CUDA_MEMCPY3D));
OFFSET(source.x_bytes, srcXInBytes);
OFFSET(source.y, srcY);
OFFSET(source.z, srcZ);
OFFSET(source.level, srcLOD);
OFFSET(source.kind, srcMemoryType);
OFFSET(source.host, srcHost);
OFFSET(source.base, srcDevice);
OFFSET(source.array, srcArray);
OFFSET(source.reserved, reserved0);
OFFSET(source.pitch_bytes, srcPitch);
OFFSET(source.rows, srcHeight);
OFFSET(destination.x_bytes, dstXInBytes);
OFFSET(destination.level, dstLOD);
OFFSET(destination.kind, dstMemoryType);
OFFSET(destination.base, dstDevice);
OFFSET(destination.pitch_bytes, dstPitch);
OFFSET(destination.rows, dstHeight);
OFFSET(width_bytes, WidthInBytes);
OFFSET(height, Height);
OFFSET(depth, Depth);
SAME(sizeof(geo_cuda_uuid), sizeof(CUuuid));
SAME(sizeof(geo_cuda_address), sizeof(CUdeviceptr));
SAME(sizeof(geo_cuda_device), sizeof(CUdevice));

/* ---- functions ---- */

/* Names without a version, which the header replaces by those that this version of CUDA exports. */
#define TEXT(name)    TEXT_OF(name)
#define TEXT_OF(name) #name
#define CU(name)      cu##name

/* A function that a later version replaces: we use the earlier one, which is still exported. */
static int is_replaced(const char *symbol)
{
    return strcmp(symbol, "cuEventElapsedTime") == 0;
}

int main(void)
{
    static const struct {
        const char *ours, *theirs;
    } rows[] = {
#define ROW(name, symbol, version, parameters) {"cu" #symbol, TEXT(CU(name))},
        GEO_CUDA_FUNCTIONS(ROW)
#undef ROW
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcmp(rows[i].ours, rows[i].theirs) != 0 && !is_replaced(rows[i].ours)) {
            printf("%s: the header has %s\n", rows[i].ours, rows[i].theirs);
            wrong++;
        }
    }
    printf("%zu names compared with CUDA %d.%d, %d differ\n", sizeof(rows) / sizeof(rows[0]),
           CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10, wrong);
    return wrong != 0;
}

#else

#include <stdio.h>

int main(void)
{
    printf("skipped: NVIDIA's cuda.h is not installed\n");
    return 77;
}

#endif
