/* Queries facts about kernel arguments that the API itself does not provide, with driver functions
 * that are found by name:
 *
 *     geoidKernelGetArgument     Geoid's own (geoid/kernel.h): kinds and exact sizes
 *     zexKernelGetArgumentSize   other drivers: sizes, without the padding of structures
 *
 * With neither function the arguments stay unknown. Both functions take the driver's own handles.
 * They are therefore used only with Geoid's loader, which can translate handles. */
#ifndef GEO_LAYERS_VALIDATION_DESCRIBE_H
#define GEO_LAYERS_VALIDATION_DESCRIBE_H

#include "layers/validation/uses/arguments.h"

/* Returns the descriptions of the `count` parameters of a kernel, which the caller frees, or
 * NULL. */
struct geo_val_parameter *geo_val_describe_kernel(ze_kernel_handle_t kernel, uint32_t count);

#endif
