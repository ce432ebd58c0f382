/* Calls the operations of the backend. A missing operation becomes UNSUPPORTED_FEATURE, and the
 * reason for a failure becomes the last error's text.
 *
 *     zes_power_energy_counter_t counter = {0};
 *     GEO_ASK(power, energy, power, &counter);     returns from the function if it fails */
#ifndef GEO_DRIVER_SYSMAN_ASK_H
#define GEO_DRIVER_SYSMAN_ASK_H

#include "backend/sysman.h"
#include "driver/core/object.h"

#define GEO_SYSMAN_WHY_BYTES 400u

/* Returns UNSUPPORTED_FEATURE with the text "<name> has no <what>". */
ze_result_t geo_ask_unsupported(const char *name, const char *what);

/* Ends a call: records why it failed, and frees the buffer. */
ze_result_t geo_ask_answered(const char *name, const char *operation, ze_result_t result,
                             struct geo_strbuf *why);

/* Calls an operation. `ops` may be NULL. The arguments are those of the operation before `why`. */
#define GEO_SYSMAN_ASK(result, name, ops, operation, ...)                                          \
    do {                                                                                           \
        struct geo_strbuf why_;                                                                    \
        if ((ops) && (ops)->operation) {                                                           \
            geo_strbuf_init(&why_, GEO_SYSMAN_WHY_BYTES);                                          \
            (result) =                                                                             \
                geo_ask_answered((name), #operation, (ops)->operation(__VA_ARGS__, &why_), &why_); \
        } else {                                                                                   \
            (result) = geo_ask_unsupported((name), #operation);                                    \
        }                                                                                          \
    } while (0)

/* Call an operation of a component, or of a root device. */
#define GEO_ASK_FOR(result, part, operation, ...)                                                  \
    GEO_SYSMAN_ASK(result, (part)->base.name, (part)->ops, operation, __VA_ARGS__)
#define GEO_ASK_ROOT_FOR(result, root, operation, ...)                                             \
    GEO_SYSMAN_ASK(result, (root)->device->info->name, (root)->about->ops, operation, __VA_ARGS__)

/* Call an operation like the macros above. If it fails, return its result from the calling
 * function, which must not hold locks or memory at that point. */
#define GEO_ASK(part, operation, ...)                                                              \
    do {                                                                                           \
        ze_result_t asked_;                                                                        \
        GEO_ASK_FOR(asked_, part, operation, __VA_ARGS__);                                         \
        GEO_CHECK(asked_);                                                                         \
    } while (0)
#define GEO_ASK_ROOT(root, operation, ...)                                                         \
    do {                                                                                           \
        ze_result_t asked_;                                                                        \
        GEO_ASK_ROOT_FOR(asked_, root, operation, __VA_ARGS__);                                    \
        GEO_CHECK(asked_);                                                                         \
    } while (0)

/* Returns whether an operation failed because its subject does not exist or has no value now. A
 * getter that calls it for a chained structure then fills the structure with zeros and succeeds,
 * so that the caller gets everything else. Other failures (permissions, a lost device) fail the
 * call. */
static inline bool geo_ask_is_no_value(ze_result_t result)
{
    return result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE || result == ZE_RESULT_ERROR_NOT_AVAILABLE;
}

/* True if the operation exists. */
#define GEO_CAN(part, operation) ((part)->ops && (part)->ops->operation)

/* Returns UNSUPPORTED_FEATURE unless software may set the component (SYS-4). */
GEO_MUST_CHECK ze_result_t geo_ask_check_control(const struct geo_sysman_component *component,
                                                 ze_bool_t can_control);

#endif
