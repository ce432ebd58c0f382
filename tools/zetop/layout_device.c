/* The page of one device: its parts, and below them its processes. See view.h. */
#include "format.h"
#include "view.h"

#include <stdio.h>

/* Rows of processes that are kept free, with their heading. */
enum { PROCESS_ROWS = 4 };

static void identity_draw(const struct device *device, struct canvas *canvas, int row)
{
    char text[4 * DEVICE_TEXT];
    snprintf(text, sizeof(text), "%s  %s  driver %s", device->uuid, device->vendor,
             device->version);
    canvas_text(canvas, row, 1, canvas->width - 1, STYLE_FAINT, text);
}

/* Parts that have values; the others are of no use to anybody. */
static size_t parts_shown(const struct device *device)
{
    size_t count = 0;
    for (size_t i = 0; i < device->part_count; i++) {
        count += device->parts[i].value_count > 0;
    }
    return count;
}

static void parts_draw(struct view *view, struct canvas *canvas, int top)
{
    const struct device *device = &view->devices[view->device];
    size_t skip = view->part_top, row = 0;
    for (size_t i = 0; i < device->part_count && row < view->part_room; i++) {
        if (device->parts[i].value_count == 0) {
            continue;
        }
        if (skip > 0) {
            skip--;
            continue;
        }
        part_draw(&device->parts[i], canvas, top + (int)row++);
    }
}

void device_draw(struct view *view, struct canvas *canvas, int top, int bottom)
{
    const struct device *device = &view->devices[view->device];
    const size_t shown = parts_shown(device);
    if (bottom - top > 2 * PROCESS_ROWS + 2) {
        identity_draw(device, canvas, top++);
    }
    const size_t wanted =
        device->process_count + 2 < PROCESS_ROWS ? device->process_count + 2 : PROCESS_ROWS;
    const size_t rows = (size_t)(bottom - top) - wanted;
    view->part_room = shown < rows ? shown : rows;
    view->part_total = shown;
    view->part_top = view_top(view->part_top, shown, view->part_room, SIZE_MAX);
    parts_draw(view, canvas, top);
    if (shown == 0) {
        canvas_text(canvas, top++, 1, canvas->width - 1, STYLE_FAINT,
                    "this device has no known values");
    }
    top += (int)view->part_room;
    if (shown > view->part_room) {
        char text[48];
        snprintf(text, sizeof(text), "%s%zu-%zu of %zu",
                 canvas->width < 60 ? "" : "PgUp PgDn: ", view->part_top + 1,
                 view->part_top + view->part_room, shown);
        canvas_right(canvas, top, 0, canvas->width - 1, STYLE_FAINT, text);
    }
    processes_draw(view, canvas, top, bottom);
}
