/* Commands that choose and list threads, frames and work-items. */
#include "command.h"
#include "error.h"
#include "memory.h"
#include "report.h"
#include "view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void frame_print(const struct view *view, size_t number)
{
    printf("#%-3zu", number);
    if (number > 0 &&
        !(view->frames[number - 1].scope && view->frames[number - 1].scope->is_inlined)) {
        printf("0x%llx in ", (unsigned long long)view->frames[number].pc);
    }
    report_frame(view, &view->frames[number]);
}

static bool backtrace_run(const char *arguments)
{
    struct view view;
    long most = 0;
    if ((*arguments && !number_read(arguments, "the number of frames", 1, &most)) ||
        !view_make(&view)) {
        return false;
    }
    for (size_t i = 0; i < view.count && (!most || i < (size_t)most); i++) {
        frame_print(&view, i);
    }
    if (most && view.count > (size_t)most) {
        puts("(More frames follow)");
    }
    return true;
}

static bool frame_show(void)
{
    struct view view;
    if (!view_make(&view)) {
        return false;
    }
    frame_print(&view, focus.frame);
    report_line(view.frame);
    return true;
}

static bool frame_choose(long number)
{
    struct view view;
    if (!view_make(&view)) {
        return false;
    }
    if (number < 0 || (size_t)number >= view.count) {
        return error_set(number < 0 ? "the innermost frame is in focus"
                                    : "frame %ld does not exist: `backtrace` lists those that do",
                         number);
    }
    focus.frame = (size_t)number;
    return frame_show();
}

static bool frame_run(const char *arguments)
{
    long number = (long)focus.frame;
    return (!*arguments || number_read(arguments, "the frame", 0, &number)) && frame_choose(number);
}

static bool up_run(const char *arguments)
{
    long count = 1;
    return (!*arguments || number_read(arguments, "the count", 1, &count)) &&
           frame_choose((long)focus.frame + count);
}

static bool down_run(const char *arguments)
{
    long count = 1;
    return (!*arguments || number_read(arguments, "the count", 1, &count)) &&
           frame_choose((long)focus.frame - count);
}

/* Prints what is in focus. */
static bool focus_show(void)
{
    struct view view;
    if (!view_make(&view)) {
        return false;
    }
    printf("Thread %d", view.thread->number);
    if (view.chunk_known) {
        printf(", %s: lane %llu of %llu%s", report_item(&view, focus.lane),
               (unsigned long long)focus.lane, (unsigned long long)view.chunk.lanes,
               chunk_state(&view.chunk, focus.lane) == LANE_OFF ? ", which is off" : "");
    }
    putchar('\n');
    return true;
}

static bool thread_run(const char *arguments)
{
    long number;
    if (!*arguments) {
        return focus_show();
    }
    if (!number_read(arguments, "the thread", 0, &number)) {
        return false;
    }
    struct thread *thread = debuggee_thread((int)number);
    if (!thread) {
        return error_set("thread %ld does not exist: `info threads` lists those that are stopped",
                         number);
    }
    if (!thread->stopped) {
        return error_set("thread %ld is not stopped in a kernel", number);
    }
    focus_set(thread);
    return focus_show() && frame_show();
}

static bool lane_run(const char *arguments)
{
    long number;
    if (!*arguments) {
        return focus_show();
    }
    return number_read(arguments, "the lane", 0, &number) && focus_lane((uint64_t)number) &&
           focus_show();
}

static bool focus_run(const char *arguments)
{
    int64_t item[3] = {0};
    int parts = 0;
    if (!*arguments) {
        return focus_show();
    }
    for (const char *at = arguments; parts < 3;) {
        char *end;
        item[parts++] = strtoll(at, &end, 0);
        if (end == at || (*end && *end != ',')) {
            return error_set("the global id of a work-item is X,Y,Z, not \"%s\"", arguments);
        }
        if (!*end) {
            break;
        }
        at = end + 1;
        if (parts == 3) {
            return error_set("the global id of a work-item has three parts: \"%s\"", arguments);
        }
    }
    return focus_item(item) && focus_show();
}

const struct command commands_stack[] = {
    {"backtrace", "bt where", backtrace_run, "[COUNT]",
     "Lists the frames of the thread in focus, innermost first.\n"
     "Inlined calls are frames, too. The functions of the host are not shown."},
    {"frame", "f", frame_run, "[NUMBER]", "Puts a frame into focus, and prints it."},
    {"up", "", up_run, "[COUNT]", "Puts the frame of the caller into focus."},
    {"down", "", down_run, "[COUNT]", "Puts the frame of the called function into focus."},
    {"focus", "", focus_run, "[X[,Y[,Z]]]",
     "Puts a work-item into focus by its global id.\n"
     "It must be in a chunk that is stopped: `info work-items all` lists those."},
    {"lane", "", lane_run, "[NUMBER]",
     "Puts a work-item into focus by its lane in the chunk.\n"
     "Without NUMBER it tells what is in focus."},
    {"thread", "t", thread_run, "[NUMBER]",
     "Puts a stopped thread into focus.\n"
     "Without NUMBER it tells what is in focus."},
    {0},
};
