/* Which operations are legal, what they do to the model, and which results are right. */
#ifndef TESTS_MODEL_RULES_H
#define TESTS_MODEL_RULES_H

#include "state.h"

/* Does the operation, the next one of the program, to the model, and fills in what may come of it
 * (`allowed`, `node`). False for one that is not legal, or whose wait nothing would end; the model
 * is of no use then. `ops`: the program so far, with this operation at its end. */
bool model_apply(struct model *model, struct op *ops);

/* Applies the operations in turn and leaves out what is not legal. Then adds what ends the program:
 * whatever waits is released, everything is waited for, all buffers are looked at. */
void program_settle(struct program *program, struct model *model);

#endif
