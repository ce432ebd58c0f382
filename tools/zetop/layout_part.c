/* A part in one line: what it is, its first value, a graph, what else is known. See view.h. */
#include "format.h"
#include "view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The value at the front, the one that full height of the graph stands for (or a number), and what
 * is told besides, by class. */
static const struct {
    enum metric_id first, full;
    double scale;
    enum metric_id details[6]; /* METRICS: no more */
} lines[PART_CLASSES] = {
    [PART_ENGINE] = {M_ENGINE_UTILIZATION, METRICS, 1, {M_ENGINE_ACTIVE, METRICS}},
    [PART_MEMORY] = {M_MEMORY_USED,
                     M_MEMORY_SIZE,
                     0,
                     {M_MEMORY_SIZE, M_MEMORY_BANDWIDTH, M_MEMORY_READ_RATE, M_MEMORY_WRITE_RATE,
                      M_MEMORY_HEALTH, METRICS}},
    [PART_POWER] = {M_POWER, M_POWER_LIMIT, 0, {M_POWER_LIMIT, M_POWER_ENERGY, METRICS}},
    [PART_FREQUENCY] = {M_FREQUENCY,
                        M_FREQUENCY_HARDWARE_MAX,
                        0,
                        {M_FREQUENCY_THROTTLE, M_FREQUENCY_REQUEST, M_FREQUENCY_MIN,
                         M_FREQUENCY_MAX, M_FREQUENCY_VOLTAGE, METRICS}},
    [PART_TEMPERATURE] = {M_TEMPERATURE, M_TEMPERATURE_MAX, 0, {M_TEMPERATURE_MAX, METRICS}},
    [PART_FAN] = {M_FAN_SPEED, M_FAN_MAX, 0, {M_FAN_RATIO, M_FAN_MAX, M_FAN_MODE, METRICS}},
    [PART_ERRORS] = {METRICS, METRICS, 0, {METRICS}},
    [PART_PCI] = {M_PCI_RECEIVE_RATE,
                  M_PCI_MAX_RATE,
                  0,
                  {M_PCI_SEND_RATE, M_PCI_GENERATION, M_PCI_WIDTH, M_PCI_REPLAYS, METRICS}},
    [PART_PSU] = {M_PSU_CURRENT, METRICS, 0, {M_PSU_STATUS, M_PSU_TEMPERATURE, METRICS}},
    [PART_PORT] = {M_PORT_RECEIVE_RATE, METRICS, 0, {M_PORT_SEND_RATE, M_PORT_STATUS, METRICS}},
};

/* Returns the highest value of a graph, which is the scale if the maximum is unknown. */
static double history_highest(const struct history *history)
{
    double highest = 0;
    for (uint32_t i = 0; history && i < history->count; i++) {
        highest = fmax(highest, (double)history->values[i]);
    }
    return highest;
}

static void detail_add(const struct part *part, const struct value *value, char *text, size_t size)
{
    char name[FORMAT_TEXT], number[FORMAT_TEXT];
    const size_t used = strlen(text);
    format_name(part, value, name);
    format_short(value, number);
    snprintf(text + used, size - used, "%s%s %s", used ? ", " : "", name, number);
}

static void details_make(const struct part *part, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < 6 && lines[part->kind].details[i] != METRICS; i++) {
        for (size_t j = 0; j < part->value_count; j++) {
            if (part->values[j].metric == lines[part->kind].details[i] &&
                !(part->values[j].label && strcmp(part->values[j].label, "none") == 0)) {
                detail_add(part, &part->values[j], text, size);
            }
        }
    }
}

/* Error counters are summed up, and those that are not 0 told of. */
static double errors_make(const struct part *part, char *number, char *text, size_t size)
{
    double sum = 0;
    text[0] = '\0';
    for (size_t i = 0; i < part->value_count; i++) {
        const struct value *value = &part->values[i];
        sum += value->real;
        if (value->number) {
            detail_add(part, value, text, size);
        }
    }
    snprintf(number, FORMAT_TEXT, "%.0f", sum);
    return sum;
}

/* Full height of the graph; *share of the first value in it, where the maximum is known. */
static double part_scale(const struct part *part, const struct value *first, double *share)
{
    const struct value *full =
        lines[part->kind].full < METRICS ? part_value(part, lines[part->kind].full) : NULL;
    const double scale = full ? full->real : lines[part->kind].scale;
    *share = first && scale > 0 ? first->real / scale : NAN;
    return scale > 0 ? scale : history_highest(part->history);
}

static enum style part_style(const struct part *part, const struct value *first, double share)
{
    if (!first) {
        return STYLE_FAINT;
    }
    /* A high frequency is what one wants. */
    return isnan(share) || part->kind == PART_FREQUENCY ? STYLE_GOOD : view_style(share);
}

void part_draw(const struct part *part, struct canvas *canvas, int row)
{
    char label[FORMAT_TEXT], number[FORMAT_TEXT] = "-", details[200];
    const int wide = canvas->width;
    const int label_width = wide < 60 ? 16 : 26;
    const int graph_width = wide < 60 ? wide - label_width - 13 : wide / 4;
    const enum metric_id id = lines[part->kind].first;
    const struct value *first = id < METRICS ? part_value(part, id) : NULL;
    double share;
    const double scale = part_scale(part, first, &share);
    enum style style = part_style(part, first, share);
    format_part(part, label);
    canvas_text(canvas, row, 1, label_width - 1, STYLE_PLAIN, label);
    if (part->kind == PART_ERRORS) {
        const bool any = errors_make(part, number, details, sizeof(details)) > 0;
        style = !any ? STYLE_GOOD : strcmp(part->type, "correctable") == 0 ? STYLE_HIGH : STYLE_BAD;
    } else {
        details_make(part, details, sizeof(details));
    }
    if (first) {
        format_short(first, number);
    }
    canvas_right(canvas, row, label_width, 11, style, number);
    int at = label_width + 12;
    if (part->history) {
        canvas_graph(canvas, row, at, graph_width, style, part->history, scale);
        at += graph_width + 2;
    } else if (wide >= 60) {
        at += graph_width + 2;
    }
    canvas_text(canvas, row, at, wide - at, STYLE_FAINT, details);
}
