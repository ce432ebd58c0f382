/* Writing snapshots. See options.h for how many and how. */
#ifndef ZETOP_BATCH_H
#define ZETOP_BATCH_H

#include "options.h"
#include "sampler.h"

/* The exit status. Reports to standard error. */
int batch_run(struct sampler *sampler, const struct options *options);

#endif
