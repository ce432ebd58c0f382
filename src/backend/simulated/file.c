/* Reads a description file. See file.h. The path may name anything, even a device or a pipe. It is
 * opened without blocking, and at most the maximum size of a description is read. */
#include "backend/simulated/file.h"

#include "backend/simulated/check.h"
#include "backend/simulated/metric.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERSION 1

struct root {
    uint32_t version;
    const char *clock;
    const struct sim_json *devices;
};

static bool root_finish(struct sim_reader *reader, void *item)
{
    const struct root *root = item;
    return strcmp(root->clock, "real") == 0 || strcmp(root->clock, "manual") == 0 ||
           sim_wrong(reader, "\"clock\" is \"real\" or \"manual\"");
}

#define AT(field) offsetof(struct root, field)
static const struct sim_key keys[] = {
    {"version", SIM_U32, AT(version), .min = VERSION, .max = VERSION, .required = true,
     .help = "version of the format: 1"},
    {"clock", SIM_TEXT, AT(clock),
     .help =
         "`real`: seconds since the driver was loaded, `manual`: `geoidSimulatedSetTime`; real"},
    {"devices", SIM_JSON, AT(devices), .size = SIM_DEVICES, .table = &sim_whole_table,
     .required = true, .help = "the devices, in the order in which they are listed"},
};
static const struct root defaults = {.clock = "real"};
const struct sim_table sim_root_table = {"file", SIM_KEYS(keys), .bytes = sizeof(struct root),
                                         .defaults = &defaults, .finish = root_finish};

/* ---- devices ---- */

/* The first and last device of an entry. */
struct ends {
    struct sim_whole first, last;
};

/* Interpolates a number linearly between the first and the last device. */
static uint64_t between(uint64_t first, uint64_t last, uint32_t index, uint32_t count)
{
    const int64_t whole = (int64_t)(last - first);
    return count < 2 ? first : first + (uint64_t)(whole / (int64_t)(count - 1) * (int64_t)index);
}

static void info_fill(struct geo_backend_device *device, const struct ends *ends,
                      struct geo_backend_device *root, uint32_t part)
{
    const struct sim_whole *whole = &ends->first;
    const zes_pci_address_t *first = &ends->first.pci.properties.address;
    const zes_pci_address_t *last = &ends->last.pci.properties.address;
    const uint32_t number = device->number, i = device->index, count = whole->count;
    const uint64_t memory = between(whole->memory_bytes, ends->last.memory_bytes, i, count);
    device->info = (struct geo_device_info){
        .type = whole->type,
        .flags = whole->integrated ? ZE_DEVICE_PROPERTY_FLAG_INTEGRATED : 0,
        .vendor_id = (uint32_t)between(whole->vendor_id, ends->last.vendor_id, i, count),
        .device_id = (uint32_t)between(whole->device_id, ends->last.device_id, i, count),
        .uuid = {'G', 'e', 'o', 'i', 'd', ' ', 0x80, 's', 0x80, 'i', 'm', (uint8_t)(number >> 16),
                 (uint8_t)(number >> 8), (uint8_t)number, (uint8_t)part, 1},
        .pci = {.known = whole->pci.there && !part,
                .domain = (uint32_t)between(first->domain, last->domain, i, count),
                .bus = (uint32_t)between(first->bus, last->bus, i, count),
                .device = (uint32_t)between(first->device, last->device, i, count),
                .function = (uint32_t)between(first->function, last->function, i, count)},
        .parent = root,
        .core_clock_mhz =
            (uint32_t)between(whole->core_clock_mhz, ends->last.core_clock_mhz, i, count),
        .threads_per_eu = 1,
        .eus_per_subslice = 1,
        .subslices_per_slice = 1,
        .slices = 1,
        .simd_width = 1,
        .timer_hz = 1000000000,
        .timestamp_valid_bits = 64,
        .kernel_timestamp_valid_bits = 64,
        .memory_bytes = memory,
        .max_allocation_bytes = memory,
        .memory_name = "simulated",
    };
}

/* Builds the devices of an entry. file->devices has space for them after file->count. */
static bool entry_build(struct sim_reader *reader, const struct sim_json *json,
                        const struct ends *ends, uint32_t *number, struct sim_file *file)
{
    const struct sim_whole *whole = &ends->first;
    for (uint32_t i = 0; i < whole->count; i++, (*number)++) {
        struct geo_backend_device *root = &file->devices[file->count];
        reader->index = i;
        const char *name = sim_read_text(reader, whole->name);
        if (!name) {
            return false;
        }
        for (uint32_t part = 0; part <= whole->tiles; part++) {
            struct geo_backend_device *device = &file->devices[file->count++];
            device->json = json;
            device->index = i;
            device->number = *number;
            device->part = part;
            device->metrics = NULL;
            info_fill(device, ends, part ? root : NULL, part);
            device->info.name = name;
        }
    }
    return true;
}

/* Checks an entry's description for the first and the last device. That suffices, because all
 * numbers depend linearly on the device's index. */
static bool entry_check(const struct sim_reader *at, const struct sim_json *json, uint32_t number,
                        struct ends *ends)
{
    struct geo_arena scratch;
    geo_arena_init(&scratch, SIM_DEVICE_BYTES);
    struct sim_reader reader = *at;
    reader.arena = &scratch;
    reader.number = number;
    bool right =
        sim_device_check(&reader, json, &ends->first) && sim_metrics_check(&reader, &ends->first);
    if (right && ends->first.count > 1) {
        geo_arena_reset(&scratch);
        reader.index = ends->first.count - 1;
        right =
            sim_device_check(&reader, json, &ends->last) && sim_metrics_check(&reader, &ends->last);
    }
    geo_arena_finish(&scratch);
    return right;
}

/* Returns the name of an entry's devices as written in the file, because the data that was read is
 * already freed. */
static const char *name_of(const struct sim_json *json)
{
    const struct sim_json *member = json->first;
    while (member && strcmp(member->key, "name") != 0) {
        member = member->next;
    }
    return member ? member->text : "";
}

static bool room_make(struct sim_reader *reader, struct sim_file *file, uint32_t number,
                      const struct sim_whole *whole, size_t *capacity)
{
    const size_t needed = file->count + (size_t)whole->count * (1 + whole->tiles);
    if (number + whole->count > SIM_DEVICES || needed > SIM_ALL_DEVICES) {
        return sim_wrong(reader, "more than %u devices, or %u with their tiles", SIM_DEVICES,
                         SIM_ALL_DEVICES);
    }
    if (needed <= *capacity) {
        return true;
    }
    const size_t larger = needed > 2 * *capacity ? needed : 2 * *capacity;
    struct geo_backend_device *grown = realloc(file->devices, larger * sizeof(*grown));
    if (!grown) {
        reader->failed = true;
        return false;
    }
    file->devices = grown;
    *capacity = larger;
    return true;
}

/* Sets the pointers to parents, after the array has its final address. */
static void parents_set(struct sim_file *file)
{
    struct geo_backend_device *root = NULL;
    for (uint32_t i = 0; i < file->count; i++) {
        const bool is_root = i == 0 || file->devices[i].number != file->devices[i - 1].number;
        root = is_root ? &file->devices[i] : root;
        file->devices[i].info.parent = is_root ? NULL : root;
        file->devices[i].sysman = NULL;
    }
}

static bool entries_read(struct sim_reader *reader, const struct sim_json *devices,
                         struct sim_file *file)
{
    size_t capacity = 0;
    uint32_t number = 0;
    int32_t i = 0;
    if (devices->kind != GEO_JSON_ARRAY || devices->count == 0) {
        reader->line = devices->line;
        return sim_wrong(reader, "\"devices\" is not an array of devices");
    }
    for (const struct sim_json *json = devices->first; json; json = json->next, i++) {
        struct ends ends;
        if (!sim_enter(reader, "devices", i, json)) {
            return false;
        }
        if (!entry_check(reader, json, number, &ends)) {
            reader->failed = true;
            return false;
        }
        ends.first.name = name_of(json);
        if (!room_make(reader, file, number, &ends.first, &capacity) ||
            !entry_build(reader, json, &ends, &number, file)) {
            return false;
        }
        sim_leave(reader);
    }
    parents_set(file);
    return true;
}

/* ---- the file ---- */

bool sim_file_parse(const char *bytes, size_t size, struct sim_file *file,
                    struct geo_strbuf *problem)
{
    const char *wrong;
    uint32_t line;
    struct root root;
    geo_arena_init(&file->arena, SIM_JSON_BYTES);
    const struct sim_json *json = sim_json_read(bytes, size, &file->arena, &wrong, &line);
    if (!json) {
        if (wrong) {
            geo_strbuf_printf(problem, "%u: %s", line, wrong);
        }
        return false;
    }
    struct sim_reader reader = {.arena = &file->arena, .problem = problem};
    if (!sim_read(&reader, json, &sim_root_table, &root) ||
        !entries_read(&reader, root.devices, file)) {
        return false;
    }
    file->manual = strcmp(root.clock, "manual") == 0;
    return true;
}

void sim_file_finish(struct sim_file *file)
{
    for (uint32_t i = 0; i < file->count; i++) {
        sim_metrics_close(&file->devices[i]);
    }
    free(file->devices);
    geo_arena_finish(&file->arena);
    memset(file, 0, sizeof(*file));
}

/* Reads at most one byte more than the maximum size. Returns the length, or -1 with errno. */
static ssize_t bytes_read(int fd, char *bytes)
{
    size_t length = 0;
    while (length <= SIM_FILE_BYTES) {
        const ssize_t got = read(fd, bytes + length, SIM_FILE_BYTES + 1 - length);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got < 0 ? got : (ssize_t)length;
        }
        length += (size_t)got;
    }
    return (ssize_t)length;
}

/* Reads a file into `bytes`, which has SIM_FILE_BYTES + 1 bytes and first holds its absolute path.
 * Returns NULL, or a text that says why the file cannot be read. */
static const char *file_read(const char *path, char *bytes, size_t *size)
{
    struct stat status;
    if (!geo_path_absolute(path, bytes, GEO_PATH_BYTES)) {
        return strerrordesc_np(ENAMETOOLONG);
    }
    const int fd = open(bytes, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return strerrordesc_np(errno);
    }
    const char *problem = fstat(fd, &status) != 0    ? strerrordesc_np(errno)
                          : !S_ISREG(status.st_mode) ? "not a regular file"
                                                     : NULL;
    if (!problem) {
        const ssize_t length = bytes_read(fd, bytes);
        problem = length < 0                        ? strerrordesc_np(errno)
                  : (size_t)length > SIM_FILE_BYTES ? "larger than 1 MiB"
                                                    : NULL;
        *size = length < 0 ? 0 : (size_t)length;
    }
    close(fd);
    return problem;
}

bool sim_file_read(const char *path, struct sim_file *file, struct geo_strbuf *problem)
{
    char *bytes = malloc(SIM_FILE_BYTES + 1);
    size_t size = 0;
    bool right = false;
    if (!bytes) {
        return false;
    }
    const char *unreadable = file_read(path, bytes, &size);
    if (unreadable) {
        geo_strbuf_printf(problem, "%s: %s", path, unreadable);
    } else {
        struct geo_strbuf place;
        geo_strbuf_init(&place, 400);
        right = sim_file_parse(bytes, size, file, &place);
        if (place.length) {
            geo_strbuf_printf(problem, "%s:%s", path, geo_strbuf_text(&place));
        }
        geo_strbuf_finish(&place);
    }
    free(bytes);
    return right;
}
