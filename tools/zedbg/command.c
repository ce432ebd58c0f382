/* Finds and runs commands. See command.h. */
#include "command.h"

#include "error.h"
#include "memory.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool command_quits;
char *const *command_program;

static bool help_run(const char *arguments);

static const struct command commands_help[] = {
    {"help", "h", help_run, "[COMMAND]",
     "Lists the commands, or explains one.\n"
     "A command may be shortened as long as it means only one."},
    {0},
};

static const struct command *const groups[] = {
    commands_run,  commands_break, commands_stack, commands_data,
    commands_code, commands_info,  commands_help,
};

static const char *const titles[] = {
    "Running",     "Breakpoints", "Threads, frames and work-items", "Data", "Source and code",
    "Information", "Help",
};

/* ---- texts ---- */

const char *word_take(const char **text)
{
    while (isspace((unsigned char)**text)) {
        (*text)++;
    }
    const char *start = *text;
    while (**text && !isspace((unsigned char)**text)) {
        (*text)++;
    }
    const int length = (int)(*text - start);
    while (isspace((unsigned char)**text)) {
        (*text)++;
    }
    return length ? scratch_format("%.*s", length, start) : NULL;
}

bool number_read(const char *text, const char *what, long least, long *number)
{
    char *end = NULL;
    errno = 0;
    *number = text ? strtol(text, &end, 0) : 0;
    if (!text || end == text || *end || errno != 0 || *number < least) {
        return error_set("%s must be a number of at least %ld, not \"%s\"", what, least,
                         text ? text : "");
    }
    return true;
}

bool no_arguments(const char *arguments)
{
    return !*arguments || error_set("the command takes no arguments: \"%s\"", arguments);
}

/* ---- the table ---- */

static bool is_other_name(const struct command *command, const char *name)
{
    const char *others = command->others;
    for (const char *other = word_take(&others); other; other = word_take(&others)) {
        if (strcmp(other, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Finds a command by its name, another name, or the beginning of one name only. */
static const struct command *command_find(const char *name)
{
    const struct command *found = NULL;
    const char *candidates = "";
    size_t count = 0;
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        for (const struct command *at = groups[i]; at->name; at++) {
            if (strcmp(at->name, name) == 0 || is_other_name(at, name)) {
                return at;
            }
            if (strncmp(at->name, name, strlen(name)) == 0) {
                candidates = scratch_format("%s%s%s", candidates, count ? ", " : "", at->name);
                found = at;
                count++;
            }
        }
    }
    if (!found) {
        error_set("the command \"%s\" does not exist: `help` lists those that do", name);
        return NULL;
    }
    if (count > 1) {
        error_set("\"%s\" may be %s", name, candidates);
        return NULL;
    }
    return found;
}

static void group_print(size_t group)
{
    printf("%s%s\n", group ? "\n" : "", titles[group]);
    for (const struct command *at = groups[group]; at->name; at++) {
        const char *end = strchr(at->help, '\n');
        const int length = end ? (int)(end - at->help) : (int)strlen(at->help);
        printf("  %-34s %.*s\n", scratch_format("%s %s", at->name, at->usage), length, at->help);
    }
}

static bool help_run(const char *arguments)
{
    if (!*arguments) {
        for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
            group_print(i);
        }
        return true;
    }
    const struct command *command = command_find(arguments);
    if (!command) {
        return false;
    }
    printf("%s%s%s\n", command->name, *command->usage ? " " : "", command->usage);
    if (*command->others) {
        printf("also: %s\n", command->others);
    }
    puts(command->help);
    return true;
}

/* Divides a line such as "print/x a" or "x/4w p" into a name and arguments "/x a". */
static const char *name_take(const char **line)
{
    const char *start = *line;
    while (**line && !isspace((unsigned char)**line) && **line != '/') {
        (*line)++;
    }
    const char *name = scratch_format("%.*s", (int)(*line - start), start);
    while (isspace((unsigned char)**line)) {
        (*line)++;
    }
    return name;
}

bool command_line(const char *line)
{
    const char *text = scratch_format("%s", line);
    while (isspace((unsigned char)*text)) {
        text++;
    }
    char *end = (char *)text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1])) {
        *--end = '\0';
    }
    bool good = true;
    if (*text && *text != '#') {
        const char *name = name_take(&text);
        const struct command *command = command_find(name);
        good = command && command->run(text);
    }
    fflush(stdout);
    if (!good) {
        fprintf(stderr, "zedbg: %s\n", error_text());
    }
    scratch_reset();
    return good;
}
