/* Stored commands of a list, of a graph, or of an executable graph. Each command has the items that
 * it uses. Protected by the lock of the model. */
#ifndef GEO_LAYERS_VALIDATION_RECORD_H
#define GEO_LAYERS_VALIDATION_RECORD_H

#include "layers/validation/uses/used.h"

struct geo_val_command {
    enum geo_ddi_function_id function;
    uint32_t number; /* index in its record, from 0 */
    bool blocks;     /* a barrier: no later command starts before it is done */
    bool opaque;     /* runs other commands, which may imply any order */
    bool done;       /* the host has seen its completion */
    bool touches;    /* accesses memory or an image that other commands may access */
    void *signal;    /* event or NULL */
    void *reset;     /* event that it resets, or NULL */
    void **waits;    /* owned */
    uint32_t wait_count;
    struct geo_val_used *uses; /* owned */
    uint32_t use_count, use_room;
    const void *kernel; /* of a launch; else NULL */
    uint64_t id;        /* id for changes of a mutable command; 0: none */
};

struct geo_val_record {
    struct geo_val_command *commands; /* owned */
    uint32_t count, capacity;
    uint32_t appended; /* number of the next command */
    uint64_t next_id;  /* id of the next command; 0: none */
};

/* Prepares the table of function shapes when the library is loaded. Runs after
 * geo_val_uses_make. */
void geo_val_records_make(void);

/* Adds a command, filled from the call that appends it. Returns NULL when memory ran out. */
struct geo_val_command *geo_val_record_append(struct geo_val_record *record,
                                              const struct geo_layer_call *call);

/* Frees all commands, but keeps the array. */
void geo_val_record_clear(struct geo_val_record *record);

/* Keeps only the commands for which `keep` returns true. */
void geo_val_record_filter(struct geo_val_record *record,
                           bool (*keep)(const struct geo_val_command *command));

/* Frees the oldest commands until `count` are left. */
void geo_val_record_trim(struct geo_val_record *record, uint32_t count);

/* Appends copies of all commands of `from` to `to`. */
void geo_val_record_copy(struct geo_val_record *to, const struct geo_val_record *from);

/* Adds an item that the command uses. */
void geo_val_record_use(struct geo_val_command *command, const struct geo_val_used *used);

/* Sets the events that a command waits for. NULL handles are left out. */
void geo_val_record_set_waits(struct geo_val_command *command, void *const *events, uint32_t count);

/* Returns whether the function appends lists or a graph, or waits for something other than
 * events. */
bool geo_val_record_is_opaque(enum geo_ddi_function_id id);

/* Checks the items that the commands use when `met->call` executes them. Stops at the first
 * error. */
void geo_val_record_replay(const struct geo_val_record *record, struct geo_val_met *met);

#endif
