/* Which memory a command reads and writes, by its arguments. */
#ifndef GEO_LAYERS_VALIDATION_ACCESS_H
#define GEO_LAYERS_VALIDATION_ACCESS_H

#include "layers/validation/validation.h"

struct geo_val_access {
    const char *argument; /* "dstptr" */
    uintptr_t base;
    size_t size; /* at least 1 */
    bool write;
    bool command;      /* of a command in a list; else the host asks something of the memory */
    uintptr_t context; /* handle; 0: that of the first object of the call */
};

enum { GEO_VAL_ACCESSES = 2 };

/* Writes those of a call to `accesses` and returns their number. */
size_t geo_val_accesses(const struct geo_layer_call *call,
                        struct geo_val_access accesses[GEO_VAL_ACCESSES]);

/* Whether the function has any. */
bool geo_val_has_accesses(enum geo_ddi_function_id id);

#endif
