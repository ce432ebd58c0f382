/* What the buffers hold wherever a program looks at them. */
#ifndef TESTS_MODEL_CONTENTS_H
#define TESTS_MODEL_CONTENTS_H

#include "state.h"

/* By node of the OP_CHECK; the others are not written. */
struct contents {
    uint32_t checks[NODES_MAX][BUFFER_WORDS];
};

/* Of a settled program and its model at the end. */
void contents_compute(struct contents *contents, const struct program *program,
                      const struct model *model);

#endif
