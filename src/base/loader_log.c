/* Writes the loader's log in the format of the reference loader. See loader_log.h. */
#include "base/loader_log.h"

#include "base/option.h"
#include "base/output.h"
#include "base/room.h"
#include "base/strbuf.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char default_pattern[] = "[%Y-%m-%d %H:%M:%S.%e] [thread-id: %t] [%^%l%$] %v";
static const char trace_pattern[] = "ZE_LOADER_DEBUG_TRACE:%v";

/* Indexed by enum geo_log_level, which lacks the levels "critical" and "off". */
static const char *const level_names[] = {"error", "warn", "info", "debug", "trace"};

static struct {
    struct geo_output output;
    int level; /* highest level that is written; negative: none */
    const char *pattern;
    long utc_offset_s; /* local time minus UTC, read once: localtime() takes locks */
} log_state = {.level = -1};

static pthread_once_t log_once = PTHREAD_ONCE_INIT;

static bool is_on(const char *name)
{
    static const char *const off[] = {"", "0", "false", "no", "off"};
    const char *value = geo_option_environment(name);
    for (size_t i = 0; value && i < sizeof(off) / sizeof(off[0]); i++) {
        value = strcasecmp(value, off[i]) == 0 ? NULL : value;
    }
    return value != NULL;
}

static int level_read(void)
{
    const char *text = geo_option_environment("ZEL_LOADER_LOGGING_LEVEL");
    for (int i = 0; text && i <= GEO_LOG_TRACE; i++) {
        if (strcmp(text, level_names[i]) == 0) {
            return i;
        }
    }
    bool none = text && (strcmp(text, "off") == 0 || strcmp(text, "critical") == 0);
    return none ? -1 : text && strcmp(text, "err") == 0 ? GEO_LOG_ERROR : GEO_LOG_WARN;
}

static const char *setting(const char *name, const char *fallback)
{
    const char *value = geo_option_environment(name);
    return value && *value ? value : fallback;
}

/* Creates the missing folders of `path`. Errors are ignored: opening the file reports them. */
static void folder_make(char *path)
{
    for (char *slash = path; (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        (void)mkdir(path, 0755);
        *slash = '/';
    }
}

static bool file_open(void)
{
    const char *folder = setting("ZEL_LOADER_LOG_DIR", NULL);
    const char *home = setting("HOME", "."),
               *file = setting("ZEL_LOADER_LOG_FILE", "ze_loader.log");
    GEO_ROOM_TEXT(path, geo_path_format("%s%s/%s", folder ? folder : home,
                                        folder ? "" : "/.oneapi_logs", file));
    GEO_ROOM_TEXT(absolute, path ? geo_path_copy(path, strlen(path)) : NULL);
    if (!absolute) {
        return false;
    }
    folder_make(absolute);
    return geo_output_open(&log_state.output, absolute);
}

static void log_open(void)
{
    struct tm local;
    time_t now = time(NULL);
    bool console = is_on("ZEL_LOADER_LOG_CONSOLE");
    if (console || is_on("ZEL_ENABLE_LOADER_LOGGING")) {
        log_state.level = level_read();
        log_state.pattern = setting("ZEL_LOADER_LOG_PATTERN", default_pattern);
        if (!console && log_state.level >= 0 && !file_open()) {
            log_state.level = -1;
        }
    } else if (is_on("ZE_ENABLE_LOADER_DEBUG_TRACE")) {
        log_state.level = GEO_LOG_DEBUG;
        log_state.pattern = trace_pattern;
    }
    if (log_state.level >= 0 && localtime_r(&now, &local)) {
        log_state.utc_offset_s = local.tm_gmtoff;
    }
}

bool geo_loader_log_enabled(enum geo_log_level level)
{
    pthread_once(&log_once, log_open);
    return (int)level <= log_state.level;
}

/* ---- lines ---- */

struct moment {
    long year, month, day, hour, minute, second, nanosecond;
};

/* Returns the current local time. Computes the date itself, because localtime() takes a lock that a
 * fork may leave locked. Years start on 1 March in the computation, so that a leap day is the last
 * day. */
static struct moment moment_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    long seconds = (long)now.tv_sec + log_state.utc_offset_s;
    long days = seconds / 86400 + 719468, rest = seconds % 86400; /* since 1 March of year 0 */
    long era = days / 146097, day = days % 146097;
    long year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    day -= 365 * year + year / 4 - year / 100;
    long month = (5 * day + 2) / 153;
    return (struct moment){.year = year + era * 400 + (month >= 10),
                           .month = month < 10 ? month + 3 : month - 9,
                           .day = day - (153 * month + 2) / 5 + 1,
                           .hour = rest / 3600,
                           .minute = rest / 60 % 60,
                           .second = rest % 60,
                           .nanosecond = now.tv_nsec};
}

/* Appends the value of the pattern flag `flag`. Returns false for an unknown flag, which is then
 * printed as it is. */
static bool flag_add(struct geo_strbuf *line, char flag, enum geo_log_level level,
                     const struct moment *moment)
{
    const struct {
        char flag;
        int digits;
        long value;
    } numbers[] = {
        {'Y', 4, moment->year},
        {'m', 2, moment->month},
        {'d', 2, moment->day},
        {'H', 2, moment->hour},
        {'M', 2, moment->minute},
        {'S', 2, moment->second},
        {'e', 3, moment->nanosecond / 1000000},
        {'f', 6, moment->nanosecond / 1000},
        {'t', 1, (long)syscall(SYS_gettid)},
        {'P', 1, (long)getpid()},
    };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (numbers[i].flag == flag) {
            geo_strbuf_printf(line, "%0*ld", numbers[i].digits, numbers[i].value);
            return true;
        }
    }
    if (flag == 'l') {
        geo_strbuf_add(line, level_names[level], strlen(level_names[level]));
    }
    if (flag == '%') {
        geo_strbuf_add(line, "%", 1);
    }
    return flag == 'l' || flag == '%' || flag == '^' ||
           flag == '$'; /* %^ and %$ start and end colours */
}

void geo_loader_log(enum geo_log_level level, const char *text, size_t length)
{
    if (!geo_loader_log_enabled(level)) {
        return;
    }
    struct geo_strbuf line;
    const struct moment moment = moment_now();
    geo_strbuf_init(&line, 0);
    for (const char *at = log_state.pattern; *at; at++) {
        if (at[0] == '%' && at[1] == 'v') {
            geo_strbuf_add_shown(&line, text, length);
            at++;
        } else if (at[0] == '%' && at[1] && flag_add(&line, at[1], level, &moment)) {
            at++;
        } else {
            geo_strbuf_add(&line, at, 1);
        }
    }
    geo_strbuf_add(&line, "\n", 1);
    (void)geo_output_write(&log_state.output, geo_strbuf_text(&line),
                           line.length); /* a failure to write the log cannot be reported */
    geo_strbuf_finish(&line);
}
