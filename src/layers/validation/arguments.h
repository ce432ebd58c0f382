/* What is known of kernels: their arguments, as the driver describes them, and their values. */
#ifndef GEO_LAYERS_VALIDATION_ARGUMENTS_H
#define GEO_LAYERS_VALIDATION_ARGUMENTS_H

#include "layers/validation/data.h"
#include "layers/validation/uses.h"

enum { GEO_VAL_ARGUMENTS = 64 }; /* most that are looked at */

enum geo_val_argument_kind {
    GEO_VAL_ARGUMENT_UNKNOWN,
    GEO_VAL_ARGUMENT_VALUE,
    GEO_VAL_ARGUMENT_POINTER,
    GEO_VAL_ARGUMENT_LOCAL,
    GEO_VAL_ARGUMENT_IMAGE,
    GEO_VAL_ARGUMENT_SAMPLER,
};

/* A parameter of a kernel. */
struct geo_val_parameter {
    uint8_t kind;                /* enum geo_val_argument_kind */
    bool read_only, write_only;  /* what the kernel does through it */
    uint32_t size_min, size_max; /* bytes of a value; both 0: not known */
};

/* A value that has been set. */
struct geo_val_argument {
    uintptr_t value; /* of the size of a pointer, else 0 */
    uint64_t object; /* life << 8 | type of the image or sampler whose handle it is, else 0 */
};

struct geo_val_kernel {
    struct geo_val_data data;
    uint32_t count;                       /* of arguments */
    struct geo_val_parameter *parameters; /* `count` of them; owned; NULL: nothing is known */
    /* By the thread that has the kernel, without the lock: bits of the arguments that have been
     * set, and their values. */
    _Atomic uint64_t set;
    _Atomic uintptr_t values[GEO_VAL_ARGUMENTS];
    _Atomic uint64_t objects[GEO_VAL_ARGUMENTS];
};

struct geo_val_kernel *geo_val_kernel_of(const void *handle);

/* Makes what is found once when the library is loaded, after geo_val_uses_make. */
void geo_val_arguments_make(void);

/* Returns what the value of an argument is: `size` bytes at `value`, which may be null. */
struct geo_val_argument geo_val_argument_of(const struct geo_val_kernel *kernel, uint32_t index,
                                            size_t size, const void *value);

/* Fills the item that a command uses through an argument; false: none that is known. */
bool geo_val_argument_used(const struct geo_val_kernel *kernel, uint32_t index,
                           const struct geo_val_argument *argument, struct geo_val_used *used);

/* Visits what a launch uses through the arguments of its kernel: those that the call brings along,
 * else those that have been set. */
void geo_val_arguments_each(const struct geo_layer_call *call, geo_val_used_fn visit, void *user);

/* Tells of a value whose size is not the argument's. */
void geo_val_argument_size_check(const struct geo_layer_call *call, const void *kernel,
                                 uint32_t index, size_t size, const void *value, const char *name);

/* Whether the function appends a launch. */
bool geo_val_launches(enum geo_ddi_function_id id);

/* Refuses a launch with an argument that has never been set. */
ze_result_t geo_val_arguments_check(const struct geo_layer_call *call);

/* After a launch that brought its arguments along: the kernel keeps them. */
void geo_val_arguments_note(const struct geo_layer_call *call);

#endif
