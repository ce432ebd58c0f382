/* The machine of a root device: opens it, and builds the lists of components on demand. See
 * machine.h. */
#include "backend/cpu/sysman/machine.h"

#include "backend/cpu/sysman/classes.h"
#include "backend/cpu/sysman/finding.h"
#include "backend/cpu/sysman/whole.h"

#include <stdlib.h>
#include <string.h>

#define SCRATCH_BYTES (16u << 20) /* more than any machine needs */

/* Classes without an entry do not exist on a CPU:
 *   standby         CPUs go idle by themselves
 *   performance     a governor trades speed for energy, not compute power for memory power
 *   overclock, fabric ports, virtual functions
 */
static void (*const finders[GEO_SYSMAN_CLASS_COUNT])(struct geo_finding *finding) = {
    [GEO_SYSMAN_POWER] = geo_cpu_sysman_find_power,
    [GEO_SYSMAN_FREQUENCY] = geo_cpu_sysman_find_frequency,
    [GEO_SYSMAN_ENGINE] = geo_cpu_sysman_find_engine,
    [GEO_SYSMAN_SCHEDULER] = geo_cpu_sysman_find_scheduler,
    [GEO_SYSMAN_FIRMWARE] = geo_cpu_sysman_find_firmware,
    [GEO_SYSMAN_MEMORY] = geo_cpu_sysman_find_memory,
    [GEO_SYSMAN_TEMPERATURE] = geo_cpu_sysman_find_temperature,
    [GEO_SYSMAN_PSU] = geo_cpu_sysman_find_psu,
    [GEO_SYSMAN_FAN] = geo_cpu_sysman_find_fan,
    [GEO_SYSMAN_LED] = geo_cpu_sysman_find_led,
    [GEO_SYSMAN_RAS] = geo_cpu_sysman_find_ras,
    [GEO_SYSMAN_DIAGNOSTICS] = geo_cpu_sysman_find_diagnostics,
};

/* ---- opening ---- */

static void unit_fill(struct geo_sysman_unit *unit, const struct geo_backend_device *device,
                      int32_t subdevice)
{
    *unit = (struct geo_sysman_unit){device, subdevice, device->node, {{0}}};
    for (uint32_t i = 0; i < device->crew.place_count; i++) {
        int32_t place = device->crew.places[i]; /* places beyond the machine's CPUs are negative */
        if (place >= 0 && place < GEO_SYSMAN_CPUS) {
            CPU_SET((size_t)place, &unit->cpus);
        }
    }
}

/* Adds the sub-devices that the device is restricted to, that is those whose CPUs belong to it. */
static void parts_fill(struct geo_sysman *sysman, const struct geo_backend_device *parts,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct geo_sysman_unit *part = &sysman->parts[sysman->part_count];
        int32_t subdevice;
        unit_fill(part, &parts[i], (int32_t)i);
        sysman->part_count += geo_finding_place(sysman, &part->cpus, &subdevice);
    }
}

ze_result_t geo_cpu_sysman_open(const struct geo_cpu_sysman_desc *desc, struct geo_sysman **out)
{
    struct geo_sysman *sysman = calloc(1, sizeof(*sysman));
    if (!sysman) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    geo_arena_init(&sysman->texts, SCRATCH_BYTES);
    ze_result_t result = geo_tree_init(&sysman->tree, desc->root)
                             ? ZE_RESULT_SUCCESS
                             : ZE_RESULT_ERROR_INVALID_ARGUMENT;
    unit_fill(&sysman->whole, &desc->devices[0], -1);
    if (result == ZE_RESULT_SUCCESS && desc->count > 1) {
        sysman->parts = calloc(desc->count - 1, sizeof(sysman->parts[0]));
        result = sysman->parts ? result : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (sysman->parts) {
        parts_fill(sysman, desc->devices + 1, desc->count - 1);
    }
    if (result == ZE_RESULT_SUCCESS && !geo_cpu_sysman_describe(sysman, desc->driver_version)) {
        result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (result != ZE_RESULT_SUCCESS) {
        geo_cpu_sysman_close(sysman);
        return result;
    }
    *out = sysman;
    return ZE_RESULT_SUCCESS;
}

void geo_cpu_sysman_close(struct geo_sysman *sysman)
{
    if (!sysman) {
        return;
    }
    for (int i = 0; i < GEO_SYSMAN_CLASS_COUNT; i++) {
        geo_component_list_destroy(atomic_load(&sysman->lists[i]));
    }
    geo_arena_finish(&sysman->texts);
    free(sysman->parts);
    free(sysman);
}

const struct geo_sysman_device *geo_cpu_sysman_device(struct geo_sysman *sysman)
{
    return &sysman->description;
}

/* ---- components ---- */

/* Builds a list. Returns false when descriptors or memory ran out. */
static bool list_find(struct geo_component_list *list)
{
    struct geo_finding finding = {.sysman = list->sysman, .list = list};
    geo_arena_init(&finding.scratch, SCRATCH_BYTES);
    geo_tree_feed();
    if (finders[list->kind]) {
        finders[list->kind](&finding);
    }
    geo_arena_finish(&finding.scratch);
    return !geo_tree_starved();
}

const struct geo_sysman_component *const *
geo_cpu_sysman_components(struct geo_sysman *sysman, enum geo_sysman_class kind, uint32_t *count)
{
    return geo_component_list_once(&sysman->lists[kind], sysman, kind, list_find, count);
}
