/* Operators of C on values. */
#ifndef ZEDBG_OPERATE_H
#define ZEDBG_OPERATE_H

#include "value.h"

/* Each function stores a value, and fails with a text. */
bool operate_binary(const struct state *state, const char *operation, const struct value *left,
                    const struct value *right, struct value *value);
bool operate_unary(const struct state *state, char operation, const struct value *operand,
                   struct value *value);
bool operate_cast(const struct state *state, const struct value *operand, const struct type *type,
                  struct value *value);
bool operate_truth(const struct state *state, const struct value *value, bool *holds);

struct value operate_float(double number);
/* Finds a type by name: one of OpenCL C's numbers, or one of the module. NULL: it does not exist.
 * `image` may be NULL. */
const struct type *operate_type(struct image *image, const char *name);

#endif
