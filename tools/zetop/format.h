/* Converts values to text: exactly for programs, shortly for people. */
#ifndef ZETOP_FORMAT_H
#define ZETOP_FORMAT_H

#include "sample.h"

enum { FORMAT_TEXT = 40 };

/* Writes a value exactly: counters with all digits, real numbers with ten. A state becomes its
 * word. */
void format_exact(const struct value *value, char text[FORMAT_TEXT]);

/* Writes a value with its unit, rounded for people: "12.5%", "3.0 GiB", "1200 MHz". A state becomes
 * its word. */
void format_short(const struct value *value, char text[FORMAT_TEXT]);

/* Writes the name of a value without its class and unit: "read", "limit sustained". */
void format_name(const struct part *part, const struct value *value, char text[FORMAT_TEXT]);

/* Writes a number of bytes: "512 B", "3.0 GiB". The text `end` is added to the unit ("/s"). */
void format_bytes(double bytes, const char *end, char text[FORMAT_TEXT]);

/* Writes the name of a part: its class, its number in the class, its type if the class has types,
 * and a sub-device. "mem 0 hbm2e.1" is memory 0 of type HBM2E on sub-device 1. */
void format_part(const struct part *part, char text[FORMAT_TEXT]);

#endif
