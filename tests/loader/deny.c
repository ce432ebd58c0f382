/* deny CALL... -- PROGRAM ARGUMENT...: runs a program to which the system refuses some system calls
 * with EPERM, as the seccomp profiles of containers do. Exits with 77 if the system cannot filter
 * calls. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CALLS = 8 };

static int number_of(const char *name)
{
    static const struct {
        const char *name;
        int number;
    } calls[] = {{"memfd_create", SYS_memfd_create},
                 {"perf_event_open", SYS_perf_event_open},
                 {"ptrace", SYS_ptrace}};
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        if (strcmp(calls[i].name, name) == 0) {
            return calls[i].number;
        }
    }
    return -1;
}

/* Refuses the calls from now on. */
static int calls_deny(const int *numbers, unsigned count)
{
    struct sock_filter filter[CALLS + 3];
    unsigned length = 0;
    filter[length++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (unsigned i = 0; i < count; i++) {
        filter[length++] = (struct sock_filter)BPF_JUMP(
            BPF_JMP | BPF_JEQ | BPF_K, (unsigned)numbers[i], (unsigned char)(count - i), 0);
    }
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    const struct sock_fprog program = {.len = (unsigned short)length, .filter = filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

int main(int argc, char **argv)
{
    int numbers[CALLS], i = 1;
    unsigned count = 0;
    for (; i < argc && strcmp(argv[i], "--") != 0 && count < CALLS; i++) {
        numbers[count] = number_of(argv[i]);
        if (numbers[count++] < 0) {
            fprintf(stderr, "deny: unknown call %s\n", argv[i]);
            return 2;
        }
    }
    if (i + 1 >= argc || count == 0) {
        fputs("usage: deny CALL... -- PROGRAM ARGUMENT...\n", stderr);
        return 2;
    }
    if (!calls_deny(numbers, count)) {
        perror("deny: the system cannot filter calls");
        return 77;
    }
    execv(argv[i + 1], argv + i + 1);
    perror(argv[i + 1]);
    return 2;
}
