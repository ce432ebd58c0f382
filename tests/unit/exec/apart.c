/* Cases in processes of their own, and kernels that fault. See apart.h. */
#include "apart.h"

#include <signal.h>
#include <sys/wait.h>

int apart_run(void (*prepare)(void), int (*run)(void))
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
        for (int i = 0; i < 4; i++) {
            signal(signals[i], SIG_DFL);
        }
        alarm(2 * patience_s());
        prepare();
        _exit(run());
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static volatile int sink;

__attribute__((noinline)) static int stack_eat(int depth)
{
    volatile char frame[4096];
    frame[depth & 4095] = (char)depth;
    return depth < 0 ? frame[0] : stack_eat(depth + 1) + frame[1];
}

#if defined(__clang__)
__attribute__((no_sanitize("undefined")))
#endif
static void trouble_make(const struct trouble_arguments *arguments)
{
    switch (arguments->kind) {
    case TROUBLE_NONE:
        break;
    case TROUBLE_WRITE:
        *(volatile int *)(uintptr_t)(64 + (uintptr_t)arguments->zero) = 1;
        break;
    case TROUBLE_DIVIDE:
        sink = 1000003 / arguments->zero;
        break;
    case TROUBLE_TRAP:
        __builtin_trap();
    case TROUBLE_STACK:
        sink = stack_eat(arguments->zero);
    }
}

void trouble_kernel(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                    uint64_t count)
{
    const struct trouble_arguments *arguments = (const struct trouble_arguments *)launch->arguments;
    (void)worker;
    for (uint64_t i = first; i < first + count; i++) {
        atomic_fetch_add(arguments->ran, 1);
        if (i == arguments->at) {
            trouble_make(arguments);
        }
    }
}
