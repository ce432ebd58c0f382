/* The trace in Chrome's format: an array of events, times in microseconds since the first of them.
 * They are written as they come; the format gives no order, and lets a file end before its array.
 *
 * Each thread is a row of its process. Each stream of commands (a queue or immediate list) is one
 * beside, or several where commands overlap: numbers from ROW_OF_STREAMS. An arrow leads from the
 * call that submitted a command to the command. */
#include "trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_OF_STREAMS = 1000000000, LANES = 64, STREAMS = 256 };

/* The rows of a stream of commands. Each row is busy until some time. A row that is no longer busy
 * can be reused, because commands arrive in the order in which they begin. */
struct stream {
    uint32_t process, stream;
    unsigned lanes;
    uint64_t last; /* end of its commands so far */
    uint64_t busy[LANES];
};

struct trace_json {
    FILE *to;
    bool first;
    uint64_t start;
    unsigned long long commands; /* so far: numbers of arrows */
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

static void event_begin(struct trace_json *json, const char *phase, const char *name)
{
    fputs(json->first ? "[\n" : ",\n", json->to);
    json->first = false;
    fprintf(json->to, "{\"ph\":\"%s\",\"name\":", phase);
    text_write(json->to, name);
}

static void time_write(struct trace_json *json, const char *key, uint64_t ns)
{
    fprintf(json->to, ",\"%s\":%llu.%03u", key, (unsigned long long)(ns / 1000),
            (unsigned)(ns % 1000));
}

static void place_write(struct trace_json *json, uint32_t process, uint32_t row)
{
    fprintf(json->to, ",\"pid\":%u,\"tid\":%u", process, row);
}

static uint64_t since(const struct trace_json *json, uint64_t time)
{
    return time > json->start ? time - json->start : 0;
}

void trace_json_call(struct trace_json *json, const struct trace_call *call)
{
    event_begin(json, "X", call->function);
    fputs(",\"cat\":\"host\"", json->to);
    place_write(json, call->process, call->thread);
    time_write(json, "ts", since(json, call->begin));
    time_write(json, "dur", call->end - call->begin);
    fprintf(json->to, ",\"args\":{\"result\":\"0x%x\"}}", call->result);
}

static void row_name(struct trace_json *json, uint32_t process, uint32_t row, const char *device,
                     uint32_t stream)
{
    char name[400];
    snprintf(name, sizeof(name), "%s, stream %u", device, stream);
    event_begin(json, "M", "thread_name");
    place_write(json, process, row);
    fputs(",\"args\":{\"name\":", json->to);
    text_write(json->to, name);
    fputs("}}", json->to);
}

/* A place for one more: of one that is over by `begin` where there are many, else a new one. */
static struct stream *stream_place(struct trace_json *json, uint64_t begin)
{
    for (size_t i = 0; json->stream_count >= STREAMS && i < json->stream_count; i++) {
        if (json->streams[i].last <= begin) {
            return &json->streams[i];
        }
    }
    if (json->stream_count == json->stream_room) {
        const size_t room = json->stream_room ? 2 * json->stream_room : 16;
        struct stream *larger = realloc(json->streams, room * sizeof(*larger));
        if (!larger) {
            return NULL;
        }
        json->streams = larger;
        json->stream_room = room;
    }
    return &json->streams[json->stream_count++];
}

static struct stream *stream_of(struct trace_json *json, const struct trace_command *command)
{
    const uint32_t process = command->process, number = command->record.stream;
    for (size_t i = 0; i < json->stream_count; i++) {
        if (json->streams[i].process == process && json->streams[i].stream == number) {
            return &json->streams[i];
        }
    }
    struct stream *stream = stream_place(json, command->record.begin);
    if (stream) {
        *stream = (struct stream){.process = process, .stream = number};
    }
    return stream;
}

/* The first lane of its stream that is free when the command begins. */
static uint32_t command_row(struct trace_json *json, const struct trace_command *command)
{
    const struct zetrace_command *record = &command->record;
    struct stream *stream = stream_of(json, command);
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
        row_name(json, command->process, row, command->device, record->stream);
    }
    stream->busy[lane] = record->end;
    stream->last = record->end > stream->last ? record->end : stream->last;
    return row;
}

static void command_args_write(struct trace_json *json, const struct zetrace_command *record)
{
    static const char memory[] = "MHDS"; /* of enum zetrace_memory */
    fputs(",\"args\":{", json->to);
    if (record->head.id == ZETRACE_COPY) {
        fprintf(json->to, "\"bytes\":%llu,\"from\":\"%c\",\"to\":\"%c\"",
                (unsigned long long)record->bytes, memory[record->from & 3],
                memory[record->to & 3]);
    } else if (record->head.id == ZETRACE_FILL) {
        fprintf(json->to, "\"bytes\":%llu,\"to\":\"%c\"", (unsigned long long)record->bytes,
                memory[record->to & 3]);
    }
    fputs("}}", json->to);
}

static void arrow_write(struct trace_json *json, const struct trace_command *command, uint32_t row,
                        unsigned long long number)
{
    event_begin(json, "s", "submit");
    place_write(json, command->process, command->record.thread);
    time_write(json, "ts", since(json, command->record.submitted));
    fprintf(json->to, ",\"cat\":\"submit\",\"id\":%llu}", number);
    event_begin(json, "f", "submit");
    place_write(json, command->process, row);
    time_write(json, "ts", since(json, command->record.begin));
    fprintf(json->to, ",\"cat\":\"submit\",\"bp\":\"e\",\"id\":%llu}", number);
}

void trace_json_command(struct trace_json *json, const struct trace_command *command)
{
    static const char *const categories[] = {"kernel", "copy", "fill", "image", "other"};
    const struct zetrace_command *record = &command->record;
    const uint32_t row = command_row(json, command);
    event_begin(json, "X", command->name);
    fprintf(json->to, ",\"cat\":\"%s\"",
            categories[record->head.id <= ZETRACE_OTHER ? record->head.id : ZETRACE_OTHER]);
    place_write(json, command->process, row);
    time_write(json, "ts", since(json, record->begin));
    time_write(json, "dur", record->end - record->begin);
    command_args_write(json, record);
    arrow_write(json, command, row, ++json->commands);
}

/* One point of a counter. Devices and processes have counters of their own. */
static void counter_write(struct trace_json *json, const struct trace_value *value, uint64_t time,
                          double number)
{
    const char *tab = strchr(value->metric, '\t');
    char name[400];
    if (value->part == 0) {
        snprintf(name, sizeof(name), "%s", tab ? tab + 1 : value->metric);
    } else {
        snprintf(name, sizeof(name), "%s, part %u", tab ? tab + 1 : value->metric, value->part + 1);
    }
    event_begin(json, "C", name);
    place_write(json, value->process, 0);
    time_write(json, "ts", since(json, time));
    fprintf(json->to, ",\"cat\":\"%s\",\"id\":%u,\"args\":{", value->kernel ? "kernel" : "device",
            value->device_number);
    snprintf(name, sizeof(name), "%.*s", tab ? (int)(tab - value->metric - 1) : 0,
             value->metric + (tab ? 1 : 0));
    text_write(json->to, *name ? name : "value");
    fprintf(json->to, ":%.17g}}", isfinite(number) ? number : 0);
}

/* A kernel's counter falls to 0 when it ends. Samples follow each other. */
void trace_json_value(struct trace_json *json, const struct trace_value *value)
{
    counter_write(json, value, value->begin, value->value);
    if (value->kernel) {
        counter_write(json, value, value->end, 0);
    }
}

struct trace_json *trace_json_create(FILE *to, uint64_t start)
{
    struct trace_json *json = malloc(sizeof(*json));
    if (json) {
        *json = (struct trace_json){.to = to, .first = true, .start = start};
    }
    return json;
}

void trace_json_destroy(struct trace_json *json)
{
    if (json) {
        free(json->streams);
        free(json);
    }
}

bool trace_json_end(struct trace_json *json)
{
    fputs(json->first ? "[]\n" : "\n]\n", json->to);
    return fflush(json->to) == 0 && !ferror(json->to);
}
