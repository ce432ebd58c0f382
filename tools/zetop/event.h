/* What zetop waits for: time, keys, signals. Signals that end it are noted and told of at the next
 * wait; a second one, where the first was not heeded (a driver does not come back), ends it at
 * once. */
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

/* What has to be done before such an end, by functions that a signal handler may call. NULL: not
 * anything. */
void event_set_emergency(void (*emergency)(void));

/* The clock of `until`. */
uint64_t event_now_ns(void);

/* Milliseconds since 1970. */
uint64_t event_date_ms(void);

#endif
