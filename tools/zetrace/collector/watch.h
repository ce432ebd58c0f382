/* Times of commands: which are still to come, and reading them when they are there. Under the lock
 * of tracker.h.
 *
 *   watch   an event that one command will signal; read by the host once it is signalled, at the
 *           latest before the program resets, destroys or signals it again
 *   run     one execution of a regular list. Its own events keep the times of the last execution
 *           only, so a list of ours follows in the same queue and copies them */
#ifndef TOOLS_ZETRACE_WATCH_H
#define TOOLS_ZETRACE_WATCH_H

#include "tracker.h"

/* A submission of commands: its device, stream, thread and time. */
struct submission {
    struct device *device;
    struct timers *timers;
    uint32_t stream;
    uint32_t thread;
    uint64_t at;
};

/* The command will signal the event; `timer` is ours or NULL. `query` measures it, or is NULL. */
void watch_add(const struct submission *submission, const struct command *command,
               ze_event_handle_t event, struct timer *timer, struct query *query);

/* The event is about to be reset, destroyed or signalled by another command: now or never. */
void watch_settle(ze_event_handle_t event);

/* A list was executed in a queue: its commands will be told. */
void run_add_queue(const struct submission *submission, struct recording *recording,
                   ze_command_queue_handle_t queue, uint32_t ordinal);
/* The same by an in-order immediate list. */
void run_add_list(const struct submission *submission, struct recording *recording,
                  ze_command_list_handle_t list);
/* Before: the program's events in it may be signalled from an earlier time. */
void run_prepare(const struct recording *recording);

/* Reads what is there; thorough: all, else it stops at the first few that are not. */
void watch_harvest(bool thorough);

/* The context is about to end: what is not there by then never will be. */
void watch_context_end(struct timers *timers);
/* So is everything. */
void watch_end(void);
void watch_forked(void);

/* Gives up the queries of a recording that were not read, because they will be used again or end. */
void watch_queries_end(const struct recording *recording);

/* Frees executions that a recording keeps for the next. */
void run_destroy_spare(struct recording *recording);

/* Counts commands whose times cannot be known. */
void watch_untimed(uint32_t count);

#endif
