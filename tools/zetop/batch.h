/* Writes snapshots to standard output or to a file. options.h says how many and in which format. */
#ifndef ZETOP_BATCH_H
#define ZETOP_BATCH_H

#include "options.h"
#include "sampler.h"

/* Takes and writes snapshots until the options or a signal end it. Reports errors to standard
 * error. Returns the exit status of the program. */
int batch_run(struct sampler *sampler, const struct options *options);

#endif
