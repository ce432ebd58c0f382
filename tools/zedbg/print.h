/* Values as text, in the form that gdb has. */
#ifndef ZEDBG_PRINT_H
#define ZEDBG_PRINT_H

#include "value.h"

/* How integers are printed. */
enum style { STYLE_USUAL, STYLE_HEX, STYLE_SIGNED, STYLE_UNSIGNED, STYLE_BINARY, STYLE_CHARACTER };

/* Returns a value as text in scratch memory. A part that cannot be read is shown as "<...>", with
 * the reason. */
const char *print_value(const struct state *state, const struct value *value, enum style style);
/* Returns a float as text in scratch memory, with as many digits as its size in bytes has. */
const char *print_float(double number, uint64_t size);

#endif
