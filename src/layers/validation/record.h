/* Commands that are kept: of a list, of a graph, of what was made from one. Each keeps what it
 * uses. Under the lock of the model. */
#ifndef GEO_LAYERS_VALIDATION_RECORD_H
#define GEO_LAYERS_VALIDATION_RECORD_H

#include "layers/validation/used.h"

struct geo_val_command {
    enum geo_ddi_function_id function;
    uint32_t number; /* in its record, from 0 */
    bool blocks;     /* nothing later starts before it is done */
    bool opaque;     /* brings commands of its own along: any order may come with them */
    bool done;       /* the host has seen that it is */
    bool touches;    /* memory or an image, which other commands may use as well */
    void *signal;    /* event or NULL */
    void *reset;     /* event that it resets, or NULL */
    void **waits;    /* owned */
    uint32_t wait_count;
    struct geo_val_used *uses; /* owned */
    uint32_t use_count, use_room;
    const void *kernel; /* of a launch, else NULL */
    uint64_t id;        /* by which a mutable command is changed, 0: none */
};

struct geo_val_record {
    struct geo_val_command *commands; /* owned */
    uint32_t count, capacity;
    uint32_t appended; /* number of the next command */
    uint64_t next_id;  /* of the next command, 0: none */
};

/* Makes what is found once when the library is loaded, after geo_val_uses_make. */
void geo_val_records_make(void);

/* Adds a command, filled from the call that appends it; NULL: memory ran out. */
struct geo_val_command *geo_val_record_append(struct geo_val_record *record,
                                              const struct geo_layer_call *call);

/* Frees all commands; the room stays. */
void geo_val_record_clear(struct geo_val_record *record);

/* Keeps the commands that `keep` wants. */
void geo_val_record_filter(struct geo_val_record *record,
                           bool (*keep)(const struct geo_val_command *command));

/* Frees the oldest commands until `count` are left. */
void geo_val_record_trim(struct geo_val_record *record, uint32_t count);

/* Copies all commands behind those of another record. */
void geo_val_record_copy(struct geo_val_record *to, const struct geo_val_record *from);

/* Adds an item to what a command uses. */
void geo_val_command_use(struct geo_val_command *command, const struct geo_val_used *used);

/* Sets what a command waits for; nulls are left out. */
void geo_val_command_set_waits(struct geo_val_command *command, void *const *events,
                               uint32_t count);

/* Whether it appends lists or a graph, or waits for what no event tells. */
bool geo_val_is_opaque(enum geo_ddi_function_id id);

/* Checks what the commands use, now that `met->call` executes them; stops at the first fault. */
void geo_val_replay(const struct geo_val_record *record, struct geo_val_met *met);

#endif
