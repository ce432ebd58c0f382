/* A driver that crashes when it is opened. */
#include <signal.h>

__attribute__((constructor)) static void crash(void)
{
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}
