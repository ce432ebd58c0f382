/* Opens NVML and calls it. See library.h. */
#include "backend/cuda/nvml/library.h"

#include "base/fork.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- around fork ---- */

#define LOOK_AGAIN_NS 20000

/* Taken at the start of a call. A forking thread holds it, so that no new call starts, and waits
 * for calls in progress. Calls made while the backend opens do not take it: they run under locks
 * that a fork takes as well (the loader's initialisation lock), which already exclude a fork. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint32_t inside;

/* Number of calls of this thread among `inside`. A library that forks itself (for modprobe, during
 * initialisation) would otherwise wait for its own call. */
static _Thread_local __attribute__((tls_model("initial-exec"))) uint32_t inside_here;

/* Serialises the initialisation in a child. */
static pthread_mutex_t anew = PTHREAD_MUTEX_INITIALIZER;

static void child_attach(const struct geo_nvml *nvml, uint32_t generation)
{
    struct geo_nvml_process *process = nvml->process;
    pthread_mutex_lock(&anew);
    if (atomic_load(&process->generation) != generation && nvml->Init &&
        nvml->Init() == GEO_NVML_SUCCESS) {
        if (process->attach) {
            process->attach(nvml, process->data);
        }
        atomic_store(&process->generation, generation);
    }
    pthread_mutex_unlock(&anew);
}

void geo_nvml_enter(const struct geo_nvml *nvml)
{
    const uint32_t generation = geo_fork_generation();
    if (nvml->process->opened) {
        pthread_mutex_lock(&gate);
    }
    atomic_fetch_add(&inside, 1);
    inside_here++;
    if (nvml->process->opened) {
        pthread_mutex_unlock(&gate);
    }
    if (atomic_load_explicit(&nvml->process->generation, memory_order_acquire) != generation) {
        child_attach(nvml, generation);
    }
}

int geo_nvml_leave(int code)
{
    inside_here--;
    atomic_fetch_sub(&inside, 1);
    return code;
}

static void fork_prepare(void)
{
    const struct timespec pause = {.tv_nsec = LOOK_AGAIN_NS};
    pthread_mutex_lock(&gate);
    while (atomic_load(&inside) != inside_here) {
        nanosleep(&pause, NULL);
    }
}

static void fork_release(void)
{
    pthread_mutex_unlock(&gate);
}

/* Runs in the child, which has only the calling thread: calls of the parent's other threads no
 * longer count. */
static void fork_child(void)
{
    atomic_store(&inside, inside_here);
    fork_release();
}

static struct geo_fork_handler fork_handler = {
    .order = GEO_FORK_NVML,
    .prepare = fork_prepare,
    .parent = fork_release,
    .child = fork_child,
};

/* ---- opening ---- */

static void symbol_find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof(found));
}

static void symbols_find(struct geo_nvml *nvml)
{
#define SYMBOL_FIND(name, symbol, parameters)                                                      \
    symbol_find(nvml->library, "nvml" #symbol, &nvml->name);
    GEO_NVML_FUNCTIONS(SYMBOL_FIND)
#undef SYMBOL_FIND
    symbol_find(nvml->library, GEO_NVML_ERROR_STRING, &nvml->error_string);
}

static int library_init(struct geo_nvml *nvml)
{
    nvml->process = calloc(1, sizeof(*nvml->process));
    if (!nvml->process) {
        return GEO_NVML_MEMORY;
    }
    atomic_store(&nvml->process->generation, geo_fork_generation());
    geo_nvml_enter(nvml);
    return geo_nvml_leave(nvml->Init ? nvml->Init() : GEO_NVML_FUNCTION_NOT_FOUND);
}

static void library_close(struct geo_nvml *nvml)
{
    free(nvml->process);
    dlclose(nvml->library);
    memset(nvml, 0, sizeof(*nvml));
}

ze_result_t geo_nvml_open(struct geo_nvml *nvml)
{
    memset(nvml, 0, sizeof(*nvml));
    errno = 0;
    nvml->library = dlopen(GEO_NVML_FILE, RTLD_NOW | RTLD_LOCAL);
    const bool lacks_memory = !nvml->library && errno == ENOMEM;
    if (nvml->library) {
        symbols_find(nvml);
    }
    (void)dlerror(); /* clears dlerror(), because a missing library is not the program's error */
    if (!nvml->library) {
        return lacks_memory ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_ERROR_UNINITIALIZED;
    }
    geo_fork_register(&fork_handler);
    int code = library_init(nvml);
    if (code != GEO_NVML_SUCCESS) {
        library_close(nvml);
        return code == GEO_NVML_MEMORY ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
                                       : ZE_RESULT_ERROR_UNINITIALIZED;
    }
    return ZE_RESULT_SUCCESS;
}

/* Closes NVML. A child that did not use it has nothing to shut down. */
void geo_nvml_close(struct geo_nvml *nvml)
{
    if (!nvml->library) {
        return;
    }
    if (atomic_load(&nvml->process->generation) == geo_fork_generation() && nvml->Shutdown) {
        geo_nvml_enter(nvml);
        (void)geo_nvml_leave(nvml->Shutdown());
    }
    library_close(nvml);
}

/* ---- results ---- */

static ze_result_t result_of(int code)
{
    switch (code) {
    case GEO_NVML_SUCCESS:
        return ZE_RESULT_SUCCESS;
    case GEO_NVML_NOT_SUPPORTED:
    case GEO_NVML_FUNCTION_NOT_FOUND:
    case GEO_NVML_VGPU_ECC_NOT_SUPPORTED:
    case GEO_NVML_FREQ_NOT_SUPPORTED:
    case GEO_NVML_ARGUMENT_VERSION_MISMATCH:
    case GEO_NVML_DEPRECATED:
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    case GEO_NVML_NO_PERMISSION:
        return ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS;
    case GEO_NVML_GPU_IS_LOST:
    case GEO_NVML_RESET_REQUIRED:
    case GEO_NVML_GPU_NOT_FOUND:
        return ZE_RESULT_ERROR_DEVICE_LOST;
    case GEO_NVML_INVALID_ARGUMENT:
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    case GEO_NVML_MEMORY:
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    case GEO_NVML_IN_USE:
        return ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
    case GEO_NVML_NOT_FOUND:
    case GEO_NVML_NO_DATA:
    case GEO_NVML_NOT_READY:
    case GEO_NVML_TIMEOUT:
    case GEO_NVML_INSUFFICIENT_POWER:
        return ZE_RESULT_ERROR_NOT_AVAILABLE;
    default:
        return ZE_RESULT_ERROR_UNKNOWN;
    }
}

ze_result_t geo_nvml_answer(const struct geo_nvml *nvml, int code, const char *function,
                            struct geo_strbuf *why)
{
    if (code != GEO_NVML_SUCCESS && why) {
        const char *text = nvml->error_string ? nvml->error_string(code) : NULL;
        geo_strbuf_printf(why, "nvml%s: %s (%d)", function, text ? text : "failed", code);
    }
    return result_of(code);
}

static uint64_t value_number(int type, const geo_nvml_value *value)
{
    switch (type) {
    case GEO_NVML_VALUE_DOUBLE:
        return value->d > 0 ? (uint64_t)value->d : 0;
    case GEO_NVML_VALUE_UINT:
        return value->ui;
    case GEO_NVML_VALUE_ULONG:
        return value->ul;
    case GEO_NVML_VALUE_LONG_LONG:
        return value->ll > 0 ? (uint64_t)value->ll : 0;
    case GEO_NVML_VALUE_INT:
        return value->i > 0 ? (uint64_t)value->i : 0;
    case GEO_NVML_VALUE_USHORT:
        return value->us;
    default:
        return value->ull;
    }
}

ze_result_t geo_nvml_field_read(const struct geo_nvml *nvml, geo_nvml_device device, unsigned field,
                                unsigned scope, uint64_t *value, struct geo_strbuf *why)
{
    /* for some fields NVML writes the result only on failure */
    geo_nvml_field read = {.field = field, .scope = scope, .result = GEO_NVML_SUCCESS};
    int code = GEO_NVML(nvml, DeviceGetFieldValues, device, 1, &read);
    code = code == GEO_NVML_SUCCESS ? read.result : code;
    if (code != GEO_NVML_SUCCESS && why) {
        geo_strbuf_printf(why, "field %u: ", field);
    }
    ze_result_t result = geo_nvml_answer(nvml, code, "DeviceGetFieldValues", why);
    if (result == ZE_RESULT_SUCCESS) {
        *value = value_number(read.type, &read.value);
    }
    return result;
}
