/* The table at the end: one line for each function, kernel, and kind of copy. */
#include "trace.h"

#include <stdlib.h>

/* One line; in the table of its section. */
struct row {
    const char *name;
    uint64_t count, total, least, most, bytes;
};

struct table {
    struct row *rows;
    size_t count, room;
};

struct trace_summary {
    struct table calls, kernels, copies, others;
    uint64_t untimed;
    bool failed; /* memory */
};

/* Names that are the same have the same address. */
static bool table_add(struct table *table, const char *name, uint64_t ns, uint64_t bytes)
{
    size_t i = 0;
    while (i < table->count && table->rows[i].name != name) {
        i++;
    }
    if (i == table->room) {
        const size_t room = table->room ? 2 * table->room : 64;
        struct row *larger = realloc(table->rows, room * sizeof(*larger));
        if (!larger) {
            return false;
        }
        table->rows = larger;
        table->room = room;
    }
    struct row *row = &table->rows[i];
    if (i == table->count) {
        *row = (struct row){.name = name, .least = UINT64_MAX};
        table->count++;
    }
    row->count++;
    row->total += ns;
    row->bytes += bytes;
    row->least = ns < row->least ? ns : row->least;
    row->most = ns > row->most ? ns : row->most;
    return true;
}

static int rows_compare(const void *a, const void *b)
{
    const struct row *one = a, *other = b;
    return (one->total < other->total) - (one->total > other->total);
}

static double us(uint64_t ns)
{
    return (double)ns / 1000;
}

static void table_write(struct table *table, FILE *to, const char *title, bool bytes)
{
    if (table->count == 0) {
        return;
    }
    qsort(table->rows, table->count, sizeof(*table->rows), rows_compare);
    fprintf(to, "\n%-44s %10s %14s %12s %12s %12s", title, "count", "total us", "mean us", "min us",
            "max us");
    fputs(bytes ? "        bytes     GB/s\n" : "\n", to);
    for (size_t i = 0; i < table->count; i++) {
        const struct row *row = &table->rows[i];
        fprintf(to, "%-44s %10llu %14.1f %12.3f %12.3f %12.3f", row->name,
                (unsigned long long)row->count, us(row->total), us(row->total) / (double)row->count,
                us(row->least), us(row->most));
        if (bytes) {
            fprintf(to, " %12llu %8.2f", (unsigned long long)row->bytes,
                    row->total ? (double)row->bytes / (double)row->total : 0.0);
        }
        putc('\n', to);
    }
}

static const char *copy_name(const struct zetrace_command *record)
{
    static const char *const copies[4][4] = {
        {"copy M to M", "copy M to H", "copy M to D", "copy M to S"},
        {"copy H to M", "copy H to H", "copy H to D", "copy H to S"},
        {"copy D to M", "copy D to H", "copy D to D", "copy D to S"},
        {"copy S to M", "copy S to H", "copy S to D", "copy S to S"}};
    static const char *const fills[4] = {"fill M", "fill H", "fill D", "fill S"};
    return record->head.id == ZETRACE_COPY ? copies[record->from & 3][record->to & 3]
                                           : fills[record->to & 3];
}

struct trace_summary *trace_summary_create(void)
{
    return calloc(1, sizeof(struct trace_summary));
}

void trace_summary_destroy(struct trace_summary *summary)
{
    if (summary) {
        free(summary->calls.rows);
        free(summary->kernels.rows);
        free(summary->copies.rows);
        free(summary->others.rows);
        free(summary);
    }
}

void trace_summary_call(struct trace_summary *summary, const struct trace_call *call)
{
    summary->failed |= !table_add(&summary->calls, call->function, call->end - call->begin, 0);
}

void trace_summary_command(struct trace_summary *summary, const struct trace_command *command)
{
    const struct zetrace_command *record = &command->record;
    const uint64_t ns = record->end - record->begin;
    bool added;
    if (record->head.id == ZETRACE_LAUNCH) {
        added = table_add(&summary->kernels, command->name, ns, 0);
    } else if (record->head.id == ZETRACE_COPY || record->head.id == ZETRACE_FILL) {
        added = table_add(&summary->copies, copy_name(record), ns, record->bytes);
    } else {
        added = table_add(&summary->others, command->name, ns, 0);
    }
    summary->failed |= !added;
}

void trace_summary_untimed(struct trace_summary *summary, uint64_t count)
{
    summary->untimed += count;
}

void trace_summary_kernels(const struct trace_summary *summary,
                           void (*visit)(void *user, const char *name, uint64_t count, uint64_t ns),
                           void *user)
{
    for (size_t i = 0; i < summary->kernels.count; i++) {
        const struct row *row = &summary->kernels.rows[i];
        visit(user, row->name, row->count, row->total);
    }
}

bool trace_summary_write(struct trace_summary *summary, FILE *to)
{
    table_write(&summary->calls, to, "calls", false);
    table_write(&summary->kernels, to, "kernels", false);
    table_write(&summary->copies, to, "copies and fills (M: memory of the process)", true);
    table_write(&summary->others, to, "other commands", false);
    if (summary->untimed > 0) {
        fprintf(to, "\n%llu commands without times\n", (unsigned long long)summary->untimed);
    }
    if (summary->failed) {
        fprintf(stderr, "zetrace: out of memory: the table is incomplete\n");
    }
    return !summary->failed && !ferror(to);
}
