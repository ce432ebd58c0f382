/* The trace in Chrome's format: an array of events, times in microseconds since the first of them.
 *
 * Each thread is a row of its process. Each stream of commands (a queue or immediate list) is one
 * beside, or several where commands overlap: numbers from ROW_OF_STREAMS. An arrow leads from the
 * call that submitted a command to the command. */
#include "trace.h"

#include <stdlib.h>
#include <string.h>

enum { ROW_OF_STREAMS = 1000000000, LANES = 64 };

/* What a stream of commands is shown as: lanes, each busy until some time. */
struct stream {
    uint32_t process, stream;
    unsigned lanes;
    uint64_t busy[LANES];
};

struct writer {
    FILE *to;
    bool first;
    uint64_t start;
    struct stream *streams;
    size_t stream_count, stream_room;
};

static void text_write(FILE *to, const char *text)
{
    putc('"', to);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\') {
            fprintf(to, "\\%c", *c);
        } else if (*c < 0x20 || *c >= 0x7f) { /* bytes, whatever they are */
            fprintf(to, "\\u%04x", *c);
        } else {
            putc(*c, to);
        }
    }
    putc('"', to);
}

static void event_begin(struct writer *writer, const char *phase, const char *name)
{
    fputs(writer->first ? "[\n" : ",\n", writer->to);
    writer->first = false;
    fprintf(writer->to, "{\"ph\":\"%s\",\"name\":", phase);
    text_write(writer->to, name);
}

static void time_write(struct writer *writer, const char *key, uint64_t ns)
{
    fprintf(writer->to, ",\"%s\":%llu.%03u", key, (unsigned long long)(ns / 1000),
            (unsigned)(ns % 1000));
}

static void place_write(struct writer *writer, uint32_t process, uint32_t row)
{
    fprintf(writer->to, ",\"pid\":%u,\"tid\":%u", process, row);
}

static uint64_t since(const struct writer *writer, uint64_t time)
{
    return time > writer->start ? time - writer->start : 0;
}

static void call_write(struct writer *writer, const struct trace_call *call)
{
    event_begin(writer, "X", call->function);
    fputs(",\"cat\":\"host\"", writer->to);
    place_write(writer, call->process, call->thread);
    time_write(writer, "ts", since(writer, call->begin));
    time_write(writer, "dur", call->end - call->begin);
    fprintf(writer->to, ",\"args\":{\"result\":\"0x%x\"}}", call->result);
}

static void row_name(struct writer *writer, uint32_t process, uint32_t row, const char *device,
                     uint32_t stream)
{
    char name[400];
    snprintf(name, sizeof(name), "%s, stream %u", device, stream);
    event_begin(writer, "M", "thread_name");
    place_write(writer, process, row);
    fputs(",\"args\":{\"name\":", writer->to);
    text_write(writer->to, name);
    fputs("}}", writer->to);
}

static struct stream *stream_of(struct writer *writer, uint32_t process, uint32_t stream)
{
    for (size_t i = 0; i < writer->stream_count; i++) {
        if (writer->streams[i].process == process && writer->streams[i].stream == stream) {
            return &writer->streams[i];
        }
    }
    if (writer->stream_count == writer->stream_room) {
        const size_t room = writer->stream_room ? 2 * writer->stream_room : 16;
        struct stream *larger = realloc(writer->streams, room * sizeof(*larger));
        if (!larger) {
            return NULL;
        }
        writer->streams = larger;
        writer->stream_room = room;
    }
    struct stream *added = &writer->streams[writer->stream_count++];
    *added = (struct stream){.process = process, .stream = stream};
    return added;
}

/* The first lane of its stream that is free when the command begins. */
static uint32_t command_row(struct writer *writer, const struct trace_command *command)
{
    const struct zetrace_command *record = &command->record;
    struct stream *stream = stream_of(writer, command->process, record->stream);
    unsigned lane = 0;
    if (!stream) {
        return ROW_OF_STREAMS;
    }
    while (lane < stream->lanes && stream->busy[lane] > record->begin) {
        lane++;
    }
    lane = lane < LANES ? lane : LANES - 1;
    const uint32_t row = ROW_OF_STREAMS + record->stream * LANES + lane;
    if (lane == stream->lanes) {
        stream->lanes++;
        row_name(writer, command->process, row, command->device, record->stream);
    }
    stream->busy[lane] = record->end;
    return row;
}

static void command_args_write(struct writer *writer, const struct zetrace_command *record)
{
    static const char memory[] = "MHDS"; /* of enum zetrace_memory */
    fputs(",\"args\":{", writer->to);
    if (record->head.id == ZETRACE_COPY) {
        fprintf(writer->to, "\"bytes\":%llu,\"from\":\"%c\",\"to\":\"%c\"",
                (unsigned long long)record->bytes, memory[record->from & 3],
                memory[record->to & 3]);
    } else if (record->head.id == ZETRACE_FILL) {
        fprintf(writer->to, "\"bytes\":%llu,\"to\":\"%c\"", (unsigned long long)record->bytes,
                memory[record->to & 3]);
    }
    fputs("}}", writer->to);
}

static void arrow_write(struct writer *writer, const struct trace_command *command, uint32_t row,
                        unsigned long long number)
{
    event_begin(writer, "s", "submit");
    place_write(writer, command->process, command->record.thread);
    time_write(writer, "ts", since(writer, command->record.submitted));
    fprintf(writer->to, ",\"cat\":\"submit\",\"id\":%llu}", number);
    event_begin(writer, "f", "submit");
    place_write(writer, command->process, row);
    time_write(writer, "ts", since(writer, command->record.begin));
    fprintf(writer->to, ",\"cat\":\"submit\",\"bp\":\"e\",\"id\":%llu}", number);
}

static void command_write(struct writer *writer, const struct trace_command *command,
                          unsigned long long number)
{
    static const char *const categories[] = {"kernel", "copy", "fill", "image", "other"};
    const struct zetrace_command *record = &command->record;
    const uint32_t row = command_row(writer, command);
    event_begin(writer, "X", command->name);
    fprintf(writer->to, ",\"cat\":\"%s\"",
            categories[record->head.id <= ZETRACE_OTHER ? record->head.id : ZETRACE_OTHER]);
    place_write(writer, command->process, row);
    time_write(writer, "ts", since(writer, record->begin));
    time_write(writer, "dur", record->end - record->begin);
    command_args_write(writer, record);
    arrow_write(writer, command, row, number);
}

bool trace_write_json(const struct trace *trace, FILE *to)
{
    struct writer writer = {.to = to, .first = true, .start = UINT64_MAX};
    if (trace->call_count > 0) {
        writer.start = trace->calls[0].begin;
    }
    if (trace->command_count > 0 && trace->commands[0].record.begin < writer.start) {
        writer.start = trace->commands[0].record.begin;
    }
    for (size_t i = 0; i < trace->call_count; i++) {
        call_write(&writer, &trace->calls[i]);
    }
    for (size_t i = 0; i < trace->command_count; i++) {
        command_write(&writer, &trace->commands[i], i + 1);
    }
    fputs(writer.first ? "[]\n" : "\n]\n", to);
    free(writer.streams);
    return fflush(to) == 0 && !ferror(to);
}
