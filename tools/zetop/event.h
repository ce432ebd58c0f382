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

/* False: errno says why. */
bool event_open(void);

/* fd -1: none. A time that has gone by is EVENT_TIME where nothing else is there. */
enum event event_wait(int fd, uint64_t until_ns);

/* Sets the function that runs before such an immediate end, or NULL. It may only call functions
 * that are safe in a signal handler. */
void event_set_emergency(void (*emergency)(void));

/* The clock of `until`. */
uint64_t event_now_ns(void);

/* Milliseconds since 1970. */
uint64_t event_date_ms(void);

#endif
