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

/* Until the user or a signal ends it; the terminal is as it was then, however it ends. The exit
 * status. */
int screen_run(struct sampler *sampler, double delay);

#endif
