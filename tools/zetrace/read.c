/* Files of the collector to one trace. What they say is not trusted further than their length: the
 * process may have ended anywhere. See record.h. */
#include "trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The names of one process, by kind and number. */
struct names {
    struct name {
        uint32_t kind, id;
        const char *text;
    } *names;
    size_t count, room;
};

struct reader {
    struct trace *trace;
    struct names names;
    uint32_t process, thread;
    bool failed; /* memory */
};

/* Room for one more of an array. */
static bool reserve(void **array, size_t count, size_t *room, size_t size)
{
    if (count < *room) {
        return true;
    }
    const size_t more = *room ? 2 * *room : 256;
    void *larger = realloc(*array, more * size);
    if (larger) {
        *array = larger;
        *room = more;
    }
    return larger != NULL;
}

static const char *text_keep(struct reader *reader, const char *text, size_t length)
{
    struct trace *trace = reader->trace;
    char *copy = strndup(text, length);
    if (!copy || !reserve((void **)&trace->texts, trace->text_count, &trace->text_room,
                          sizeof(*trace->texts))) {
        free(copy);
        reader->failed = true;
        return "";
    }
    return trace->texts[trace->text_count++] = copy;
}

static const char *name_find(const struct names *names, uint32_t kind, uint32_t id)
{
    for (size_t i = 0; i < names->count; i++) {
        if (names->names[i].kind == kind && names->names[i].id == id) {
            return names->names[i].text;
        }
    }
    return "?";
}

static void name_read(struct reader *reader, const struct zetrace_name *record)
{
    struct names *names = &reader->names;
    const size_t room = record->head.size - sizeof(*record);
    const size_t length = record->length < room ? record->length : room;
    if (!reserve((void **)&names->names, names->count, &names->room, sizeof(*names->names))) {
        reader->failed = true;
        return;
    }
    names->names[names->count++] =
        (struct name){record->kind, record->head.id, text_keep(reader, record->text, length)};
}

static void call_read(struct reader *reader, const struct zetrace_call *record)
{
    struct trace *trace = reader->trace;
    if (!reserve((void **)&trace->calls, trace->call_count, &trace->call_room,
                 sizeof(*trace->calls))) {
        reader->failed = true;
        return;
    }
    trace->calls[trace->call_count++] = (struct trace_call){
        .process = reader->process,
        .thread = reader->thread,
        .function = name_find(&reader->names, ZETRACE_FUNCTION, record->head.id),
        .begin = record->begin,
        .end = record->end,
        .result = record->result};
}

static const char *command_name(const struct names *names, const struct zetrace_command *record)
{
    switch (record->head.id) {
    case ZETRACE_LAUNCH:
        return name_find(names, ZETRACE_KERNEL, record->name);
    case ZETRACE_COPY:
        return "copy";
    case ZETRACE_FILL:
        return "fill";
    default:
        return name_find(names, ZETRACE_FUNCTION, record->name);
    }
}

static void command_read(struct reader *reader, const struct zetrace_command *record)
{
    struct trace *trace = reader->trace;
    if (!reserve((void **)&trace->commands, trace->command_count, &trace->command_room,
                 sizeof(*trace->commands))) {
        reader->failed = true;
        return;
    }
    trace->commands[trace->command_count++] =
        (struct trace_command){.process = reader->process,
                               .name = command_name(&reader->names, record),
                               .device = name_find(&reader->names, ZETRACE_DEVICE, record->device),
                               .record = *record};
}

/* Names come first: a record may be in a chunk before that of its name. */
static void record_read(struct reader *reader, const struct zetrace_record *record, bool names)
{
    const size_t size = record->size;
    if (names) {
        if (record->type == ZETRACE_NAME && size >= sizeof(struct zetrace_name)) {
            name_read(reader, (const struct zetrace_name *)(const void *)record);
        }
    } else if (record->type == ZETRACE_THREAD) {
        reader->thread = record->id;
    } else if (record->type == ZETRACE_UNTIMED) {
        reader->trace->untimed += record->id;
    } else if (record->type == ZETRACE_CALL && size >= sizeof(struct zetrace_call)) {
        call_read(reader, (const struct zetrace_call *)(const void *)record);
    } else if (record->type == ZETRACE_COMMAND && size >= sizeof(struct zetrace_command)) {
        command_read(reader, (const struct zetrace_command *)(const void *)record);
    }
}

static void chunk_read(struct reader *reader, const struct zetrace_chunk *chunk, bool names)
{
    const uint32_t used = atomic_load(&chunk->used);
    if (chunk->magic != ZETRACE_MAGIC || used > ZETRACE_CHUNK) {
        return;
    }
    reader->process = chunk->pid;
    for (size_t at = sizeof(*chunk); at + sizeof(struct zetrace_record) <= used;) {
        const struct zetrace_record *record =
            (const struct zetrace_record *)(const void *)((const char *)chunk + at);
        if (record->size < sizeof(*record) || record->size % 8 != 0 || at + record->size > used) {
            return;
        }
        record_read(reader, record, names);
        at += record->size;
    }
}

static void file_read(struct trace *trace, int file, bool *failed)
{
    struct stat status;
    struct reader reader = {.trace = trace};
    if (fstat(file, &status) != 0 || status.st_size < ZETRACE_CHUNK) {
        return;
    }
    const size_t size = (size_t)status.st_size / ZETRACE_CHUNK * ZETRACE_CHUNK;
    char *memory = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) {
        *failed = true;
        return;
    }
    for (int names = 1; names >= 0; names--) {
        for (size_t at = 0; at < size; at += ZETRACE_CHUNK) {
            chunk_read(&reader, (const struct zetrace_chunk *)(const void *)(memory + at), names);
        }
    }
    munmap(memory, size);
    free(reader.names.names);
    *failed |= reader.failed;
}

static int calls_compare(const void *a, const void *b)
{
    const struct trace_call *one = a, *other = b;
    return (one->begin > other->begin) - (one->begin < other->begin);
}

static int commands_compare(const void *a, const void *b)
{
    const struct trace_command *one = a, *other = b;
    return (one->record.begin > other->record.begin) - (one->record.begin < other->record.begin);
}

bool trace_read(struct trace *trace, const char *folder)
{
    bool failed = false;
    DIR *list = opendir(folder);
    if (!list) {
        fprintf(stderr, "zetrace: %s: %s\n", folder, strerror(errno));
        return false;
    }
    for (const struct dirent *entry = readdir(list); entry; entry = readdir(list)) {
        const int file =
            entry->d_name[0] == '.' ? -1 : openat(dirfd(list), entry->d_name, O_RDONLY | O_CLOEXEC);
        if (file >= 0) {
            file_read(trace, file, &failed);
            close(file);
        }
    }
    closedir(list);
    if (failed) {
        fprintf(stderr, "zetrace: no memory for the whole trace\n");
        return false;
    }
    if (trace->call_count > 0) {
        qsort(trace->calls, trace->call_count, sizeof(*trace->calls), calls_compare);
    }
    if (trace->command_count > 0) {
        qsort(trace->commands, trace->command_count, sizeof(*trace->commands), commands_compare);
    }
    return true;
}

void trace_finish(struct trace *trace)
{
    for (size_t i = 0; i < trace->text_count; i++) {
        free(trace->texts[i]);
    }
    free(trace->texts);
    free(trace->calls);
    free(trace->commands);
    *trace = (struct trace){.calls = NULL};
}
