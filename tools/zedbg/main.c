/* zedbg: debugs kernels on a terminal, over zetDebug* alone. This file has the command line.
 *
 *   main.c -> input.c -> command.c -> command_*.c     what the user says
 *   run.c, step.c -> debuggee.c -> session.c          what the device does (zetDebug*)
 *   view.c, report.c -> frame.c, chunk.c, value.c     what DWARF says of it (libdw) */
#include "command.h"
#include "error.h"
#include "input.h"
#include "memory.h"
#include "process.h"
#include "report.h"
#include "run.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: zedbg [OPTIONS] [PROGRAM [ARGUMENT...]]\n"
    "       zedbg [OPTIONS] --pid PID\n"
    "Debugs kernels that a program runs by Level Zero. It reads commands from standard input:\n"
    "`help` lists them.\n"
    "\n"
    "  --pid PID        debug a process that was started with ZET_ENABLE_PROGRAM_DEBUGGING=1\n"
    "  -ex COMMAND      run a command first; may be repeated\n"
    "  -x FILE          run the commands of a file first; may be repeated; -: standard input\n"
    "  --batch          end after these commands; errors do not end them\n"
    "  --echo           print the commands of -ex and -x before they run\n"
    "  --directory DIR  search source files in DIR\n"
    "  --help           print this help\n"
    "  --version        print the version\n"
    "\n"
    "Exit status: 0, 1 if a command of -ex or -x failed or the process cannot be debugged, and 2\n"
    "for wrong usage.\n";

enum {
    OPTION_PID = 256,
    OPTION_EX,
    OPTION_BATCH,
    OPTION_ECHO,
    OPTION_DIRECTORY,
    OPTION_HELP,
    OPTION_VERSION
};

/* A command or a file with commands, in the order in which they were given. */
struct order {
    bool is_file;
    const char *text;
};

struct options {
    struct order *orders;
    size_t order_count;
    long pid; /* 0: none */
    bool batch, echo;
};

static void order_add(struct options *options, bool is_file, const char *text)
{
    options->orders = memory_grow(options->orders, options->order_count, sizeof(*options->orders));
    options->orders[options->order_count++] = (struct order){is_file, text};
}

static int wrong(const char *text)
{
    fprintf(stderr, "zedbg: %s\n%s", text, usage);
    return 2;
}

/* Takes one option, which was written as `given`. Returns -1 if the debugger goes on, else its exit
 * status. */
static int option_take(struct options *options, int option, const char *given)
{
    switch (option) {
    case OPTION_PID:
        if (!number_read(optarg, "the process of --pid", 1, &options->pid)) {
            return wrong(error_text());
        }
        return -1;
    case OPTION_EX:
    case 'x':
        order_add(options, option == 'x', optarg);
        return -1;
    case OPTION_BATCH:
        options->batch = true;
        return -1;
    case OPTION_ECHO:
        options->echo = true;
        return -1;
    case OPTION_DIRECTORY:
        return command_line(scratch_format("directory %s", optarg)) ? -1 : 2;
    case OPTION_HELP:
        fputs(usage, stdout);
        return 0;
    case OPTION_VERSION:
        puts("zedbg " GEOID_VERSION);
        return 0;
    case ':':
        return wrong(scratch_format("a value is missing after %s", given));
    default:
        return wrong(scratch_format("unknown option %s", given));
    }
}

static int options_read(struct options *options, int argc, char **argv)
{
    static const struct option longs[] = {
        {"pid", required_argument, NULL, OPTION_PID},
        {"ex", required_argument, NULL, OPTION_EX},
        {"batch", no_argument, NULL, OPTION_BATCH},
        {"echo", no_argument, NULL, OPTION_ECHO},
        {"directory", required_argument, NULL, OPTION_DIRECTORY},
        {"help", no_argument, NULL, OPTION_HELP},
        {"version", no_argument, NULL, OPTION_VERSION},
        {0},
    };
    int option, status = -1;
    opterr = 0;
    while (status < 0 && (option = getopt_long_only(argc, argv, "+:x:h", longs, NULL)) != -1) {
        status = option_take(options, option == 'h' ? OPTION_HELP : option, argv[optind - 1]);
    }
    if (status >= 0) {
        return status;
    }
    command_program = optind < argc ? argv + optind : NULL;
    return options->pid && command_program ? wrong("--pid does not run a program") : -1;
}

static void interrupted(int number)
{
    (void)number;
    run_request_stop();
}

/* Ends zedbg and the program that it started, for a terminal that is closed and the like. */
static void ended(int number)
{
    process_abandon();
    _exit(128 + number);
}

static bool orders_run(const struct options *options)
{
    bool good = true;
    for (size_t i = 0; i < options->order_count && !command_quits; i++) {
        const struct order *order = &options->orders[i];
        good &= order->is_file ? input_file(order->text, options->echo)
                               : input_command(order->text, options->echo);
    }
    return good;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    const int status = options_read(&options, argc, argv);
    if (status >= 0) {
        free(options.orders);
        return status;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    sigaction(SIGINT, &(struct sigaction){.sa_handler = interrupted}, NULL);
    sigaction(SIGHUP, &(struct sigaction){.sa_handler = ended}, NULL);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = ended}, NULL);
    signal(SIGPIPE, SIG_IGN);
    bool good = true;
    if (options.pid) {
        good = run_attach((pid_t)options.pid);
        if (!good) {
            fprintf(stderr, "zedbg: %s\n", error_text());
        } else {
            printf("[Process %ld is debugged]\n", options.pid);
            const struct run_result stop = run_stop();
            good = report_stop(&stop, "");
        }
    }
    if (good) {
        good = orders_run(&options);
        if (!options.batch) {
            good = true;
            input_terminal();
        }
    }
    run_kill();
    free(options.orders);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "zedbg: the output cannot be written: %s\n", strerror(errno));
        return 1;
    }
    return good ? 0 : 1;
}
