/* Commands that show source and machine code. */
#include "command.h"
#include "disassemble.h"
#include "error.h"
#include "line.h"
#include "memory.h"
#include "place.h"
#include "source.h"
#include "view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_LINES = 10 };

/* The line behind those that were listed last. */
static char *listed_file;
static int listed_line;

static bool lines_print(const char *file, int first)
{
    struct view view;
    const int count = source_lines(file);
    const bool here =
        focus.thread && view_make(&view) && view.frame->file && strcmp(view.frame->file, file) == 0;
    if (count == 0) {
        return error_set("the source file %s cannot be read: `directory` adds a folder", file);
    }
    first = first < 1 ? 1 : first;
    if (first > count) {
        return error_set("%s has %d lines", source_name(file), count);
    }
    for (int line = first; line < first + LIST_LINES && line <= count; line++) {
        printf("%d%s\t%s\n", line, here && view.frame->line == line ? " ->" : "",
               source_line(file, line));
    }
    char *copy = memory_text(file);
    free(listed_file);
    listed_file = copy;
    listed_line = first + LIST_LINES;
    return true;
}

/* Returns the path of a file that a module knows by a name, or the name. */
static const char *path_of(const char *name)
{
    for (const struct module *module = debuggee.modules; module; module = module->next) {
        const char *path = line_file(&module->image, name);
        if (path) {
            return path;
        }
    }
    return name;
}

static bool function_list(const char *name)
{
    for (struct module *module = debuggee.modules; module; module = module->next) {
        uint64_t *addresses;
        const size_t count = place_of_function(&module->image, name, &addresses);
        const struct line_row *row = count ? line_of(&module->image, addresses[0]) : NULL;
        if (row && row->line) {
            return lines_print(row->file, row->line - LIST_LINES / 2);
        }
    }
    return error_set("no function %s with lines is loaded", name);
}

static bool list_run(const char *arguments)
{
    struct view view;
    const bool known = focus.thread && view_make(&view) && view.frame->file;
    const char *colon = strrchr(arguments, ':');
    const char *text = colon ? colon + 1 : arguments;
    long line;
    if (!*arguments) {
        if (listed_file) {
            return lines_print(listed_file, listed_line);
        }
        return known ? lines_print(view.frame->file, view.frame->line - LIST_LINES / 2)
                     : error_set("no line is in focus: write FILE:LINE or a function");
    }
    if (!colon && strspn(text, "0123456789") != strlen(text)) {
        return function_list(arguments);
    }
    if (!number_read(text, "the line", 1, &line) || line > 10000000) {
        return false;
    }
    const char *file = colon ? path_of(scratch_format("%.*s", (int)(colon - arguments), arguments))
                       : known ? view.frame->file
                               : listed_file;
    return file ? lines_print(file, (int)line - LIST_LINES / 2)
                : error_set("no file is in focus: write FILE:LINE");
}

void command_list_forget(void)
{
    free(listed_file);
    listed_file = NULL;
}

static bool directory_run(const char *arguments)
{
    if (!*arguments) {
        return error_set("a folder is expected");
    }
    source_folder_add(arguments);
    return true;
}

/* Finds code of a function that has a name in the symbol table or in the debug information. */
static bool function_find(const char *name, uint64_t *address)
{
    for (struct module *module = debuggee.modules; module; module = module->next) {
        uint64_t *addresses;
        if (image_function(&module->image, name, address)) {
            return true;
        }
        if (place_of_function(&module->image, name, &addresses) > 0) {
            *address = addresses[0];
            return true;
        }
    }
    return false;
}

static bool disassemble_run(const char *arguments)
{
    struct view view;
    bool lines = false;
    uint64_t address = 0, start, size, pc = 0;
    const bool known = focus.thread && view_make(&view);
    if (*arguments == '/') {
        const char *format = word_take(&arguments);
        if (strcmp(format, "/s") != 0) {
            return error_set("disassemble has no format %s, only /s", format);
        }
        lines = true;
    }
    if (known) {
        address = view.frame->pc;
        pc = view.frame->pc;
    }
    if (*arguments) {
        const struct place place = known ? view_place(&view, focus.lane) : (struct place){0};
        const bool found = function_find(arguments, &address);
        int64_t number;
        if (!found && !expression_integer(&place, arguments, &number)) {
            return false;
        }
        address = found ? address : (uint64_t)number;
    } else if (!known) {
        return view_make(&view); /* it fails with the reason */
    }
    struct module *module = debuggee_module(address);
    if (!module || !image_symbol(&module->image, address, &start, &size)) {
        return error_set("no function of a module is at 0x%llx", (unsigned long long)address);
    }
    return disassemble(focus.thread, start, start + size, UINT64_MAX, pc, lines);
}

const struct command commands_code[] = {
    {"list", "l", list_run, "[LINE | FILE:LINE | FUNCTION]",
     "Prints ten lines of the source.\n"
     "Without a place: around the line in focus, then those that follow."},
    {"directory", "dir", directory_run, "FOLDER",
     "Adds a folder in which source files are searched."},
    {"disassemble", "disas", disassemble_run, "[/s] [FUNCTION | ADDRESS]",
     "Prints the machine code of a function.\n"
     "Without a place: of the function in focus. /s: with lines of the source."},
    {0},
};
