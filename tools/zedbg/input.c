/* Reads commands. See input.h. */
#include "input.h"

#include "command.h"
#include "error.h"
#include "memory.h"
#include "run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char prompt[] = "(zedbg) ";

bool input_command(const char *command, bool echo)
{
    if (echo) {
        printf("%s%s\n", prompt, command);
        fflush(stdout);
    }
    return command_line(command);
}

bool input_file(const char *path, bool echo)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    bool good = true;
    if (!file) {
        fprintf(stderr, "zedbg: %s cannot be read: %s\n", path, strerror(errno));
        return false;
    }
    while (!command_quits && getline(&line, &size, file) >= 0) {
        line[strcspn(line, "\r\n")] = '\0';
        good &= input_command(line, echo);
    }
    free(line);
    if (file != stdin) {
        fclose(file);
    }
    return good;
}

/* Returns whether an empty line repeats a command: those that move or go on. */
static bool repeats(const char *line)
{
    static const char *const names[] = {"c",     "continue", "s",    "step", "n",  "next",
                                        "stepi", "si",       "list", "l",    "up", "down"};
    const char *name = word_take(&line);
    for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Prints the prompt and waits until a line can be read. Returns false if Ctrl-C came instead. The
 * signal is blocked except while this function waits, so none gets lost before the wait. */
static bool terminal_wait(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    sigset_t interrupt, before;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt, &before);
    fputs(prompt, stdout);
    fflush(stdout);
    const int found = ppoll(&input, 1, NULL, &before);
    const bool interrupted = found < 0 && errno == EINTR;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (interrupted) {
        run_request_clear();
        putchar('\n');
    }
    return !interrupted;
}

void input_terminal(void)
{
    const bool is_terminal = isatty(STDIN_FILENO);
    char *line = NULL, *last = memory_text("");
    size_t size = 0;
    while (!command_quits) {
        if (is_terminal && !terminal_wait()) {
            continue;
        }
        if (getline(&line, &size, stdin) < 0) {
            break;
        }
        line[strcspn(line, "\r\n")] = '\0';
        if (*line || !is_terminal) {
            free(last);
            last = memory_text(line);
        }
        if (*line || repeats(last)) {
            (void)command_line(last);
        }
    }
    if (is_terminal && !command_quits) {
        putchar('\n');
    }
    free(last);
    free(line);
}
