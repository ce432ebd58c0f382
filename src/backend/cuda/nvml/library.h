/* NVML as it is opened at run time: the table of its functions, and how they are called.
 *
 * Calls are made by GEO_NVML or GEO_NVML_ASK and nothing else. They keep fork away from the inside
 * of the library, whose locks a child could not release; calls of several threads do not exclude
 * each other. The library is opened by its one name, so in a privileged program only from where the
 * system has its libraries.
 *
 * NVML knows of forks and is as not initialised in a child. The first call there initialises it
 * anew and asks for the devices' handles again; handles are therefore read with each call, from
 * their one place (device.h). */
#ifndef GEO_BACKEND_CUDA_NVML_LIBRARY_H
#define GEO_BACKEND_CUDA_NVML_LIBRARY_H

#include "backend/cuda/nvml/nvml.h"
#include "base/strbuf.h"

#include <level_zero/ze_api.h>

#include <stdbool.h>
#include <stdint.h>

struct geo_nvml;

/* What of it belongs to a process. */
struct geo_nvml_process {
    _Atomic uint32_t generation; /* geo_fork_generation of who initialised it */
    /* Asks for the devices' handles again, by the functions themselves. */
    void (*attach)(const struct geo_nvml *nvml, void *data);
    void *data;
    bool opened; /* set when the opening is over: calls go through the gate from then on */
};

struct geo_nvml {
    void *library;
    struct geo_nvml_process *process; /* owned */
#define GEO_NVML_MEMBER(name, symbol, parameters) int(*name) parameters;
    GEO_NVML_FUNCTIONS(GEO_NVML_MEMBER)
#undef GEO_NVML_MEMBER
    const char *(*error_string)(int code);
};

/* Opens and initialises NVML. UNINITIALIZED: there is none, or it finds no driver;
 * OUT_OF_HOST_MEMORY. */
ze_result_t geo_nvml_open(struct geo_nvml *nvml);
void geo_nvml_close(struct geo_nvml *nvml);

void geo_nvml_enter(const struct geo_nvml *nvml);
int geo_nvml_leave(int code);

/* NVML's own result. GEO_NVML(nvml, DeviceGetCount, &count) */
#define GEO_NVML(nvml, function, ...)                                                              \
    (geo_nvml_enter(nvml), geo_nvml_leave((nvml)->function ? (nvml)->function(__VA_ARGS__)         \
                                                           : GEO_NVML_FUNCTION_NOT_FOUND))

/* The result as the seam has it; with a failure `why` (may be NULL) gets the function and NVML's
 * text. */
#define GEO_NVML_ASK(nvml, why, function, ...)                                                     \
    geo_nvml_answer((nvml), GEO_NVML((nvml), function, __VA_ARGS__), #function, (why))

ze_result_t geo_nvml_answer(const struct geo_nvml *nvml, int code, const char *function,
                            struct geo_strbuf *why);

/* One field's value as a number. */
ze_result_t geo_nvml_field_read(const struct geo_nvml *nvml, geo_nvml_device device, unsigned field,
                                unsigned scope, uint64_t *value, struct geo_strbuf *why);

#endif
