/* The command line. See options.c for what it says. */
#ifndef ZETOP_OPTIONS_H
#define ZETOP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum mode { MODE_SCREEN, MODE_BATCH, MODE_PROMETHEUS };
enum format { FORMAT_OF_TEXT, FORMAT_OF_CSV, FORMAT_OF_JSON };

struct options {
    enum mode mode;
    enum format format;
    uint64_t count;     /* of snapshots; 0: without end */
    double delay;       /* seconds */
    const char *output; /* NULL: standard output */
};

/* Parses the arguments. Returns false if the program has nothing more to do (--help, --version, an
 * invalid argument); *status is its exit status then. */
bool options_read(struct options *options, int argc, char **argv, int *status);

#endif
