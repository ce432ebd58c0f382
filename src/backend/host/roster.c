/* Divides the machine into devices and sub-devices. See roster.h. */
#include "backend/host/roster.h"

#include "base/log.h"
#include "base/memfd.h"
#include "base/option.h"

#include <stdlib.h>
#include <string.h>

/* The bytes in which UUIDs differ from that of the whole machine: the last byte for sub-devices,
 * the byte before it for devices. */
#define UUID_PART (ZE_MAX_DEVICE_UUID_SIZE - 1)

/* ---- requested division ---- */

static bool number_parse(const char **text, uint32_t *number)
{
    const char *at = *text;
    *number = 0;
    while (*at >= '0' && *at <= '9' && *number <= GEO_ROSTER_DEVICES) {
        *number = *number * 10 + (uint32_t)(*at++ - '0');
    }
    bool found = at != *text && *number != 0 && *number <= GEO_ROSTER_DEVICES;
    *text = at;
    return found;
}

bool geo_roster_parse(const char *text, struct geo_roster_shape *out)
{
    uint32_t roots, parts = 1;
    if (!number_parse(&text, &roots)) {
        return false;
    }
    if (*text == 'x') {
        text++;
        if (!number_parse(&text, &parts)) {
            return false;
        }
    }
    parts = parts == 1 ? 0 : parts; /* a device has several sub-devices or none */
    if (*text != '\0' || roots * (1 + parts) > GEO_ROSTER_DEVICES) {
        return false;
    }
    *out = (struct geo_roster_shape){.roots = roots, .parts = parts};
    return true;
}

struct geo_roster_shape geo_roster_asked(void)
{
    struct geo_roster_shape shape = {0};
    const char *text = geo_option_string("GEOID_DEVICES");
    if (text && *text && !geo_roster_parse(text, &shape)) {
        geo_log("driver", GEO_LOG_WARN,
                "GEOID_DEVICES is ignored: it must be N or NxM, with at most %u devices and "
                "sub-devices together",
                GEO_ROSTER_DEVICES);
    }
    return shape;
}

/* ---- cores ---- */

/* Gives the device an array of places that the caller has allocated. The first `workers` places
 * have a worker each. */
static void places_give(struct geo_backend_device *device, int32_t *places, uint32_t count,
                        uint32_t workers)
{
    device->crew.places = places;
    device->crew.place_count = count;
    device->crew.workers = workers;
}

/* Gives the device a copy of the places. Returns false when memory ran out. */
static bool places_copy(struct geo_backend_device *device, const struct geo_crew_desc *crew)
{
    int32_t *places = malloc(crew->place_count * sizeof(*places));
    if (places) {
        memcpy(places, crew->places, crew->place_count * sizeof(*places));
        places_give(device, places, crew->place_count, crew->workers);
    }
    return places != NULL;
}

/* Gives the device `count` of the crew's workers, starting at `first` and wrapping around. Returns
 * false when memory ran out. */
static bool places_share(struct geo_backend_device *device, const struct geo_crew_desc *crew,
                         uint32_t first, uint32_t count)
{
    count = count < GEO_CREW_PLACES ? count : GEO_CREW_PLACES;
    int32_t *places = malloc(count * sizeof(*places));
    if (!places) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        places[i] = crew->places[(first + i) % crew->workers];
    }
    places_give(device, places, count, count);
    return true;
}

/* Gives the device the places in one part of the machine, places with workers first. Returns false
 * when memory ran out or the part has no worker. */
static bool places_choose(struct geo_backend_device *device, const struct geo_roster_desc *desc,
                          uint32_t part)
{
    int32_t *places = malloc(GEO_CREW_PLACES * sizeof(*places));
    uint32_t count = 0, workers = 0;
    for (uint32_t i = 0; places && i < desc->crew.place_count; i++) {
        if (desc->part_of[i] == part && count < GEO_CREW_PLACES) {
            places[count++] = desc->crew.places[i];
            workers += i < desc->crew.workers;
        }
    }
    if (workers == 0) {
        free(places);
        return false;
    }
    places_give(device, places, count, workers);
    return true;
}

/* ---- descriptions ---- */

static void device_fill(struct geo_backend_device *device, const struct geo_roster_desc *desc,
                        struct geo_backend_device *parent)
{
    device->info = *desc->info;
    device->info.parent = parent;
    device->ops = desc->ops;
    device->crew = desc->crew;
    device->crew.places = NULL; /* set later to places of its own */
    device->node = -1;
}

static void memory_set(struct geo_backend_device *device, uint64_t bytes)
{
    device->info.memory_bytes = bytes & ~(uint64_t)(GEO_PAGE_BYTES - 1);
    device->info.max_allocation_bytes = device->info.memory_bytes;
}

/* Describes the execution units: one for each worker. If all parts have the same size, each is a
 * slice; otherwise each unit is a slice. */
static void units_set(struct geo_backend_device *device, uint32_t slices, uint32_t units)
{
    struct geo_device_info *info = &device->info;
    uint32_t *queues = &info->groups[0].queue_count;
    info->slices = slices;
    info->subslices_per_slice = 1;
    info->eus_per_subslice = units;
    info->threads_per_eu = 1;
    *queues = *queues < device->crew.workers ? *queues : device->crew.workers;
}

static void units_add_up(struct geo_backend_device *root, struct geo_backend_device *parts,
                         uint32_t count)
{
    bool equal = true;
    uint32_t total = 0;
    for (uint32_t i = 0; i < count; i++) {
        equal = equal && parts[i].crew.workers == parts[0].crew.workers;
        total += parts[i].crew.workers;
    }
    for (uint32_t i = 0; i < count; i++) {
        units_set(&parts[i], equal ? 1 : parts[i].crew.workers, equal ? parts[i].crew.workers : 1);
    }
    units_set(root, equal ? count : total, equal ? parts[0].crew.workers : 1);
}

/* ---- building ---- */

static bool root_divide(const struct geo_roster_desc *desc, uint32_t index,
                        struct geo_backend_device *root)
{
    const uint32_t workers = desc->crew.workers, parts = desc->shape.parts;
    uint32_t share = workers / desc->shape.roots;
    if (share > parts && parts != 0) {
        share -= share % parts;
    }
    share = share ? share : 1;
    memory_set(root, desc->info->memory_bytes / desc->shape.roots);
    root->info.uuid[GEO_ROSTER_UUID_ROOT] ^= (uint8_t)index;
    if (!places_share(root, &desc->crew, index * share, share)) {
        return false;
    }
    units_set(root, 1, share);
    const uint32_t part_share = parts && share >= parts ? share / parts : 1;
    for (uint32_t i = 0; i < parts; i++) {
        struct geo_backend_device *part = root + 1 + i;
        device_fill(part, desc, root);
        memory_set(part, root->info.memory_bytes / parts);
        part->info.uuid[GEO_ROSTER_UUID_ROOT] ^= (uint8_t)index;
        part->info.uuid[UUID_PART] ^= (uint8_t)(i + 1);
        if (!places_share(part, &root->crew, i * part_share, part_share)) {
            return false;
        }
    }
    if (parts != 0) {
        units_add_up(root, root + 1, parts);
    }
    return true;
}

/* Returns a part's memory. A part without memory of its own gets an equal share. */
static uint64_t part_memory(const struct geo_roster_desc *desc, uint32_t part)
{
    uint64_t bytes = desc->machine_parts[part].bytes;
    return bytes ? bytes : desc->info->memory_bytes / desc->part_count;
}

/* Returns a part's memory, reduced in proportion if the container has less memory than the
 * nodes. */
static uint64_t part_memory_share(const struct geo_roster_desc *desc, uint32_t part)
{
    uint64_t bytes = part_memory(desc, part), all = 0;
    for (uint32_t i = 0; i < desc->part_count; i++) {
        all += part_memory(desc, i);
    }
    return all <= desc->info->memory_bytes
               ? bytes
               : (uint64_t)((double)desc->info->memory_bytes * ((double)bytes / (double)all));
}

static bool machine_divide(const struct geo_roster_desc *desc, struct geo_backend_device *root)
{
    const uint32_t parts = desc->part_count;
    for (uint32_t i = 0; i < parts; i++) {
        struct geo_backend_device *part = root + 1 + i;
        device_fill(part, desc, root);
        memory_set(part, part_memory_share(desc, i));
        part->node = desc->machine_parts[i].node;
        part->info.uuid[UUID_PART] ^= (uint8_t)(i + 1);
        if (!places_choose(part, desc, i)) {
            return false;
        }
    }
    units_add_up(root, root + 1, parts);
    return true;
}

/* Builds one device for the whole machine, with the machine's parts as sub-devices if there are
 * several. */
static uint32_t whole_build(const struct geo_roster_desc *desc, struct geo_backend_device *root)
{
    const struct geo_crew_desc *crew = &desc->crew;
    const uint32_t parts =
        desc->shape.roots == 0 && desc->part_count >= 2 && desc->part_count < GEO_ROSTER_DEVICES
            ? desc->part_count
            : 0;
    device_fill(root, desc, NULL);
    if (!places_copy(root, crew) || (parts != 0 && !machine_divide(desc, root))) {
        return 0;
    }
    return 1 + parts;
}

static uint32_t equal_build(const struct geo_roster_desc *desc, struct geo_backend_device *devices)
{
    const uint32_t step = 1 + desc->shape.parts;
    for (uint32_t i = 0; i < desc->shape.roots; i++) {
        device_fill(&devices[i * step], desc, NULL);
        if (!root_divide(desc, i, &devices[i * step])) {
            return 0;
        }
    }
    return desc->shape.roots * step;
}

uint32_t geo_roster_build(const struct geo_roster_desc *desc, struct geo_backend_device *devices)
{
    const struct geo_roster_shape *shape = &desc->shape;
    uint32_t count = shape->roots <= 1 && shape->parts == 0 ? whole_build(desc, devices)
                                                            : equal_build(desc, devices);
    for (uint32_t i = 0; count == 0 && i < GEO_ROSTER_DEVICES; i++) {
        free((void *)(uintptr_t)devices[i].crew.places);
        devices[i].crew.places = NULL;
    }
    return count;
}

/* ---- restriction to some sub-devices ---- */

static bool device_has(const struct geo_backend_device *device, int32_t place)
{
    for (uint32_t i = 0; i < device->crew.place_count; i++) {
        if (device->crew.places[i] == place) {
            return true;
        }
    }
    return false;
}

static bool any_has(struct geo_backend_device *const *parts, uint32_t count, int32_t place)
{
    for (uint32_t i = 0; i < count; i++) {
        if (device_has(parts[i], place)) {
            return true;
        }
    }
    return false;
}

/* Keeps the places of the given sub-devices. Their order stays: places with workers first. */
static void places_keep(struct geo_backend_device *root, struct geo_backend_device *const *parts,
                        uint32_t count)
{
    int32_t *places = (int32_t *)(uintptr_t)root->crew.places; /* owned by the device */
    uint32_t kept = 0, workers = 0;
    for (uint32_t i = 0; i < root->crew.place_count; i++) {
        if (any_has(parts, count, places[i])) {
            places[kept++] = places[i];
            workers += i < root->crew.workers;
        }
    }
    root->crew.place_count = kept;
    root->crew.workers = workers;
}

void geo_roster_narrow(struct geo_backend_device *root, struct geo_backend_device *const *parts,
                       uint32_t count)
{
    uint64_t bytes = 0;
    uint32_t slices = 0;
    for (uint32_t i = 0; i < count; i++) {
        bytes += parts[i]->info.memory_bytes;
        slices += parts[i]->info.slices;
    }
    places_keep(root, parts, count);
    memory_set(root, bytes);
    units_set(root, slices, root->info.eus_per_subslice);
}
