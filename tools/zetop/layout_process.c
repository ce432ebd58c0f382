/* The table of processes. See view.h. */
#include "format.h"
#include "process.h"
#include "view.h"

#include <stdio.h>
#include <stdlib.h>

enum { PID_WIDTH = 9, MEMORY_WIDTH = 11, NAME_LEAST = 12, NAME_MOST = 24 };

static void head_draw(const struct view *view, struct canvas *canvas, int row, int name)
{
    static const char *const orders[ORDERS] = {"memory", "shared", "pid", "name"};
    char text[80];
    int at = PID_WIDTH + 1;
    snprintf(text, sizeof(text), "processes by %s%s%s%s", orders[view->order],
             view->reverse ? ", reversed" : "", *view->filter ? ", with " : "", view->filter);
    canvas_text(canvas, row, 1, canvas->width - 1, STYLE_FAINT, text);
    row++;
    canvas_right(canvas, row, 0, PID_WIDTH, STYLE_HEAD, "PID");
    canvas_text(canvas, row, at, name, STYLE_HEAD, "NAME");
    at += name;
    canvas_right(canvas, row, at, MEMORY_WIDTH, STYLE_HEAD, "MEMORY");
    at += MEMORY_WIDTH;
    if (at + MEMORY_WIDTH <= canvas->width) {
        canvas_right(canvas, row, at, MEMORY_WIDTH, STYLE_HEAD, "SHARED");
        at += MEMORY_WIDTH + 2;
        canvas_text(canvas, row, at, canvas->width - at, STYLE_HEAD, "ENGINES");
    }
}

static void process_draw(const struct process *process, struct canvas *canvas, int row, int name)
{
    char text[80];
    int at = PID_WIDTH + 1;
    snprintf(text, sizeof(text), "%u", process->pid);
    canvas_right(canvas, row, 0, PID_WIDTH, STYLE_PLAIN, text);
    canvas_text(canvas, row, at, name - 1, STYLE_PLAIN, process->name);
    at += name;
    format_bytes((double)process->memory, "", text);
    canvas_right(canvas, row, at, MEMORY_WIDTH, STYLE_PLAIN, text);
    at += MEMORY_WIDTH;
    if (at + MEMORY_WIDTH <= canvas->width) {
        format_bytes((double)process->shared, "", text);
        canvas_right(canvas, row, at, MEMORY_WIDTH, STYLE_PLAIN, text);
        at += MEMORY_WIDTH + 2;
        process_engines(process, text, sizeof(text));
        canvas_text(canvas, row, at, canvas->width - at, STYLE_FAINT, text);
    }
}

void processes_draw(struct view *view, struct canvas *canvas, int top, int bottom)
{
    const struct device *device = &view->devices[view->device];
    const int spare = canvas->width - PID_WIDTH - 1 - 2 * MEMORY_WIDTH - 2 - 12;
    const int name = spare < NAME_LEAST ? NAME_LEAST : spare < NAME_MOST ? spare : NAME_MOST;
    if (!device->processes_known) {
        canvas_text(canvas, top, 1, canvas->width - 1, STYLE_FAINT, "processes: -");
        return;
    }
    const struct process **list = calloc(device->process_count + 1, sizeof(*list));
    if (!list) {
        return; /* the next drawing may have the memory */
    }
    const size_t count = view_processes(view, device, list);
    head_draw(view, canvas, top, name);
    view->process_room = bottom - top > 2 ? (size_t)(bottom - top - 2) : 0;
    view->process_total = count;
    view->process_top = view_top(view->process_top, count, view->process_room, SIZE_MAX);
    for (size_t i = 0; i < view->process_room && view->process_top + i < count; i++) {
        process_draw(list[view->process_top + i], canvas, top + 2 + (int)i, name);
    }
    free(list);
}
