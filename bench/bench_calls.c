/* What a call through the loader costs, against the bare indirect call of the same driver function:
 * the pointer comes from the driver's own table. Prints "call NAME LOADER_NS BARE_NS", each the
 * best of several rounds. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

enum { CALLS = 1000000, ROUNDS = 15 };

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

typedef ze_result_t (*query_fn)(ze_event_handle_t);
typedef ze_result_t (*version_fn)(ze_driver_handle_t, ze_api_version_t *);

static double time_query(query_fn volatile *function, ze_event_handle_t event)
{
    double start = now_ns();
    for (int i = 0; i < CALLS; i++) {
        (*function)(event);
    }
    return (now_ns() - start) / CALLS;
}

static double time_version(version_fn volatile *function, ze_driver_handle_t driver)
{
    ze_api_version_t version;
    double start = now_ns();
    for (int i = 0; i < CALLS; i++) {
        (*function)(driver, &version);
    }
    return (now_ns() - start) / CALLS;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* The driver's own tables, from the library that answers. */
static int open_tables(ze_event_dditable_t *events, ze_driver_dditable_t *drivers,
                       const char *library)
{
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    ze_pfnGetEventProcAddrTable_t get_events = NULL;
    ze_pfnGetDriverProcAddrTable_t get_drivers = NULL;
    if (handle) {
        *(void **)&get_events = dlsym(handle, "zeGetEventProcAddrTable");
        *(void **)&get_drivers = dlsym(handle, "zeGetDriverProcAddrTable");
    }
    return get_events && get_drivers &&
           get_events(ZE_API_VERSION_CURRENT, events) == ZE_RESULT_SUCCESS &&
           get_drivers(ZE_API_VERSION_CURRENT, drivers) == ZE_RESULT_SUCCESS;
}

int main(int argc, char **argv)
{
    ze_init_driver_type_desc_t types = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                        .flags = UINT32_MAX};
    ze_context_desc_t context_desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                      .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                      .count = 1};
    ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_event_dditable_t events = {NULL};
    ze_driver_dditable_t drivers = {NULL};
    ze_driver_handle_t driver;
    ze_context_handle_t context;
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    uint32_t count = 1;
    if (argc != 2) {
        fprintf(stderr, "usage: bench_calls DRIVER_LIBRARY\n");
        return 2;
    }
    if (zeInitDrivers(&count, &driver, &types) != ZE_RESULT_SUCCESS ||
        zeContextCreate(driver, &context_desc, &context) != ZE_RESULT_SUCCESS ||
        zeEventPoolCreate(context, &pool_desc, 0, NULL, &pool) != ZE_RESULT_SUCCESS ||
        zeEventCreate(pool, &event_desc, &event) != ZE_RESULT_SUCCESS ||
        !open_tables(&events, &drivers, argv[1])) {
        fprintf(stderr, "bench_calls: cannot set up an event\n");
        return 1;
    }
    query_fn volatile loader_query = zeEventQueryStatus, bare_query = events.pfnQueryStatus;
    version_fn volatile loader_version = zeDriverGetApiVersion,
                        bare_version = drivers.pfnGetApiVersion;
    double query[2] = {1e9, 1e9}, version[2] = {1e9, 1e9};
    for (int i = 0; i < ROUNDS; i++) {
        query[0] = least(query[0], time_query(&loader_query, event));
        query[1] = least(query[1], time_query(&bare_query, event));
        version[0] = least(version[0], time_version(&loader_version, driver));
        version[1] = least(version[1], time_version(&bare_version, driver));
    }
    printf("call zeEventQueryStatus %.3f %.3f\n", query[0], query[1]);
    printf("call zeDriverGetApiVersion %.3f %.3f\n", version[0], version[1]);
    zeEventDestroy(event);
    zeEventPoolDestroy(pool);
    zeContextDestroy(context);
    return 0;
}
