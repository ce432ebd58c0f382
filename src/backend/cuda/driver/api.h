/* The used part of CUDA's driver API, which libcuda has: types, constants and functions of its ABI.
 * The library is opened at run time and never linked. A function that the library lacks is NULL in
 * the table (library.h).
 *
 * Names are the library's without the leading "cu". Types and constants have our prefix. The values
 * are compared with NVIDIA's header where that is installed
 * (tests/unit/backend/cuda/driver/test_header.c). */
#ifndef GEO_BACKEND_CUDA_DRIVER_API_H
#define GEO_BACKEND_CUDA_DRIVER_API_H

#include <stddef.h>
#include <stdint.h>

#define GEO_CUDA_FILE "libcuda.so.1"

typedef int geo_cuda_device;                 /* an ordinal */
typedef unsigned long long geo_cuda_address; /* an address in the space that CPU and GPUs share */
typedef struct geo_cuda_context_opaque *geo_cuda_context;
typedef struct geo_cuda_module_opaque *geo_cuda_module;
typedef struct geo_cuda_function_opaque *geo_cuda_function;
typedef struct geo_cuda_stream_opaque *geo_cuda_stream;
typedef struct geo_cuda_event_opaque *geo_cuda_event;
typedef struct geo_cuda_array_opaque *geo_cuda_array;
typedef void (*geo_cuda_host_function)(void *data);

/* ---- results ---- */

enum {
    GEO_CUDA_SUCCESS = 0,
    GEO_CUDA_INVALID_VALUE = 1,
    GEO_CUDA_OUT_OF_MEMORY = 2,
    GEO_CUDA_NOT_INITIALIZED = 3,
    GEO_CUDA_DEINITIALIZED = 4,
    GEO_CUDA_STUB_LIBRARY = 34,
    GEO_CUDA_DEVICE_UNAVAILABLE = 46,
    GEO_CUDA_NO_DEVICE = 100,
    GEO_CUDA_INVALID_DEVICE = 101,
    GEO_CUDA_DEVICE_NOT_LICENSED = 102,
    GEO_CUDA_INVALID_IMAGE = 200,
    GEO_CUDA_INVALID_CONTEXT = 201,
    GEO_CUDA_NO_BINARY_FOR_GPU = 209,
    GEO_CUDA_ECC_UNCORRECTABLE = 214,
    GEO_CUDA_INVALID_PTX = 218,
    GEO_CUDA_NVLINK_UNCORRECTABLE = 220,
    GEO_CUDA_JIT_COMPILER_NOT_FOUND = 221,
    GEO_CUDA_UNSUPPORTED_PTX_VERSION = 222,
    GEO_CUDA_JIT_COMPILATION_DISABLED = 223,
    GEO_CUDA_CONTAINED = 226,
    GEO_CUDA_INVALID_SOURCE = 300,
    GEO_CUDA_OPERATING_SYSTEM = 304,
    GEO_CUDA_INVALID_HANDLE = 400,
    GEO_CUDA_NOT_FOUND = 500,
    GEO_CUDA_NOT_READY = 600,
    GEO_CUDA_ILLEGAL_ADDRESS = 700,
    GEO_CUDA_LAUNCH_OUT_OF_RESOURCES = 701,
    GEO_CUDA_LAUNCH_TIMEOUT = 702,
    GEO_CUDA_CONTEXT_IS_DESTROYED = 709,
    GEO_CUDA_ASSERT = 710,
    GEO_CUDA_HOST_MEMORY_ALREADY_REGISTERED = 712,
    GEO_CUDA_HOST_MEMORY_NOT_REGISTERED = 713,
    GEO_CUDA_HARDWARE_STACK_ERROR = 714,
    GEO_CUDA_ILLEGAL_INSTRUCTION = 715,
    GEO_CUDA_MISALIGNED_ADDRESS = 716,
    GEO_CUDA_INVALID_ADDRESS_SPACE = 717,
    GEO_CUDA_INVALID_PC = 718,
    GEO_CUDA_LAUNCH_FAILED = 719,
    GEO_CUDA_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
    GEO_CUDA_TENSOR_MEMORY_LEAK = 721,
    GEO_CUDA_NOT_PERMITTED = 800,
    GEO_CUDA_NOT_SUPPORTED = 801,
    GEO_CUDA_SYSTEM_NOT_READY = 802,
    GEO_CUDA_SYSTEM_DRIVER_MISMATCH = 803,
    GEO_CUDA_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
    GEO_CUDA_MPS_CLIENT_TERMINATED = 810,
    GEO_CUDA_TIMEOUT = 909,
    GEO_CUDA_EXTERNAL_DEVICE = 911,
    GEO_CUDA_UNKNOWN = 999,
};

/* ---- constants ---- */

/* Attributes of devices: GEO_CUDA_ATTRIBUTE(name, number). Clocks are in kHz, sizes in bytes. */
#define GEO_CUDA_DEVICE_ATTRIBUTES(ATTRIBUTE)                                                      \
    ATTRIBUTE(MAX_THREADS_PER_BLOCK, 1)                                                            \
    ATTRIBUTE(MAX_BLOCK_DIM_X, 2)                                                                  \
    ATTRIBUTE(MAX_BLOCK_DIM_Y, 3)                                                                  \
    ATTRIBUTE(MAX_BLOCK_DIM_Z, 4)                                                                  \
    ATTRIBUTE(MAX_GRID_DIM_X, 5)                                                                   \
    ATTRIBUTE(MAX_GRID_DIM_Y, 6)                                                                   \
    ATTRIBUTE(MAX_GRID_DIM_Z, 7)                                                                   \
    ATTRIBUTE(MAX_SHARED_MEMORY_PER_BLOCK, 8)                                                      \
    ATTRIBUTE(WARP_SIZE, 10)                                                                       \
    ATTRIBUTE(CLOCK_RATE, 13)                                                                      \
    ATTRIBUTE(MULTIPROCESSOR_COUNT, 16)                                                            \
    ATTRIBUTE(INTEGRATED, 18)                                                                      \
    ATTRIBUTE(CAN_MAP_HOST_MEMORY, 19)                                                             \
    ATTRIBUTE(COMPUTE_MODE, 20)                                                                    \
    ATTRIBUTE(ECC_ENABLED, 32)                                                                     \
    ATTRIBUTE(PCI_BUS_ID, 33)                                                                      \
    ATTRIBUTE(PCI_DEVICE_ID, 34)                                                                   \
    ATTRIBUTE(MEMORY_CLOCK_RATE, 36)                                                               \
    ATTRIBUTE(GLOBAL_MEMORY_BUS_WIDTH, 37)                                                         \
    ATTRIBUTE(L2_CACHE_SIZE, 38)                                                                   \
    ATTRIBUTE(MAX_THREADS_PER_MULTIPROCESSOR, 39)                                                  \
    ATTRIBUTE(ASYNC_ENGINE_COUNT, 40)                                                              \
    ATTRIBUTE(UNIFIED_ADDRESSING, 41)                                                              \
    ATTRIBUTE(PCI_DOMAIN_ID, 50)                                                                   \
    ATTRIBUTE(COMPUTE_CAPABILITY_MAJOR, 75)                                                        \
    ATTRIBUTE(COMPUTE_CAPABILITY_MINOR, 76)                                                        \
    ATTRIBUTE(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 91)                                         \
    ATTRIBUTE(COOPERATIVE_LAUNCH, 95)                                                              \
    ATTRIBUTE(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97)                                               \
    ATTRIBUTE(HOST_REGISTER_SUPPORTED, 99)                                                         \
    ATTRIBUTE(READ_ONLY_HOST_REGISTER_SUPPORTED, 113)                                              \
    ATTRIBUTE(CAN_USE_64_BIT_STREAM_MEM_OPS, 122)                                                  \
    ATTRIBUTE(GPU_PCI_DEVICE_ID, 139)

enum {
#define GEO_CUDA_ATTRIBUTE(name, number) GEO_CUDA_ATTRIBUTE_##name = (number),
    GEO_CUDA_DEVICE_ATTRIBUTES(GEO_CUDA_ATTRIBUTE)
#undef GEO_CUDA_ATTRIBUTE
};

enum { GEO_CUDA_COMPUTE_PROHIBITED = 2 };

enum { GEO_CUDA_HOST_PORTABLE = 0x1, GEO_CUDA_HOST_DEVICE_MAP = 0x2 };

enum {
    GEO_CUDA_REGISTER_PORTABLE = 0x1,
    GEO_CUDA_REGISTER_DEVICE_MAP = 0x2,
    GEO_CUDA_REGISTER_READ_ONLY = 0x8,
};

enum { GEO_CUDA_STREAM_NON_BLOCKING = 0x1 };

enum { GEO_CUDA_EVENT_BLOCKING_SYNC = 0x1, GEO_CUDA_EVENT_DISABLE_TIMING = 0x2 };

enum { GEO_CUDA_WAIT_VALUE_GEQ = 0x0, GEO_CUDA_WRITE_VALUE_DEFAULT = 0x0 };

enum { GEO_CUDA_MEMORY_UNIFIED = 4 };

enum { GEO_CUDA_FUNCTION_MAX_DYNAMIC_SHARED = 8 };

enum {
    GEO_CUDA_JIT_INFO_LOG_BUFFER = 3,
    GEO_CUDA_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
    GEO_CUDA_JIT_ERROR_LOG_BUFFER = 5,
    GEO_CUDA_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
};

/* ---- structures ---- */

typedef struct {
    unsigned char bytes[16];
} geo_cuda_uuid;

/* One end of a copy of a box. */
typedef struct {
    size_t x_bytes, y, z, level;
    int kind;              /* GEO_CUDA_MEMORY_* */
    void *host;            /* memory of the kind "host" alone */
    geo_cuda_address base; /* GEO_CUDA_MEMORY_UNIFIED: the address, whoever owns it */
    geo_cuda_array array;
    void *reserved;
    size_t pitch_bytes, rows; /* distance of rows in bytes, and of slices in rows */
} geo_cuda_copy_end;

typedef struct {
    geo_cuda_copy_end source, destination;
    size_t width_bytes, height, depth;
} geo_cuda_copy_box;

/* ---- functions ---- */

/* name, symbol, version, parameters; all return a result code.
 *
 *     name     the library's name without "cu" and without the suffix of a version
 *     symbol   the name that the library exports for these parameters, without "cu". A function
 *              whose parameters changed is exported once for each version.
 *     version  first version of CUDA that has these parameters: 1000 * major + 10 * minor */
#define GEO_CUDA_FUNCTIONS(X)                                                                      \
    X(Init, Init, 2000, (unsigned flags))                                                          \
    X(DriverGetVersion, DriverGetVersion, 2020, (int *version))                                    \
    X(GetErrorString, GetErrorString, 6000, (int code, const char **text))                         \
    GEO_CUDA_OF_DEVICES(X)                                                                         \
    GEO_CUDA_OF_CONTEXTS(X)                                                                        \
    GEO_CUDA_OF_MEMORY(X)                                                                          \
    GEO_CUDA_OF_STREAMS(X)                                                                         \
    GEO_CUDA_OF_EVENTS(X)                                                                          \
    GEO_CUDA_OF_MODULES(X)

#define GEO_CUDA_OF_DEVICES(X)                                                                     \
    X(DeviceGetCount, DeviceGetCount, 2000, (int *count))                                          \
    X(DeviceGet, DeviceGet, 2000, (geo_cuda_device * device, int ordinal))                         \
    X(DeviceGetName, DeviceGetName, 2000, (char *text, int bytes, geo_cuda_device device))         \
    X(DeviceGetUuid, DeviceGetUuid_v2, 11040, (geo_cuda_uuid * uuid, geo_cuda_device device))      \
    X(DeviceTotalMem, DeviceTotalMem_v2, 3020, (size_t *bytes, geo_cuda_device device))            \
    X(DeviceGetAttribute, DeviceGetAttribute, 2000,                                                \
      (int *value, int attribute, geo_cuda_device device))

#define GEO_CUDA_OF_CONTEXTS(X)                                                                    \
    X(DevicePrimaryCtxRetain, DevicePrimaryCtxRetain, 7000,                                        \
      (geo_cuda_context * context, geo_cuda_device device))                                        \
    X(DevicePrimaryCtxRelease, DevicePrimaryCtxRelease_v2, 11000, (geo_cuda_device device))        \
    X(CtxPushCurrent, CtxPushCurrent_v2, 4000, (geo_cuda_context context))                         \
    X(CtxPopCurrent, CtxPopCurrent_v2, 4000, (geo_cuda_context * context))                         \
    X(CtxGetStreamPriorityRange, CtxGetStreamPriorityRange, 5050, (int *least, int *greatest))

#define GEO_CUDA_OF_MEMORY(X)                                                                      \
    X(MemAlloc, MemAlloc_v2, 3020, (geo_cuda_address * address, size_t bytes))                     \
    X(MemFree, MemFree_v2, 3020, (geo_cuda_address address))                                       \
    X(MemHostAlloc, MemHostAlloc, 2020, (void **pointer, size_t bytes, unsigned flags))            \
    X(MemFreeHost, MemFreeHost, 2000, (void *pointer))                                             \
    X(MemHostRegister, MemHostRegister_v2, 6050, (void *pointer, size_t bytes, unsigned flags))    \
    X(MemHostUnregister, MemHostUnregister, 4000, (void *pointer))                                 \
    X(MemHostGetDevicePointer, MemHostGetDevicePointer_v2, 3020,                                   \
      (geo_cuda_address * address, void *pointer, unsigned flags))                                 \
    X(MemGetInfo, MemGetInfo_v2, 3020, (size_t *unused, size_t *total))                            \
    X(MemcpyAsync, MemcpyAsync, 4000,                                                              \
      (geo_cuda_address to, geo_cuda_address from, size_t bytes, geo_cuda_stream stream))          \
    X(Memcpy3DAsync, Memcpy3DAsync_v2, 3020,                                                       \
      (const geo_cuda_copy_box *box, geo_cuda_stream stream))                                      \
    X(MemsetD8Async, MemsetD8Async, 3020,                                                          \
      (geo_cuda_address to, unsigned char value, size_t count, geo_cuda_stream stream))            \
    X(MemsetD16Async, MemsetD16Async, 3020,                                                        \
      (geo_cuda_address to, unsigned short value, size_t count, geo_cuda_stream stream))           \
    X(MemsetD32Async, MemsetD32Async, 3020,                                                        \
      (geo_cuda_address to, unsigned value, size_t count, geo_cuda_stream stream))

#define GEO_CUDA_OF_STREAMS(X)                                                                     \
    X(StreamCreateWithPriority, StreamCreateWithPriority, 5050,                                    \
      (geo_cuda_stream * stream, unsigned flags, int priority))                                    \
    X(StreamDestroy, StreamDestroy_v2, 4000, (geo_cuda_stream stream))                             \
    X(StreamSynchronize, StreamSynchronize, 2000, (geo_cuda_stream stream))                        \
    X(StreamQuery, StreamQuery, 2000, (geo_cuda_stream stream))                                    \
    X(StreamWaitEvent, StreamWaitEvent, 3020,                                                      \
      (geo_cuda_stream stream, geo_cuda_event event, unsigned flags))                              \
    X(StreamWriteValue64, StreamWriteValue64_v2, 11070,                                            \
      (geo_cuda_stream stream, geo_cuda_address word, uint64_t value, unsigned flags))             \
    X(StreamWaitValue64, StreamWaitValue64_v2, 11070,                                              \
      (geo_cuda_stream stream, geo_cuda_address word, uint64_t value, unsigned flags))             \
    X(LaunchHostFunc, LaunchHostFunc, 10000,                                                       \
      (geo_cuda_stream stream, geo_cuda_host_function function, void *data))

#define GEO_CUDA_OF_EVENTS(X)                                                                      \
    X(EventCreate, EventCreate, 2000, (geo_cuda_event * event, unsigned flags))                    \
    X(EventDestroy, EventDestroy_v2, 4000, (geo_cuda_event event))                                 \
    X(EventRecord, EventRecord, 2000, (geo_cuda_event event, geo_cuda_stream stream))              \
    X(EventQuery, EventQuery, 2000, (geo_cuda_event event))                                        \
    X(EventSynchronize, EventSynchronize, 2000, (geo_cuda_event event))                            \
    X(EventElapsedTime, EventElapsedTime, 2000,                                                    \
      (float *milliseconds, geo_cuda_event start, geo_cuda_event end))

#define GEO_CUDA_OF_MODULES(X)                                                                     \
    X(ModuleLoadDataEx, ModuleLoadDataEx, 2010,                                                    \
      (geo_cuda_module * module, const void *image, unsigned count, int *options, void **values))  \
    X(ModuleUnload, ModuleUnload, 2000, (geo_cuda_module module))                                  \
    X(ModuleGetFunction, ModuleGetFunction, 2000,                                                  \
      (geo_cuda_function * function, geo_cuda_module module, const char *name))                    \
    X(ModuleGetGlobal, ModuleGetGlobal_v2, 3020,                                                   \
      (geo_cuda_address * address, size_t *bytes, geo_cuda_module module, const char *name))       \
    X(FuncSetAttribute, FuncSetAttribute, 9000,                                                    \
      (geo_cuda_function function, int attribute, int value))                                      \
    X(LaunchKernel, LaunchKernel, 4000,                                                            \
      (geo_cuda_function function, unsigned groups_x, unsigned groups_y, unsigned groups_z,        \
       unsigned x, unsigned y, unsigned z, unsigned shared_bytes, geo_cuda_stream stream,          \
       void **parameters, void **extra))                                                           \
    X(LaunchCooperativeKernel, LaunchCooperativeKernel, 9000,                                      \
      (geo_cuda_function function, unsigned groups_x, unsigned groups_y, unsigned groups_z,        \
       unsigned x, unsigned y, unsigned z, unsigned shared_bytes, geo_cuda_stream stream,          \
       void **parameters))                                                                         \
    X(OccupancyMaxActiveBlocksPerMultiprocessor, OccupancyMaxActiveBlocksPerMultiprocessor, 6050,  \
      (int *count, geo_cuda_function function, int threads, size_t shared_bytes))

#endif
