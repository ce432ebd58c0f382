/* Reads ZE_AFFINITY_MASK once, when the inventory is filled. See affinity.h. */
#include "driver/core/affinity.h"

#include "base/assert.h"
#include "base/log.h"

#include <string.h>

#define NO_PART UINT32_MAX

/* Converts a number of at most nine digits. Returns false for anything else. */
static bool number_parse(const char *text, size_t length, uint32_t *number)
{
    if (length == 0 || length > 9) {
        return false;
    }
    *number = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
        *number = *number * 10 + (uint32_t)(text[i] - '0');
    }
    return true;
}

/* Converts one entry "d" or "d.s" without blanks around it. */
static bool entry_parse(const char *text, size_t length, uint32_t *device, uint32_t *part)
{
    const char *dot = memchr(text, '.', length);
    size_t first = dot ? (size_t)(dot - text) : length;
    *part = NO_PART;
    return number_parse(text, first, device) &&
           (!dot || number_parse(dot + 1, length - first - 1, part));
}

static void entry_trim(const char **text, size_t *length)
{
    while (*length && (**text == ' ' || **text == '\t')) {
        (*text)++;
        (*length)--;
    }
    while (*length && ((*text)[*length - 1] == ' ' || (*text)[*length - 1] == '\t')) {
        (*length)--;
    }
}

static uint32_t parts_of(const struct geo_affinity_shape *shape, uint32_t device)
{
    GEO_ASSERT(device < shape->count);
    return shape->parts ? shape->parts[device] : 0;
}

static uint32_t leaves_of(const struct geo_affinity_shape *shape, uint32_t device)
{
    uint32_t parts = parts_of(shape, device);
    return parts ? parts : 1;
}

/* Adds the reason why an entry names nothing: it cannot be read, or the device or part does not
 * exist. */
static void entry_explain(const struct geo_affinity_shape *shape, const char *text, size_t length,
                          struct geo_strbuf *unnamed)
{
    uint32_t device, part;
    geo_strbuf_printf(unnamed, "%sentry \"%.*s\" names no device: ", unnamed->length ? "; " : "",
                      (int)(length < 64 ? length : 64), text);
    if (!entry_parse(text, length, &device, &part)) {
        geo_strbuf_printf(unnamed, "its form must be DEVICE or DEVICE.SUBDEVICE, in numbers");
    } else if (shape->count == 0) {
        geo_strbuf_printf(unnamed, "the driver has no devices");
    } else if (device >= shape->count) {
        geo_strbuf_printf(unnamed, "devices are numbered 0 to %u", shape->count - 1);
    } else if (parts_of(shape, device) == 0) {
        geo_strbuf_printf(unnamed, "device %u has no sub-devices", device);
    } else {
        geo_strbuf_printf(unnamed, "device %u has sub-devices 0 to %u", device,
                          parts_of(shape, device) - 1);
    }
}

/* Selects a device or a part. Returns false if it does not exist. */
static bool entry_select(const struct geo_affinity_shape *shape, uint32_t device, uint32_t part,
                         bool *selected)
{
    if (device >= shape->count || (part != NO_PART && part >= parts_of(shape, device))) {
        return false;
    }
    for (uint32_t i = 0; i < device; i++) {
        selected += leaves_of(shape, i);
    }
    if (part != NO_PART) {
        selected[part] = true;
        return true;
    }
    memset(selected, true, leaves_of(shape, device) * sizeof(*selected));
    return true;
}

uint32_t geo_affinity_select(const char *mask, const struct geo_affinity_shape *shape,
                             bool *selected, struct geo_strbuf *unnamed)
{
    bool all = !mask || *mask == '\0';
    uint32_t leaves = 0, chosen = 0;
    for (uint32_t i = 0; i < shape->count; i++) {
        leaves += leaves_of(shape, i);
    }
    memset(selected, all, leaves * sizeof(*selected));
    for (const char *at = mask; !all && at;) {
        const char *comma = strchr(at, ',');
        const char *text = at;
        size_t length = comma ? (size_t)(comma - at) : strlen(at);
        uint32_t device, part;
        entry_trim(&text, &length);
        if (!entry_parse(text, length, &device, &part) ||
            !entry_select(shape, device, part, selected)) {
            entry_explain(shape, text, length, unnamed);
        }
        at = comma ? comma + 1 : NULL;
    }
    for (uint32_t i = 0; i < leaves; i++) {
        chosen += selected[i];
    }
    GEO_ASSERT(chosen <= leaves);
    if (unnamed->length) {
        geo_log("driver", GEO_LOG_WARN, "ZE_AFFINITY_MASK: %s", geo_strbuf_text(unnamed));
    }
    return chosen;
}
