/* The validation layer: its parts (layers/layer.h), and what they share: the enabled checks, the
 * table of messages, and the output of messages.
 *
 *     part           file in calls/  enabled by
 *     calls          calls.c         ZEL_LOADER_LOGGING_LEVEL=trace (base/loader_log.h)
 *     parameters     parameters.c    ZE_ENABLE_PARAMETER_VALIDATION
 *     certification  certification.c ZEL_ENABLE_CERTIFICATION_CHECKER
 *     commands       ../commands/    GEOID_ENABLE_COMMANDS_CHECKER, ZEL_ENABLE_EVENTS_CHECKER,
 *                                    ZE_ENABLE_MEMORY_TRACKER
 *     objects        lifetime.c      ZE_ENABLE_HANDLE_LIFETIME, and checks that need object records
 *     threads        threads.c       ZE_ENABLE_THREADING_VALIDATION
 *     memory         memory.c        ZE_ENABLE_MEMORY_TRACKER
 *     performance    performance.c   ZEL_ENABLE_PERFORMANCE_CHECKER
 *     opened         opened.c        ZEL_ENABLE_EVENTS_CHECKER
 *     resources      resources.c     ZEL_ENABLE_SYSTEM_RESOURCE_TRACKER_CHECKER
 *
 * A part whose check is off watches no function, so it costs nothing.
 *
 * The rooms, each of which may include those before it:
 *
 *     report     which checks are on, and the output of messages
 *     address    allocations, reservations and pages by address
 *     objects    the records of objects, their devices, and what each function does with handles
 *     uses       the memory, images, events and kernels that calls use
 *     model      the commands of lists and graphs, queues, fences
 *     commands   the checks of commands and events
 *     calls      the parts that check, count or log single calls */
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
    const char *name;     /* name in GEOID_VALIDATION */
    const char *variable; /* the check's own variable */
};

extern const struct geo_val_check_row geo_val_checks[GEO_VAL_CHECK_COUNT];

/* Returns whether a check is on. The environment is read when the library is loaded. */
bool geo_val_on(enum geo_val_check check);

/* Returns whether a variable is set to anything but "", 0, false, no or off. */
bool geo_val_checks_switch(const char *variable);

/* Returns whether a comma-separated list (which may be NULL) contains the name or "all". */
bool geo_val_checks_list_has(const char *list, const char *name);

/* --- messages --- */

enum geo_val_message {
#define GEO_MESSAGE(id, name, check, severity, requirement, section, text) GEO_VAL_##id,
#include "layers/validation/messages.def"
#undef GEO_MESSAGE
    GEO_VAL_MESSAGE_COUNT
};

/* ERROR: violates the specification. WARNING: legal, but rarely intended. HINT: could be
 * improved. */
enum geo_val_severity { GEO_VAL_ERROR, GEO_VAL_WARNING, GEO_VAL_HINT };

struct geo_val_message_row {
    const char *name, *requirement, *section, *text;
    uint8_t check, severity;
};

extern const struct geo_val_message_row geo_val_messages[GEO_VAL_MESSAGE_COUNT];

/* A moment in an object's history. The function is GEO_DDI_FUNCTION_COUNT when the call is
 * unknown. */
struct geo_val_moment {
    uint16_t function;
    uint16_t forks; /* number of forks before this moment */
    uint32_t thread;
    uint64_t time_ns; /* nanoseconds since the library was loaded */
};

struct geo_val_history {
    struct geo_val_moment made, ended;
    const struct geo_val_stack *stack; /* stack of the call that created it, or NULL */
};

/* The subject of a message. `call` is NULL outside calls. */
struct geo_val_place {
    const struct geo_layer_call *call;
    /* Name such as "hEvent" or "phWaitEvents[2]"; NULL: the whole call. */
    const char *argument;
    const void *handle;                    /* handle of the object, or an address; NULL: none */
    const struct geo_val_history *history; /* history of the object; NULL: unknown */
};

/* Reports a message and writes its line at once. May be called from any thread. Ends the process
 * when GEOID_VALIDATION_ABORT names the message. */
void geo_val_tell(enum geo_val_message message, const struct geo_val_place *place,
                  const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Returns the result of a call for which an error was reported: `result`, which refuses the call,
 * or SUCCESS with GEOID_VALIDATION_REFUSE=0, so that the driver gets the call. */
ze_result_t geo_val_refusal(ze_result_t result);

/* Returns the current moment in the function, with the caller's thread and the time. */
struct geo_val_moment geo_val_report_now(enum geo_ddi_function_id function);
uint32_t geo_val_report_thread(void);

/* Returns whether the moment was before a fork of this process. Objects of such a moment belong to
 * the parent, which destroys them, so they are not reported here. */
bool geo_val_report_before_fork(const struct geo_val_moment *moment);

/* Reports how often each message was reported, at the end of the process. Writes nothing without
 * messages. */
void geo_val_tell_counts(void);

/* --- parts and their reports at the end --- */

extern const struct geo_layer_part geo_val_part_calls, geo_val_part_parameters,
    geo_val_part_certification, geo_val_part_commands, geo_val_part_objects, geo_val_part_uses,
    geo_val_part_threads, geo_val_part_memory, geo_val_part_performance, geo_val_part_opened,
    geo_val_part_resources;

void geo_val_lifetime_tell(void);
void geo_val_memory_leaks_tell(void);
void geo_val_events_tell(void);
void geo_val_resources_tell(void);

#endif
