/* The command x: memory as numbers or instructions. */
#ifndef ZEDBG_EXAMINE_H
#define ZEDBG_EXAMINE_H

#include "expression.h"

/* Prints memory as "[/COUNT FORMAT SIZE] ADDRESS" says. The address may be "local:OFFSET". */
bool examine(const struct place *place, const char *arguments);

#endif
