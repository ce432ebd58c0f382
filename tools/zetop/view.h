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
    /* Set by layouts: how many lines there are to show, and are shown. */
    size_t part_total, process_total;
    size_t device_room, part_room, process_room;
};

/* keys.c: a character or one of enum key. */
void view_key(struct view *view, uint32_t key);

/* layout.c: all of the screen, or that it is too small. */
void view_draw(struct view *view, struct canvas *canvas);

/* layout_overview.c, layout_device.c, layout_process.c: parts of it, in rows [top, bottom). */
void overview_draw(struct view *view, struct canvas *canvas, int top, int bottom);
void device_draw(struct view *view, struct canvas *canvas, int top, int bottom);
void processes_draw(struct view *view, struct canvas *canvas, int top, int bottom);

/* layout.c: keeps the first line shown in range, and `chosen` visible where it is below `count`. */
size_t view_top(size_t top, size_t count, size_t room, size_t chosen);

/* layout.c: how bad a share of the possible is. */
enum style view_style(double share);

/* processes.c: those that the filter leaves, in order. The list has room for all of the device's.
 */
size_t view_processes(const struct view *view, const struct device *device,
                      const struct process **list);

/* layout_part.c: a part in one line. */
void part_draw(const struct part *part, struct canvas *canvas, int row);

#endif
