/* Prints stops and frames. See report.h. */
#include "report.h"

#include "error.h"
#include "memory.h"
#include "source.h"

#include <stdio.h>
#include <string.h>

const char *report_item(const struct view *view, uint64_t lane)
{
    if (!view->chunk_known) {
        return "";
    }
    const struct item_id id = chunk_global(&view->chunk, lane);
    return scratch_format("work-item %s", item_text(&id));
}

/* ---- frames ---- */

const char *report_variable(const struct view *view, const struct frame *frame, Dwarf_Die *variable,
                            enum style style)
{
    struct value all, value;
    (void)view;
    if (!value_variable(&frame->state, variable, &all) ||
        !value_lane(&frame->state, &all, focus.lane, &value)) {
        return strstr(error_text(), "optimised") ? "<optimized out>"
                                                 : scratch_format("<%s>", error_text());
    }
    return print_value(&frame->state, &value, style);
}

struct arguments {
    const struct view *view;
    const struct frame *frame;
    bool first;
};

static void argument_visit(void *context, Dwarf_Die *variable)
{
    struct arguments *arguments = context;
    const struct type *type = type_of(arguments->frame->state.image, variable);
    type = type->kind == TYPE_LANES ? type_target(type) : type;
    const bool is_large =
        type->kind == TYPE_STRUCT || type->kind == TYPE_UNION || type->kind == TYPE_ARRAY;
    printf("%s%s=%s", arguments->first ? "" : ", ", scope_name(variable),
           is_large ? "..."
                    : report_variable(arguments->view, arguments->frame, variable, STYLE_USUAL));
    arguments->first = false;
}

void report_frame(const struct view *view, const struct frame *frame)
{
    struct arguments arguments = {view, frame, true};
    printf("%s (", frame->name);
    if (frame->scope) {
        scope_arguments(frame->scope, argument_visit, &arguments);
    }
    putchar(')');
    if (frame->file && frame->line) {
        printf(" at %s:%d", source_name(frame->file), frame->line);
    } else if (!frame->scope) {
        printf(" at 0x%llx, without debug information", (unsigned long long)frame->pc);
    }
    putchar('\n');
}

void report_line(const struct frame *frame)
{
    const char *text = frame->file ? source_line(frame->file, frame->line) : NULL;
    if (text) {
        printf("%d\t%s\n", frame->line, text);
    } else if (frame->file && frame->line) {
        printf("%d\tin %s\n", frame->line, frame->file);
    }
}

/* ---- stops ---- */

static const char *reason_text(const struct run_result *result)
{
    switch (result->reason) {
    case RUN_BREAKPOINT:
        return scratch_format(": breakpoint %d", result->breakpoint->number);
    case RUN_INTERRUPT:
        return ": interrupted";
    case RUN_FAULT:
        return result->thread->fault_address
                   ? scratch_format(": invalid access to memory at 0x%llx",
                                    (unsigned long long)result->thread->fault_address)
                   : ": invalid instruction, operation or access to memory";
    case RUN_TRAP:
        return ": a breakpoint instruction of the program";
    default:
        return "";
    }
}

/* Returns the work-items that a stop is about: all of the chunk for a fault, as only one of them
 * may have caused it. */
static const char *who_text(const struct run_result *result, const struct view *view)
{
    uint64_t last = focus.lane, active = 0;
    if (!view->chunk_known) {
        return "";
    }
    for (uint64_t lane = 0; lane < view->chunk.lanes; lane++) {
        if (chunk_state(&view->chunk, lane) != LANE_OFF) {
            last = lane;
            active++;
        }
    }
    if (result->reason != RUN_FAULT || active < 2) {
        return scratch_format(", %s", report_item(view, focus.lane));
    }
    const struct item_id first_id = chunk_global(&view->chunk, chunk_first(&view->chunk));
    const struct item_id last_id = chunk_global(&view->chunk, last);
    return scratch_format(", one of the work-items from %s to %s", item_text(&first_id),
                          item_text(&last_id));
}

const char *report_place(void)
{
    struct view view;
    if (!view_make(&view)) {
        return "";
    }
    return scratch_format("%s|%d|%s", view.frames[0].name, view.thread->number,
                          report_item(&view, focus.lane));
}

static bool thread_report(const struct run_result *result, const char *before)
{
    struct view view;
    focus_set(result->thread);
    if (result->lane_chosen) {
        (void)focus_lane(result->lane);
    }
    if (!view_make(&view)) {
        return false;
    }
    const bool moved = strcmp(before, report_place()) != 0;
    if (result->reason != RUN_STEP || moved) {
        if (result->reason != RUN_STEP || strcmp(strchr(before, '|') ? strchr(before, '|') : "",
                                                 strchr(report_place(), '|')) != 0) {
            printf("Thread %d%s%s\n", view.thread->number, who_text(result, &view),
                   reason_text(result));
        }
        report_frame(&view, &view.frames[0]);
    }
    report_line(&view.frames[0]);
    if (result->trouble) {
        return error_set("the condition of breakpoint %d cannot be evaluated: %s",
                         result->breakpoint->number, result->trouble);
    }
    if (result->breakpoint && result->breakpoint->temporary) {
        return breakpoint_delete(result->breakpoint);
    }
    return true;
}

bool report_stop(const struct run_result *result, const char *before)
{
    const char *why;
    switch (result->reason) {
    case RUN_FAILED:
        why = scratch_format("%s", error_text());
        focus_set(focus.thread && focus.thread->stopped ? focus.thread : NULL);
        return error_set("%s", why);
    case RUN_EXITED:
        focus_set(NULL);
        printf("[The program %s]\n", result->end);
        return true;
    case RUN_IDLE:
        focus_set(NULL);
        puts("[No kernel is running. A kernel that starts waits for `continue`]");
        return true;
    default:
        return thread_report(result, before);
    }
}
