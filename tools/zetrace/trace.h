/* A trace while it is made: a spool (record.h) is read file by file, chunk by chunk, and what it
 * says goes on to who writes it. Nothing but names and one line of the table for each is kept.
 *
 *     spool --> read.c --+-- calls -----------------------------+--> json.c      the trace
 *                        |                                      |
 *                        +-- commands --> sort.c, by begin -----+--> summary.c   the table
 *                        |                (in a file)          |
 *                        '-- values of metrics ----------------+--> metrics.c   their table
 */
#ifndef TOOLS_ZETRACE_TRACE_H
#define TOOLS_ZETRACE_TRACE_H

#include "tools/zetrace/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Texts are kept by read.c: one that is the same has the same address. */
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

/* A value of a metric: of a kernel, or a sample of a device. */
struct trace_value {
    uint32_t process;
    const char *kernel; /* NULL: a sample */
    const char *device;
    const char *metric; /* the text of enum zetrace_kind */
    uint32_t device_number, part;
    uint64_t begin, end;
    double value;
};

/* --- read.c --- */

/* The functions that get the contents of the records, in the order of the files. */
struct trace_sink {
    void (*call)(void *user, const struct trace_call *call);
    void (*command)(void *user, const struct trace_command *command);
    void (*untimed)(void *user, uint32_t count); /* commands whose times are not known */
    void (*value)(void *user, const struct trace_value *value);
    /* kernels whose metrics are not known, and losses of samples */
    void (*incomplete)(void *user, uint32_t unmeasured, uint32_t lost);
    void *user;
};

struct trace_texts {
    void *tree;
};

/* Opens a regular file for reading. Returns -1 for anything else: it neither waits for a pipe nor
 * follows a link, because the folder may have been sent by somebody else. */
int trace_file_open(int folder, const char *name);

/* Reads all files of a folder of records. Reads truncated files as far as they go. Prints a line to
 * standard error and returns false if the folder is missing or memory ran out. */
bool trace_read(const char *folder, struct trace_texts *texts, const struct trace_sink *sink);
void trace_texts_finish(struct trace_texts *texts);

/* --- sort.c: commands in the order of their begins, whatever their number --- */

struct trace_sorter;

/* Creates a sorter with an unnamed file in the folder. Returns NULL after a line on standard error
 * if that fails. */
struct trace_sorter *trace_sorter_create(const char *folder);
void trace_sorter_destroy(struct trace_sorter *sorter);
void trace_sorter_add(struct trace_sorter *sorter, const struct trace_command *command);
/* Calls the function for all commands, sorted by begin, after the last was added. Returns false
 * after a line on standard error if disk or memory ran out, now or before. */
bool trace_sorter_visit(struct trace_sorter *sorter,
                        void (*visit)(void *user, const struct trace_command *command), void *user);

/* --- json.c: Chrome's format, which Perfetto reads --- */

struct trace_json;

/* Creates a writer to a stream. `start`: the time of the trace's clock, in nanoseconds, that is
 * written as 0. Returns NULL if memory ran out. */
struct trace_json *trace_json_create(FILE *to, uint64_t start);
void trace_json_destroy(struct trace_json *json);
/* Writes a call. Calls may come in any order. */
void trace_json_call(struct trace_json *json, const struct trace_call *call);
/* Writes a command. Commands must come in the order of their begins. */
void trace_json_command(struct trace_json *json, const struct trace_command *command);
/* Writes a value of a metric as a counter: of a kernel for its time, of a device until the next. */
void trace_json_value(struct trace_json *json, const struct trace_value *value);
/* Ends the trace. Returns false if the file could not take all of it. */
bool trace_json_end(struct trace_json *json);

/* --- summary.c: calls, kernels, copies and fills: count, total, mean, least, most --- */

struct trace_summary;

struct trace_summary *trace_summary_create(void);
void trace_summary_destroy(struct trace_summary *summary);
void trace_summary_call(struct trace_summary *summary, const struct trace_call *call);
void trace_summary_command(struct trace_summary *summary, const struct trace_command *command);
void trace_summary_untimed(struct trace_summary *summary, uint64_t count);
/* Calls the function for each kernel: its name, how often it ran and the time of all its runs. */
void trace_summary_kernels(const struct trace_summary *summary,
                           void (*visit)(void *user, const char *name, uint64_t count, uint64_t ns),
                           void *user);
/* Writes the table. Returns false if memory ran out or the file could not take all of it. */
bool trace_summary_write(struct trace_summary *summary, FILE *to);

/* --- metrics.c: the metrics of kernels, or of devices over time --- */

struct trace_metrics;

/* The values of a metric together, for one kernel or one device. */
struct trace_metric {
    const char *name, *unit, *of; /* `of`: the kernel or device */
    bool sums;                    /* `total` has a meaning */
    uint64_t count;
    double total, mean, least, most;
    uint64_t ns; /* time of the kernel or samples */
};

struct trace_metrics *trace_metrics_create(void);
void trace_metrics_destroy(struct trace_metrics *metrics);
void trace_metrics_value(struct trace_metrics *metrics, const struct trace_value *value);
void trace_metrics_incomplete(struct trace_metrics *metrics, uint32_t unmeasured, uint32_t lost);
/* Calls the function for the metrics, those of one kernel or device one after the other. */
void trace_metrics_visit(struct trace_metrics *metrics,
                         void (*visit)(void *user, const struct trace_metric *metric), void *user);
/* Writes the table, if values were added. Returns false if memory ran out or the file
 * could not take all of it. */
bool trace_metrics_write(struct trace_metrics *metrics, FILE *to);

#endif
