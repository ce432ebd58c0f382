/* Tells the user where threads are. */
#ifndef ZEDBG_REPORT_H
#define ZEDBG_REPORT_H

#include "print.h"
#include "run.h"
#include "view.h"

/* Prints why and where something stopped, and puts it into focus. `before`: where the thread was,
 * as report_place() returned it. */
bool report_stop(const struct run_result *result, const char *before);
/* Returns a text in scratch memory that differs if the thread in focus is in another function or
 * runs other work-items. */
const char *report_place(void);
/* Prints a frame: "weigh (value=13, distance=0) at stencil.cl:10". */
void report_frame(const struct view *view, const struct frame *frame);
/* Prints the line of the source at which a frame is. */
void report_line(const struct frame *frame);
/* Returns a work-item of the view as text: "work-item 13,0,0", or "" if none is known. */
const char *report_item(const struct view *view, uint64_t lane);
/* Returns a variable of a work-item as text. */
const char *report_variable(const struct view *view, const struct frame *frame, Dwarf_Die *variable,
                            enum style style);

#endif
