/* The program zeinfo, --check: findings, and probes in child processes. See check.h.
 *
 * A probe writes a line per finding to a pipe: outcome, name, detail and remedy, separated by tabs.
 * A line that begins with '@' says what the probe does next. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LINE_BYTES 8192

/* ---- findings ---- */

/* Makes a text fit for one line of a table: control characters become blanks. */
static void text_clean(char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || *text == '\x7f') {
            *text = ' ';
        }
    }
}

static void finding_add(struct check_list *list, enum check_outcome outcome, const char *name,
                        const char *detail, const char *remedy)
{
    struct check_finding *items = realloc(list->items, (list->count + 1) * sizeof(*items));
    if (!items) {
        list->failed = true;
        return;
    }
    list->items = items;
    struct check_finding *finding = &items[list->count];
    *finding = (struct check_finding){outcome, strdup(name), strdup(detail), strdup(remedy)};
    list->count++;
    list->failed |= !finding->name || !finding->detail || !finding->remedy;
}

void check_list_finish(struct check_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].name);
        free(list->items[i].detail);
        free(list->items[i].remedy);
    }
    free(list->items);
    list->items = NULL;
    list->count = 0;
}

/* Sends a line to the parent of a probe. */
static void line_send(struct check_list *list, const char *line, size_t length)
{
    while (length > 0) {
        const ssize_t part = write(list->pipe, line, length);
        if (part < 0 && errno != EINTR) {
            list->failed = true;
            return;
        }
        line += part > 0 ? part : 0;
        length -= part > 0 ? (size_t)part : 0;
    }
}

void check_add(struct check_list *list, const char *name, enum check_outcome outcome,
               const char *remedy, const char *format, ...)
{
    char detail[LINE_BYTES / 2], line[LINE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(detail, sizeof(detail), format, args);
    va_end(args);
    text_clean(detail);
    if (list->pipe < 0) {
        finding_add(list, outcome, name, detail, remedy ? remedy : "");
        return;
    }
    const int length = snprintf(line, sizeof(line), "%d\t%s\t%s\t%s\n", (int)outcome, name, detail,
                                remedy ? remedy : "");
    line_send(list, line, length < (int)sizeof(line) ? (size_t)length : sizeof(line) - 1);
}

void check_at(struct check_list *list, const char *format, ...)
{
    char text[LINE_BYTES / 2], line[LINE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    text_clean(text);
    if (list->pipe >= 0) {
        line_send(list, line, (size_t)snprintf(line, sizeof(line), "@%s\n", text));
    }
}

/* ---- probes ---- */

/* Seconds since some point in the past. */
static double clock_read(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The parent's view of a probe. */
struct answer {
    char line[LINE_BYTES]; /* the part of a line that has arrived */
    size_t length;
    char place[LINE_BYTES]; /* what the probe does */
};

static char *field_cut(char **text)
{
    char *field = *text, *end = field + strcspn(field, "\t");
    *text = *end ? end + 1 : end;
    *end = '\0';
    return field;
}

static void line_take(struct check_list *list, struct answer *answer)
{
    char *text = answer->line;
    if (*text == '@') {
        snprintf(answer->place, sizeof(answer->place), "%s", text + 1);
        return;
    }
    const int outcome = atoi(field_cut(&text));
    const char *name = field_cut(&text), *detail = field_cut(&text), *remedy = field_cut(&text);
    finding_add(list,
                outcome == 0   ? CHECK_OK
                : outcome == 1 ? CHECK_NOTE
                               : CHECK_FAILED,
                name, detail, remedy);
}

static void bytes_take(struct check_list *list, struct answer *answer, const char *bytes,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '\n') {
            answer->line[answer->length] = '\0';
            line_take(list, answer);
            answer->length = 0;
        } else if (answer->length < sizeof(answer->line) - 1) {
            answer->line[answer->length++] = bytes[i];
        }
    }
}

/* Reads findings until the probe closes the pipe. Returns false when the time is up. */
static bool answer_read(struct check_list *list, struct answer *answer, int pipe)
{
    const double end = clock_read() + list->seconds;
    char bytes[4096];
    for (;;) {
        const double left = end - clock_read();
        struct pollfd poll_fd = {.fd = pipe, .events = POLLIN};
        const int ready = left > 0 ? poll(&poll_fd, 1, (int)(left * 1000) + 1) : 0;
        if (ready == 0) {
            return false;
        }
        const ssize_t count = ready > 0 ? read(pipe, bytes, sizeof(bytes)) : -1;
        if (count > 0) {
            bytes_take(list, answer, bytes, (size_t)count);
        } else if (count == 0 || errno != EINTR) {
            return true;
        }
    }
}

/* Reports how the probe ended, unless it ended well. */
static void end_report(struct check_list *list, const char *name, const struct answer *answer,
                       bool in_time, int status)
{
    static const char remedy[] = "run zeinfo again with GEOID_LOG=debug to see what happens";
    static const char hang_remedy[] =
        "set GEOID_DRIVER_INIT_TIMEOUT=5000 to leave out a driver whose initialisation hangs, or "
        "GEOID_KERNEL_TIMEOUT=60 to end a kernel that hangs";
    const char *place = *answer->place ? answer->place : "the check";
    if (!in_time) {
        check_add(list, name, CHECK_FAILED, hang_remedy, "no answer within %d s: %s", list->seconds,
                  place);
    } else if (WIFSIGNALED(status)) {
        check_add(list, name, CHECK_FAILED, remedy, "%s ended with signal %d (%s)", place,
                  WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else if (WEXITSTATUS(status) != 0) {
        check_add(list, name, CHECK_FAILED, remedy, "%s ended the process with exit status %d",
                  place, WEXITSTATUS(status));
    }
}

static _Noreturn void probe_main(const struct check_variable *variables,
                                 void (*function)(struct check_list *list), int pipe)
{
    struct check_list list = {.pipe = pipe};
    for (; variables && variables->name; variables++) {
        list.failed |= setenv(variables->name, variables->value, 1) != 0;
    }
    if (!list.failed) {
        function(&list);
    }
    fflush(NULL);
    _exit(list.failed ? 1 : 0);
}

void check_probe(struct check_list *list, const char *name, const struct check_variable *variables,
                 void (*function)(struct check_list *list))
{
    int ends[2];
    struct answer *answer = calloc(1, sizeof(*answer));
    if (!answer || pipe2(ends, O_CLOEXEC) != 0) {
        check_add(list, name, CHECK_FAILED, "raise `ulimit -n` and `ulimit -v`",
                  "zeinfo cannot start a process: %s", strerror(errno));
        free(answer);
        return;
    }
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        probe_main(variables, function, ends[1]);
    }
    close(ends[1]);
    if (child < 0) {
        check_add(list, name, CHECK_FAILED, "raise `ulimit -u`, or end other processes",
                  "zeinfo cannot start a process: %s", strerror(errno));
    } else {
        int status = 0;
        const bool in_time = answer_read(list, answer, ends[0]);
        if (!in_time) {
            kill(child, SIGKILL);
        }
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        end_report(list, name, answer, in_time, status);
    }
    close(ends[0]);
    free(answer);
}
