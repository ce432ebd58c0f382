/* The machine around a root device: opening, and lists of components when they are asked for. See
 * machine.h. */
#include "backend/cpu/sysman/machine.h"

#include "backend/cpu/sysman/classes.h"
#include "backend/cpu/sysman/finding.h"
#include "backend/cpu/sysman/whole.h"

#include <stdlib.h>
#include <string.h>

#define LIST_BYTES (16u << 20) /* no machine has so many components */

/* Not here, because a CPU has nothing that would be it:
 *   standby       CPUs go idle by themselves
 *   performance   what a governor or a preference trades is speed for energy, not the compute
 *                 units' share of the power for the memory's
 *   overclock, fabric ports, virtual functions */
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
        int32_t place = device->crew.places[i]; /* those beyond the machine are no CPUs */
        if (place >= 0 && place < GEO_SYSMAN_CPUS) {
            CPU_SET((size_t)place, &unit->cpus);
        }
    }
}

/* Those that the device has been narrowed to: their CPUs are its own. */
static void parts_fill(struct geo_sysman *sysman, const struct geo_backend_device *parts,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct geo_sysman_unit *part = &sysman->parts[sysman->part_count];
        int32_t subdevice;
        unit_fill(part, &parts[i], (int32_t)i);
        sysman->part_count += geo_sysman_place(sysman, &part->cpus, &subdevice);
    }
}

ze_result_t geo_cpu_sysman_open(const struct geo_cpu_sysman_desc *desc, struct geo_sysman **out)
{
    struct geo_sysman *sysman = calloc(1, sizeof(*sysman));
    if (!sysman) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    geo_arena_init(&sysman->texts, LIST_BYTES);
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

static void list_destroy(struct geo_sysman_list *list)
{
    for (uint32_t i = 0; list && list->finish && i < list->count; i++) {
        list->finish(list->items[i]);
    }
    if (list) {
        geo_arena_finish(&list->arena);
        free(list);
    }
}

void geo_cpu_sysman_close(struct geo_sysman *sysman)
{
    if (!sysman) {
        return;
    }
    for (int i = 0; i < GEO_SYSMAN_CLASS_COUNT; i++) {
        list_destroy(atomic_load(&sysman->lists[i]));
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

/* NULL: memory or descriptors ran out, and the next who asks tries again. */
static struct geo_sysman_list *list_make(struct geo_sysman *sysman, enum geo_sysman_class kind)
{
    struct geo_finding finding = {.sysman = sysman, .kind = kind};
    finding.list = calloc(1, sizeof(*finding.list));
    if (!finding.list) {
        return NULL;
    }
    geo_arena_init(&finding.list->arena, LIST_BYTES);
    geo_arena_init(&finding.scratch, LIST_BYTES);
    geo_tree_feed();
    if (finders[kind]) {
        finders[kind](&finding);
    }
    geo_arena_finish(&finding.scratch);
    if (finding.failed || geo_tree_starved()) {
        list_destroy(finding.list);
        return NULL;
    }
    return finding.list;
}

const struct geo_sysman_component *const *
geo_cpu_sysman_components(struct geo_sysman *sysman, enum geo_sysman_class kind, uint32_t *count)
{
    struct geo_sysman_list *list = atomic_load_explicit(&sysman->lists[kind], memory_order_acquire);
    if (!list) {
        struct geo_sysman_list *made = list_make(sysman, kind);
        if (made && atomic_compare_exchange_strong(&sysman->lists[kind], &list, made)) {
            list = made;
        } else {
            list_destroy(made);
        }
    }
    *count = list ? list->count : 0;
    return list ? list->items : NULL;
}
