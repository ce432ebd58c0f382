/* The components of a device. They are read at the first query, and were checked when the file was
 * read. See device.h. */
#include "backend/simulated/check.h"
#include "backend/simulated/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sim_reader sim_reader_of(const struct geo_backend_device *device, struct geo_arena *arena,
                                struct geo_strbuf *problem)
{
    return (struct sim_reader){.arena = arena,
                               .index = device->index,
                               .number = device->number,
                               .seed =
                                   (device->number + UINT64_C(1)) * UINT64_C(0xA24BAED4963EE407),
                               .problem = problem};
}

/* ---- components ---- */

static struct geo_sysman_component *component_at(const struct sim_class *class, void *items,
                                                 uint32_t index)
{
    return (void *)((char *)items + (size_t)index * class->table->bytes);
}

static const char *name_default(struct geo_arena *arena, const struct sim_class *class,
                                uint32_t index)
{
    char name[48];
    const int length = snprintf(name, sizeof(name), "%s-%u", class->key, index);
    return geo_arena_string(arena, name, (size_t)length);
}

/* Fills the common part of all components. Returns false when memory ran out. */
static bool components_name(struct geo_arena *arena, const struct sim_class *class,
                            struct geo_sysman *sysman, struct sim_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        struct geo_sysman_component *part = component_at(class, list->items, i);
        part->kind = class->kind;
        part->sysman = sysman;
        part->name = part->name ? part->name : name_default(arena, class, i);
        if (!part->name) {
            return false;
        }
    }
    return true;
}

/* Builds the component list of geo_sysman_ops.components, and saves the initial `now` of each
 * component. */
static bool components_keep(struct geo_arena *arena, const struct sim_class *class,
                            const struct sim_list *list, struct sim_components *out)
{
    const size_t bytes = class->now_bytes;
    char *initial = geo_arena_array(arena, list->count + 1u, bytes ? bytes : 1);
    out->list = geo_arena_new_array(arena, const struct geo_sysman_component *, list->count + 1u);
    if (!initial || !out->list) {
        return false;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        struct geo_sysman_component *part = component_at(class, list->items, i);
        out->list[i] = part;
        memcpy(initial + i * bytes, (char *)part + class->now_offset, bytes);
    }
    out->initial = initial;
    out->items = list->items;
    out->count = list->count;
    return true;
}

const struct sim_components *sim_components_of(struct geo_sysman *sysman,
                                               enum geo_sysman_class kind)
{
    struct sim_components *components = &sysman->components[kind];
    const struct sim_class *class = sim_classes[kind];
    const struct sim_json *json = sysman->whole.classes[kind];
    struct sim_list list = {0};
    if (components->read || !json) {
        return components;
    }
    struct sim_reader reader = sim_reader_of(sysman->device, &sysman->arena, NULL);
    components->read = sim_read_list(&reader, json, class->table, SIM_COMPONENTS, &list) &&
                       components_name(&sysman->arena, class, sysman, &list) &&
                       components_keep(&sysman->arena, class, &list, components);
    return components;
}

void sim_components_reset(struct geo_sysman *sysman, double t)
{
    for (uint32_t kind = 0; kind < GEO_SYSMAN_CLASS_COUNT; kind++) {
        const struct sim_class *class = sim_classes[kind];
        const struct sim_components *components = &sysman->components[kind];
        for (uint32_t i = 0; i < components->count; i++) {
            char *part = (char *)component_at(class, components->items, i);
            if (class->settle) {
                class->settle(part, t);
            }
            memcpy(part + class->now_offset,
                   (const char *)components->initial + (size_t)i * class->now_bytes,
                   class->now_bytes);
        }
    }
}

/* ---- checks ---- */

static bool tiles_check(struct sim_reader *reader, const struct sim_class *class,
                        const struct sim_list *list, uint32_t tiles)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct geo_sysman_component *part = component_at(class, list->items, i);
        if (part->subdevice >= 0 && (uint32_t)part->subdevice >= tiles) {
            return sim_wrong(reader, "%s is of tile %d, of %u", part->name, part->subdevice, tiles);
        }
    }
    return true;
}

/* Marks the faults that name a component of this class. */
static void faults_find(const struct sim_class *class, const struct sim_list *list,
                        const struct sim_whole *whole, bool *found)
{
    const struct sim_fault *faults = whole->faults.items;
    for (uint32_t f = 0; f < whole->faults.count; f++) {
        for (uint32_t i = 0; faults[f].component && i < list->count; i++) {
            found[f] = found[f] ||
                       strcmp(component_at(class, list->items, i)->name, faults[f].component) == 0;
        }
    }
}

static bool class_check(struct sim_reader *reader, const struct sim_class *class,
                        const struct sim_whole *whole, bool *found)
{
    const struct sim_json *json = whole->classes[class->kind];
    struct sim_list list = {0};
    struct sim_components components;
    if (!json) {
        return true;
    }
    if (!sim_enter(reader, class->key, -1, json) ||
        !sim_read_list(reader, json, class->table, SIM_COMPONENTS, &list)) {
        return false;
    }
    if (!components_name(reader->arena, class, NULL, &list) ||
        !components_keep(reader->arena, class, &list, &components)) {
        return sim_no_memory(reader);
    }
    faults_find(class, &list, whole, found);
    reader->line = json->line;
    if (!tiles_check(reader, class, &list, whole->tiles)) {
        return false;
    }
    sim_leave(reader);
    return true;
}

bool sim_device_check(struct sim_reader *reader, const struct sim_json *json,
                      struct sim_whole *whole)
{
    bool found[SIM_FAULTS] = {false};
    if (!sim_read(reader, json, &sim_whole_table, whole)) {
        return false;
    }
    for (uint32_t kind = 0; kind < GEO_SYSMAN_CLASS_COUNT; kind++) {
        if (!class_check(reader, sim_classes[kind], whole, found)) {
            return false;
        }
    }
    const struct sim_fault *faults = whole->faults.items;
    for (uint32_t f = 0; f < whole->faults.count; f++) {
        if (faults[f].component && !found[f]) {
            return sim_wrong(reader, "the component \"%.60s\" of a fault does not exist",
                             faults[f].component);
        }
    }
    return true;
}
