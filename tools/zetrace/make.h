/* From what was recorded to the trace. */
#ifndef TOOLS_ZETRACE_MAKE_H
#define TOOLS_ZETRACE_MAKE_H

#include "roofline.h"

#include <stdbool.h>

/* Writes the trace of a spool to `output` and, where `table`, the table to standard error. False,
 * and a line there, when it is not all there. `times` and `operations` get those of kernels; either
 * may be NULL. */
bool trace_make(const char *folder, const char *output, bool table, struct roofline *times,
                struct roofline *operations);

#endif
