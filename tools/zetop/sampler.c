/* Snapshots of devices. See sampler.h; what differs by class is in class*.c. */
#include "sampler.h"

#include "class.h"
#include "process.h"
#include "text.h"
#include "words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By class; histories are of the metric beside them. */
static const struct {
    const struct part_ops *ops;
    enum metric_id history;
} classes[PART_CLASSES] = {
    [PART_ENGINE] = {&part_engine, M_ENGINE_UTILIZATION},
    [PART_MEMORY] = {&part_memory, M_MEMORY_USED},
    [PART_POWER] = {&part_power, M_POWER},
    [PART_FREQUENCY] = {&part_frequency, M_FREQUENCY},
    [PART_TEMPERATURE] = {&part_temperature, M_TEMPERATURE},
    [PART_FAN] = {&part_fan, M_FAN_SPEED},
    [PART_ERRORS] = {&part_errors, METRICS},
    [PART_PCI] = {&part_pci, M_PCI_RECEIVE_RATE},
    [PART_PSU] = {&part_psu, M_PSU_CURRENT},
    [PART_PORT] = {&part_port, M_PORT_RECEIVE_RATE},
};

const char *part_class_name(enum part_class kind)
{
    return classes[kind].ops->name;
}

const char *part_class_short_name(enum part_class kind)
{
    return classes[kind].ops->short_name;
}

/* ---- values ---- */

static struct value *value_add(struct reading *reading, struct part *part, enum metric_id metric,
                               const char *label)
{
    for (size_t i = 0; i < part->value_count; i++) { /* two of one name cannot be told apart */
        if (part->values[i].metric == metric &&
            (!label || strcmp(part->values[i].label, label) == 0)) {
            return NULL;
        }
    }
    if (part->value_count == part->value_room) {
        const size_t room = part->value_room ? 2 * part->value_room : 8;
        struct value *values = realloc(part->values, room * sizeof(*values));
        if (!values) {
            reading->out_of_memory = true;
            return NULL;
        }
        part->values = values;
        part->value_room = room;
    }
    struct value *value = &part->values[part->value_count++];
    *value = (struct value){.metric = metric, .label = label};
    return value;
}

void reading_number(struct reading *reading, struct part *part, enum metric_id metric,
                    const char *label, enum value_form form, uint64_t number)
{
    struct value *value = value_add(reading, part, metric, label);
    if (value) {
        value->form = form;
        value->number = number;
        value->real = (double)number / (form == VALUE_MICRO   ? 1e6
                                        : form == VALUE_MILLI ? 1e3
                                                              : 1.0);
    }
}

void reading_real(struct reading *reading, struct part *part, enum metric_id metric, double real)
{
    struct value *value = isfinite(real) ? value_add(reading, part, metric, NULL) : NULL;
    if (value) {
        value->form = VALUE_REAL;
        value->real = real;
    }
}

void reading_word(struct reading *reading, struct part *part, enum metric_id metric,
                  const char *word)
{
    struct value *value = value_add(reading, part, metric, word);
    if (value) {
        value->form = VALUE_WORD;
    }
}

void reading_rates(struct reading *reading, struct part *part, enum metric_id first,
                   enum metric_id second, const struct change *change)
{
    reading_real(reading, part, first, 1e6 * (double)change->first / (double)change->time);
    reading_real(reading, part, second, 1e6 * (double)change->second / (double)change->time);
}

bool counter_step(struct counter *before, unsigned bits, uint64_t first, uint64_t second,
                  uint64_t time, struct change *change)
{
    const uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    const struct counter old = *before;
    *before = (struct counter){true, first, second, time};
    if (!old.known || time <= old.time ||
        (bits >= 64 && (first < old.first || second < old.second))) {
        return false;
    }
    *change =
        (struct change){(first - old.first) & mask, (second - old.second) & mask, time - old.time};
    return true;
}

/* ---- what is refused ---- */

static void device_refuses(struct device *device, const char *what, ze_result_t result)
{
    const char *text = NULL;
    char whole[DEVICE_FAILURE];
    device->lost |= result == ZE_RESULT_ERROR_DEVICE_LOST;
    if (*device->failure) {
        return; /* one is enough, and the first tells most */
    }
    if (device->driver->error &&
        device->driver->error(device->driver->handle, &text) != ZE_RESULT_SUCCESS) {
        text = NULL;
    }
    snprintf(whole, sizeof(whole), "%s: %s%s%s", what,
             word_of(&words_ze_result_t, (uint32_t)result), text && *text ? ": " : "",
             text ? text : "");
    text_copy(device->failure, sizeof(device->failure), whole);
}

bool reading_has(struct reading *reading, const struct part *part, ze_result_t result)
{
    if (result != ZE_RESULT_SUCCESS && result != ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) {
        device_refuses(reading->device, part_class_name(part->kind), result);
    }
    return result == ZE_RESULT_SUCCESS;
}

/* ---- parts ---- */

static bool part_add(struct device *device, enum part_class kind, void *handle, uint32_t index)
{
    if (device->part_count == device->part_room) {
        const size_t room = device->part_room ? 2 * device->part_room : 8;
        struct part *parts = realloc(device->parts, room * sizeof(*parts));
        if (!parts) {
            return false;
        }
        device->parts = parts;
        device->part_room = room;
    }
    struct part part = {.kind = kind, .index = index, .handle = handle, .type = "other"};
    const ze_result_t result = classes[kind].ops->describe(&part);
    if (result == ZE_RESULT_SUCCESS) {
        device->parts[device->part_count++] = part;
    } else if (result != ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) {
        device_refuses(device, classes[kind].ops->name, result);
    }
    return true;
}

/* False: memory ran out. */
static bool class_find(struct device *device, enum part_class kind)
{
    const struct part_ops *ops = classes[kind].ops;
    uint32_t count = 0;
    if (!ops->enumerate) {
        return part_add(device, kind, device->handle, 0);
    }
    ze_result_t result = ops->enumerate(device->handle, &count, NULL);
    void **handles = result == ZE_RESULT_SUCCESS && count ? calloc(count, sizeof(*handles)) : NULL;
    if (handles) {
        result = ops->enumerate(device->handle, &count, handles);
    }
    if (result != ZE_RESULT_SUCCESS && result != ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) {
        device_refuses(device, ops->name, result);
    }
    bool good = handles || count == 0 || result != ZE_RESULT_SUCCESS;
    for (uint32_t i = 0; good && handles && result == ZE_RESULT_SUCCESS && i < count; i++) {
        good = part_add(device, kind, handles[i], i);
    }
    free(handles);
    return good;
}

static bool device_find_parts(struct device *device)
{
    for (int kind = 0; kind < PART_CLASSES; kind++) {
        if (!class_find(device, (enum part_class)kind)) {
            return false;
        }
    }
    device->described = true;
    return true;
}

static bool history_add(struct part *part)
{
    const enum metric_id metric = classes[part->kind].history;
    const struct value *value = metric < METRICS ? part_value(part, metric) : NULL;
    if (!part->history && !value) {
        return true;
    }
    if (!part->history) {
        part->history = calloc(1, sizeof(*part->history));
    }
    struct history *history = part->history;
    if (history) {
        history->values[history->next] = value ? (float)value->real : NAN;
        history->next = (history->next + 1) % HISTORY_LENGTH;
        history->count += history->count < HISTORY_LENGTH;
    }
    return history != NULL;
}

bool sampler_take(struct device *device)
{
    struct reading reading = {.device = device};
    device->failure[0] = '\0';
    device->lost = false;
    if (!device->described && !device_find_parts(device)) {
        return false;
    }
    for (size_t i = 0; i < device->part_count && !reading.out_of_memory; i++) {
        struct part *part = &device->parts[i];
        part->value_count = 0;
        classes[part->kind].ops->read(&reading, part);
        reading.out_of_memory |= !history_add(part);
    }
    const ze_result_t result = processes_read(device);
    if (result != ZE_RESULT_SUCCESS && result != ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) {
        device_refuses(device, "processes", result);
    }
    return !reading.out_of_memory;
}

bool sampler_take_all(struct sampler *sampler)
{
    for (size_t i = 0; i < sampler->device_count; i++) {
        if (!sampler_take(&sampler->devices[i])) {
            return false;
        }
    }
    return true;
}
