/* The end of a process whose invariant does not hold. */
#include "base/assert.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static void (*_Atomic reporter)(const char *text);

void geo_assert_on_failure(void (*report)(const char *text))
{
    atomic_store(&reporter, report);
}

/* The message. Its end is lost if it is too long. */
struct line {
    char text[480];
    size_t length;
};

static void put(struct line *line, const char *text)
{
    while (*text && line->length < sizeof line->text - 1) {
        line->text[line->length++] = *text++;
    }
    line->text[line->length] = '\0';
}

/* Adds a positive number in decimal. */
static void put_number(struct line *line, unsigned number)
{
    char text[16];
    char *digit = text + sizeof text - 1;
    *digit = '\0';
    do {
        *--digit = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    put(line, digit);
}

/* Writes the message to standard error. A part that cannot be written is lost: nothing can report
 * it. */
static void line_write(const struct line *line)
{
    size_t done = 0;
    while (done < line->length) {
        ssize_t written = write(STDERR_FILENO, line->text + done, line->length - done);
        if (written <= 0) {
            break;
        }
        done += (size_t)written;
    }
    (void)!write(STDERR_FILENO, "\n", 1);
}

void geo_assert_failed(const char *condition, const char *file, int line, const char *function)
{
    struct line message = {.length = 0};
    put(&message, file);
    put(&message, ":");
    put_number(&message, (unsigned)line);
    put(&message, ": ");
    put(&message, function);
    put(&message, ": an invariant of Geoid does not hold: ");
    put(&message, condition);
    line_write(&message);
    /* An assertion that fails in the reporter itself must not call it again. */
    void (*report)(const char *text) = atomic_exchange(&reporter, NULL);
    if (report) {
        report(message.text);
    }
    /* Ends the process as abort() does. abort() itself cannot be called: the compiler library
     * defines another function of this name, which only ends the build (compiler/process). */
    signal(SIGABRT, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGABRT);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(SIGABRT);
    _exit(128 + SIGABRT);
}
