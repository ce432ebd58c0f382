/* Texts of failures: what the backend lacks, and why one of its operations failed. */
#ifndef GEO_DRIVER_TOOLS_METRIC_ASK_H
#define GEO_DRIVER_TOOLS_METRIC_ASK_H

#include "base/strbuf.h"
#include "driver/core/object.h"

#define GEO_METRIC_WHY_BYTES 400u

/* Returns UNSUPPORTED_FEATURE with the text "<name> has no <what>". */
ze_result_t geo_metric_ask_unsupported(const char *name, const char *what);

/* Returns OUT_OF_HOST_MEMORY with the text "no memory for <what>". */
ze_result_t geo_metric_ask_memory(const char *what);

/* Ends a call of the backend: records why it failed, and frees the buffer. Returns `result`. */
ze_result_t geo_metric_ask_answered(const char *name, const char *operation, ze_result_t result,
                                    struct geo_strbuf *why);

/* Calls an operation of a root's backend whose last parameter is `why`. */
#define GEO_METRIC_ASK(result, root, operation, ...)                                               \
    do {                                                                                           \
        struct geo_strbuf why_;                                                                    \
        if ((root)->ops->operation) {                                                              \
            geo_strbuf_init(&why_, GEO_METRIC_WHY_BYTES);                                          \
            (result) = geo_metric_ask_answered((root)->device->info->name, #operation,             \
                                               (root)->ops->operation(__VA_ARGS__, &why_), &why_); \
        } else {                                                                                   \
            (result) = geo_metric_ask_unsupported((root)->device->info->name, #operation);         \
        }                                                                                          \
    } while (0)

#endif
