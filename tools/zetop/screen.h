/* The terminal: shows views, and gives them keys and snapshots. */
#ifndef ZETOP_SCREEN_H
#define ZETOP_SCREEN_H

#include "sampler.h"

#include <stdbool.h>

enum screen_kind {
    SCREEN_NONE,  /* no terminal, or one of an unknown type; the reason is told */
    SCREEN_PLAIN, /* it cannot place its cursor */
    SCREEN_FULL,
};
enum screen_kind screen_kind(void);

/* Shows the screen until the user or a signal ends it, with a snapshot every `delay` seconds.
 * Restores the terminal in every case. Returns the exit status of the program. */
int screen_run(struct sampler *sampler, double delay);

#endif
