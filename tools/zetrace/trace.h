/* A trace, as it is told: what was read of a spool. */
#ifndef TOOLS_ZETRACE_TRACE_H
#define TOOLS_ZETRACE_TRACE_H

#include "tools/zetrace/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct trace_call {
    uint32_t process, thread; /* numbers of the system */
    const char *function;
    uint64_t begin, end;
    uint32_t result;
};

struct trace_command {
    uint32_t process;
    const char *name, *device; /* "copy", or of the kernel or function */
    struct zetrace_command record;
};

struct trace {
    struct trace_call *calls; /* in the order of their begins */
    size_t call_count, call_room;
    struct trace_command *commands; /* the same */
    size_t command_count, command_room;
    uint64_t untimed; /* commands whose times are not known */
    char **texts;     /* that names above point to */
    size_t text_count, text_room;
};

/* Reads all files of a spool. False, and a line on standard error, when there is no such folder or
 * no memory; files that are cut off are read as far as they go. */
bool trace_read(struct trace *trace, const char *folder);
void trace_finish(struct trace *trace);

/* Writes it in Chrome's format, which Perfetto reads. False when the stream took not all. */
bool trace_write_json(const struct trace *trace, FILE *to);

/* Calls, kernels, copies and fills: count, total, mean, least, most. False: no memory. */
bool trace_write_summary(const struct trace *trace, FILE *to);

#endif
