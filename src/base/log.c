/* Writes log lines. The environment variables are parsed once, before the first line. See log.h. */
#include "base/log.h"

#include "base/file_limit.h"
#include "base/loader_log.h"
#include "base/option.h"
#include "base/output.h"
#include "base/strbuf.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_MAX_RULES 16

struct log_rule {
    char component[24]; /* empty: every component */
    int level;
};

static struct {
    struct log_rule rules[LOG_MAX_RULES];
    int rule_count;
    int max_level; /* highest level of all rules; lines above it return early */
    struct geo_output output;
} log_state;

static pthread_once_t log_once = PTHREAD_ONCE_INIT;

static const char *const level_names[] = {"error", "warn", "info", "debug", "trace"};

static int level_parse(const char *name, size_t length)
{
    for (int i = 0; i <= GEO_LOG_TRACE; i++) {
        if (strlen(level_names[i]) == length && strncmp(level_names[i], name, length) == 0) {
            return i;
        }
    }
    return -1;
}

static void rule_add(const char *item, size_t length)
{
    const char *equals = memchr(item, '=', length);
    size_t name = equals ? (size_t)(equals - item) : 0;
    const char *level_name = equals ? equals + 1 : item;
    int level = level_parse(level_name, length - (size_t)(level_name - item));
    struct log_rule *rule = &log_state.rules[log_state.rule_count];
    if (level < 0 || name >= sizeof(rule->component) || log_state.rule_count == LOG_MAX_RULES) {
        struct geo_file_limit limit;
        geo_file_limit_hold(&limit);
        fprintf(stderr, "geoid: log: warn: GEOID_LOG: '%.*s' is not understood\n", (int)length,
                item);
        geo_file_limit_release(&limit);
        return;
    }
    memcpy(rule->component, item, name);
    rule->level = level;
    log_state.rule_count++;
    if (level > log_state.max_level) {
        log_state.max_level = level;
    }
}

static void log_open(void)
{
    (void)geo_output_open(&log_state.output, geo_option_string("GEOID_LOG_FILE"));
    const char *text = geo_option_string("GEOID_LOG");
    while (text && *text) {
        size_t length = strcspn(text, ",");
        if (length) {
            rule_add(text, length);
        }
        text += length + (text[length] == ',');
    }
}

static int component_level(const char *component)
{
    int level = GEO_LOG_ERROR;
    for (int i = 0; i < log_state.rule_count; i++) {
        const struct log_rule *rule = &log_state.rules[i];
        if (!rule->component[0] || strcmp(rule->component, component) == 0) {
            level = rule->level;
        }
    }
    return level;
}

static bool is_ours(const char *component, enum geo_log_level level)
{
    pthread_once(&log_once, log_open);
    return (int)level <= log_state.max_level && (int)level <= component_level(component);
}

static bool is_loaders(const char *component, enum geo_log_level level)
{
    return strcmp(component, "loader") == 0 && geo_loader_log_enabled(level);
}

bool geo_log_enabled(const char *component, enum geo_log_level level)
{
    return is_ours(component, level) || is_loaders(component, level);
}

static void line_write(const char *component, enum geo_log_level level, const char *text)
{
    char line[1024];
    int used = snprintf(line, sizeof(line), "geoid: %s: %s: ", component, level_names[level]);
    size_t length = (size_t)used;
    length += geo_strbuf_shown(line + length, sizeof(line) - 1 - length, text, strlen(text));
    line[length++] = '\n';
    (void)geo_output_write(&log_state.output, line,
                           length); /* a failure to write the log cannot be reported */
}

void geo_log(const char *component, enum geo_log_level level, const char *format, ...)
{
    bool ours = is_ours(component, level), loaders = is_loaders(component, level);
    char text[1024];
    if (!ours && !loaders) {
        return;
    }
    va_list args;
    va_start(args, format);
    if (vsnprintf(text, sizeof(text), format, args) < 0) {
        text[0] = '\0';
    }
    va_end(args);
    if (ours) {
        line_write(component, level, text);
    }
    if (loaders) {
        geo_loader_log(level, text, strlen(text));
    }
}
