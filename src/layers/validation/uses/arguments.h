/* The model's data of kernels: their arguments, as the driver describes them, and the values that
 * were set. */
#ifndef GEO_LAYERS_VALIDATION_ARGUMENTS_H
#define GEO_LAYERS_VALIDATION_ARGUMENTS_H

#include "layers/validation/objects/data.h"
#include "layers/validation/uses/uses.h"

enum { GEO_VAL_ARGUMENTS = 64 }; /* maximum number of tracked arguments */

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
    bool read_only, write_only;  /* how the kernel accesses the memory or image */
    uint32_t size_min, size_max; /* size of a value in bytes; both 0: unknown */
};

/* A value that was set. */
struct geo_val_argument {
    uintptr_t value; /* the value if it has the size of a pointer, else 0 */
    uint64_t object; /* if it is the handle of an image or sampler: life << 8 | type; else 0 */
};

struct geo_val_kernel {
    struct geo_val_data data;
    uint32_t count; /* number of arguments */
    /* `count` of them; owned; NULL: the driver does not describe them. */
    struct geo_val_parameter *parameters;
    /* The arguments that were set (a bit mask), and their values. Written by the thread that uses
     * the kernel, without the lock. */
    _Atomic uint64_t set;
    _Atomic uintptr_t values[GEO_VAL_ARGUMENTS];
    _Atomic uint64_t objects[GEO_VAL_ARGUMENTS];
};

struct geo_val_kernel *geo_val_arguments_kernel(const void *handle);

/* Prepares the table of launching functions when the library is loaded. Runs after
 * geo_val_uses_make. */
void geo_val_arguments_make(void);

/* Describes the value of an argument: `size` bytes at `value`, which may be NULL. */
struct geo_val_argument geo_val_argument_of(const struct geo_val_kernel *kernel, uint32_t index,
                                            size_t size, const void *value);

/* Fills the item that a command uses through an argument. Returns false when it uses nothing that
 * is known. */
bool geo_val_argument_used(const struct geo_val_kernel *kernel, uint32_t index,
                           const struct geo_val_argument *argument, struct geo_val_used *used);

/* Visits everything that a launch uses through its kernel's arguments. The values are those that
 * the call passes, else those that were set. */
void geo_val_arguments_each(const struct geo_layer_call *call, geo_val_used_fn visit, void *user);

/* Reports a value whose size differs from the argument's size. */
void geo_val_argument_size_check(const struct geo_layer_call *call, const void *kernel,
                                 uint32_t index, size_t size, const void *value, const char *name);

/* Returns whether the function appends a kernel launch. */
bool geo_val_arguments_launches(enum geo_ddi_function_id id);

/* Refuses a launch if an argument was never set. */
ze_result_t geo_val_arguments_check(const struct geo_layer_call *call);

/* Records the argument values that a launch passed, because the kernel keeps them. */
void geo_val_arguments_note(const struct geo_layer_call *call);

#endif
