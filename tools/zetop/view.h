/* The view: the state that keys change and layouts draw. It does not depend on a terminal. */
#ifndef ZETOP_VIEW_H
#define ZETOP_VIEW_H

#include "canvas.h"
#include "sample.h"

enum page { PAGE_OVERVIEW, PAGE_DEVICE };

enum process_order { ORDER_MEMORY, ORDER_SHARED, ORDER_PID, ORDER_NAME, ORDERS };

/* Keys other than characters. */
enum key {
    KEY_OF_UP = 0x110000,
    KEY_OF_DOWN,
    KEY_OF_LEFT,
    KEY_OF_RIGHT,
    KEY_OF_PAGE_UP,
    KEY_OF_PAGE_DOWN,
    KEY_OF_HOME,
    KEY_OF_END,
    KEY_OF_ENTER,
    KEY_OF_BACKSPACE,
    KEY_OF_ESCAPE,
    KEY_OF_HELP,
};

enum { FILTER_TEXT = 32, VIEW_MIN_WIDTH = 40, VIEW_MIN_HEIGHT = 10 };

struct view {
    const struct device *devices;
    size_t device_count;
    enum page page;
    bool help;
    size_t device;                            /* chosen */
    size_t device_top, part_top, process_top; /* first lines shown */
    enum process_order order;
    bool reverse;
    bool typing; /* the filter */
    char filter[FILTER_TEXT];
    bool quit, sample_now;
    double delay; /* seconds */
    /* Set by the layouts, in lines: how many there are (`total`), and how many fit on the screen
     * (`room`). */
    size_t part_total, process_total;
    size_t device_room, part_room, process_room;
};

/* Handles a key: a character or one of enum key. (keys.c) */
void view_key(struct view *view, uint32_t key);

/* Draws the whole screen, or only a line that the screen is too small. (layout.c) */
void view_draw(struct view *view, struct canvas *canvas);

/* Draw one page each, in rows [top, bottom) of the canvas. (layout_overview.c, layout_device.c,
 * layout_process.c) */
void overview_draw(struct view *view, struct canvas *canvas, int top, int bottom);
void device_draw(struct view *view, struct canvas *canvas, int top, int bottom);
void processes_draw(struct view *view, struct canvas *canvas, int top, int bottom);

/* Returns the first of `count` lines to show in `room` rows: `top`, or the nearest line for which
 * the rows are full and line `chosen` is visible. Without a choice, `chosen` is at least `count`.
 * (layout.c) */
size_t view_top(size_t top, size_t count, size_t room, size_t chosen);

/* Returns the style of a value by its share of the maximum: good below 0.6, high below 0.85, bad
 * above; faint if it is NAN. (layout.c) */
enum style view_style(double share);

/* Fills `list` with the processes that the filter leaves, in the order of the view, and returns
 * their number. The list must have room for all processes of the device. (processes.c) */
size_t view_processes(const struct view *view, const struct device *device,
                      const struct process **list);

/* Draws a part in one line. (layout_part.c) */
void part_draw(const struct part *part, struct canvas *canvas, int row);

#endif
