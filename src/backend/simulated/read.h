/* Reads objects of a description (JSON) into structs. Each kind of object has a table of keys, and
 * one function reads every object by its table. It refuses a key that is unknown, missing, present
 * twice, of another type or out of range, and names the line and the place. The page
 * docs/user/simulated-keys.md lists the keys. The test unit_backend_simulated_keys compares them.
 *
 * A description is read once for each device. Where devices of one entry differ, a number is
 * {"index": factor, "plus": summand} and a text contains "{index}". Both stand for the device's
 * index in its entry. */
#ifndef GEO_BACKEND_SIMULATED_READ_H
#define GEO_BACKEND_SIMULATED_READ_H

#include "backend/simulated/json.h"
#include "backend/simulated/script.h"

#include "base/strbuf.h"

#include <level_zero/ze_api.h>

struct sim_reader {
    struct geo_arena *arena;
    uint32_t index;             /* index of the device in its entry */
    uint32_t number;            /* number among all devices */
    uint64_t seed;              /* of the device; each script adds its own */
    uint32_t line;              /* current line, for error messages */
    bool failed;                /* without a problem: memory ran out */
    struct geo_strbuf *problem; /* NULL: the description was checked before */
    uint32_t depth;             /* number of names in `place` */
    struct {
        const char *name;
        int32_t element; /* -1: not an element */
    } place[GEO_JSON_DEPTH + 2];
};

enum sim_key_type {
    SIM_BOOL,   /* ze_bool_t */
    SIM_FLAG,   /* bool */
    SIM_I32,    /* int32_t */
    SIM_U32,    /* uint32_t */
    SIM_U8,     /* uint8_t */
    SIM_I64,    /* int64_t */
    SIM_U64,    /* uint64_t */
    SIM_REAL,   /* double */
    SIM_WORD,   /* an enumeration: 4 bytes */
    SIM_WORDS,  /* bits of a flags type: uint32_t */
    SIM_CHOICE, /* bits 1 << enumerator: uint32_t */
    SIM_CHARS,  /* char[size] */
    SIM_TEXT,   /* const char * */
    SIM_SCRIPT, /* const struct sim_script *; with `words` its values are words */
    SIM_RATE, /* a SIM_SCRIPT that must not contain counters, because it is integrated over time */
    SIM_OBJECT, /* a struct at this offset, by `table` */
    SIM_LIST,   /* struct sim_list of such structs, at most `size` elements */
    SIM_REALS,  /* struct sim_list of double, ascending, at most `size` elements */
    SIM_JSON,   /* const struct sim_json *: read by other code; `table` is for the documentation */
};

struct sim_list {
    void *items;
    uint32_t count;
};

struct sim_table;
struct sim_key {
    const char *name;
    enum sim_key_type type;
    uint32_t offset, size;
    const char *words; /* type name in the API */
    double min, max;   /* for numbers; both 0: the range of the type */
    bool required;
    const struct sim_table *table;
    const char *help;
};

struct sim_table {
    const char *name; /* name of the described object in the documentation, such as "power" */
    const struct sim_key *keys;
    uint32_t key_count;
    uint32_t bytes;
    const void *defaults; /* initial contents of the struct; NULL: zeros */
    /* Called after all keys: checks conditions between several keys. */
    bool (*finish)(struct sim_reader *reader, void *item);
};
#define SIM_KEYS(array) .keys = (array), .key_count = sizeof(array) / sizeof((array)[0])

/* Read an object, or an array of objects, by a table. Return false when there is a problem or
 * memory ran out. */
bool sim_read(struct sim_reader *reader, const struct sim_json *json, const struct sim_table *table,
              void *item);
bool sim_read_list(struct sim_reader *reader, const struct sim_json *json,
                   const struct sim_table *table, uint32_t most, struct sim_list *list);

/* The parts of sim_read (read_walk.c): sim_walk reads an object by its table, and calls `value` for
 * the value of each key. */
typedef bool (*sim_value_fn)(struct sim_reader *reader, const struct sim_json *json,
                             const struct sim_key *key, void *at);
bool sim_walk(struct sim_reader *reader, const struct sim_json *json, const struct sim_table *table,
              sim_value_fn value, void *item);
bool sim_read_kind(struct sim_reader *reader, const struct sim_json *json, enum geo_json_kind kind);

/* Reads a value of any type except scripts, objects and lists (read_scalar.c). */
bool sim_read_scalar(struct sim_reader *reader, const struct sim_json *json,
                     const struct sim_key *key, void *at);

/* Records a problem at the reader's current place. Only the first problem is kept. Returns
 * false. */
bool sim_wrong(struct sim_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool sim_no_memory(struct sim_reader *reader);

/* Returns the text with "{index}" replaced by the device's index, or NULL when memory ran out. */
const char *sim_read_text(struct sim_reader *reader, const char *text);

/* Read numbers and words, also in scripts (read_script.c). */
bool sim_read_number(struct sim_reader *reader, const struct sim_json *json, const char *words,
                     double min, double max, double *out);
bool sim_read_script(struct sim_reader *reader, const struct sim_json *json,
                     const struct sim_key *key, const struct sim_script **out);

extern const struct sim_table sim_ramp_table, sim_sine_table, sim_noise_table, sim_counter_table;

/* Enter and leave a place in the description, for error messages. `json` provides the line. */
bool sim_enter(struct sim_reader *reader, const char *name, int32_t element,
               const struct sim_json *json);
void sim_leave(struct sim_reader *reader);

/* Writes the word of enumerator `number` of an API type: its name without the common prefix, in
 * lower case. Returns
 * NULL after the last one. */
const char *sim_word(const char *type, uint32_t number, char *out, size_t size, int64_t *value);
/* Finds the value of a word. Returns false when the type does not have it. */
bool sim_word_find(const char *type, const char *text, double *out);

#endif
