/* Text for people. See emit.h. */
#include "emit.h"

#include "format.h"
#include "process.h"

#include <time.h>

static void part_write(FILE *to, const struct part *part)
{
    char text[FORMAT_TEXT], name[FORMAT_TEXT];
    if (part->value_count == 0) {
        return;
    }
    format_part(part, text);
    fprintf(to, "  %-26s", text);
    for (size_t i = 0; i < part->value_count; i++) {
        format_name(part, &part->values[i], name);
        format_short(&part->values[i], text);
        fprintf(to, "%s%s %s", i ? ", " : " ", name, text);
    }
    fputc('\n', to);
}

static void processes_write(FILE *to, const struct device *device)
{
    char memory[FORMAT_TEXT], shared[FORMAT_TEXT], engines[80];
    fprintf(to, "  %-26s %zu\n", "processes", device->process_count);
    for (size_t i = 0; i < device->process_count; i++) {
        const struct process *process = &device->processes[i];
        format_bytes((double)process->memory, "", memory);
        format_bytes((double)process->shared, "", shared);
        process_engines(process, engines, sizeof(engines));
        fprintf(to, "    %10u %-16s memory %s, shared %s, engines %s\n", process->pid,
                process->name, memory, shared, engines);
    }
}

bool emit_text(FILE *to, const struct snapshot *snapshot)
{
    char clock[32] = "";
    struct tm parts;
    const time_t seconds = (time_t)(snapshot->time_ms / 1000);
    if (gmtime_r(&seconds, &parts)) {
        strftime(clock, sizeof(clock), "%Y-%m-%dT%H:%M:%SZ", &parts);
    }
    fprintf(to, "%s%s\n", snapshot->ordinal ? "\n" : "", clock);
    for (size_t i = 0; i < snapshot->device_count; i++) {
        const struct device *device = &snapshot->devices[i];
        fprintf(to, "device %u: %s%s, %s%s\n", device->index, device->name,
                device->simulated ? " (sim)" : "", device->uuid, device->lost ? ", lost" : "");
        for (size_t j = 0; j < device->part_count; j++) {
            part_write(to, &device->parts[j]);
        }
        if (device->processes_known) {
            processes_write(to, device);
        }
        if (*device->failure) {
            fprintf(to, "  %-26s %s\n", "refused", device->failure);
        }
    }
    return fflush(to) == 0 && !ferror(to);
}
