/* Waits for time, keys and signals. A signal that ends zetop is noted, and the next wait returns
 * it. A second signal ends zetop at once, in case a driver hangs. */
#ifndef ZETOP_EVENT_H
#define ZETOP_EVENT_H

#include <stdbool.h>
#include <stdint.h>

enum event {
    EVENT_TIME,   /* it is `until` */
    EVENT_INPUT,  /* the descriptor can be read */
    EVENT_RESIZE, /* the terminal has another size */
    EVENT_STOP,   /* INT, TERM or HUP; from then on always */
};

/* Installs the signal handlers. Returns false with errno on failure. */
bool event_open(void);

/* Waits until `until_ns` (clock of event_now_ns) for input on `fd` (-1: none) or a signal. Returns
 * EVENT_TIME if the time is over and nothing else happened. */
enum event event_wait(int fd, uint64_t until_ns);

/* Sets the function that runs when a second signal ends zetop at once, or NULL. It restores the
 * terminal. It runs in the signal handler, so it may only call functions that are safe there. */
void event_set_emergency(void (*emergency)(void));

/* The clock of `until`. */
uint64_t event_now_ns(void);

/* Milliseconds since 1970. */
uint64_t event_date_ms(void);

#endif
