/* Where commands come from: options, files, the terminal. */
#ifndef ZEDBG_INPUT_H
#define ZEDBG_INPUT_H

#include <stdbool.h>

/* Runs the commands of a file until one ends the debugger. Returns whether all succeeded. `echo`:
 * prints each before it runs. */
bool input_file(const char *path, bool echo);
/* Runs one command that was given as an option. */
bool input_command(const char *command, bool echo);
/* Reads commands from standard input until its end. An empty line repeats a command that moves. */
void input_terminal(void);

#endif
