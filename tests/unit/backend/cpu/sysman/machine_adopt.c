/* A machine of a folder that is there: which CPUs it has, by its own files. See machine_fixture.h. */
#include "machine_fixture.h"

#include "base/number_list.h"

#include <stdio.h>
#include <sys/stat.h>

struct cpus {
    bool has[MACHINE_MOST_CPUS];
    bool beyond; /* there are more */
};

static void cpu_note(void *data, uint32_t cpu)
{
    struct cpus *cpus = data;
    cpus->beyond = cpus->beyond || cpu >= MACHINE_MOST_CPUS;
    cpus->has[cpu % MACHINE_MOST_CPUS] = true;
}

static bool any(const struct cpus *cpus)
{
    for (int i = 0; i < MACHINE_MOST_CPUS; i++) {
        if (cpus->has[i]) {
            return true;
        }
    }
    return false;
}

/* "cpu3 ..." of /proc/stat, where "cpu  9 ..." is the sum of all; "processor : 3" of /proc/cpuinfo */
static void lines_note(const struct machine *machine, const char *path, const char *format,
                       struct cpus *cpus)
{
    char line[8192];
    unsigned cpu;
    FILE *file = fopen(machine_path(machine, path), "r");
    while (file && fgets(line, sizeof(line), file)) {
        if (strncmp(line, "cpu ", 4) != 0 && sscanf(line, format, &cpu) == 1) {
            cpu_note(cpus, cpu);
        }
    }
    if (file) {
        fclose(file);
    }
}

static bool line_read(const struct machine *machine, const char *path, char *line, int size)
{
    FILE *file = fopen(machine_path(machine, path), "r");
    bool read = file && fgets(line, size, file);
    if (file) {
        fclose(file);
    }
    return read;
}

/* "00000000,0000000f": words of 32 bits, the highest first. */
static void map_note(const char *map, struct cpus *cpus)
{
    uint32_t words = 1;
    for (const char *at = map; (at = strchr(at, ',')) != NULL; at++) {
        words++;
    }
    for (; words > 0; words--) {
        char *end;
        unsigned long word = strtoul(map, &end, 16);
        for (uint32_t bit = 0; bit < 32; bit++) {
            if (word >> bit & 1) {
                cpu_note(cpus, 32 * (words - 1) + bit);
            }
        }
        map = end + 1;
    }
}

static void machine_cpus(const struct machine *machine, struct cpus *cpus)
{
    char list[4096];
    lines_note(machine, "/proc/stat", "cpu%u ", cpus);
    if (!any(cpus) && line_read(machine, "/sys/devices/system/cpu/online", list, sizeof(list))) {
        list[strcspn(list, "\n")] = '\0';
        geo_number_list_parse(list, UINT16_MAX, cpu_note, cpus);
    }
    if (!any(cpus)) {
        lines_note(machine, "/proc/cpuinfo", "processor : %u", cpus);
    }
}

static bool node_cpus(const struct machine *machine, uint32_t node, struct cpus *cpus)
{
    char path[128], text[4096];
    snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/cpulist", node);
    if (line_read(machine, path, text, sizeof(text))) {
        text[strcspn(text, "\n")] = '\0';
        geo_number_list_parse(text, UINT16_MAX, cpu_note, cpus);
        return true;
    }
    snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/cpumap", node);
    if (line_read(machine, path, text, sizeof(text))) {
        map_note(text, cpus);
        return true;
    }
    return false;
}

static void device_take(struct machine *machine, uint32_t index, int32_t node,
                        const struct cpus *cpus)
{
    struct geo_backend_device *device = &machine->devices[index];
    uint32_t count = 0;
    for (int32_t cpu = 0; cpu < MACHINE_MOST_CPUS; cpu++) {
        if (cpus->has[cpu]) {
            machine->places[index][count++] = cpu;
        }
    }
    device->crew.places = machine->places[index];
    device->crew.place_count = count;
    device->info.memory_bytes = UINT64_MAX;
    device->info.parent = index ? &machine->devices[0] : NULL;
    device->node = node;
}

/* A part a node; none where there is one node, or more than there may be parts. */
static void parts_take(struct machine *machine)
{
    uint32_t parts = 0;
    for (uint32_t node = 0; node < 4 * MACHINE_MOST_PARTS; node++) {
        struct cpus cpus = {0};
        if (node_cpus(machine, node, &cpus) && any(&cpus)) {
            if (parts < MACHINE_MOST_PARTS) {
                device_take(machine, 1 + parts, (int32_t)node, &cpus);
            }
            parts++;
        }
    }
    for (uint32_t i = 0; i < MACHINE_MOST_PARTS && (parts < 2 || parts > MACHINE_MOST_PARTS); i++) {
        machine->devices[1 + i].info.parent = NULL;
    }
}

bool machine_adopt(struct machine *machine, const char *root)
{
    struct cpus cpus = {0};
    memset(machine, 0, sizeof(*machine));
    geo_strbuf_init(&machine->why, 0);
    if (strlen(root) >= sizeof(machine->root)) {
        return false;
    }
    strcpy(machine->root, root);
    machine_cpus(machine, &cpus);
    if (!any(&cpus) || cpus.beyond) {
        return false;
    }
    device_take(machine, 0, -1, &cpus);
    parts_take(machine);
    machine_reopen(machine);
    return true;
}

void machine_leave(struct machine *machine)
{
    geo_cpu_sysman_close(machine->sysman);
    geo_strbuf_finish(&machine->why);
}
