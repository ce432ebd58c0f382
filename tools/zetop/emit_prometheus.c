/* Prometheus' text format. See emit.h. */
#include "emit.h"

#include "format.h"

#define PREFIX "geoid_device_"

/* Label values have three escapes. */
static void label_write(FILE *to, const char *name, const char *text)
{
    fprintf(to, "%s=\"", name);
    for (; *text; text++) {
        if (*text == '\\' || *text == '"') {
            fputc('\\', to);
        }
        if (*text == '\n') {
            fputs("\\n", to);
        } else {
            fputc(*text, to);
        }
    }
    fputc('"', to);
}

static void head_write(FILE *to, const char *name, const char *type, const char *help)
{
    fprintf(to, "# HELP " PREFIX "%s %s\n# TYPE " PREFIX "%s %s\n", name, help, name, type);
}

/* The name and the labels that every sample has; the brace stays open. */
static void sample_begin(FILE *to, const char *name, const struct device *device)
{
    fprintf(to, PREFIX "%s{", name);
    label_write(to, "uuid", device->uuid);
    fprintf(to, ",index=\"%u\"", device->index);
    if (device->simulated) {
        fputs(",simulated=\"true\"", to);
    }
}

static void sample_write(FILE *to, const struct device *device, const struct part *part,
                         const struct value *value)
{
    const struct metric *metric = &metrics[value->metric];
    char text[FORMAT_TEXT] = "1";
    sample_begin(to, metric->name, device);
    fprintf(to, ",component=\"%u\"", part->index);
    if (part->subdevice >= 0) {
        fprintf(to, ",subdevice=\"%d\"", part->subdevice);
    }
    fputc(',', to);
    label_write(to, "type", part->type);
    if (value->label) {
        fputc(',', to);
        label_write(to, metric->label, value->label);
    }
    if (value->form != VALUE_WORD) {
        format_exact(value, text);
    }
    fprintf(to, "} %s\n", text);
}

static void devices_write(FILE *to, const struct snapshot *snapshot)
{
    head_write(to, "info", "gauge", "Properties of the device as labels; always 1.");
    for (size_t i = 0; i < snapshot->device_count; i++) {
        const struct device *device = &snapshot->devices[i];
        const struct {
            const char *name, *text;
        } labels[] = {{",name", device->name},
                      {",vendor", device->vendor},
                      {",serial", device->serial},
                      {",driver_version", device->version}};
        sample_begin(to, "info", device);
        for (size_t j = 0; j < sizeof(labels) / sizeof(labels[0]); j++) {
            label_write(to, labels[j].name, labels[j].text);
        }
        fputs("} 1\n", to);
    }
    head_write(to, "up", "gauge", "1, or 0 if the device is lost.");
    for (size_t i = 0; i < snapshot->device_count; i++) {
        sample_begin(to, "up", &snapshot->devices[i]);
        fprintf(to, "} %d\n", snapshot->devices[i].lost ? 0 : 1);
    }
}

static void processes_write(FILE *to, const struct snapshot *snapshot)
{
    bool headed = false;
    for (size_t i = 0; i < snapshot->device_count; i++) {
        const struct device *device = &snapshot->devices[i];
        if (!device->processes_known) {
            continue;
        }
        if (!headed) {
            head_write(to, "processes", "gauge", "Processes that use the device.");
            headed = true;
        }
        sample_begin(to, "processes", device);
        fprintf(to, "} %zu\n", device->process_count);
    }
}

static void metric_write(FILE *to, const struct snapshot *snapshot, enum metric_id id)
{
    bool headed = false;
    for (size_t i = 0; i < snapshot->device_count; i++) {
        const struct device *device = &snapshot->devices[i];
        for (size_t j = 0; j < device->part_count; j++) {
            const struct part *part = &device->parts[j];
            for (size_t k = 0; part->kind == metrics[id].part && k < part->value_count; k++) {
                if (part->values[k].metric != id) {
                    continue;
                }
                if (!headed) {
                    head_write(to, metrics[id].name,
                               metrics[id].kind == METRIC_COUNTER ? "counter" : "gauge",
                               metrics[id].help);
                    headed = true;
                }
                sample_write(to, device, part, &part->values[k]);
            }
        }
    }
}

bool emit_prometheus(FILE *to, const struct snapshot *snapshot)
{
    devices_write(to, snapshot);
    processes_write(to, snapshot);
    for (int id = 0; id < METRICS; id++) {
        metric_write(to, snapshot, (enum metric_id)id);
    }
    return fflush(to) == 0 && !ferror(to);
}
