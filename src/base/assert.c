/* The end of a process whose invariant does not hold. */
#include "base/assert.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Writes a string to standard error. A part that cannot be written is lost: nothing can report it. */
static void put(const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        ssize_t written = write(STDERR_FILENO, text, left);
        if (written <= 0) {
            return;
        }
        text += written;
        left -= (size_t)written;
    }
}

/* Writes a positive number in decimal. */
static void put_number(unsigned number)
{
    char text[16];
    char *digit = text + sizeof text - 1;
    *digit = '\0';
    do {
        *--digit = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    put(digit);
}

void geo_assert_failed(const char *condition, const char *file, int line, const char *function)
{
    put(file);
    put(":");
    put_number((unsigned)line);
    put(": ");
    put(function);
    put(": an invariant of Geoid does not hold: ");
    put(condition);
    put("\n");
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
