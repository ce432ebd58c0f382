/* Values as text. See format.h. */
#include "format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The end of a metric's name is its unit; the first that fits. */
static const struct unit {
    const char *end;
    double factor;
    int digits; /* after the point; -1: as many as are there */
    const char *text;
} units[] = {
    {"_ratio", 100, 1, "%"},       {"_bytes_per_second", 0, 0, "/s"}, /* factor 0: bytes */
    {"_bytes_total", 0, 0, ""},    {"_bytes", 0, 0, ""},
    {"_joules_total", 1, 1, " J"}, {"_seconds_total", 1, 1, " s"},
    {"_total", 1, 0, ""},          {"_watts", 1, 1, " W"},
    {"_hertz", 1e-6, 0, " MHz"},   {"_celsius", 1, 1, " C"},
    {"_rpm", 1, 0, " rpm"},        {"_volts", 1, 3, " V"},
    {"_amperes", 1, 2, " A"},
};

static const struct unit *unit_of(const char *name)
{
    static const struct unit plain = {"", 1, -1, ""};
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        const size_t end = strlen(units[i].end);
        if (length > end && strcmp(name + length - end, units[i].end) == 0) {
            return &units[i];
        }
    }
    return &plain;
}

/* A number of 10^-digits without zeros at its end. */
static void decimal_print(uint64_t number, int digits, char *text, size_t size)
{
    uint64_t scale = 1;
    for (int i = 0; i < digits; i++) {
        scale *= 10;
    }
    uint64_t part = number % scale;
    for (; digits > 0 && part % 10 == 0; digits--) {
        part /= 10;
    }
    if (digits == 0) {
        snprintf(text, size, "%" PRIu64, number / scale);
    } else {
        snprintf(text, size, "%" PRIu64 ".%0*" PRIu64, number / scale, digits, part);
    }
}

void format_exact(const struct value *value, char text[FORMAT_TEXT])
{
    switch (value->form) {
    case VALUE_INTEGER:
        decimal_print(value->number, 0, text, FORMAT_TEXT);
        break;
    case VALUE_MILLI:
        decimal_print(value->number, 3, text, FORMAT_TEXT);
        break;
    case VALUE_MICRO:
        decimal_print(value->number, 6, text, FORMAT_TEXT);
        break;
    case VALUE_REAL:
        snprintf(text, FORMAT_TEXT, "%.10g", value->real);
        break;
    case VALUE_WORD:
        snprintf(text, FORMAT_TEXT, "%s", value->label);
        break;
    }
}

void format_bytes(double bytes, const char *end, char text[FORMAT_TEXT])
{
    static const char prefixes[] = "KMGTPE";
    int prefix = -1;
    while (bytes >= 1024 && prefix < 5) {
        bytes /= 1024;
        prefix++;
    }
    if (prefix < 0) {
        snprintf(text, FORMAT_TEXT, "%.0f B%s", bytes, end);
    } else {
        snprintf(text, FORMAT_TEXT, "%.1f %ciB%s", bytes, prefixes[prefix], end);
    }
}

/* Words of names are tied by underlines. */
static void text_blanks(char *text)
{
    for (; *text; text++) {
        *text = *text == '_' ? ' ' : *text;
    }
}

void format_short(const struct value *value, char text[FORMAT_TEXT])
{
    const struct unit *unit = unit_of(metrics[value->metric].name);
    if (value->form == VALUE_WORD || unit->digits < 0) {
        format_exact(value, text);
        text_blanks(text);
    } else if (unit->factor == 0) {
        format_bytes(value->real, unit->text, text);
    } else {
        snprintf(text, FORMAT_TEXT, "%.*f%s", unit->digits, value->real * unit->factor, unit->text);
    }
}

void format_name(const struct part *part, const struct value *value, char text[FORMAT_TEXT])
{
    const struct metric *metric = &metrics[value->metric];
    const char *class = part_class_name(part->kind);
    const char *name = metric->name;
    const size_t length = strlen(class);
    if (strncmp(name, class, length) == 0 && name[length] == '_') {
        name += length + 1;
    }
    int cut = (int)(strlen(name) - strlen(unit_of(metric->name)->end));
    if (cut <= 0) { /* "power_watts" */
        name = "now";
        cut = 3;
    }
    const char *label = value->label && value->form != VALUE_WORD ? value->label : "";
    if (metric->part == PART_ERRORS) {
        snprintf(text, FORMAT_TEXT, "%s", label);
    } else {
        snprintf(text, FORMAT_TEXT, "%.*s%s%s", cut, name, *label ? " " : "", label);
    }
    text_blanks(text);
}

void format_part(const struct part *part, char text[FORMAT_TEXT])
{
    char subdevice[16] = "";
    const bool typed = strcmp(part->type, part_class_name(part->kind)) != 0;
    if (part->subdevice >= 0) {
        snprintf(subdevice, sizeof(subdevice), ".%d", part->subdevice);
    }
    snprintf(text, FORMAT_TEXT, "%s %u%s%s%s", part_class_short_name(part->kind), part->index,
             typed ? " " : "", typed ? part->type : "", subdevice);
    text_blanks(text);
}
