/* The described backend: what it is to the driver, and how a test writes it. */
#include "internal.h"

#include "backend/null/null.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct described described = {.lock = PTHREAD_MUTEX_INITIALIZER};
static uint32_t opened;

#define SLOT(kind, operation)                                                                      \
    [DESCRIBED_##kind##_##operation] = (void **)(void *)&described_##kind##_ops.operation,
static void **const slots[DESCRIBED_COUNT] = {DESCRIBED_OPERATIONS(SLOT)};
static void *originals[DESCRIBED_COUNT];

/* ---- operations ---- */

bool described_enter(enum described_operation operation, ze_result_t *result,
                     struct geo_strbuf *why)
{
    pthread_mutex_lock(&described.lock);
    described.calls[operation]++;
    *result = (ze_result_t)described.result[operation];
    if (*result == ZE_RESULT_SUCCESS) {
        return true;
    }
    geo_strbuf_printf(why, "the test says no %d", (int)operation);
    pthread_mutex_unlock(&described.lock);
    return false;
}

ze_result_t described_leave(void)
{
    pthread_mutex_unlock(&described.lock);
    return ZE_RESULT_SUCCESS;
}

/* ---- the test's side ---- */

DESCRIBED_EXPORT struct described *described_state(void)
{
    return &described;
}

DESCRIBED_EXPORT void described_set(enum described_operation operation, int result)
{
    const bool absent = result == DESCRIBED_ABSENT;
    pthread_mutex_lock(&described.lock);
    *slots[operation] = absent ? NULL : originals[operation];
    described.result[operation] = absent ? ZE_RESULT_SUCCESS : result;
    pthread_mutex_unlock(&described.lock);
}

DESCRIBED_EXPORT void described_reset(void)
{
    for (int i = 0; i < DESCRIBED_COUNT; i++) {
        described_set((enum described_operation)i, ZE_RESULT_SUCCESS);
    }
    pthread_mutex_lock(&described.lock);
    char *const values = (char *)&described + offsetof(struct described, calls);
    struct described_events events[DESCRIBED_DEVICES]; /* the driver still has what it watches */
    memcpy(events, described.events, sizeof(events));
    memset(values, 0, sizeof(described) - offsetof(struct described, calls));
    memcpy(described.events, events, sizeof(events));
    described.functions = 1;
    described.log = "";
    described.reset_type = -2;
    pthread_mutex_unlock(&described.lock);
}

DESCRIBED_EXPORT void described_happen(uint32_t device, zes_event_type_flags_t happened)
{
    struct described_events *events = &described.events[device];
    const uint64_t one = 1;
    pthread_mutex_lock(&described.lock);
    events->happened |= happened;
    if (events->fd >= 0 && write(events->fd, &one, sizeof(one)) < 0) {
        abort();
    }
    pthread_mutex_unlock(&described.lock);
}

/* ---- the driver's side ---- */

static ze_result_t sysman_open(struct geo_backend_device *device, const char *root,
                               struct geo_sysman **out)
{
    (void)device;
    (void)root;
    *out = calloc(1, sizeof(**out));
    if (!*out) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    described_parts(*out);
    (*out)->index = opened++ % DESCRIBED_DEVICES;
    return ZE_RESULT_SUCCESS;
}

static void sysman_close(struct geo_sysman *sysman)
{
    free(sysman);
}

static const struct geo_sysman_device *sysman_device(struct geo_sysman *sysman)
{
    (void)sysman;
    return &described_device;
}

static const struct geo_sysman_component *const *
sysman_components(struct geo_sysman *sysman, enum geo_sysman_class kind, uint32_t *count)
{
    pthread_mutex_lock(&described.lock);
    *count = kind == GEO_SYSMAN_VIRTUAL_FUNCTION ? described.functions : sysman->count[kind];
    pthread_mutex_unlock(&described.lock);
    return sysman->list[kind];
}

static const struct geo_sysman_ops described_sysman = {
    .open = sysman_open,
    .close = sysman_close,
    .device = sysman_device,
    .components = sysman_components,
};

static struct geo_backend_ops described_ops, plain_ops;
const struct geo_backend_ops *const geo_backends[] = {&described_ops, &plain_ops, NULL};

__attribute__((constructor)) static void backend_make(void)
{
    for (int i = 0; i < DESCRIBED_COUNT; i++) {
        originals[i] = *slots[i];
    }
    plain_ops = geo_backend_null_ops; /* a driver without sysman in the same library */
    described_ops = geo_backend_null_ops;
    described_ops.name = "described";
    described_ops.driver_version = GEO_DRIVER_VERSION(2u);
    described_ops.driver_uuid[ZE_MAX_DRIVER_UUID_SIZE - 1] = 2;
    described_ops.sysman = &described_sysman;
    for (int i = 0; i < DESCRIBED_DEVICES; i++) {
        described.events[i].fd = -1;
    }
    described_reset();
}
