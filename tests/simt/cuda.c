/* Implements cuda.h. */
#include "cuda.h"

#include <dlfcn.h>
#include <string.h>

bool cuda_open(struct cuda *cuda, const char **reason)
{
    memset(cuda, 0, sizeof(*cuda));
    cuda->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!cuda->library) {
        *reason = "this machine has no libcuda.so.1";
        return false;
    }
#define LOAD(field, symbol, parameters)                                                            \
    {                                                                                              \
        void *found = dlsym(cuda->library, #symbol);                                               \
        if (!found) {                                                                              \
            *reason = "libcuda.so.1 lacks " #symbol;                                               \
            return false;                                                                          \
        }                                                                                          \
        memcpy(&cuda->field, &found, sizeof(found));                                               \
    }
    CUDA_FUNCTIONS(LOAD)
#undef LOAD
    cuda_result result = cuda->init(0);
    *reason = result ? cuda_text(cuda, result) : "";
    return result == 0;
}

const char *cuda_text(const struct cuda *cuda, cuda_result error)
{
    const char *text = NULL;
    return cuda->error_text(error, &text) == 0 && text ? text : "an unknown error of CUDA";
}
