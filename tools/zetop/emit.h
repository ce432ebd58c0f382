/* Writes snapshots as CSV, JSON, text and Prometheus metrics. All four use the same names of
 * metrics. */
#ifndef ZETOP_EMIT_H
#define ZETOP_EMIT_H

#include "sample.h"

#include <stdio.h>

struct snapshot {
    const struct device *devices;
    size_t device_count;
    uint64_t time_ms; /* since 1970 */
    uint64_t ordinal; /* 0: the first of a run */
};

/* Each function writes one snapshot. It returns false if writing failed or memory ran out. */

/* Writes one line per value. The first snapshot of a run begins with a line of column names. The
 * format is RFC 4180, except that lines end with a single newline. */
bool emit_csv(FILE *to, const struct snapshot *snapshot);
/* One object on one line. */
bool emit_json(FILE *to, const struct snapshot *snapshot);
/* For people. */
bool emit_text(FILE *to, const struct snapshot *snapshot);
/* Prometheus' text format, version 0.0.4, for one scrape. Processes are only counted: their numbers
 * would make a new series each. */
bool emit_prometheus(FILE *to, const struct snapshot *snapshot);

#endif
