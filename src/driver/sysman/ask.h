/* How an operation of the backend is called: the one place where one that is not there becomes
 * UNSUPPORTED_FEATURE, and where the reason of a failure becomes the last error's text.
 *
 *     zes_power_energy_counter_t counter = {0};
 *     GEO_ASK(power, energy, power, &counter);     returns from the function where it fails
 */
#ifndef GEO_DRIVER_SYSMAN_ASK_H
#define GEO_DRIVER_SYSMAN_ASK_H

#include "backend/sysman.h"
#include "driver/core/object.h"

#define GEO_SYSMAN_WHY_BYTES 400u

/* "<name> has no <what>" */
ze_result_t geo_ask_unsupported(const char *name, const char *what);

/* Ends a call: records why it failed, and the buffer is gone. */
ze_result_t geo_ask_answered(const char *name, const char *operation, ze_result_t result,
                             struct geo_strbuf *why);

/* `ops` may be NULL as well. The arguments are what the operation takes before its `why`. */
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

/* Of a component, and of a root device. */
#define GEO_ASK_FOR(result, part, operation, ...)                                                  \
    GEO_SYSMAN_ASK(result, (part)->base.name, (part)->ops, operation, __VA_ARGS__)
#define GEO_ASK_ROOT_FOR(result, root, operation, ...)                                             \
    GEO_SYSMAN_ASK(result, (root)->device->info->name, (root)->about->ops, operation, __VA_ARGS__)

/* The same; what fails is returned from the calling function, which holds nothing. */
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

/* Whether an operation failed because what it asks for does not exist, or has no value now. A
 * getter that asks it for a chained structure fills the structure with zeros then and succeeds: the
 * caller gets everything else. Other failures (rights, a lost device) fail the call. */
static inline bool geo_ask_is_no_value(ze_result_t result)
{
    return result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE || result == ZE_RESULT_ERROR_NOT_AVAILABLE;
}

/* Whether the operation is there. */
#define GEO_CAN(part, operation) ((part)->ops && (part)->ops->operation)

/* UNSUPPORTED_FEATURE unless software may set it (SYS-4). */
GEO_MUST_CHECK ze_result_t geo_ask_check_control(const struct geo_sysman_component *component,
                                                 ze_bool_t can_control);

#endif
