/* CSV: a line for each value. See emit.h. */
#include "emit.h"

#include "format.h"
#include "process.h"

#include <inttypes.h>
#include <string.h>

static const char header[] =
    "time,device,uuid,name,simulated,subdevice,class,component,type,metric,label,value\n";

/* Quoted where it has to be. */
static void field_write(FILE *to, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, to);
        return;
    }
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"') {
            fputc('"', to);
        }
        fputc(*text, to);
    }
    fputc('"', to);
}

struct line {
    const struct snapshot *snapshot;
    const struct device *device;
    int32_t subdevice;
    const char *class, *type;
    int64_t component; /* -1: of the device */
};

static void line_write(FILE *to, const struct line *line, const char *metric, const char *label,
                       const char *value)
{
    fprintf(to, "%" PRIu64 ".%03u,%u,%s,", line->snapshot->time_ms / 1000,
            (unsigned)(line->snapshot->time_ms % 1000), line->device->index, line->device->uuid);
    field_write(to, line->device->name);
    fprintf(to, ",%s,", line->device->simulated ? "yes" : "no");
    if (line->subdevice >= 0) {
        fprintf(to, "%d", line->subdevice);
    }
    fprintf(to, ",%s,", line->class);
    if (line->component >= 0) {
        fprintf(to, "%" PRId64, line->component);
    }
    fputc(',', to);
    field_write(to, line->type);
    fprintf(to, ",%s,%s,", metric, label);
    field_write(to, value);
    fputc('\n', to);
}

static void part_write(FILE *to, const struct line *of, const struct part *part)
{
    struct line line = *of;
    char text[FORMAT_TEXT];
    line.subdevice = part->subdevice;
    line.class = part_class_name(part->kind);
    line.type = part->type;
    line.component = part->index;
    for (size_t i = 0; i < part->value_count; i++) {
        const struct value *value = &part->values[i];
        format_exact(value, text);
        line_write(to, &line, metrics[value->metric].name,
                   value->label && value->form != VALUE_WORD ? value->label : "", text);
    }
}

static void process_write(FILE *to, const struct line *of, const struct process *process)
{
    struct line line = *of;
    char text[80];
    line.class = "process";
    line.type = process->name;
    line.component = process->pid;
    snprintf(text, sizeof(text), "%" PRIu64, process->memory);
    line_write(to, &line, "process_memory_bytes", "", text);
    snprintf(text, sizeof(text), "%" PRIu64, process->shared);
    line_write(to, &line, "process_shared_bytes", "", text);
    process_engines(process, text, sizeof(text));
    line_write(to, &line, "process_engines", "", text);
}

static void device_write(FILE *to, const struct snapshot *snapshot, const struct device *device)
{
    const struct line line = {snapshot, device, -1, "device", "", -1};
    char text[24];
    line_write(to, &line, "up", "", device->lost ? "0" : "1");
    if (device->processes_known) {
        snprintf(text, sizeof(text), "%zu", device->process_count);
        line_write(to, &line, "processes", "", text);
    }
    for (size_t i = 0; i < device->part_count; i++) {
        part_write(to, &line, &device->parts[i]);
    }
    for (size_t i = 0; i < device->process_count; i++) {
        process_write(to, &line, &device->processes[i]);
    }
}

bool emit_csv(FILE *to, const struct snapshot *snapshot)
{
    if (snapshot->ordinal == 0) {
        fputs(header, to);
    }
    for (size_t i = 0; i < snapshot->device_count; i++) {
        device_write(to, snapshot, &snapshot->devices[i]);
    }
    return fflush(to) == 0 && !ferror(to);
}
