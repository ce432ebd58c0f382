/* Events. NVML's event queue has no descriptor to wait for, so the driver polls while a program
 * listens. Each poll empties the queue without waiting, and compares states for which NVML has no
 * event.
 *
 *     NVML                                   here
 *     error corrected, many corrected        RAS_CORRECTABLE_ERRORS
 *     error not corrected, poison            RAS_UNCORRECTABLE_ERRORS
 *     memory retired, or retirement failed   MEM_HEALTH
 *     GPU unavailable, recovery needed       DEVICE_RESET_REQUIRED
 *     Xid (a driver message)                 by its number; ignored if a program caused it
 *     -                                      FREQ_THROTTLED, MEM_HEALTH: by comparing
 */
#include "backend/cuda/sysman/sysman.h"
#include "base/fork.h"

#define PERIOD_NS 100000000u /* polling interval */

enum { MOST_AT_ONCE = 256 };

#define WATCHED                                                                                    \
    (GEO_NVML_EVENT_SINGLE_BIT | GEO_NVML_EVENT_DOUBLE_BIT | GEO_NVML_EVENT_XID |                  \
     GEO_NVML_EVENT_SINGLE_BIT_STORM | GEO_NVML_EVENT_DRAM_RETIREMENT |                            \
     GEO_NVML_EVENT_DRAM_RETIREMENT_FAILURE | GEO_NVML_EVENT_POISON |                              \
     GEO_NVML_EVENT_FATAL_POISON | GEO_NVML_EVENT_UNAVAILABLE | GEO_NVML_EVENT_RECOVERY_ACTION)

/* ---- mapping ---- */

/* Maps the number of a driver message (Xid) that concerns the GPU and not a program. */
static zes_event_type_flags_t xid_map(unsigned long long number)
{
    switch (number) {
    case 48: /* uncorrected memory error */
    case 94: /* uncorrected memory error that affects only one program */
        return ZES_EVENT_TYPE_FLAG_RAS_UNCORRECTABLE_ERRORS;
    case 92: /* too many corrected errors */
        return ZES_EVENT_TYPE_FLAG_RAS_CORRECTABLE_ERRORS;
    case 63: /* a row or page was replaced */
    case 64: /* a row or page could not be replaced */
        return ZES_EVENT_TYPE_FLAG_MEM_HEALTH;
    case 95: /* uncontained memory error */
        return ZES_EVENT_TYPE_FLAG_RAS_UNCORRECTABLE_ERRORS |
               ZES_EVENT_TYPE_FLAG_DEVICE_RESET_REQUIRED;
    case 79: /* the GPU is off the bus */
        return ZES_EVENT_TYPE_FLAG_DEVICE_DETACH;
    case 62:  /* the GPU's own processor halted */
    case 74:  /* a link failed */
    case 119: /* the system processor (GSP) does not answer */
    case 120:
    case 140: /* error of on-chip memory */
    case 154: /* recovery is needed */
        return ZES_EVENT_TYPE_FLAG_DEVICE_RESET_REQUIRED;
    default:
        return 0;
    }
}

static zes_event_type_flags_t event_map(const geo_nvml_event *event)
{
    static const struct {
        unsigned long long types;
        zes_event_type_flags_t flags;
    } table[] = {
        {GEO_NVML_EVENT_SINGLE_BIT | GEO_NVML_EVENT_SINGLE_BIT_STORM,
         ZES_EVENT_TYPE_FLAG_RAS_CORRECTABLE_ERRORS},
        {GEO_NVML_EVENT_DOUBLE_BIT | GEO_NVML_EVENT_POISON | GEO_NVML_EVENT_FATAL_POISON,
         ZES_EVENT_TYPE_FLAG_RAS_UNCORRECTABLE_ERRORS},
        {GEO_NVML_EVENT_DRAM_RETIREMENT | GEO_NVML_EVENT_DRAM_RETIREMENT_FAILURE,
         ZES_EVENT_TYPE_FLAG_MEM_HEALTH},
        {GEO_NVML_EVENT_UNAVAILABLE | GEO_NVML_EVENT_RECOVERY_ACTION,
         ZES_EVENT_TYPE_FLAG_DEVICE_RESET_REQUIRED},
    };
    zes_event_type_flags_t flags = event->type & GEO_NVML_EVENT_XID ? xid_map(event->data) : 0;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        flags |= event->type & table[i].types ? table[i].flags : 0;
    }
    return flags;
}

/* ---- polling ---- */

static zes_event_type_flags_t queue_take(struct geo_sysman *sysman)
{
    struct geo_gpu_watch *watch = &sysman->watch;
    zes_event_type_flags_t happened = 0;
    geo_nvml_event event;
    if (!watch->set) {
        return 0;
    }
    for (int i = 0; i < MOST_AT_ONCE &&
                    GEO_NVML(sysman->nvml, EventSetWait, watch->set, &event, 0) == GEO_NVML_SUCCESS;
         i++) {
        happened |= event_map(&event);
    }
    return happened;
}

static bool is_throttled(struct geo_sysman *sysman)
{
    zes_freq_throttle_reason_flags_t reasons = 0;
    (void)geo_gpu_frequency_throttle_read(sysman, &reasons, NULL);
    return (reasons & ~(uint32_t)ZES_FREQ_THROTTLE_REASON_FLAG_SW_RANGE) != 0;
}

static uint32_t health_now(struct geo_sysman *sysman, uint32_t before)
{
    struct geo_gpu_repair repair;
    return geo_gpu_memory_repair_read(sysman, &repair, NULL) == ZE_RESULT_SUCCESS
               ? (uint32_t)repair.health
               : before;
}

zes_event_type_flags_t geo_gpu_take_events(struct geo_sysman *sysman)
{
    struct geo_gpu_watch *watch = &sysman->watch;
    if (watch->process != geo_fork_generation()) {
        return 0; /* a child does not inherit its parent's watches */
    }
    zes_event_type_flags_t happened = queue_take(sysman);
    if (watch->events & ZES_EVENT_TYPE_FLAG_FREQ_THROTTLED) {
        const bool throttled = is_throttled(sysman);
        happened |=
            throttled && !watch->throttled ? (uint32_t)ZES_EVENT_TYPE_FLAG_FREQ_THROTTLED : 0;
        watch->throttled = throttled;
    }
    if (watch->events & ZES_EVENT_TYPE_FLAG_MEM_HEALTH) {
        const uint32_t health = health_now(sysman, watch->health);
        happened |= health != watch->health ? (uint32_t)ZES_EVENT_TYPE_FLAG_MEM_HEALTH : 0;
        watch->health = health;
    }
    return happened & watch->events;
}

/* ---- watching ---- */

/* Stops watching. The event set of a parent process is not freed. */
void geo_gpu_event_unwatch(struct geo_sysman *sysman)
{
    struct geo_gpu_watch *watch = &sysman->watch;
    if (watch->set && watch->process == geo_fork_generation()) {
        (void)GEO_NVML(sysman->nvml, EventSetFree, watch->set);
    }
    *watch = (struct geo_gpu_watch){0};
}

/* Opens the event queue. Without it, only compared states produce events. */
static void queue_open(struct geo_sysman *sysman)
{
    struct geo_gpu_watch *watch = &sysman->watch;
    unsigned long long types = 0;
    if (GEO_NVML(sysman->nvml, DeviceGetSupportedEventTypes, sysman->device->handle, &types) !=
            GEO_NVML_SUCCESS ||
        (types & WATCHED) == 0 ||
        GEO_NVML(sysman->nvml, EventSetCreate, &watch->set) != GEO_NVML_SUCCESS) {
        watch->set = NULL;
        return;
    }
    if (GEO_NVML(sysman->nvml, DeviceRegisterEvents, sysman->device->handle, types & WATCHED,
                 watch->set) != GEO_NVML_SUCCESS) {
        (void)GEO_NVML(sysman->nvml, EventSetFree, watch->set);
        watch->set = NULL;
    }
}

ze_result_t geo_gpu_event_watch(struct geo_sysman *sysman, zes_event_type_flags_t events,
                                struct geo_sysman_watch *watch, struct geo_strbuf *why)
{
    (void)why;
    geo_gpu_event_unwatch(sysman);
    sysman->watch.events = events & sysman->description.events;
    sysman->watch.process = geo_fork_generation();
    watch->fd = -1;
    watch->period_ns = sysman->watch.events ? PERIOD_NS : 0;
    if (sysman->watch.events) {
        queue_open(sysman);
        sysman->watch.throttled = is_throttled(sysman);
        sysman->watch.health = health_now(sysman, ZES_MEM_HEALTH_UNKNOWN);
    }
    return ZE_RESULT_SUCCESS;
}
