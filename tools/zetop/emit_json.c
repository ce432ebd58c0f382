/* JSON: one object on one line. See emit.h. */
#include "emit.h"

#include "format.h"
#include "words.h"

#include <jansson.h>
#include <stdlib.h>

/* json_object_set_new and json_array_append_new take what is NULL for a failure. */

static json_t *value_make(const struct value *value)
{
    if (value->form == VALUE_WORD) {
        return json_string(value->label);
    }
    return value->form == VALUE_INTEGER && value->number <= INT64_MAX
               ? json_integer((json_int_t)value->number)
               : json_real(value->real);
}

/* Several values of one metric are an object by their labels, or a list of words. */
static bool value_put(json_t *values, const struct value *value)
{
    const struct metric *metric = &metrics[value->metric];
    const bool list = value->metric == M_FREQUENCY_THROTTLE;
    json_t *made = value_make(value);
    if (!value->label || (value->form == VALUE_WORD && !list)) {
        return json_object_set_new(values, metric->name, made) == 0;
    }
    json_t *several = json_object_get(values, metric->name);
    if (!several) {
        several = list ? json_array() : json_object();
        if (json_object_set_new(values, metric->name, several) != 0) {
            json_decref(made);
            return false;
        }
    }
    return (list ? json_array_append_new(several, made)
                 : json_object_set_new(several, value->label, made)) == 0;
}

static json_t *part_make(const struct part *part)
{
    json_t *values = json_object();
    bool good = values != NULL;
    for (size_t i = 0; good && i < part->value_count; i++) {
        good = value_put(values, &part->values[i]);
    }
    json_t *made =
        json_pack("{s:s, s:i, s:o, s:s, s:o}", "class", part_class_name(part->kind), "component",
                  (int)part->index, "subdevice",
                  part->subdevice < 0 ? json_null() : json_integer(part->subdevice), "type",
                  part->type, "metrics", values); /* takes the values, also when it fails */
    if (!good) {
        json_decref(made);
        return NULL;
    }
    return made;
}

static json_t *process_make(const struct process *process)
{
    json_t *engines = json_array();
    bool good = engines != NULL;
    for (size_t i = 0; good && i < words_zes_engine_type_flags_t.count; i++) {
        const struct word *word = &words_zes_engine_type_flags_t.list[i];
        if (process->engines & word->value) {
            good = json_array_append_new(engines, json_string(word->text)) == 0;
        }
    }
    json_t *made = json_pack("{s:I, s:s, s:I, s:I, s:o}", "pid", (json_int_t)process->pid, "name",
                             process->name, "memory_bytes", (json_int_t)process->memory,
                             "shared_bytes", (json_int_t)process->shared, "engines", engines);
    if (!good) {
        json_decref(made);
        return NULL;
    }
    return made;
}

static bool processes_put(json_t *object, const struct device *device)
{
    json_t *list = json_array();
    bool good = json_object_set_new(object, "processes", list) == 0;
    for (size_t i = 0; good && i < device->process_count; i++) {
        good = json_array_append_new(list, process_make(&device->processes[i])) == 0;
    }
    return good;
}

static json_t *device_make(const struct device *device)
{
    json_t *object = json_pack(
        "{s:i, s:s, s:s, s:s, s:s, s:s, s:i, s:b, s:b, s:o}", "index", (int)device->index, "uuid",
        device->uuid, "name", device->name, "vendor", device->vendor, "serial", device->serial,
        "driver_version", device->version, "subdevices", (int)device->subdevice_count, "simulated",
        (int)device->simulated, "lost", (int)device->lost, "failure",
        *device->failure ? json_string(device->failure) : json_null());
    json_t *parts = json_array();
    bool good = object && json_object_set_new(object, "components", parts) == 0;
    if (!object) {
        json_decref(parts);
    }
    for (size_t i = 0; good && i < device->part_count; i++) {
        good = json_array_append_new(parts, part_make(&device->parts[i])) == 0;
    }
    if (good && device->processes_known) {
        good = processes_put(object, device);
    }
    if (!good) {
        json_decref(object);
        return NULL;
    }
    return object;
}

bool emit_json(FILE *to, const struct snapshot *snapshot)
{
    json_t *devices = json_array();
    json_t *object = json_pack("{s:f, s:o}", "time", (double)snapshot->time_ms / 1e3, "devices",
                               devices); /* takes the list, also when it fails */
    bool good = object != NULL;
    for (size_t i = 0; good && i < snapshot->device_count; i++) {
        good = json_array_append_new(devices, device_make(&snapshot->devices[i])) == 0;
    }
    good = good && json_dumpf(object, to, JSON_COMPACT | JSON_REAL_PRECISION(14)) == 0;
    json_decref(object);
    fputc('\n', to);
    return good && fflush(to) == 0 && !ferror(to);
}
