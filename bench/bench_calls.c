/* Measures a call through the loader against the bare indirect call of the same driver function.
 * The pointer comes from the driver's own table. The handles are the driver's too, if the loader
 * has handles of its own. Prints "call NAME LOADER_NS BARE_NS", each the best of several rounds. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <level_zero/loader/ze_loader.h>
#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

enum { CALLS = 1000000, LIVES = 100000, ROUNDS = 15 };

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

typedef ze_result_t (*peer_fn)(ze_device_handle_t, ze_device_handle_t, ze_bool_t *);

static double time_peer(peer_fn volatile *function, ze_device_handle_t device)
{
    ze_bool_t answer;
    double start = now_ns();
    for (int i = 0; i < CALLS; i++) {
        (*function)(device, device, &answer);
    }
    return (now_ns() - start) / CALLS;
}

typedef ze_result_t (*create_fn)(ze_event_pool_handle_t, const ze_event_desc_t *,
                                 ze_event_handle_t *);

/* Creates and destroys an event. */
static double time_life(create_fn volatile *create, query_fn volatile *destroy,
                        ze_event_pool_handle_t pool)
{
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = 1};
    ze_event_handle_t event;
    double start = now_ns();
    for (int i = 0; i < LIVES; i++) {
        if ((*create)(pool, &desc, &event) == ZE_RESULT_SUCCESS) {
            (*destroy)(event);
        }
    }
    return (now_ns() - start) / LIVES;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* Returns a function of the driver's own library, or of the loader. */
struct functions {
    query_fn volatile query, destroy;
    version_fn volatile version;
    peer_fn volatile peer;
    create_fn volatile create;
};

struct objects {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
};

static const struct functions exported = {zeEventQueryStatus, zeEventDestroy, zeDriverGetApiVersion,
                                          zeDeviceCanAccessPeer, zeEventCreate};

static int functions_open(struct functions *functions, const char *library)
{
    ze_event_dditable_t events = {NULL};
    ze_driver_dditable_t drivers = {NULL};
    ze_device_dditable_t devices = {NULL};
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    ze_pfnGetEventProcAddrTable_t get_events = NULL;
    ze_pfnGetDriverProcAddrTable_t get_drivers = NULL;
    ze_pfnGetDeviceProcAddrTable_t get_devices = NULL;
    if (handle) {
        *(void **)&get_events = dlsym(handle, "zeGetEventProcAddrTable");
        *(void **)&get_drivers = dlsym(handle, "zeGetDriverProcAddrTable");
        *(void **)&get_devices = dlsym(handle, "zeGetDeviceProcAddrTable");
    }
    if (!get_events || !get_drivers || !get_devices ||
        get_events(ZE_API_VERSION_CURRENT, &events) != ZE_RESULT_SUCCESS ||
        get_drivers(ZE_API_VERSION_CURRENT, &drivers) != ZE_RESULT_SUCCESS ||
        get_devices(ZE_API_VERSION_CURRENT, &devices) != ZE_RESULT_SUCCESS) {
        return 0;
    }
    *functions =
        (struct functions){events.pfnQueryStatus, events.pfnDestroy, drivers.pfnGetApiVersion,
                           devices.pfnCanAccessPeer, events.pfnCreate};
    return 1;
}

static int objects_make(struct objects *objects)
{
    ze_init_driver_type_desc_t types = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                        .flags = UINT32_MAX};
    ze_context_desc_t context_desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                      .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                      .count = 2};
    ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    uint32_t count = 1, one = 1;
    return zeInitDrivers(&count, &objects->driver, &types) == ZE_RESULT_SUCCESS &&
           zeDeviceGet(objects->driver, &one, &objects->device) == ZE_RESULT_SUCCESS &&
           zeContextCreate(objects->driver, &context_desc, &objects->context) ==
               ZE_RESULT_SUCCESS &&
           zeEventPoolCreate(objects->context, &pool_desc, 0, NULL, &objects->pool) ==
               ZE_RESULT_SUCCESS &&
           zeEventCreate(objects->pool, &event_desc, &objects->event) == ZE_RESULT_SUCCESS;
}

static int objects_own(struct objects *own, const struct objects *given)
{
    *own = *given;
    return zelLoaderTranslateHandle(ZEL_HANDLE_DRIVER, given->driver, (void **)&own->driver) ==
               ZE_RESULT_SUCCESS &&
           zelLoaderTranslateHandle(ZEL_HANDLE_DEVICE, given->device, (void **)&own->device) ==
               ZE_RESULT_SUCCESS &&
           zelLoaderTranslateHandle(ZEL_HANDLE_EVENT_POOL, given->pool, (void **)&own->pool) ==
               ZE_RESULT_SUCCESS &&
           zelLoaderTranslateHandle(ZEL_HANDLE_EVENT, given->event, (void **)&own->event) ==
               ZE_RESULT_SUCCESS;
}

enum { QUERY, VERSION, PEER, LIFE, ROWS };

static void round_time(double *best, struct functions *functions, const struct objects *objects)
{
    best[QUERY] = least(best[QUERY], time_query(&functions->query, objects->event));
    best[VERSION] = least(best[VERSION], time_version(&functions->version, objects->driver));
    best[PEER] = least(best[PEER], time_peer(&functions->peer, objects->device));
    best[LIFE] =
        least(best[LIFE], time_life(&functions->create, &functions->destroy, objects->pool));
}

int main(int argc, char **argv)
{
    static const char *const names[ROWS] = {"zeEventQueryStatus", "zeDriverGetApiVersion",
                                            "zeDeviceCanAccessPeer", "zeEventCreate+Destroy"};
    struct functions loader = exported, bare;
    struct objects given, own;
    double best[2][ROWS];
    if (argc != 2) {
        fprintf(stderr, "usage: bench_calls DRIVER_LIBRARY\n");
        return 2;
    }
    if (!objects_make(&given) || !objects_own(&own, &given) || !functions_open(&bare, argv[1])) {
        fprintf(stderr, "bench_calls: cannot set up an event\n");
        return 1;
    }
    for (int i = 0; i < ROWS; i++) {
        best[0][i] = best[1][i] = 1e9;
    }
    for (int i = 0; i < ROUNDS; i++) {
        round_time(best[0], &loader, &given);
        round_time(best[1], &bare, &own);
    }
    for (int i = 0; i < ROWS; i++) {
        printf("call %s %.3f %.3f\n", names[i], best[0][i], best[1][i]);
    }
    zeEventDestroy(given.event);
    zeEventPoolDestroy(given.pool);
    zeContextDestroy(given.context);
    return 0;
}
