/* Sysman of a simulated device. See device.h. */
#include "backend/simulated/device.h"

#include "backend/simulated/check.h"

#include <stdlib.h>

static void sysman_close(struct geo_sysman *sysman)
{
    if (!sysman) {
        return;
    }
    sim_lock();
    sim_watch_end(sysman);
    sysman->device->sysman = NULL;
    sim_unlock();
    geo_arena_finish(&sysman->arena);
    free(sysman);
}

static ze_result_t sysman_open(struct geo_backend_device *device, const char *root,
                               struct geo_sysman **out)
{
    (void)root; /* the machine's files are not used */
    struct geo_sysman *sysman = calloc(1, sizeof(*sysman));
    if (!sysman) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    geo_arena_init(&sysman->arena, SIM_DEVICE_BYTES);
    sysman->device = device;
    sysman->reset_s = -1;
    struct sim_reader reader = sim_reader_of(device, &sysman->arena, NULL);
    if (!sim_read(&reader, device->json, &sim_whole_table, &sysman->whole)) {
        sysman_close(sysman);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    sysman->whole.about.ops = &sim_device_ops;
    if (sysman->whole.pci.there) {
        sysman->whole.about.pci = &sysman->whole.pci.properties;
    }
    sysman->ecc_current = sysman->ecc_pending = sysman->whole.ecc.current;
    sim_lock();
    device->sysman = sysman;
    sim_unlock();
    *out = sysman;
    return ZE_RESULT_SUCCESS;
}

static const struct geo_sysman_device *sysman_device(struct geo_sysman *sysman)
{
    return &sysman->whole.about;
}

static const struct geo_sysman_component *const *
sysman_components(struct geo_sysman *sysman, enum geo_sysman_class kind, uint32_t *count)
{
    sim_lock();
    const struct sim_components *components = sim_components_of(sysman, kind);
    sim_unlock();
    *count = components->count;
    return components->list;
}

const struct geo_sysman_ops sim_sysman_ops = {
    .open = sysman_open,
    .close = sysman_close,
    .device = sysman_device,
    .components = sysman_components,
};
