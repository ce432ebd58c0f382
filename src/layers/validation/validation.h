/* The validation layer: parts (layers/layer.h) that look at calls, and what they have in common:
 * which checks are on, the table of messages, the way of a message out.
 *
 *     part           file            on with
 *     calls          calls.c         ZEL_LOADER_LOGGING_LEVEL=trace (base/loader_log.h)
 *     parameters     parameters.c    ZE_ENABLE_PARAMETER_VALIDATION
 *     certification  certification.c ZEL_ENABLE_CERTIFICATION_CHECKER
 *     commands       commands.c      GEOID_ENABLE_COMMANDS_CHECKER, ZEL_ENABLE_EVENTS_CHECKER,
 *                                    ZE_ENABLE_MEMORY_TRACKER
 *     objects        lifetime.c      ZE_ENABLE_HANDLE_LIFETIME, and what needs objects known
 *     threads        threads.c       ZE_ENABLE_THREADING_VALIDATION
 *     memory         memory.c        ZE_ENABLE_MEMORY_TRACKER
 *     performance    performance.c   ZEL_ENABLE_PERFORMANCE_CHECKER
 *     opened         opened.c        ZEL_ENABLE_EVENTS_CHECKER
 *     resources      resources.c     ZEL_ENABLE_SYSTEM_RESOURCE_TRACKER_CHECKER
 *
 * A part whose check is off wants no function: calls do not pass it at all. */
#ifndef GEO_LAYERS_VALIDATION_H
#define GEO_LAYERS_VALIDATION_H

#include <stdarg.h>

#include "layers/layer.h"

/* --- checks --- */

enum geo_val_check {
    GEO_VAL_PARAMETERS,
    GEO_VAL_LIFETIME,
    GEO_VAL_LEAKS,
    GEO_VAL_THREADS,
    GEO_VAL_MEMORY,
    GEO_VAL_COMMANDS,
    GEO_VAL_EVENTS,
    GEO_VAL_PERFORMANCE,
    GEO_VAL_CERTIFICATION,
    GEO_VAL_RESOURCES,
    GEO_VAL_CHECK_COUNT,
};

struct geo_val_check_row {
    const char *name;     /* as in GEOID_VALIDATION */
    const char *variable; /* its own switch */
};

extern const struct geo_val_check_row geo_val_checks[GEO_VAL_CHECK_COUNT];

/* Whether a check is on. Read from the environment when the library is loaded. */
bool geo_val_on(enum geo_val_check check);

/* A switch of the environment: set to anything but empty, 0, false, no, off. */
bool geo_val_switch(const char *variable);

/* Whether a comma list (may be NULL) names it, or says "all". */
bool geo_val_list_has(const char *list, const char *name);

/* --- messages --- */

enum geo_val_message {
#define GEO_MESSAGE(id, name, check, severity, requirement, section, text) GEO_VAL_##id,
#include "layers/validation/messages.def"
#undef GEO_MESSAGE
    GEO_VAL_MESSAGE_COUNT
};

/* ERROR: against the specification. WARNING: legal by the letter, seldom meant. HINT: could be
 * better. */
enum geo_val_severity { GEO_VAL_ERROR, GEO_VAL_WARNING, GEO_VAL_HINT };

struct geo_val_message_row {
    const char *name, *requirement, *section, *text;
    uint8_t check, severity;
};

extern const struct geo_val_message_row geo_val_messages[GEO_VAL_MESSAGE_COUNT];

/* Where an object comes from and went to: GEO_DDI_FUNCTION_COUNT for a call that is not known. */
struct geo_val_moment {
    uint16_t function;
    uint16_t forks; /* between the first process and the one of this moment */
    uint32_t thread;
    uint64_t time_ns; /* since the library was loaded */
};

struct geo_val_history {
    struct geo_val_moment made, ended;
    const struct geo_val_stack *stack; /* of the call that made it, or NULL */
};

/* What a message is about; call NULL: none is under way. */
struct geo_val_place {
    const struct geo_layer_call *call;
    const char *argument;                  /* "hEvent", "phWaitEvents[2]"; NULL: the whole call */
    const void *handle;                    /* of the object, or an address; NULL: none */
    const struct geo_val_history *history; /* of the object; NULL: not known */
};

/* Tells one message; safe from any thread, a line is written at once. Ends the process when
 * GEOID_VALIDATION_ABORT names the message. */
void geo_val_tell(enum geo_val_message message, const struct geo_val_place *place,
                  const char *format, ...) __attribute__((format(printf, 3, 4)));

/* What a part answers to a call that it has told of: the result, which refuses the call, or SUCCESS
 * when the driver is to have it all the same (GEOID_VALIDATION_REFUSE=0). */
ze_result_t geo_val_refusal(ze_result_t result);

/* Now, in the function; thread and time are of the caller. */
struct geo_val_moment geo_val_now(enum geo_ddi_function_id function);
uint32_t geo_val_thread(void);

/* Returns whether the moment lies in a process that this one was forked from. Objects of such a
 * moment are the parent's: the parent destroys them, so nothing is told of them here at the end. */
bool geo_val_before_fork(const struct geo_val_moment *moment);

/* How often each message was told, at the end of the process; nothing when there was none. */
void geo_val_tell_counts(void);

/* --- parts and what is done at the end --- */

extern const struct geo_layer_part geo_val_part_calls, geo_val_part_parameters,
    geo_val_part_certification, geo_val_part_commands, geo_val_part_objects, geo_val_part_uses,
    geo_val_part_threads, geo_val_part_memory, geo_val_part_performance, geo_val_part_opened,
    geo_val_part_resources;

void geo_val_leaks_tell(void);
void geo_val_memory_leaks_tell(void);
void geo_val_events_tell(void);
void geo_val_resources_tell(void);

#endif
