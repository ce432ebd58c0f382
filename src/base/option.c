/* Reads environment variables by the table in options.def. See option.h. */
#include "base/option.h"

#include "base/assert.h"
#include "base/file_limit.h"
#include "base/note.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct geo_option options[] = {
#define GEO_OPTION(name, fallback, component, help) {name, fallback, component, help},
#define GEO_VARIABLE(name, fallback, component, help)
#include "base/options.def"
#undef GEO_OPTION
#undef GEO_VARIABLE
};

/* Variables that Geoid did not define, listed for help only. Code that reads them applies the
 * defaults. */
static const struct geo_option variables[] = {
#define GEO_OPTION(name, fallback, component, help)
#define GEO_VARIABLE(name, fallback, component, help) {name, fallback, component, help},
#include "base/options.def"
#undef GEO_OPTION
#undef GEO_VARIABLE
};

#define OPTION_COUNT   (sizeof(options) / sizeof(options[0]))
#define VARIABLE_COUNT (sizeof(variables) / sizeof(variables[0]))

const struct geo_option *geo_option_table(size_t *count)
{
    *count = OPTION_COUNT;
    return options;
}

const struct geo_option *geo_option_variable_table(size_t *count)
{
    *count = VARIABLE_COUNT;
    return variables;
}

const char *geo_option_environment(const char *name)
{
    return secure_getenv(name);
}

static pthread_once_t help_once = PTHREAD_ONCE_INIT;

static void rows_print(const struct geo_option *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *fallback = rows[i].fallback ? rows[i].fallback : "unset";
        fprintf(stderr, "%-32s [%s] %s (default: %s)\n", rows[i].name, rows[i].component,
                rows[i].help, fallback);
    }
}

/* Prints the option table for GEOID_DEBUG=help. Every Geoid library of a process has this table, so
 * only the first one prints it. */
static void help_print(void)
{
    const char *debug = geo_option_environment("GEOID_DEBUG");
    if (!debug || strcmp(debug, "help") != 0 || !geo_note_is_first()) {
        return;
    }
    struct geo_file_limit limit;
    geo_file_limit_hold(&limit);
    rows_print(options, OPTION_COUNT);
    rows_print(variables, VARIABLE_COUNT);
    geo_file_limit_release(&limit);
}

static const struct geo_option *option_find(const char *name)
{
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        if (strcmp(options[i].name, name) == 0) {
            return &options[i];
        }
    }
    GEO_ASSERT(0 && "option missing in the table");
    return NULL;
}

const char *geo_option_string(const char *name)
{
    pthread_once(&help_once, help_print);
    const struct geo_option *option = option_find(name);
    const char *value = geo_option_environment(name);
    return value ? value : option ? option->fallback : NULL;
}

static bool number_parse(const char *text, uint64_t *number)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 0);
    if (end == text || *end != '\0' || errno != 0 || *text == '-') {
        return false;
    }
    *number = value;
    return true;
}

uint64_t geo_option_number(const char *name, uint64_t min, uint64_t max)
{
    const struct geo_option *option = option_find(name);
    const char *text = geo_option_string(name);
    uint64_t number = 0;
    if (text && number_parse(text, &number) && number >= min && number <= max) {
        return number;
    }
    if (text && (!option->fallback || strcmp(text, option->fallback) != 0)) {
        struct geo_file_limit limit;
        geo_file_limit_hold(&limit);
        fprintf(stderr,
                "geoid: base: warn: %s=%s is ignored: the value must be a number from %llu to "
                "%llu; using %s\n",
                name, text, (unsigned long long)min, (unsigned long long)max,
                option->fallback ? option->fallback : "0");
        geo_file_limit_release(&limit);
    }
    number = 0;
    if (option->fallback) {
        number_parse(option->fallback, &number);
    }
    return number;
}

bool geo_option_flag(const char *name)
{
    static const char *const yes[] = {"1", "true", "yes", "on"};
    const char *text = geo_option_string(name);
    for (size_t i = 0; text && i < sizeof(yes) / sizeof(yes[0]); i++) {
        if (strcmp(text, yes[i]) == 0) {
            return true;
        }
    }
    return false;
}
