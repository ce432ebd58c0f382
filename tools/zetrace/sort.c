/* Sorts commands by their begin. A fixed number of commands is sorted in memory and written to a
 * file as a run. At the end the runs are merged from the file, a part of each at a time. See
 * trace.h. */
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RUN = 1 << 14 }; /* commands in memory, of which each has some 100 bytes */

/* The rest of a run in the file, and its next commands in memory. */
struct run {
    uint64_t next, end; /* places in the file, in commands */
    struct trace_command *items;
    size_t at, count;
};

struct trace_sorter {
    int file;
    struct trace_command *items; /* RUN */
    size_t count;
    uint64_t written; /* commands in the file: whole runs */
    int error;        /* of the system; 0: none */
};

struct trace_sorter *trace_sorter_create(const char *folder)
{
    struct trace_sorter *sorter = calloc(1, sizeof(*sorter));
    char path[4096];
    if (!sorter) {
        return NULL;
    }
    snprintf(path, sizeof(path), "%s/.sort.XXXXXX", folder);
    sorter->file = mkostemp(path, O_CLOEXEC); /* never a file that is there, or behind a link */
    sorter->items = malloc(RUN * sizeof(*sorter->items));
    if (sorter->file < 0 || !sorter->items) {
        fprintf(stderr, "zetrace: cannot create %s: %s\n", path, strerror(errno));
        trace_sorter_destroy(sorter);
        return NULL;
    }
    unlink(path);
    return sorter;
}

void trace_sorter_destroy(struct trace_sorter *sorter)
{
    if (sorter) {
        if (sorter->file >= 0) {
            close(sorter->file);
        }
        free(sorter->items);
        free(sorter);
    }
}

static int commands_compare(const void *a, const void *b)
{
    const struct trace_command *one = a, *other = b;
    return (one->record.begin > other->record.begin) - (one->record.begin < other->record.begin);
}

static void run_write(struct trace_sorter *sorter)
{
    const char *bytes = (const char *)sorter->items;
    size_t left = sorter->count * sizeof(*sorter->items);
    qsort(sorter->items, sorter->count, sizeof(*sorter->items), commands_compare);
    while (left > 0) {
        const ssize_t written = write(sorter->file, bytes, left);
        if (written <= 0) {
            sorter->error = written < 0 ? errno : ENOSPC;
            break;
        }
        bytes += written;
        left -= (size_t)written;
    }
    sorter->written += sorter->count;
    sorter->count = 0;
}

void trace_sorter_add(struct trace_sorter *sorter, const struct trace_command *command)
{
    if (sorter->count == RUN && sorter->error == 0) {
        run_write(sorter);
    }
    if (sorter->error == 0) {
        sorter->items[sorter->count++] = *command;
    }
}

/* --- merging: a heap of runs, the one with the least command on top --- */

/* `room` commands of the run come into memory, or fewer at its end. False: it is over. */
static bool run_fill(struct trace_sorter *sorter, struct run *run, size_t room)
{
    const uint64_t left = run->end - run->next;
    const size_t size = sizeof(*run->items);
    run->at = 0;
    run->count = left < room ? (size_t)left : room;
    if (run->count == 0) {
        return false;
    }
    if (pread(sorter->file, run->items, run->count * size, (off_t)(run->next * size)) !=
        (ssize_t)(run->count * size)) {
        sorter->error = EIO;
        return false;
    }
    run->next += run->count;
    return true;
}

static void heap_sink(struct run *heap, size_t count, size_t at)
{
    for (;;) {
        size_t least = at;
        for (size_t below = 2 * at + 1; below <= 2 * at + 2 && below < count; below++) {
            if (commands_compare(&heap[below].items[heap[below].at],
                                 &heap[least].items[heap[least].at]) < 0) {
                least = below;
            }
        }
        if (least == at) {
            return;
        }
        const struct run moved = heap[at];
        heap[at] = heap[least];
        heap[least] = moved;
        at = least;
    }
}

static void runs_merge(struct trace_sorter *sorter, struct run *heap, size_t count, size_t room,
                       void (*visit)(void *user, const struct trace_command *command), void *user)
{
    for (size_t i = count; i-- > 0;) {
        heap_sink(heap, count, i);
    }
    while (count > 0 && sorter->error == 0) {
        struct run *first = &heap[0];
        visit(user, &first->items[first->at++]);
        if (first->at == first->count && !run_fill(sorter, first, room)) {
            *first = heap[--count];
        }
        heap_sink(heap, count, 0);
    }
}

/* The runs of the file, with a part of the memory for each. */
static void file_visit(struct trace_sorter *sorter,
                       void (*visit)(void *user, const struct trace_command *command), void *user)
{
    const size_t count = (size_t)((sorter->written + RUN - 1) / RUN);
    const size_t room = count < RUN ? RUN / count : 1;
    struct trace_command *items = malloc(count * room * sizeof(*items));
    struct run *runs = calloc(count, sizeof(*runs));
    if (!items || !runs) {
        sorter->error = ENOMEM;
    }
    for (size_t i = 0; i < count && sorter->error == 0; i++) {
        const uint64_t begin = (uint64_t)i * RUN, end = begin + RUN;
        runs[i] = (struct run){.next = begin,
                               .end = end < sorter->written ? end : sorter->written,
                               .items = items + i * room};
        (void)run_fill(sorter, &runs[i], room);
    }
    if (sorter->error == 0) {
        runs_merge(sorter, runs, count, room, visit, user);
    }
    free(items);
    free(runs);
}

bool trace_sorter_visit(struct trace_sorter *sorter,
                        void (*visit)(void *user, const struct trace_command *command), void *user)
{
    if (sorter->written == 0) { /* all of them are in memory */
        qsort(sorter->items, sorter->count, sizeof(*sorter->items), commands_compare);
        for (size_t i = 0; i < sorter->count; i++) {
            visit(user, &sorter->items[i]);
        }
    } else {
        if (sorter->count > 0 && sorter->error == 0) {
            run_write(sorter);
        }
        free(sorter->items); /* its memory is the runs' */
        sorter->items = NULL;
        if (sorter->error == 0) {
            file_visit(sorter, visit, user);
        }
    }
    if (sorter->error != 0) {
        fprintf(stderr, "zetrace: cannot sort the commands: %s\n", strerror(sorter->error));
    }
    return sorter->error == 0;
}
