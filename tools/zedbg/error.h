/* The text of the last error. A function that fails stores it, and the command prints it. */
#ifndef ZEDBG_ERROR_H
#define ZEDBG_ERROR_H

#include <stdbool.h>

/* Stores the text. Returns false, so that a caller can return the call. */
bool error_set(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Returns the text that was stored last. */
const char *error_text(void);

#endif
