/* Programs from seeds. A seed means the same program on every machine. */
#ifndef TESTS_MODEL_GENERATE_H
#define TESTS_MODEL_GENERATE_H

#include "program.h"

/* A legal program, not settled yet (rules.h). Its operations keep their numbers (`index`).
 * faults: some programs have kernels that lose the device. */
void program_generate(struct program *program, uint64_t seed, bool faults);

#endif
