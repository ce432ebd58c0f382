/* The overview: a line for each device. See view.h. */
#include "format.h"
#include "view.h"

#include <math.h>
#include <stdio.h>

/* Columns, in the order in which they are given room; the graph takes what is left. */
enum column { UTILIZATION, MEMORY, POWER, TEMPERATURE, FREQUENCY, FAN, PROCESSES, COLUMNS };
static const struct {
    const char *head;
    int width;
} columns[COLUMNS] = {
    [UTILIZATION] = {"UTIL", 7}, [MEMORY] = {"MEM", 7},     [POWER] = {"POWER", 9},
    [TEMPERATURE] = {"TEMP", 7}, [FREQUENCY] = {"FREQ", 9}, [FAN] = {"FAN", 7},
    [PROCESSES] = {"PROC", 6},
};

enum { NUMBER_WIDTH = 5, NAME_LEAST = 14, NAME_MOST = 32, GRAPH_LEAST = 8 };

static void number_format(double number, const char *format, char text[FORMAT_TEXT])
{
    if (isnan(number)) {
        snprintf(text, FORMAT_TEXT, "-");
    } else {
        snprintf(text, FORMAT_TEXT, format, number); /* NOLINT(*-nonliteral) */
    }
}

static void column_format(const struct device *device, const struct headline *headline,
                          enum column column, char text[FORMAT_TEXT])
{
    switch (column) {
    case UTILIZATION:
        number_format(100 * headline->utilization, "%.1f%%", text);
        break;
    case MEMORY:
        number_format(100 * headline->memory_used / headline->memory_size, "%.1f%%", text);
        break;
    case POWER:
        number_format(headline->watts, "%.1f W", text);
        break;
    case TEMPERATURE:
        number_format(headline->celsius, "%.0f C", text);
        break;
    case FREQUENCY:
        number_format(headline->hertz / 1e6, "%.0f MHz", text);
        break;
    case FAN:
        number_format(100 * headline->fan_ratio, "%.0f%%", text);
        break;
    default:
        number_format(device->processes_known ? (double)device->process_count : NAN, "%.0f", text);
        break;
    }
}

static enum style column_style(const struct headline *headline, enum column column)
{
    return column == UTILIZATION ? view_style(headline->utilization)
           : column == MEMORY    ? view_style(headline->memory_used / headline->memory_size)
                                 : STYLE_PLAIN;
}

/* How many columns fit, and how wide the name can be. */
static int columns_fit(int width, int *name)
{
    int count = 0, used = NUMBER_WIDTH + 1 + NAME_LEAST;
    while (count < COLUMNS && used + columns[count].width <= width) {
        used += columns[count++].width;
    }
    const int spare = width - used;
    const int more = spare > GRAPH_LEAST + 1 ? (spare - GRAPH_LEAST - 1) / 2 : spare;
    *name = NAME_LEAST + (more < NAME_MOST - NAME_LEAST ? more : NAME_MOST - NAME_LEAST);
    return count;
}

static void device_line(const struct device *device, struct canvas *canvas, int row, int count,
                        int name, bool chosen)
{
    const struct headline headline = device_headline(device);
    char text[DEVICE_TEXT + 16];
    int at = NUMBER_WIDTH + 1;
    snprintf(text, sizeof(text), "%u", device->index);
    canvas_right(canvas, row, 0, NUMBER_WIDTH, STYLE_PLAIN, text);
    snprintf(text, sizeof(text), "%s%s%s", device->lost ? "(lost) " : "",
             device->simulated ? "(sim) " : "", device->name);
    canvas_text(canvas, row, at, name - 1, device->lost ? STYLE_BAD : STYLE_PLAIN, text);
    at += name;
    for (int i = 0; i < count; i++) {
        column_format(device, &headline, (enum column)i, text);
        canvas_right(canvas, row, at, columns[i].width, column_style(&headline, (enum column)i),
                     text);
        at += columns[i].width;
    }
    canvas_graph(canvas, row, at + 1, canvas->width - at - 1, view_style(headline.utilization),
                 device_history(device), 1);
    if (chosen) {
        canvas_style(canvas, row, STYLE_TITLE);
    }
}

void overview_draw(struct view *view, struct canvas *canvas, int top, int bottom)
{
    int name, at;
    const int count = columns_fit(canvas->width, &name);
    canvas_right(canvas, top, 0, NUMBER_WIDTH, STYLE_HEAD, "#");
    at = NUMBER_WIDTH + 1;
    canvas_text(canvas, top, at, name, STYLE_HEAD, "NAME");
    at += name;
    for (int i = 0; i < count; i++) {
        canvas_right(canvas, top, at, columns[i].width, STYLE_HEAD, columns[i].head);
        at += columns[i].width;
    }
    view->device_room = (size_t)(bottom - top - 1);
    view->device_top =
        view_top(view->device_top, view->device_count, view->device_room, view->device);
    for (size_t i = 0; i < view->device_room && view->device_top + i < view->device_count; i++) {
        const size_t index = view->device_top + i;
        device_line(&view->devices[index], canvas, top + 1 + (int)i, count, name,
                    index == view->device);
    }
}
