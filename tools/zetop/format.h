/* Values as text: exact for programs, short for people. */
#ifndef ZETOP_FORMAT_H
#define ZETOP_FORMAT_H

#include "sample.h"

enum { FORMAT_TEXT = 40 };

/* Counters with all their digits, real numbers with ten; the word of a state. */
void format_exact(const struct value *value, char text[FORMAT_TEXT]);

/* "12.5%", "3.0 GiB", "1200 MHz"; the word of a state. */
void format_short(const struct value *value, char text[FORMAT_TEXT]);

/* Writes the name of a value without its class and unit: "read", "limit sustained". */
void format_name(const struct part *part, const struct value *value, char text[FORMAT_TEXT]);

/* "512 B", "3.0 GiB"; `end` is added to the unit. */
void format_bytes(double bytes, const char *end, char text[FORMAT_TEXT]);

/* "mem 0 hbm2e.1": class, number in it, type where the class has types; .1: of sub-device 1. */
void format_part(const struct part *part, char text[FORMAT_TEXT]);

#endif
