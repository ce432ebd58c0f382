/* Opens libcuda and calls it. See library.h. */
#include "backend/cuda/driver/library.h"

#include "backend/cuda/driver/result.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

static void symbol_find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof(found));
}

static void symbols_find(struct geo_cuda *cuda)
{
#define SYMBOL_FIND(name, symbol, version, parameters)                                             \
    symbol_find(cuda->library, "cu" #symbol, &cuda->name);
    GEO_CUDA_FUNCTIONS(SYMBOL_FIND)
#undef SYMBOL_FIND
}

static ze_result_t library_load(struct geo_cuda *cuda, struct geo_strbuf *why)
{
    errno = 0;
    cuda->library = dlopen(GEO_CUDA_FILE, RTLD_NOW | RTLD_LOCAL);
    const bool lacks_memory = !cuda->library && errno == ENOMEM;
    if (cuda->library) {
        symbols_find(cuda);
    }
    (void)dlerror(); /* clears dlerror(), because a missing library is not the program's error */
    if (!cuda->library) {
        geo_strbuf_printf(why, GEO_CUDA_FILE " was not found: NVIDIA's driver is not installed");
        return lacks_memory ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_ERROR_UNINITIALIZED;
    }
    return ZE_RESULT_SUCCESS;
}

/* A failure of cuInit means that CUDA cannot be used here, whatever its code. Only a lack of memory
 * may pass. */
static ze_result_t library_init(struct geo_cuda *cuda, struct geo_strbuf *why)
{
    cuda->generation = geo_fork_generation();
    ze_result_t result = GEO_CUDA_ASK(cuda, why, Init, 0);
    if (result == ZE_RESULT_SUCCESS) {
        result = GEO_CUDA_ASK(cuda, why, DriverGetVersion, &cuda->version);
    }
    return result == ZE_RESULT_SUCCESS                      ? result
           : result == ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
                                                            : ZE_RESULT_ERROR_UNINITIALIZED;
}

ze_result_t geo_cuda_open(struct geo_cuda *cuda, struct geo_strbuf *why)
{
    memset(cuda, 0, sizeof(*cuda));
    ze_result_t result = library_load(cuda, why);
    if (result == ZE_RESULT_SUCCESS) {
        result = library_init(cuda, why);
    }
    if (result != ZE_RESULT_SUCCESS) {
        geo_cuda_close(cuda);
    }
    return result;
}

/* A child leaves the library alone: its destructors would wait for threads that do not exist. */
void geo_cuda_close(struct geo_cuda *cuda)
{
    if (cuda->library && geo_cuda_is_here(cuda)) {
        dlclose(cuda->library);
    }
    memset(cuda, 0, sizeof(*cuda));
}

ze_result_t geo_cuda_answer(const struct geo_cuda *cuda, int code, const char *function,
                            struct geo_strbuf *why)
{
    if (code != GEO_CUDA_SUCCESS) {
        geo_cuda_result_explain(cuda, code, function, why);
    }
    return geo_cuda_result_of(code);
}
