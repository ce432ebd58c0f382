/* The command line of geoidc. */
#ifndef GEOIDC_OPTIONS_H
#define GEOIDC_OPTIONS_H

#include "job.h"

/* How a report is written. */
enum options_report {
    REPORT_NONE,
    REPORT_TEXT,
    REPORT_JSON,
};

struct options {
    struct job job;
    const char *output; /* NULL: named after the input */
    enum options_report report;
    const char *report_file; /* "-": standard output */
    bool quiet;
};

/* Reads the arguments. Returns false if they end the program, with the exit status in *status. */
bool options_read(struct options *options, int argc, char **argv, int *status);

#endif
