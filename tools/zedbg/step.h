/* Moves the thread in focus by lines of the source. Other threads stay stopped. */
#ifndef ZEDBG_STEP_H
#define ZEDBG_STEP_H

#include "run.h"
#include "view.h"

/* Runs to the beginning of another line at which the work-item in focus is not off. `into`: also of
 * a function that is called. If the kernel ends first, all threads continue. */
struct run_result step_line(const struct view *view, bool into);
/* Runs until the function in focus has returned. */
struct run_result step_out(const struct view *view);

#endif
