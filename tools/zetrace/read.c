/* Reads the files of the collector, one after the other. A file may end anywhere, because the
 * process may have been killed, so every length in it is checked. See record.h. */
#include "trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A name of one process, by kind and number. */
struct name {
    uint64_t key;
    const char *text;
};

struct reader {
    const struct trace_sink *sink;
    struct trace_texts *texts;
    void *names; /* a tree of them */
    uint32_t process, thread;
    bool failed; /* memory */
};

/* --- texts and names --- */

static int texts_compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

void trace_texts_finish(struct trace_texts *texts)
{
    tdestroy(texts->tree, free);
    texts->tree = NULL;
}

static const char *text_keep(struct reader *reader, const char *text, size_t length)
{
    char *copy = strndup(text, length);
    char **kept = copy ? tsearch(copy, &reader->texts->tree, texts_compare) : NULL;
    if (!kept || *kept != copy) {
        free(copy);
    }
    reader->failed |= !kept;
    return kept ? *kept : "";
}

static int names_compare(const void *a, const void *b)
{
    const struct name *one = a, *other = b;
    return (one->key > other->key) - (one->key < other->key);
}

static uint64_t name_key(uint32_t kind, uint32_t id)
{
    return (uint64_t)kind << 32 | id;
}

static const char *name_find(const struct reader *reader, uint32_t kind, uint32_t id)
{
    const struct name wanted = {.key = name_key(kind, id)};
    struct name *const *found = tfind(&wanted, &reader->names, names_compare);
    return found ? (*found)->text : "?";
}

static void name_read(struct reader *reader, const struct zetrace_name *record)
{
    const size_t room = record->head.size - sizeof(*record);
    const size_t length = record->length < room ? record->length : room;
    struct name *name = malloc(sizeof(*name));
    struct name **kept = NULL;
    if (name) {
        *name = (struct name){.key = name_key(record->kind, record->head.id),
                              .text = text_keep(reader, record->text, length)};
        kept = tsearch(name, &reader->names, names_compare);
    }
    if (!kept || *kept != name) {
        free(name);
    }
    reader->failed |= !kept;
}

/* --- records --- */

static void call_read(const struct reader *reader, const struct zetrace_call *record)
{
    reader->sink->call(
        reader->sink->user,
        &(struct trace_call){.process = reader->process,
                             .thread = reader->thread,
                             .function = name_find(reader, ZETRACE_FUNCTION, record->head.id),
                             .begin = record->begin,
                             .end = record->end,
                             .result = record->result});
}

static const char *command_name(const struct reader *reader, const struct zetrace_command *record)
{
    switch (record->head.id) {
    case ZETRACE_LAUNCH:
        return name_find(reader, ZETRACE_KERNEL, record->name);
    case ZETRACE_COPY:
        return "copy";
    case ZETRACE_FILL:
        return "fill";
    default:
        return name_find(reader, ZETRACE_FUNCTION, record->name);
    }
}

static void command_read(const struct reader *reader, const struct zetrace_command *record)
{
    reader->sink->command(
        reader->sink->user,
        &(struct trace_command){.process = reader->process,
                                .name = command_name(reader, record),
                                .device = name_find(reader, ZETRACE_DEVICE, record->device),
                                .record = *record});
}

static void values_read(const struct reader *reader, const struct zetrace_values *record)
{
    const size_t count = (record->head.size - sizeof(*record)) / sizeof(record->values[0]);
    struct trace_value value = {
        .process = reader->process,
        .kernel = record->kernel ? name_find(reader, ZETRACE_KERNEL, record->kernel) : NULL,
        .device = name_find(reader, ZETRACE_DEVICE, record->device),
        .device_number = record->device,
        .part = record->part,
        .begin = record->begin,
        .end = record->end > record->begin ? record->end : record->begin};
    for (size_t i = 0; i < count; i++) {
        value.metric = name_find(reader, ZETRACE_METRIC, record->head.id + (uint32_t)i);
        value.value = record->values[i];
        reader->sink->value(reader->sink->user, &value);
    }
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
        reader->sink->untimed(reader->sink->user, record->id);
    } else if (record->type == ZETRACE_UNMEASURED) {
        reader->sink->incomplete(reader->sink->user, record->id, 0);
    } else if (record->type == ZETRACE_LOST) {
        reader->sink->incomplete(reader->sink->user, 0, record->id);
    } else if (record->type == ZETRACE_VALUES && size >= sizeof(struct zetrace_values)) {
        values_read(reader, (const struct zetrace_values *)(const void *)record);
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

/* --- files --- */

static void file_read(struct reader *reader, int file, struct zetrace_chunk *chunk)
{
    reader->names = NULL;
    for (int names = 1; names >= 0; names--) {
        off_t at = 0;
        while (pread(file, chunk, ZETRACE_CHUNK, at) == ZETRACE_CHUNK) {
            chunk_read(reader, chunk, names);
            at += ZETRACE_CHUNK;
        }
    }
    tdestroy(reader->names, free);
}

int trace_file_open(int folder, const char *name)
{
    struct stat status;
    const int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (file >= 0 && (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(file);
        return -1;
    }
    return file;
}

bool trace_read(const char *folder, struct trace_texts *texts, const struct trace_sink *sink)
{
    struct reader reader = {.sink = sink, .texts = texts};
    struct zetrace_chunk *chunk = malloc(ZETRACE_CHUNK);
    DIR *list = opendir(folder);
    if (!list) {
        fprintf(stderr, "zetrace: cannot read the folder %s: %s\n", folder, strerror(errno));
        free(chunk);
        return false;
    }
    for (const struct dirent *entry = chunk ? readdir(list) : NULL; entry; entry = readdir(list)) {
        const int file = entry->d_name[0] == '.' ? -1 : trace_file_open(dirfd(list), entry->d_name);
        if (file >= 0) {
            file_read(&reader, file, chunk);
            close(file);
        }
    }
    closedir(list);
    if (!chunk || reader.failed) {
        fprintf(stderr, "zetrace: out of memory while reading the records\n");
    }
    const bool good = chunk && !reader.failed;
    free(chunk);
    return good;
}
