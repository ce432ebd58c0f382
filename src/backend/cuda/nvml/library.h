/* NVML, opened at run time: the table of its functions, and how to call them.
 *
 * Calls must use GEO_NVML or GEO_NVML_ASK. These keep a fork from happening inside the library,
 * because a child could not release its locks. Calls of several threads do not exclude each other.
 * The library is opened by its file name without a path, so privileged programs load it only from
 * system folders.
 *
 * NVML detects forks and is uninitialised in a child. The first call in a child initialises it and
 * fetches the device handles again. Therefore each call reads the handle from the device
 * (device.h). */
#ifndef GEO_BACKEND_CUDA_NVML_LIBRARY_H
#define GEO_BACKEND_CUDA_NVML_LIBRARY_H

#include "backend/cuda/nvml/nvml.h"
#include "base/strbuf.h"

#include <level_zero/ze_api.h>

#include <stdbool.h>
#include <stdint.h>

struct geo_nvml;

/* State that belongs to one process. */
struct geo_nvml_process {
    _Atomic uint32_t generation; /* fork generation of the process that initialised NVML */
    /* Fetches the device handles again. Calls NVML functions directly. */
    void (*attach)(const struct geo_nvml *nvml, void *data);
    void *data;
    bool opened; /* the backend is open, so calls use the gate */
};

struct geo_nvml {
    void *library;
    struct geo_nvml_process *process; /* owned */
#define GEO_NVML_MEMBER(name, symbol, parameters) int(*name) parameters;
    GEO_NVML_FUNCTIONS(GEO_NVML_MEMBER)
#undef GEO_NVML_MEMBER
    const char *(*error_string)(int code);
};

/* Opens and initialises NVML. Returns UNINITIALIZED when the library or the driver is missing, or
 * OUT_OF_HOST_MEMORY. */
ze_result_t geo_nvml_open(struct geo_nvml *nvml);
void geo_nvml_close(struct geo_nvml *nvml);

void geo_nvml_enter(const struct geo_nvml *nvml);
int geo_nvml_leave(int code);

/* Calls a function and returns NVML's own result: GEO_NVML(nvml, DeviceGetCount, &count) */
#define GEO_NVML(nvml, function, ...)                                                              \
    (geo_nvml_enter(nvml), geo_nvml_leave((nvml)->function ? (nvml)->function(__VA_ARGS__)         \
                                                           : GEO_NVML_FUNCTION_NOT_FOUND))

/* Calls a function and returns the result as ze_result_t. On failure, `why` (which may be NULL)
 * gets the function's name and NVML's error text. */
#define GEO_NVML_ASK(nvml, why, function, ...)                                                     \
    geo_nvml_answer((nvml), GEO_NVML((nvml), function, __VA_ARGS__), #function, (why))

ze_result_t geo_nvml_answer(const struct geo_nvml *nvml, int code, const char *function,
                            struct geo_strbuf *why);

/* Reads the value of a field as a number. */
ze_result_t geo_nvml_field_read(const struct geo_nvml *nvml, geo_nvml_device device, unsigned field,
                                unsigned scope, uint64_t *value, struct geo_strbuf *why);

#endif
