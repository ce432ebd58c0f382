/* What drivers tell of the arguments of kernels, which the API itself does not: found by name.
 *
 *     geoidKernelGetArgument     ours (geoid/kernel.h): kinds and exact sizes
 *     zexKernelGetArgumentSize   of drivers in the field: sizes, without the padding of structures
 *
 * A driver with neither leaves everything unknown. Such functions take the driver's own handles;
 * so they are asked only where the loader says how it translates, which only ours does. */
#ifndef GEO_LAYERS_VALIDATION_DESCRIBE_H
#define GEO_LAYERS_VALIDATION_DESCRIBE_H

#include "layers/validation/arguments.h"

/* Returns what is known of the `count` parameters of a kernel, to be freed; NULL: nothing. */
struct geo_val_parameter *geo_val_describe_kernel(ze_kernel_handle_t kernel, uint32_t count);

#endif
