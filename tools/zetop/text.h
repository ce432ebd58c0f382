/* Makes texts of drivers and of other processes safe to print on a terminal. */
#ifndef ZETOP_TEXT_H
#define ZETOP_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Copies as much as fits, cut between characters. Control characters (those of Unicode's second
 * set, too) and what is not UTF-8 become question marks: names come from drivers and from other
 * people's processes. */
void text_copy(char *to, size_t size, const char *from);

/* Returns the length in bytes of the UTF-8 sequence at `at` and stores its character. Returns 0 for
 * an invalid sequence, and for a character that must not be printed. */
size_t text_sequence(const char *at, uint32_t *character);

#endif
