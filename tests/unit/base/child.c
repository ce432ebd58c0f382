/* Unit tests of base: functions that run in a process of their own. See child.h. */
#include "child.h"

#include "unit.h"

#include <sys/wait.h>
#include <unistd.h>

const char *child_output(const char *const *environment, void (*run)(void))
{
    static char text[65536];
    int pipes[2], status;
    size_t length = 0;
    assert_int_equal(pipe(pipes), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(pipes[0]);
        dup2(pipes[1], STDERR_FILENO);
        for (; environment && environment[0]; environment += 2) {
            setenv(environment[0], environment[1], 1);
        }
        run();
        fflush(NULL);
        _exit(0);
    }
    close(pipes[1]);
    ssize_t bytes;
    while ((bytes = read(pipes[0], text + length, sizeof(text) - 1 - length)) > 0) {
        length += (size_t)bytes;
    }
    close(pipes[0]);
    text[length] = '\0';
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return text;
}
