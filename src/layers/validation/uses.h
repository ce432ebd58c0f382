/* What calls use, by description: memory and images that a command reads or writes, events,
 * kernels and graphs that it needs.
 *
 * uses.c has a row for each parameter of a function that appends commands. One walk over the rows
 * serves the checks of an append (used.h), the books of a list (model.h) and, since a list keeps
 * what its commands use, the checks of its execution. A parameter without a row fails the test
 * unit_layers_validation_uses. */
#ifndef GEO_LAYERS_VALIDATION_USES_H
#define GEO_LAYERS_VALIDATION_USES_H

#include "layers/validation/box.h"
#include "layers/validation/validation.h"

/* What a parameter is to its call. */
enum geo_val_role {
    GEO_VAL_ROLE_NONE,      /* no row: a number, or a mistake */
    GEO_VAL_ROLE_HOST,      /* read while the call is made, and not later */
    GEO_VAL_ROLE_LIST,      /* the list that is appended to */
    GEO_VAL_ROLE_MEMORY,    /* used by the command, or by the call itself where `host` says so */
    GEO_VAL_ROLE_RANGES,    /* an array of addresses; `size` is an array of as many sizes */
    GEO_VAL_ROLE_IMAGE,     /* used by the command */
    GEO_VAL_ROLE_SIGNAL,    /* the event that the command signals */
    GEO_VAL_ROLE_WAITS,     /* events that it waits for */
    GEO_VAL_ROLE_RESET,     /* the event that it resets */
    GEO_VAL_ROLE_EVENTS,    /* events that it reads */
    GEO_VAL_ROLE_KERNEL,    /* the kernel that it launches */
    GEO_VAL_ROLE_KERNELS,   /* kernels, of which it launches some */
    GEO_VAL_ROLE_ARGUMENTS, /* values of all arguments of the kernel */
    GEO_VAL_ROLE_LISTS,     /* lists that it brings along */
    GEO_VAL_ROLE_GRAPH,     /* the graph that it brings along */
    GEO_VAL_ROLE_OBJECTS,   /* other objects that the command needs */
    GEO_VAL_ROLE_OTHER,     /* not followed beyond the call */
};

/* Where the extent of memory or of a part of an image comes from. */
enum geo_val_extent {
    GEO_VAL_EXTENT_BYTES,      /* `size` itself */
    GEO_VAL_EXTENT_PARAM,      /* the parameter `size` */
    GEO_VAL_EXTENT_ARRAY,      /* `element` bytes times the parameter `size` */
    GEO_VAL_EXTENT_REGION,     /* ze_copy_region_t in `size`, its two pitches behind it */
    GEO_VAL_EXTENT_TIMESTAMPS, /* of as many events as `size`, at the offsets of the next parameter
                                  but one */
    GEO_VAL_EXTENT_PIXELS,     /* ze_image_region_t in `size` */
    GEO_VAL_EXTENT_PACKED,     /* the pixels of `image` in its region `size`, without gaps */
    GEO_VAL_EXTENT_PITCHED,    /* the same with the two pitches behind `size` */
    GEO_VAL_EXTENT_WHOLE,      /* of an image */
};

struct geo_val_row {
    uint16_t function;
    uint8_t param;
    uint8_t role; /* enum geo_val_role */
    bool reads, writes;
    uint8_t extent; /* enum geo_val_extent */
    uint8_t size, element, image;
    uint8_t context; /* the parameter with the memory's context, 0: the call's */
    bool host;       /* memory: the call itself asks for it; no command uses it */
    bool question;   /* and it may be anything: only memory of another context is wrong */
};

/* Something that a command uses. */
enum geo_val_used_kind {
    GEO_VAL_USED_MEMORY,
    GEO_VAL_USED_IMAGE,
    GEO_VAL_USED_EVENT, /* of a pool: an event that counts may be destroyed before its commands run */
    GEO_VAL_USED_OBJECT,
};

struct geo_val_used {
    uint8_t kind; /* enum geo_val_used_kind */
    uint8_t type; /* objects and images: geo_ddi_handles */
    bool reads, writes;
    bool maybe;          /* of a kernel's argument: perhaps it uses only a part, or nothing */
    bool guess;          /* of a kernel's argument: it may be a number that looks like an address */
    bool host, question; /* see geo_val_row */
    bool backed;         /* reserved addresses that had memory when the command was appended */
    uint8_t param;       /* of the function */
    int16_t argument;    /* of the kernel, else -1 */
    int16_t index;       /* in an array, else -1 */
    const void *handle;  /* of the object; memory: the pointer given, which tells the allocation */
    uint64_t life;       /* of the object when the command was appended, 0: not known */
    uintptr_t context;   /* memory: its context where the call says so, else 0 */
    /* Images: whose pixels they show, and which life of that; NULL: counted otherwise there. */
    const void *root;
    uint64_t root_life;
    union {
        struct geo_val_bytes bytes;
        struct geo_val_pixels pixels;
    };
};

typedef void (*geo_val_used_fn)(const struct geo_val_used *used, void *user);

/* Visits what the call uses, but for arguments of kernels. */
void geo_val_uses_each(const struct geo_layer_call *call, geo_val_used_fn visit, void *user);

/* Makes what is found once when the library is loaded: commands.c calls it before all else. */
void geo_val_uses_make(void);

/* The rows of a function, as they stand in the table; *count of them. */
const struct geo_val_row *geo_val_rows(enum geo_ddi_function_id id, size_t *count);

/* Returns the role of a parameter: from its row, else from what all functions have in common (a
 * list comes first, hSignalEvent is signalled, phWaitEvents are waited for). */
enum geo_val_role geo_val_role_of(enum geo_ddi_function_id id, size_t param);

/* Whether the function appends a command: those that do must describe all their parameters. */
bool geo_val_appends(enum geo_ddi_function_id id);

/* Whether the call itself asks for memory, without a command. */
bool geo_val_uses_on_host(enum geo_ddi_function_id id);

#endif
