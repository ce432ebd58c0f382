/* Starts programs. See process.h. */
#include "process.h"

#include "error.h"
#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t running; /* the program that was started; 0: it has ended */

void process_release(void)
{
    running = 0;
}

void process_abandon(void)
{
    if (running > 0) {
        kill((pid_t)running, SIGKILL);
    }
}

/* Runs in the new process. It reports an error of exec by the pipe, which exec closes. */
static void child(char *const *program, int report)
{
    signal(SIGINT, SIG_IGN); /* the terminal's Ctrl-C is meant for the debugger */
    signal(SIGPIPE, SIG_DFL);
    setenv("ZET_ENABLE_PROGRAM_DEBUGGING", "1", 1);
    setenv("GEOID_DEBUG_WAIT", "60", 0);
    execvp(program[0], program);
    const int error = errno;
    while (write(report, &error, sizeof(error)) < 0 && errno == EINTR) {
    }
    _exit(127);
}

bool process_start(char *const *program, pid_t *pid)
{
    int report[2], error = 0;
    if (pipe2(report, O_CLOEXEC) != 0) {
        return error_set("cannot start %s: %s", program[0], strerror(errno));
    }
    *pid = fork();
    if (*pid == 0) {
        child(program, report[1]);
    }
    const int fork_error = errno;
    running = *pid > 0 ? *pid : 0;
    close(report[1]);
    ssize_t got = 0;
    while (*pid > 0 && (got = read(report[0], &error, sizeof(error))) < 0 && errno == EINTR) {
    }
    close(report[0]);
    if (*pid < 0) {
        return error_set("cannot start %s: %s", program[0], strerror(fork_error));
    }
    if (got > 0) {
        int status;
        (void)process_ended(*pid, true, &status);
        return error_set("cannot run %s: %s", program[0], strerror(error));
    }
    return true;
}

bool process_ended(pid_t pid, bool wait, int *status)
{
    pid_t found;
    while ((found = waitpid(pid, status, wait ? 0 : WNOHANG)) < 0 && errno == EINTR) {
    }
    if (found == pid && pid == (pid_t)running) {
        running = 0; /* its number may be another process's from now on */
    }
    return found == pid;
}

const char *process_end_text(int status)
{
    return WIFEXITED(status) ? scratch_format("exited with code %d", WEXITSTATUS(status))
                             : scratch_format("was killed by signal %d (%s)", WTERMSIG(status),
                                              strsignal(WTERMSIG(status)));
}

void process_kill(pid_t pid)
{
    int status;
    kill(pid, SIGKILL);
    (void)process_ended(pid, true, &status);
}

bool process_exists(pid_t pid)
{
    return kill(pid, 0) == 0 || errno == EPERM;
}
