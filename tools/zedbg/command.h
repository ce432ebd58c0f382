/* Commands: their table, and the functions behind it. */
#ifndef ZEDBG_COMMAND_H
#define ZEDBG_COMMAND_H

#include <stdbool.h>

/* A command. A function gets the text behind the name, without blanks around it. It prints its
 * output, or fails with an error. */
struct command {
    const char *name;
    const char *others; /* short forms and other names, separated by blanks */
    bool (*run)(const char *arguments);
    const char *usage; /* of its arguments */
    const char *help;  /* the first line is a summary */
};

/* Runs one line. Prints errors to standard error, and returns whether there was none. An empty line
 * does nothing. */
bool command_line(const char *line);
/* Whether a command has ended the debugger. */
extern bool command_quits;

/* The program that `run` starts; NULL: none was given. */
extern char *const *command_program;

/* The groups of commands, each ended by a name NULL. */
extern const struct command commands_run[], commands_break[], commands_data[], commands_stack[],
    commands_info[], commands_code[];

/* ---- for the commands ---- */

/* Takes the first word of a text; returns it in scratch memory. NULL: the text is empty. */
const char *word_take(const char **text);
/* Reads a whole number. Fails with an error that names `what`. */
bool number_read(const char *text, const char *what, long least, long *number);
/* Fails if there are arguments. */
bool no_arguments(const char *arguments);
/* The command `locals`, which `info locals` is, too. */
bool command_locals(const char *arguments);
/* Makes `list` begin at the line in focus again. */
void command_list_forget(void);

#endif
