/* Commands that start, stop and move the program. */
#include "breakpoint.h"
#include "command.h"
#include "error.h"
#include "memory.h"
#include "report.h"
#include "run.h"
#include "step.h"

#include <stdio.h>

static bool process_needed(void)
{
    return debuggee.pid || error_set("no program is debugged: `run` starts it");
}

/* Tells of a stop. */
static bool stopped(const struct run_result *result, const char *before)
{
    command_list_forget();
    return report_stop(result, before);
}

static bool run_run(const char *arguments)
{
    if (!no_arguments(arguments)) {
        return false;
    }
    if (!command_program) {
        return error_set("no program was given: start zedbg with PROGRAM ARGUMENTS");
    }
    if (debuggee.pid) {
        return error_set("the program runs already: `kill` ends it");
    }
    fflush(stdout);
    if (!run_start(command_program)) {
        return false;
    }
    const struct run_result result = run_continue();
    return stopped(&result, "");
}

static bool continue_run(const char *arguments)
{
    long times = 1;
    if (!process_needed() || (*arguments && !number_read(arguments, "the count", 1, &times))) {
        return false;
    }
    run_request_clear();
    struct run_result result = {.reason = RUN_BREAKPOINT};
    for (; times > 0 && result.reason == RUN_BREAKPOINT; times--) {
        result = run_continue();
    }
    return stopped(&result, "");
}

static bool step_times(const char *arguments, struct run_result (*step)(const struct view *view))
{
    long times = 1;
    struct view view;
    if (*arguments && !number_read(arguments, "the count", 1, &times)) {
        return false;
    }
    run_request_clear();
    const char *before = report_place();
    struct run_result result = {.reason = RUN_STEP};
    for (; times > 0 && result.reason == RUN_STEP; times--) {
        if (!view_make(&view)) {
            return false;
        }
        result = step(&view);
        focus.frame = 0;
    }
    return stopped(&result, before);
}

static struct run_result into(const struct view *view)
{
    return step_line(view, true);
}

static struct run_result over(const struct view *view)
{
    return step_line(view, false);
}

static struct run_result instruction(const struct view *view)
{
    const struct run_result result = run_instruction(view->thread);
    return result.reason == RUN_STEP && !result.thread ? run_continue() : result;
}

static bool step_run(const char *arguments)
{
    return step_times(arguments, into);
}

static bool next_run(const char *arguments)
{
    return step_times(arguments, over);
}

static bool finish_run(const char *arguments)
{
    return no_arguments(arguments) && step_times("", step_out);
}

static bool stepi_run(const char *arguments)
{
    struct view view;
    if (!step_times(arguments, instruction)) {
        return false;
    }
    if (view_make(&view)) {
        printf("0x%llx in %s\n", (unsigned long long)view.frames[0].pc, view.frames[0].name);
    }
    return true;
}

static bool kill_run(const char *arguments)
{
    if (!no_arguments(arguments) || !process_needed()) {
        return false;
    }
    if (!debuggee.owned) {
        return error_set("zedbg did not start the program: `detach` leaves it alone");
    }
    focus_set(NULL);
    run_kill();
    puts("[The program was killed]");
    return true;
}

static bool detach_run(const char *arguments)
{
    if (!no_arguments(arguments) || !process_needed()) {
        return false;
    }
    focus_set(NULL);
    const int pid = (int)debuggee.pid;
    const bool good = run_detach();
    printf("[Process %d continues without a debugger]\n", pid);
    return good;
}

static bool quit_run(const char *arguments)
{
    command_quits = no_arguments(arguments);
    return command_quits;
}

const struct command commands_run[] = {
    {"run", "r", run_run, "",
     "Starts the program, and runs until something stops it.\n"
     "The program uses the standard streams of zedbg. Its kernels can be debugged from the first\n"
     "module on. Ctrl-C stops the kernels that run; the program itself is never stopped."},
    {"continue", "c", continue_run, "[COUNT]",
     "Lets all threads run until one stops.\n"
     "COUNT: until the COUNTth hit of a breakpoint."},
    {"step", "s", step_run, "[COUNT]",
     "Runs to another line, also within functions that are called.\n"
     "Only the thread in focus moves. Lines at which the work-item in focus is switched off are\n"
     "passed over. If the kernel ends on this thread, all threads continue."},
    {"next", "n", next_run, "[COUNT]",
     "Runs to another line of the same function.\n"
     "In the frame of a caller, the functions that it called return first. See `help step`."},
    {"finish", "fin", finish_run, "",
     "Runs until the function in focus has returned.\n"
     "Only the thread in focus moves."},
    {"stepi", "si", stepi_run, "[COUNT]", "Runs one instruction."},
    {"kill", "k", kill_run, "", "Ends the program that `run` started."},
    {"detach", "", detach_run, "",
     "Ends debugging. The program continues.\n"
     "All breakpoints are taken out of its code."},
    {"quit", "q exit", quit_run, "",
     "Ends zedbg.\n"
     "A program that `run` started is killed; another one continues."},
    {0},
};
