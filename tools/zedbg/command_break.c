/* Commands about breakpoints. */
#include "breakpoint.h"
#include "command.h"
#include "error.h"
#include "line.h"
#include "memory.h"
#include "source.h"
#include "view.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Divides "PLACE if CONDITION". */
static const char *condition_take(const char *arguments, const char **condition)
{
    *condition = NULL;
    for (const char *at = strstr(arguments, "if"); at; at = strstr(at + 2, "if")) {
        const bool begins = at == arguments || isspace((unsigned char)at[-1]);
        if (begins && (isspace((unsigned char)at[2]) || at[2] == '(' || !at[2])) {
            const char *rest = at + 2;
            while (isspace((unsigned char)*rest)) {
                rest++;
            }
            *condition = rest;
            size_t length = (size_t)(at - arguments);
            while (length > 0 && isspace((unsigned char)arguments[length - 1])) {
                length--;
            }
            return scratch_format("%.*s", (int)length, arguments);
        }
    }
    return arguments;
}

/* Returns the file of the frame in focus, or of the first module with lines. NULL: no file is
 * known. */
static const char *file_usual(void)
{
    struct view view;
    if (focus.thread && view_make(&view) && view.frame->file) {
        return view.frame->file;
    }
    for (const struct module *module = debuggee.modules; module; module = module->next) {
        for (size_t i = 0; i < module->image.line_count; i++) {
            if (module->image.lines[i].line) {
                return module->image.lines[i].file;
            }
        }
    }
    return NULL;
}

static bool is_line(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

static bool is_name(const char *text)
{
    const char *at = text;
    while (isalnum((unsigned char)*at) || (*at && strchr("_.:~<>", *at))) {
        at++;
    }
    return *text && !*at;
}

/* Returns the address of the thread in focus, or fails. */
static bool here_add(const char *condition, bool temporary, struct breakpoint **made)
{
    struct view view;
    if (!view_make(&view)) {
        return false;
    }
    *made = breakpoint_add(BREAK_ADDRESS, "", 0, view.frame->pc, condition, temporary);
    return *made != NULL;
}

static bool place_read(const char *place, const char *condition, bool temporary,
                       struct breakpoint **made)
{
    const char *colon = strrchr(place, ':');
    const char *file = colon ? scratch_format("%.*s", (int)(colon - place), place) : NULL;
    const char *line = colon ? colon + 1 : place;
    long number;
    if (!*place) {
        return here_add(condition, temporary, made);
    }
    if (*place == '*') {
        struct view view = {0};
        int64_t address;
        const bool known = focus.thread && view_make(&view);
        const struct place where = known ? view_place(&view, focus.lane) : (struct place){0};
        if (!expression_integer(&where, place + 1, &address)) {
            return false;
        }
        *made = breakpoint_add(BREAK_ADDRESS, "", 0, (uint64_t)address, condition, temporary);
    } else if (is_line(line) && (!colon || *file)) {
        file = file ? file : file_usual();
        if (!file) {
            return error_set("no file is known so far: write FILE:%s", line);
        }
        if (!number_read(line, "the line", 1, &number) || number > 10000000) {
            return error_set("%s has no line %s", file, line);
        }
        *made = breakpoint_add(BREAK_LINE, colon ? file : source_name(file), (int)number, 0,
                               condition, temporary);
    } else if (is_name(place) && (!colon || (colon > place && colon[-1] == ':'))) {
        *made = breakpoint_add(BREAK_FUNCTION, place, 0, 0, condition, temporary);
    } else {
        return error_set("\"%s\" is not a place: FILE:LINE, LINE, FUNCTION or *ADDRESS", place);
    }
    return *made != NULL;
}

static bool add(const char *arguments, bool temporary)
{
    struct breakpoint *made;
    const char *condition;
    const char *place = condition_take(arguments, &condition);
    if (condition && !*condition) {
        return error_set("a condition is expected behind `if`");
    }
    if (!place_read(place, condition, temporary, &made)) {
        return false;
    }
    const char *kind = temporary ? "Temporary breakpoint" : "Breakpoint";
    if (made->count == 0) {
        printf("%s %d (%s) waits for a module that has it.\n", kind, made->number,
               breakpoint_text(made));
        return true;
    }
    printf("%s %d at %s", kind, made->number, breakpoint_text(made));
    struct module *module = debuggee_module(made->addresses[0]);
    const struct line_row *row = module ? line_of(&module->image, made->addresses[0]) : NULL;
    if (row && row->line && !(made->kind == BREAK_LINE && row->line == made->line)) {
        printf(": %s, line %d", source_name(row->file), row->line);
    }
    if (made->count > 1) {
        printf(" (%zu places)", made->count);
    }
    puts(".");
    return true;
}

static bool break_run(const char *arguments)
{
    return add(arguments, false);
}

static bool tbreak_run(const char *arguments)
{
    return add(arguments, true);
}

/* Calls `act` for the breakpoints that a list of numbers names, or for all. */
static bool each(const char *arguments, bool (*act)(struct breakpoint *breakpoint))
{
    const char *word = word_take(&arguments);
    bool good = true;
    if (!word) {
        for (struct breakpoint *at = breakpoint_next(NULL), *next; at; at = next) {
            next = breakpoint_next(at);
            good &= act(at);
        }
    }
    for (; word && good; word = word_take(&arguments)) {
        long number;
        if (!number_read(word, "the breakpoint", 1, &number)) {
            return false;
        }
        struct breakpoint *breakpoint = breakpoint_find((int)number);
        good =
            breakpoint
                ? act(breakpoint)
                : error_set("breakpoint %ld does not exist: `info breakpoints` lists those that do",
                            number);
    }
    return good;
}

static bool enable(struct breakpoint *breakpoint)
{
    return breakpoint_enable(breakpoint, true);
}

static bool disable(struct breakpoint *breakpoint)
{
    return breakpoint_enable(breakpoint, false);
}

static bool delete_run(const char *arguments)
{
    return each(arguments, breakpoint_delete);
}

static bool enable_run(const char *arguments)
{
    return each(arguments, enable);
}

static bool disable_run(const char *arguments)
{
    return each(arguments, disable);
}

static bool condition_run(const char *arguments)
{
    const char *word = word_take(&arguments);
    long number;
    if (!number_read(word, "the breakpoint", 1, &number)) {
        return false;
    }
    struct breakpoint *breakpoint = breakpoint_find((int)number);
    if (!breakpoint) {
        return error_set("breakpoint %ld does not exist: `info breakpoints` lists those that do",
                         number);
    }
    free(breakpoint->condition);
    breakpoint->condition = *arguments ? memory_text(arguments) : NULL;
    return true;
}

const struct command commands_break[] = {
    {"break", "b br", break_run, "[PLACE] [if CONDITION]",
     "Stops threads at a place.\n"
     "PLACE is FILE:LINE, LINE (of the file in focus), FUNCTION or *ADDRESS; without one, it is\n"
     "where the thread in focus is. A kernel stops at its first line, for each chunk of "
     "work-items.\n"
     "CONDITION is evaluated for each active work-item; the first for which it is not 0 comes "
     "into\n"
     "focus: `break stencil.cl:10 if get_global_id(0) == 13`."},
    {"tbreak", "tb", tbreak_run, "[PLACE] [if CONDITION]",
     "Stops threads at a place once.\n"
     "See `help break`."},
    {"delete", "d", delete_run, "[NUMBER...]", "Deletes breakpoints, or all."},
    {"enable", "", enable_run, "[NUMBER...]", "Makes breakpoints stop again, or all."},
    {"disable", "", disable_run, "[NUMBER...]",
     "Keeps breakpoints, or all, from stopping threads."},
    {"condition", "", condition_run, "NUMBER [CONDITION]",
     "Changes the condition of a breakpoint.\n"
     "Without CONDITION it stops always."},
    {0},
};
