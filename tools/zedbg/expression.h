/* Expressions of C over the variables of a work-item. */
#ifndef ZEDBG_EXPRESSION_H
#define ZEDBG_EXPRESSION_H

#include "chunk.h"
#include "value.h"

/* Where an expression is evaluated. */
struct place {
    const struct frame *frame; /* NULL: no thread is stopped, only numbers are known */
    const struct chunk *chunk; /* NULL: the work-items are not known */
    uint64_t lane;
};

/* Evaluates an expression. All of `text` must be used. */
bool expression_evaluate(const struct place *place, const char *text, struct value *value);
/* Evaluates an expression to an integer or address. */
bool expression_integer(const struct place *place, const char *text, int64_t *number);
/* Evaluates a condition. */
bool expression_condition(const struct place *place, const char *text, bool *holds);
/* Returns the state in which values of a place are read. Never NULL. */
const struct state *expression_state(const struct place *place);

#endif
