/* Of the rules: commands, appended and executed. */
#ifndef TESTS_MODEL_RULES_COMMANDS_H
#define TESTS_MODEL_RULES_COMMANDS_H

#include "state.h"

bool apply_append(struct model *model, struct op *op, const struct op *ops);
bool apply_execute(struct model *model, struct op *op, const struct op *ops);
bool apply_lists(struct model *model, struct op *op, const struct op *ops);

/* A wait for everything in the stream has come to its end. */
void stream_learn(struct model *model, int thread, int stream);

#endif
