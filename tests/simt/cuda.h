/* The functions of the CUDA driver that corpus_gpu uses, found in libcuda.so.1 at run time. Types
 * and values are those of the driver's interface. */
#ifndef GEO_TESTS_SIMT_CUDA_H
#define GEO_TESTS_SIMT_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int cuda_result; /* 0: success */
typedef uint64_t cuda_address;
typedef struct cuda_context_s *cuda_context;
typedef struct cuda_module_s *cuda_module;
typedef struct cuda_function_s *cuda_function;
typedef struct cuda_stream_s *cuda_stream;

#define CUDA_MAX_DYNAMIC_SHARED 8 /* attribute of functions: bytes of shared memory of a launch */

/* F(field, symbol, parameters) */
#define CUDA_FUNCTIONS(F)                                                                          \
    F(init, cuInit, (unsigned flags))                                                              \
    F(device_get, cuDeviceGet, (int *device, int ordinal))                                         \
    F(device_name, cuDeviceGetName, (char *name, int bytes, int device))                           \
    F(context_retain, cuDevicePrimaryCtxRetain, (cuda_context * context, int device))              \
    F(context_set, cuCtxSetCurrent, (cuda_context context))                                        \
    F(synchronize, cuCtxSynchronize, (void))                                                       \
    F(module_load, cuModuleLoadData, (cuda_module * module, const void *image))                    \
    F(module_unload, cuModuleUnload, (cuda_module module))                                         \
    F(function_get, cuModuleGetFunction,                                                           \
      (cuda_function * function, cuda_module module, const char *name))                            \
    F(function_set, cuFuncSetAttribute, (cuda_function function, int attribute, int value))        \
    F(memory_alloc, cuMemAlloc_v2, (cuda_address * address, size_t bytes))                         \
    F(memory_free, cuMemFree_v2, (cuda_address address))                                           \
    F(copy_in, cuMemcpyHtoD_v2, (cuda_address to, const void *from, size_t bytes))                 \
    F(copy_out, cuMemcpyDtoH_v2, (void *to, cuda_address from, size_t bytes))                      \
    F(launch, cuLaunchKernel,                                                                      \
      (cuda_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned x,      \
       unsigned y, unsigned z, unsigned shared_bytes, cuda_stream stream, void **parameters,       \
       void **extra))                                                                              \
    F(error_text, cuGetErrorString, (cuda_result error, const char **text))

struct cuda {
    void *library;
#define FIELD(field, symbol, parameters) cuda_result(*field) parameters;
    CUDA_FUNCTIONS(FIELD)
#undef FIELD
};

/* Opens libcuda. Returns false, with the reason, if the machine has no driver or no GPU. */
bool cuda_open(struct cuda *cuda, const char **reason);
/* Returns the text of an error. */
const char *cuda_text(const struct cuda *cuda, cuda_result error);

#endif
