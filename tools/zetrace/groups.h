/* Groups of metrics of the devices of this machine, asked for in zetrace's own process. */
#ifndef TOOLS_ZETRACE_GROUPS_H
#define TOOLS_ZETRACE_GROUPS_H

#include <stdbool.h>
#include <stdio.h>

/* Lists the groups and their metrics. Returns false after a line on standard error if drivers do
 * not start. */
bool groups_list(FILE *to);

/* Returns whether a device has a group for kernels, or for samples over time. Prints the groups
 * that there are to standard error if none has it. */
bool groups_have(const char *name, bool samples);

#endif
