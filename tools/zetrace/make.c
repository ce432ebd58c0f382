/* The trace of a spool. It is read twice: when it begins, then what is in it. */
#include "make.h"

#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- when it begins --- */

static void call_first(void *user, const struct trace_call *call)
{
    uint64_t *first = user;
    *first = call->begin < *first ? call->begin : *first;
}

static void command_first(void *user, const struct trace_command *command)
{
    uint64_t *first = user;
    *first = command->record.begin < *first ? command->record.begin : *first;
}

static void value_first(void *user, const struct trace_value *value)
{
    uint64_t *first = user;
    *first = value->begin < *first ? value->begin : *first;
}

static void incomplete_ignore(void *user, uint32_t unmeasured, uint32_t lost)
{
    (void)user, (void)unmeasured, (void)lost;
}

static void untimed_ignore(void *user, uint32_t count)
{
    (void)user, (void)count;
}

/* --- what is in it --- */

struct making {
    struct trace_texts texts;
    struct trace_json *json;
    struct trace_summary *summary;
    struct trace_metrics *metrics;
    struct trace_sorter *sorter;
    uint64_t calls, commands;
};

static void call_take(void *user, const struct trace_call *call)
{
    struct making *making = user;
    making->calls++;
    trace_json_call(making->json, call);
    trace_summary_call(making->summary, call);
}

static void command_take(void *user, const struct trace_command *command)
{
    struct making *making = user;
    making->commands++;
    trace_summary_command(making->summary, command);
    trace_sorter_add(making->sorter, command);
}

static void untimed_take(void *user, uint32_t count)
{
    trace_summary_untimed(((struct making *)user)->summary, count);
}

static void value_take(void *user, const struct trace_value *value)
{
    struct making *making = user;
    trace_json_value(making->json, value);
    trace_metrics_value(making->metrics, value);
}

static void incomplete_take(void *user, uint32_t unmeasured, uint32_t lost)
{
    trace_metrics_incomplete(((struct making *)user)->metrics, unmeasured, lost);
}

static void command_write(void *user, const struct trace_command *command)
{
    trace_json_command(user, command);
}

/* --- whether it is all --- */

/* Says whether the collectors stopped recording before the program ended. */
static void end_tell(const char *folder, FILE *to)
{
    struct zetrace_room room = {.refused = 0};
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", folder, ZETRACE_ROOM);
    const int file = trace_file_open(AT_FDCWD, path);
    if (file >= 0 && read(file, &room, sizeof(room)) == (ssize_t)sizeof(room) && room.refused > 0) {
        if (room.limit != UINT64_MAX) {
            fprintf(to,
                    "\nzetrace: the limit of %llu bytes was reached: later calls and commands are "
                    "missing\n",
                    (unsigned long long)room.limit);
        } else {
            fprintf(to,
                    "\nzetrace: recording stopped early, for example because the disk was full: "
                    "later calls and commands are missing\n");
        }
    }
    if (file >= 0) {
        close(file);
    }
}

static bool trace_write(struct making *making, const char *folder, const char *output, FILE *to)
{
    uint64_t start = UINT64_MAX;
    const struct trace_sink first = {call_first,  command_first,     untimed_ignore,
                                     value_first, incomplete_ignore, &start};
    const struct trace_sink all = {call_take,  command_take,    untimed_take,
                                   value_take, incomplete_take, making};
    making->summary = trace_summary_create();
    making->metrics = trace_metrics_create();
    if (!trace_read(folder, &making->texts, &first)) {
        return false;
    }
    making->json = trace_json_create(to, start);
    making->sorter = trace_sorter_create(folder);
    if (!making->summary || !making->metrics || !making->json || !making->sorter ||
        !trace_read(folder, &making->texts, &all) ||
        !trace_sorter_visit(making->sorter, command_write, making->json)) {
        return false;
    }
    if (!trace_json_end(making->json)) {
        fprintf(stderr, "zetrace: cannot write %s: %s\n", output, strerror(errno));
        return false;
    }
    return true;
}

bool trace_make(const char *folder, const char *output, bool table, struct roofline *times,
                struct roofline *operations)
{
    struct making making = {.json = NULL};
    FILE *to = fopen(output, "we");
    if (!to) {
        fprintf(stderr, "zetrace: cannot write %s: %s\n", output, strerror(errno));
        return false;
    }
    bool good = trace_write(&making, folder, output, to);
    good = fclose(to) == 0 && good;
    if (good && table) {
        fprintf(stderr, "\nzetrace: %llu calls, %llu commands: %s\n",
                (unsigned long long)making.calls, (unsigned long long)making.commands, output);
        if (!trace_summary_write(making.summary, stderr) ||
            !trace_metrics_write(making.metrics, stderr)) { /* the trace is whole all the same */
            fputs("zetrace: cannot write the table to standard error\n", stderr);
        }
    }
    if (good && times) {
        roofline_time(times, making.summary);
    }
    if (good && operations) {
        roofline_operations(operations, making.metrics);
    }
    end_tell(folder, stderr);
    trace_sorter_destroy(making.sorter);
    trace_summary_destroy(making.summary);
    trace_metrics_destroy(making.metrics);
    trace_json_destroy(making.json);
    trace_texts_finish(&making.texts);
    return good;
}
