/* Describes the items that calls use: memory and images that a command reads or writes, and events,
 * kernels and graphs that it needs.
 *
 * uses.c has a row for each parameter of a function that appends commands. The rows serve the
 * checks of an append (used.h) and the records of a list (model.h). A list stores the items of its
 * commands, so they also serve the checks of its execution. A parameter without a row fails the
 * test unit_layers_validation_uses_uses. */
#ifndef GEO_LAYERS_VALIDATION_USES_H
#define GEO_LAYERS_VALIDATION_USES_H

#include "layers/validation/address/box.h"
#include "layers/validation/validation.h"

/* The meaning of a parameter. */
enum geo_val_role {
    GEO_VAL_ROLE_NONE,   /* no row: a number, or a missing description */
    GEO_VAL_ROLE_HOST,   /* read during the call only */
    GEO_VAL_ROLE_LIST,   /* the list that gets the command */
    GEO_VAL_ROLE_MEMORY, /* memory used by the command, or by the call itself if `host` is set */
    /* An array of addresses; the parameter `size` is the array of their sizes. */
    GEO_VAL_ROLE_RANGES,
    GEO_VAL_ROLE_IMAGE,     /* an image used by the command */
    GEO_VAL_ROLE_SIGNAL,    /* the event that the command signals */
    GEO_VAL_ROLE_WAITS,     /* events that the command waits for */
    GEO_VAL_ROLE_RESET,     /* the event that the command resets */
    GEO_VAL_ROLE_EVENTS,    /* events that the command reads */
    GEO_VAL_ROLE_KERNEL,    /* the kernel that the command launches */
    GEO_VAL_ROLE_KERNELS,   /* kernels, some of which the command launches */
    GEO_VAL_ROLE_ARGUMENTS, /* values of all kernel arguments */
    GEO_VAL_ROLE_LISTS,     /* lists that the command executes */
    GEO_VAL_ROLE_GRAPH,     /* the graph that the command executes */
    GEO_VAL_ROLE_OBJECTS,   /* other objects that the command needs */
    GEO_VAL_ROLE_OTHER,     /* not tracked */
};

/* Where the extent of memory or of an image region comes from. `size` is a field of geo_val_row. */
enum geo_val_extent {
    GEO_VAL_EXTENT_BYTES, /* the number `size` */
    GEO_VAL_EXTENT_PARAM, /* the value of parameter `size` */
    GEO_VAL_EXTENT_ARRAY, /* `element` bytes times the value of parameter `size` */
    /* Ze_copy_region_t in parameter `size`, followed by its two pitches. */
    GEO_VAL_EXTENT_REGION,
    /* Timestamps of `size` events; offsets in the next parameter but one. */
    GEO_VAL_EXTENT_TIMESTAMPS,
    GEO_VAL_EXTENT_PIXELS,  /* ze_image_region_t in parameter `size` */
    GEO_VAL_EXTENT_PACKED,  /* the pixels of region `size` of `image`, without gaps */
    GEO_VAL_EXTENT_PITCHED, /* these pixels, with the two pitches in the parameters after `size` */
    GEO_VAL_EXTENT_WHOLE,   /* the whole image */
};

struct geo_val_row {
    uint16_t function;
    uint8_t param;
    uint8_t role; /* enum geo_val_role */
    bool reads, writes;
    uint8_t extent; /* enum geo_val_extent */
    uint8_t size, element, image;
    uint8_t context; /* the parameter with the memory's context; 0: the call's context */
    bool host;       /* the call itself accesses the memory; no command uses it */
    bool question;   /* a query, for which only memory of another context is an error */
};

/* Kind of an item that a command uses. */
enum geo_val_used_kind {
    GEO_VAL_USED_MEMORY,
    GEO_VAL_USED_IMAGE,
    GEO_VAL_USED_EVENT, /* of a pool: a counter-based event may be destroyed before its commands run */
    GEO_VAL_USED_OBJECT,
};

struct geo_val_used {
    uint8_t kind; /* enum geo_val_used_kind */
    uint8_t type; /* objects and images: index in geo_ddi_handles */
    bool reads, writes;
    bool maybe;          /* of a kernel argument: the kernel may use only a part, or nothing */
    bool guess;          /* of a kernel argument: it may be a number that looks like an address */
    bool host, question; /* as in geo_val_row */
    bool backed;         /* reserved addresses that had memory when the command was appended */
    uint8_t param;       /* index of the parameter of the function */
    int16_t argument;    /* index of the kernel argument, or -1 */
    int16_t index;       /* index in an array, or -1 */
    const void *handle;  /* object; memory: the given pointer, which identifies the allocation */
    uint64_t life;       /* lifetime of the object when the command was appended; 0: unknown */
    uintptr_t context;   /* memory: its context if the call names it, else 0 */
    /* Images: the image that a view shows, and its lifetime. NULL: the view counts pixels
     * differently. */
    const void *root;
    uint64_t root_life;
    union {
        struct geo_val_bytes bytes;
        struct geo_val_pixels pixels;
    };
};

typedef void (*geo_val_used_fn)(const struct geo_val_used *used, void *user);

/* Visits the items that the call uses, except kernel arguments. */
void geo_val_uses_each(const struct geo_layer_call *call, geo_val_used_fn visit, void *user);

/* Prepares the rows when the library is loaded. commands.c calls it first. */
void geo_val_uses_make(void);

/* Returns the rows of a function, *count of them. */
const struct geo_val_row *geo_val_uses_rows(enum geo_ddi_function_id id, size_t *count);

/* Returns the role of a parameter: from its row, else by the conventions of all functions (a list
 * comes first, hSignalEvent is signalled, phWaitEvents are waited for). */
enum geo_val_role geo_val_uses_role(enum geo_ddi_function_id id, size_t param);

/* Returns whether the function appends a command. All parameters of such functions must be
 * described. */
bool geo_val_uses_appends(enum geo_ddi_function_id id);

/* Returns whether the call itself accesses memory, without a command. */
bool geo_val_uses_on_host(enum geo_ddi_function_id id);

#endif
