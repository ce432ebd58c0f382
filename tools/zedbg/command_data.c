/* Commands that show and change data. */
#include "command.h"
#include "error.h"
#include "examine.h"
#include "memory.h"
#include "print.h"
#include "report.h"
#include "view.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Returns the view, or one without a thread: numbers can be computed always. */
static struct place place_make(struct view *view, uint64_t lane)
{
    return focus.thread && view_make(view) ? view_place(view, lane) : (struct place){0};
}

/* ---- print ---- */

/* Reads "/x", "/l" and the like in front of the arguments. */
static bool style_take(const char **arguments, enum style *style, bool *lanes)
{
    *style = STYLE_USUAL;
    *lanes = false;
    if (**arguments != '/') {
        return true;
    }
    const char *letters = word_take(arguments);
    for (const char *at = letters + 1; *at; at++) {
        static const char known[] = "xdutc";
        static const enum style styles[] = {STYLE_HEX, STYLE_SIGNED, STYLE_UNSIGNED, STYLE_BINARY,
                                            STYLE_CHARACTER};
        const char *found = strchr(known, *at);
        if (*at == 'l') {
            *lanes = true;
        } else if (found) {
            *style = styles[found - known];
        } else {
            return error_set("print has no format %s: x, d, u, t, c, and l for all lanes", letters);
        }
    }
    return true;
}

/* Prints an expression for each lane of the chunk. */
static bool print_lanes(const char *text, enum style style)
{
    struct view view;
    if (!view_make(&view)) {
        return false;
    }
    if (!view.chunk_known) {
        return error_set("the work-items are not known in this frame");
    }
    for (uint64_t lane = 0; lane < view.chunk.lanes; lane++) {
        const struct place place = view_place(&view, lane);
        struct value value;
        if (chunk_state(&view.chunk, lane) == LANE_OFF) {
            continue;
        }
        if (!expression_evaluate(&place, text, &value)) {
            return false;
        }
        printf("%s: %s = %s\n", report_item(&view, lane), text,
               print_value(expression_state(&place), &value, style));
    }
    return true;
}

static bool print_run(const char *arguments)
{
    struct view view;
    struct value value;
    enum style style;
    bool lanes;
    if (!style_take(&arguments, &style, &lanes)) {
        return false;
    }
    if (!*arguments) {
        return error_set("an expression is expected");
    }
    if (lanes) {
        return print_lanes(arguments, style);
    }
    const struct place place = place_make(&view, focus.lane);
    if (!expression_evaluate(&place, arguments, &value)) {
        return false;
    }
    printf("%s = %s\n", arguments, print_value(expression_state(&place), &value, style));
    return true;
}

static bool whatis_run(const char *arguments)
{
    struct view view;
    struct value value;
    const struct place place = place_make(&view, focus.lane);
    if (!expression_evaluate(&place, arguments, &value)) {
        return false;
    }
    printf("%s: %s, %llu bytes", arguments, type_text(value.type),
           (unsigned long long)value.type->size);
    printf(value.in_memory ? " at 0x%llx\n" : "\n", (unsigned long long)value.address);
    return true;
}

/* ---- set ---- */

/* Returns the "=" of an assignment, or NULL. */
static char *assignment_find(char *text)
{
    for (char *at = strchr(text, '='); at; at = strchr(at + 1, '=')) {
        const char before = at > text ? at[-1] : ' ';
        if (at[1] != '=' && !strchr("=!<>", before)) {
            return at;
        }
        at += at[1] == '=';
    }
    return NULL;
}

static bool assign(const struct view *view, const struct value *target, const struct value *value)
{
    const struct state *state = &view->frame->state;
    uint8_t bytes[16] = {0};
    uint64_t address;
    if (!value_convert(state, value, target->type, bytes)) {
        return false;
    }
    if (target->reg >= 0) {
        return view->frame == view->frames
                   ? thread_register_set(view->thread, GEOID_REGSET_GENERAL, (uint32_t)target->reg,
                                         bytes)
                   : error_set("registers of a caller cannot be set: choose frame 0");
    }
    if (!value_address(target, &address)) {
        return error_set("the value cannot be set: it is not in memory");
    }
    if (target->type->size > sizeof(bytes)) {
        return error_set("%s cannot be set: set its members or elements", type_text(target->type));
    }
    return session_write(view->thread->session, view->thread, ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT,
                         address, bytes, target->type->size);
}

static bool set_run(const char *arguments)
{
    const char *rest = arguments;
    const char *word = word_take(&rest);
    if (word && (strcmp(word, "var") == 0 || strcmp(word, "variable") == 0)) {
        arguments = rest;
    }
    char *left = scratch_format("%s", arguments);
    char *equals = assignment_find(left);
    struct view view;
    struct value target, value;
    if (!equals) {
        return error_set("an assignment is expected: set var NAME = EXPRESSION");
    }
    *equals = '\0';
    if (!view_make(&view)) {
        return false;
    }
    const struct place place = view_place(&view, focus.lane);
    return expression_evaluate(&place, left, &target) &&
           expression_evaluate(&place, equals + 1, &value) && assign(&view, &target, &value);
}

/* ---- variables of a frame ---- */

struct locals {
    const struct view *view;
    bool any;
};

static void local_visit(void *context, Dwarf_Die *variable)
{
    struct locals *locals = context;
    locals->any = true;
    printf("%s = %s\n", scope_name(variable),
           report_variable(locals->view, locals->view->frame, variable, STYLE_USUAL));
}

bool command_locals(const char *arguments)
{
    struct view view;
    struct locals locals = {&view, false};
    if (!no_arguments(arguments) || !view_make(&view)) {
        return false;
    }
    if (!view.frame->scope) {
        return error_set("%s has no debug information", view.frame->name);
    }
    scope_variables(view.frame->scope, local_visit, &locals);
    if (!locals.any) {
        puts("The function has no variables.");
    }
    return true;
}

static bool x_run(const char *arguments)
{
    struct view view;
    const struct place place = place_make(&view, focus.lane);
    return examine(&place, arguments);
}

const struct command commands_data[] = {
    {"print", "p inspect", print_run, "[/FORMAT] EXPRESSION",
     "Prints an expression of C for the work-item in focus.\n"
     "It may have variables, members, indexes, components of vectors (v.x, v.s3, v.hi), pointers,\n"
     "casts, registers ($rip, $zmm0, $k1) and get_global_id(0) and the like.\n"
     "FORMAT: x hexadecimal, d signed, u unsigned, t binary, c character; l for all lanes."},
    {"whatis", "ptype", whatis_run, "EXPRESSION", "Prints the type and address of an expression."},
    {"set", "", set_run, "var NAME = EXPRESSION",
     "Changes a variable of the work-item in focus, memory or a register.\n"
     "`set var t.sum = 0`, `set var $rax = 1`, `set var *(int *)0x7f0000 = 3`."},
    {"locals", "", command_locals, "",
     "Prints the arguments and variables of the frame in focus.\n"
     "They are those of the work-item in focus. Also `info locals`."},
    {"x", "", x_run, "[/COUNT FORMAT SIZE] ADDRESS",
     "Prints memory.\n"
     "ADDRESS is an expression, or local:OFFSET for the local memory of the work-group. FORMAT: x\n"
     "hexadecimal, d signed, u unsigned, t binary, c character, f float, i instruction. SIZE: b 1\n"
     "byte, h 2, w 4, g 8. `x/8xw in`, `x/16f local:0`, `x/3i $pc`."},
    {0},
};
