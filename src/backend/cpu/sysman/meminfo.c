/* Parses lines "MemFree:  1234 kB"; for a node "Node 0 MemFree:  1234 kB". See meminfo.h. */
#include "backend/cpu/sysman/meminfo.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t offset;
} fields[] = {
    {"MemTotal", offsetof(struct geo_meminfo, total)},
    {"MemFree", offsetof(struct geo_meminfo, free)},
    {"MemAvailable", offsetof(struct geo_meminfo, available)},
    {"Active(file)", offsetof(struct geo_meminfo, active_files)},
    {"Inactive(file)", offsetof(struct geo_meminfo, inactive_files)},
    {"HardwareCorrupted", offsetof(struct geo_meminfo, broken)},
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static void line_read(char *line, struct geo_meminfo *info)
{
    char *colon = strchr(line, ':'), *name = line, *end;
    if (!colon) {
        return;
    }
    *colon = '\0';
    if (strncmp(line, "Node ", 5) == 0) {
        name = strrchr(line, ' ') + 1;
    }
    for (size_t i = 0; i < FIELDS; i++) {
        if (name[0] == fields[i].name[0] && strcmp(name, fields[i].name) == 0) {
            unsigned long long kib = strtoull(colon + 1, &end, 10);
            if (end != colon + 1 && kib < UINT64_MAX >> 11) {
                *(uint64_t *)(void *)((char *)info + fields[i].offset) = kib << 10;
            }
        }
    }
}

ze_result_t geo_meminfo_read(const struct geo_tree *tree, const char *path,
                             struct geo_meminfo *info, struct geo_strbuf *why)
{
    struct geo_tree_lines lines;
    ze_result_t result = geo_tree_lines_open(&lines, tree, path, why);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    memset(info, 0xff, sizeof(*info)); /* sets all values to MISSING */
    for (char *line; (line = geo_tree_lines_next(&lines)) != NULL;) {
        line_read(line, info);
    }
    geo_tree_lines_close(&lines);
    if (info->total == GEO_MEMINFO_MISSING || info->free == GEO_MEMINFO_MISSING) {
        if (why) {
            geo_strbuf_printf(why, "%s has no %s", path,
                              info->total == GEO_MEMINFO_MISSING ? "MemTotal" : "MemFree");
        }
        return ZE_RESULT_ERROR_NOT_AVAILABLE;
    }
    return ZE_RESULT_SUCCESS;
}
