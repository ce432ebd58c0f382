/* Writes messages: text or JSON lines, counts, and messages that end the process. See validation.h.
 *
 * A line is built in memory and written with one write(2), so lines of several threads and
 * processes do not mix. SARIF is a document (sarif.h). Each message is written at most
 * GEO_VAL_WRITTEN times, and only counted afterwards. */
#include "layers/validation/report/json_text.h"
#include "layers/validation/report/sarif.h"
#include "layers/validation/report/stack.h"
#include "layers/validation/validation.h"

#include "base/fork.h"
#include "base/loader_log.h"
#include "base/option.h"
#include "base/output.h"
#include "base/strbuf.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { GEO_VAL_WRITTEN = 100, TEXT_SIZE = 1024 };

static const char *const severities[] = {"error", "warning", "hint"};

static atomic_uint counts[GEO_VAL_MESSAGE_COUNT];

/* The settings, read from the environment at the first message. */
static struct {
    struct geo_output file;
    enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_SARIF } format;
    const char *hidden, *fatal;
    bool refuses;
} output;
static pthread_once_t output_once = PTHREAD_ONCE_INIT;

/* Returns whether messages go to a SARIF file. */
static bool sarif_open(const char *path)
{
    const bool good = geo_val_sarif_open(path);
    if (!good) {
        geo_log("validation", GEO_LOG_ERROR,
                path && *path
                    ? "GEOID_VALIDATION_FILE: %s: %s; messages go to standard error as text"
                    : "GEOID_VALIDATION_FORMAT=sarif needs a file: set GEOID_VALIDATION_FILE; "
                      "messages go to standard error as text",
                path,
                errno == EILSEQ ? "it has another content than the SARIF of this layer"
                                : strerror(errno));
    }
    return good;
}

static void format_read(const char *path)
{
    const char *format = geo_option_string("GEOID_VALIDATION_FORMAT");
    if (strcmp(format, "json") == 0) {
        output.format = FORMAT_JSON;
    } else if (strcmp(format, "sarif") == 0) {
        output.format = sarif_open(path) ? FORMAT_SARIF : FORMAT_TEXT;
    } else if (strcmp(format, "text") != 0) {
        geo_log("validation", GEO_LOG_ERROR,
                "GEOID_VALIDATION_FORMAT: %s is not text, json or sarif; messages are text",
                format);
    }
}

static bool sarif_is_wanted(void)
{
    return strcmp(geo_option_string("GEOID_VALIDATION_FORMAT"), "sarif") == 0;
}

static void output_open(void)
{
    const char *path = geo_option_string("GEOID_VALIDATION_FILE");
    format_read(path);
    if (sarif_is_wanted()) {
        path = NULL; /* only a SARIF document may be in that file */
    }
    if (!geo_output_open(&output.file, path)) {
        geo_log("validation", GEO_LOG_ERROR,
                "GEOID_VALIDATION_FILE: %s: %s; messages go to standard error", path,
                strerror(errno));
    }
    output.hidden = geo_option_string("GEOID_VALIDATION_HIDE");
    output.fatal = geo_option_string("GEOID_VALIDATION_ABORT");
    output.refuses = geo_option_flag("GEOID_VALIDATION_REFUSE");
}

static void line_write(const struct geo_strbuf *line)
{
    if (line->length > 0) {
        (void)geo_output_write(&output.file, line->text, line->length);
    }
}

/* --- moments --- */

uint32_t geo_val_report_thread(void)
{
    static _Thread_local uint32_t id __attribute__((tls_model("initial-exec")));
    if (id == 0) {
        id = (uint32_t)syscall(SYS_gettid);
    }
    return id;
}

static uint64_t clock_ns(void)
{
    struct timespec now;
    /* Takes a few nanoseconds; its resolution is sufficient for a history. */
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t began_ns;

__attribute__((constructor)) static void clock_start(void)
{
    began_ns = clock_ns();
}

static uint16_t forks_now(void)
{
    return (uint16_t)(geo_fork_generation() - 1);
}

struct geo_val_moment geo_val_report_now(enum geo_ddi_function_id function)
{
    return (struct geo_val_moment){(uint16_t)function, forks_now(), geo_val_report_thread(),
                                   clock_ns() - began_ns};
}

bool geo_val_report_before_fork(const struct geo_val_moment *moment)
{
    return moment->forks != forks_now();
}

/* --- text --- */

static const char *moment_function(const struct geo_val_moment *moment)
{
    return moment->function < GEO_DDI_FUNCTION_COUNT ? geo_ddi_functions[moment->function].name
                                                     : NULL;
}

static void text_moment(struct geo_strbuf *line, const char *what,
                        const struct geo_val_moment *moment)
{
    const char *function = moment_function(moment);
    if (function) {
        geo_strbuf_printf(line, "%s by %s in thread %u at %.3f s", what, function, moment->thread,
                          (double)moment->time_ns / 1e9);
    }
}

static void text_body(struct geo_strbuf *line, enum geo_val_message message,
                      const struct geo_val_place *place, const char *text)
{
    const struct geo_val_message_row *row = &geo_val_messages[message];
    geo_strbuf_printf(line, "%s: ", row->name);
    if (place->call) {
        geo_strbuf_printf(line, "%s: ", geo_ddi_functions[place->call->id].name);
    }
    if (place->argument) {
        geo_strbuf_printf(line, "%s: ", place->argument);
    }
    geo_strbuf_printf(line, "%s", text);
    if (place->history && moment_function(&place->history->made)) {
        geo_strbuf_printf(line, " (");
        text_moment(line, "made", &place->history->made);
        if (moment_function(&place->history->ended)) {
            geo_strbuf_printf(line, ", ");
            text_moment(line, "destroyed", &place->history->ended);
        }
        geo_strbuf_printf(line, ")");
    }
    geo_strbuf_printf(line, " [%s; %s]", row->requirement, row->section);
}

static void text_line(struct geo_strbuf *line, enum geo_val_message message,
                      const struct geo_val_place *place, const char *text)
{
    geo_strbuf_printf(line,
                      "geoid: validation: %s: ", severities[geo_val_messages[message].severity]);
    text_body(line, message, place, text);
    geo_strbuf_printf(line, "\n");
    if (place->history && place->history->stack) {
        geo_val_stack_text(place->history->stack, line);
    }
}

/* --- JSON: one object per line --- */

static void json_string(struct geo_strbuf *line, const char *name, const char *text)
{
    geo_strbuf_printf(line, ",\"%s\":", name);
    geo_val_json_add(line, text);
}

static void json_moment(struct geo_strbuf *line, const char *name,
                        const struct geo_val_moment *moment)
{
    const char *function = moment_function(moment);
    if (function) {
        geo_strbuf_printf(line, ",\"%s\":{\"function\":\"%s\",\"thread\":%u,\"seconds\":%.3f}",
                          name, function, moment->thread, (double)moment->time_ns / 1e9);
    }
}

static void json_line(struct geo_strbuf *line, enum geo_val_message message,
                      const struct geo_val_place *place, const char *text)
{
    const struct geo_val_message_row *row = &geo_val_messages[message];
    geo_strbuf_printf(line, "{\"severity\":\"%s\",\"message\":\"%s\"", severities[row->severity],
                      row->name);
    json_string(line, "text", text);
    if (place->call) {
        json_string(line, "function", geo_ddi_functions[place->call->id].name);
    }
    if (place->argument) {
        json_string(line, "argument", place->argument);
    }
    if (place->handle) {
        geo_strbuf_printf(line, ",\"object\":\"%p\"", place->handle);
    }
    if (place->history) {
        json_moment(line, "made", &place->history->made);
        json_moment(line, "destroyed", &place->history->ended);
    }
    json_string(line, "requirement", row->requirement);
    json_string(line, "section", row->section);
    if (place->history && place->history->stack) {
        geo_val_stack_json(place->history->stack, line);
    }
    geo_strbuf_printf(line, "}\n");
}

/* --- a message --- */

/* Returns the message counts of this process. A child of fork starts with 0, because the parent
 * reports its own messages. */
static atomic_uint *counts_of_process(void)
{
    static _Atomic uint32_t owner = 1;
    const uint32_t process = geo_fork_generation();
    uint32_t before = atomic_load_explicit(&owner, memory_order_relaxed);
    if (before != process && atomic_compare_exchange_strong(&owner, &before, process)) {
        for (int i = 0; i < GEO_VAL_MESSAGE_COUNT; i++) {
            atomic_store_explicit(&counts[i], 0, memory_order_relaxed);
        }
    }
    return counts;
}

/* Writes the message to the loader's log as well. */
static void message_log(enum geo_val_message message, const struct geo_val_place *place,
                        const char *text)
{
    static const enum geo_log_level levels[] = {GEO_LOG_ERROR, GEO_LOG_WARN, GEO_LOG_INFO};
    const enum geo_log_level level = levels[geo_val_messages[message].severity];
    struct geo_strbuf line = {0};
    if (!geo_loader_log_enabled(level)) {
        return;
    }
    text_body(&line, message, place, text);
    geo_loader_log(level, geo_strbuf_text(&line), line.length);
    geo_strbuf_finish(&line);
}

static void message_write(enum geo_val_message message, const struct geo_val_place *place,
                          const char *text)
{
    struct geo_strbuf line = {0};
    if (output.format == FORMAT_SARIF &&
        geo_val_sarif_write(message, place, place->call ? geo_val_stack_take() : NULL, text)) {
        return;
    }
    if (output.format == FORMAT_JSON) {
        json_line(&line, message, place, text);
    } else {
        text_line(&line, message, place, text);
    }
    line_write(&line);
    geo_strbuf_finish(&line);
}

void geo_val_tell(enum geo_val_message message, const struct geo_val_place *place,
                  const char *format, ...)
{
    const struct geo_val_message_row *row = &geo_val_messages[message];
    pthread_once(&output_once, output_open);
    if (geo_val_checks_list_has(output.hidden, row->name)) {
        return;
    }
    const bool fatal = geo_val_checks_list_has(output.fatal, row->name) &&
                       (row->severity == GEO_VAL_ERROR || strcmp(output.fatal, "all") != 0);
    const unsigned count =
        atomic_fetch_add_explicit(&counts_of_process()[message], 1, memory_order_relaxed);
    if (count < GEO_VAL_WRITTEN || fatal) {
        char text[TEXT_SIZE];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof(text), format, arguments);
        va_end(arguments);
        message_write(message, place, text);
        message_log(message, place, text);
    }
    if (fatal) {
        abort();
    }
}

ze_result_t geo_val_refusal(ze_result_t result)
{
    return output.refuses ? result : ZE_RESULT_SUCCESS;
}

void geo_val_tell_counts(void)
{
    struct geo_strbuf line = {0};
    atomic_uint *const own = counts_of_process();
    if (sarif_is_wanted()) {
        pthread_once(&output_once, output_open); /* a file without results says that all is well */
    }
    if (output.format == FORMAT_SARIF) {
        return;
    }
    for (int i = 0; i < GEO_VAL_MESSAGE_COUNT; i++) {
        const unsigned count = atomic_load_explicit(&own[i], memory_order_relaxed);
        const struct geo_val_message_row *row = &geo_val_messages[i];
        if (count == 0) {
            continue;
        }
        if (output.format == FORMAT_JSON) {
            geo_strbuf_printf(&line, "{\"count\":%u,\"severity\":\"%s\",\"message\":\"%s\"}\n",
                              count, severities[row->severity], row->name);
        } else {
            geo_strbuf_printf(&line, "geoid: validation: in all: %u %s%s: %s\n", count,
                              severities[row->severity], count == 1 ? "" : "s", row->name);
        }
    }
    line_write(&line);
    geo_strbuf_finish(&line);
}
