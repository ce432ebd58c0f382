/* libcuda, opened at run time: the table of its functions, and how to call them.
 *
 * Calls must use GEO_CUDA or GEO_CUDA_ASK. CUDA does not survive a fork: a child of a process that
 * initialised it gets errors at best. These macros return an error in such a child without calling
 * the library. The library is opened by its file name without a path, so privileged programs load
 * it only from system folders. */
#ifndef GEO_BACKEND_CUDA_DRIVER_LIBRARY_H
#define GEO_BACKEND_CUDA_DRIVER_LIBRARY_H

#include "backend/cuda/driver/api.h"
#include "base/fork.h"
#include "base/strbuf.h"

#include <level_zero/ze_api.h>

struct geo_cuda {
    void *library;
    int version;         /* of CUDA, as the library supports it: 1000 * major + 10 * minor */
    uint32_t generation; /* fork generation of the process that initialised the library */
#define GEO_CUDA_MEMBER(name, symbol, version, parameters) int(*name) parameters;
    GEO_CUDA_FUNCTIONS(GEO_CUDA_MEMBER)
#undef GEO_CUDA_MEMBER
};

/* Results of calls that do not reach the library. */
enum {
    GEO_CUDA_LACKS_FUNCTION = -1, /* the library is older than the function */
    GEO_CUDA_FORKED = -2,         /* this process is a child of the one that initialised CUDA */
};

/* Opens and initialises CUDA, which takes about 0.1 s with a GPU. Returns UNINITIALIZED, with the
 * reason in `why`, when the library, the kernel's driver or the GPUs are missing, or
 * OUT_OF_HOST_MEMORY. */
ze_result_t geo_cuda_open(struct geo_cuda *cuda, struct geo_strbuf *why);
/* Closes the library. The caller has released everything that it got from it. */
void geo_cuda_close(struct geo_cuda *cuda);

/* Returns whether this process may call the library. */
static inline bool geo_cuda_is_here(const struct geo_cuda *cuda)
{
    return cuda->generation == geo_fork_generation();
}

/* Calls a function and returns CUDA's own result: GEO_CUDA(cuda, DeviceGetCount, &count) */
#define GEO_CUDA(cuda, function, ...)                                                              \
    (!geo_cuda_is_here(cuda) ? (int)GEO_CUDA_FORKED                                                \
     : (cuda)->function      ? (cuda)->function(__VA_ARGS__)                                       \
                             : (int)GEO_CUDA_LACKS_FUNCTION)

/* Calls a function and returns the result as ze_result_t. On failure, `why` gets the function's
 * name and CUDA's error text; if it is NULL, they are logged at level info. */
#define GEO_CUDA_ASK(cuda, why, function, ...)                                                     \
    geo_cuda_answer((cuda), GEO_CUDA((cuda), function, __VA_ARGS__), #function, (why))

/* Translates a result. `function` is its name without "cu"; `why` as above. OUT_OF_MEMORY becomes
 * OUT_OF_DEVICE_MEMORY: callers that ask for the host's memory translate it again. */
ze_result_t geo_cuda_answer(const struct geo_cuda *cuda, int code, const char *function,
                            struct geo_strbuf *why);

#endif
