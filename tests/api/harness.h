/* The API test harness: runs every case on every driver that the loader finds, list cases with both
 * kinds of command list. Sees public headers only, so the same cases run on any implementation.
 *
 *     // MEM-2, MEM-16
 *     static void host_memory_is_aligned(void **state)
 *     {
 *         struct api *api = *state;
 *         ...
 *     }
 *     static const struct api_case cases[] = {API_CASE(host_memory_is_aligned)};
 *     API_MAIN("memory", cases)
 *
 * Each case gets a fresh context; the harness destroys it. Tests are named case[driver] or
 * case[driver, immediate]. Which drivers there are is what ZE_ENABLE_ALT_DRIVERS says (CMake sets
 * it to all driver libraries of the build). */
#ifndef TESTS_API_HARNESS_H
#define TESTS_API_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <level_zero/ze_api.h>
#include <level_zero/zer_api.h>
#include <level_zero/zes_api.h>
#include <level_zero/zet_api.h>

#include "patience.h"

#include <stdbool.h>
#include <string.h>

struct api {
    ze_driver_handle_t driver;
    ze_device_handle_t device; /* the driver's first */
    ze_context_handle_t context;
    ze_device_properties_t properties;
    const char *name; /* "cpu", "null": for messages */
    bool executes;    /* kernels compute something (not on the null driver) */
    bool immediate;   /* list cases: the kind of list to use */
    uint32_t ordinal; /* the first queue group with COMPUTE */
};

enum api_case_flags {
    API_LISTS = 1u << 0,     /* run with regular and with immediate lists */
    API_EXECUTES = 1u << 1,  /* only where kernels run */
    API_IMMEDIATE = 1u << 2, /* run with immediate lists */
};

struct api_case {
    const char *name;
    void (*function)(void **state);
    uint32_t flags;
};

#define API_CASE(function)           {#function, function, 0}
#define API_LIST_CASE(function)      {#function, function, API_LISTS}
#define API_IMMEDIATE_CASE(function) {#function, function, API_IMMEDIATE}
#define API_RUN_CASE(function)       {#function, function, API_LISTS | API_EXECUTES}

int api_main(const char *group, const struct api_case *cases, size_t count);

#define API_MAIN(group, cases)                                                                     \
    int main(void)                                                                                 \
    {                                                                                              \
        return api_main((group), (cases), sizeof(cases) / sizeof((cases)[0]));                     \
    }

/* ---- assertions ---- */

void api_assert_result(ze_result_t actual, ze_result_t expected, const char *call, const char *file,
                       int line);

#define assert_result(call, expected)                                                              \
    api_assert_result((call), (expected), #call, __FILE__, __LINE__)
#define assert_success(call) assert_result(call, ZE_RESULT_SUCCESS)

/* A handle that is none of the driver's objects, but points at readable memory. */
void *api_foreign_handle(void);

/* Whether the driver does something in this function, as it says of itself. */
bool api_has_function(const struct api *api, const char *name);

/* ---- waits ---- */

/* The time limit of waits: a case whose wait takes longer fails. */
#define API_PATIENCE_NS PATIENCE_NS

/* ---- memory ---- */

void *api_alloc_host(struct api *api, size_t bytes);
void *api_alloc_device(struct api *api, size_t bytes);
void *api_alloc_shared(struct api *api, size_t bytes);
void api_free(struct api *api, void *pointer);

/* ---- modules ---- */

/* A file of the build (GEOID_BUILD_DIR) in malloc'ed memory; fails the test when it is missing. */
void *api_read_file(const char *path, size_t *bytes);

/* The hand-written native binary (tests/fixtures/native_module.c); needs no compiler. */
ze_module_handle_t api_native_module(struct api *api);
/* SPIR-V built from tests/api/kernels/<name>.cl. */
ze_module_handle_t api_spirv_module(struct api *api, const char *name);
ze_kernel_handle_t api_kernel(ze_module_handle_t module, const char *name);
/* Creates a module and, for a moment, each of its kernels, since a driver may build a kernel only
 * then. A build that fails makes no module. It may still make a log, which the caller
 * destroys. */
ze_result_t api_module_try(struct api *api, const ze_module_desc_t *desc,
                           ze_module_handle_t *module, ze_module_build_log_handle_t *log);

/* ---- metrics ---- */

/* Finds a group of the device, or skips the case: not every device has metrics. */
zet_metric_group_handle_t api_metric_group(struct api *api, const char *name, uint32_t sampling);
/* Makes a group the only active one of the device; NULL: none is active. */
void api_metric_activate(struct api *api, zet_metric_group_handle_t group);

/* ---- lists ---- */

/* A list of the kind that the case runs with; a queue behind it for regular ones. */
struct api_list {
    ze_command_list_handle_t list;
    ze_command_queue_handle_t queue; /* NULL: immediate */
};

struct api_list api_list_create(struct api *api);
/* Everything appended so far has run afterwards; the list is open again. */
void api_list_run(struct api *api, struct api_list *list);
void api_list_destroy(struct api_list *list);

#endif
