/* The API as data: names of result codes, enumerators and flags. */
#include <stdio.h>
#include <string.h>

#include "ddi/geo_ddi_internal.h"

static const struct geo_ddi_result *result_find(ze_result_t result)
{
    for (size_t i = 0; i < geo_ddi_result_count; i++) {
        if (geo_ddi_results[i].value == result) {
            return &geo_ddi_results[i];
        }
    }
    return NULL;
}

const char *geo_ddi_result_name(ze_result_t result)
{
    const struct geo_ddi_result *r = result_find(result);
    return r ? r->name : "ZE_RESULT_?";
}

const char *geo_ddi_result_text(ze_result_t result)
{
    const struct geo_ddi_result *r = result_find(result);
    return r ? r->text : "a code that Level Zero does not have";
}

const struct geo_ddi_enum *geo_ddi_enum_find(const char *type)
{
    for (size_t i = 0; i < GEO_DDI_ENUM_COUNT; i++) {
        const struct geo_ddi_enum *e = &geo_ddi_enums[i];
        if (strcmp(e->name, type) == 0 || (e->flags && strcmp(e->flags, type) == 0)) {
            return e;
        }
    }
    return NULL;
}

const char *geo_ddi_enum_value_name(const struct geo_ddi_enum *e, int64_t value)
{
    const struct geo_ddi_value *values = &geo_ddi_values[e->value_first];
    for (size_t i = 0; i < e->value_count; i++) {
        if (values[i].value == value) {
            return values[i].name;
        }
    }
    return NULL;
}

const char *geo_ddi_enum_name(const char *type, int64_t value)
{
    const struct geo_ddi_enum *e = geo_ddi_enum_find(type);
    return e ? geo_ddi_enum_value_name(e, value) : NULL;
}

/* A text in a buffer of fixed size. `length` also counts the characters that did not fit. */
struct output {
    char *buffer;
    size_t size;
    size_t length;
};

static void output_add(struct output *out, const char *text)
{
    const size_t count = strlen(text);
    if (out->length < out->size) {
        const size_t room = out->size - out->length - 1;
        const size_t part = count < room ? count : room;
        memcpy(out->buffer + out->length, text, part);
        out->buffer[out->length + part] = '\0';
    }
    out->length += count;
}

static void output_add_part(struct output *out, const char *text)
{
    if (out->length != 0) {
        output_add(out, " | ");
    }
    output_add(out, text);
}

size_t geo_ddi_flags_format(const char *type, uint64_t bits, char *buffer, size_t size)
{
    struct output out = {buffer, size, 0};
    const struct geo_ddi_enum *e = geo_ddi_enum_find(type);
    uint64_t rest = bits;
    if (size != 0) {
        buffer[0] = '\0';
    }
    for (size_t i = 0; e && e->flags && i < e->value_count; i++) {
        const struct geo_ddi_value *value = &geo_ddi_values[e->value_first + i];
        const uint64_t bit = (uint32_t)value->value & e->mask;
        if (bit != (uint32_t)value->value || (rest & bit) != bit || bit == 0) {
            continue; /* not a single flag, not set, or already printed */
        }
        rest &= ~bit;
        output_add_part(&out, value->name);
    }
    if (rest != 0 || bits == 0) {
        char number[24];
        snprintf(number, sizeof(number), rest ? "0x%llx" : "%llu", (unsigned long long)rest);
        output_add_part(&out, number);
    }
    return out.length;
}
