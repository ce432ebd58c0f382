/* Reads objects of a description (JSON) into structs. Each kind of object has a table of keys, and
 * one walker reads every object by its table. It refuses a key that is unknown, missing, present
 * twice, of another type or out of range, and names the line and the place.
 * docs/user/simulated-keys.md lists the keys; unit_backend_simulated_keys compares.
 *
 * A description is read once for each device. Where devices of one entry differ, a number is
 * {"index": factor, "plus": summand} and a text contains "{index}", the device's number in its
 * entry. */
#ifndef GEO_BACKEND_SIMULATED_READ_H
#define GEO_BACKEND_SIMULATED_READ_H

#include "backend/simulated/json.h"
#include "backend/simulated/script.h"

#include "base/strbuf.h"

#include <level_zero/ze_api.h>

struct sim_reader {
    struct geo_arena *arena;
    uint32_t index;             /* of the device in its entry */
    uint32_t number;            /* among all devices */
    uint64_t seed;              /* of the device; scripts add theirs */
    uint32_t line;              /* of what is read, for problems */
    bool failed;                /* out of memory when there is no problem */
    struct geo_strbuf *problem; /* NULL: it was read before, nothing can be wrong */
    uint32_t depth;             /* of names */
    struct {
        const char *name;
        int32_t element; /* -1: none */
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
    SIM_SCRIPT, /* const struct sim_script *; with `words` its values are such words */
    SIM_RATE,   /* the same, without counters: it is integrated */
    SIM_OBJECT, /* a struct in its place, by `table` */
    SIM_LIST,   /* struct sim_list of such structs, at most `size` */
    SIM_REALS,  /* struct sim_list of double, ascending, at most `size` */
    SIM_JSON, /* const struct sim_json *: looked at by somebody else, for the documentation's table */
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
    const char *words; /* the API's type */
    double min, max;   /* of numbers; both 0: as the type can */
    bool required;
    const struct sim_table *table;
    const char *help;
};

struct sim_table {
    const char *name; /* of what it is the table: "power", in the documentation */
    const struct sim_key *keys;
    uint32_t key_count;
    uint32_t bytes;
    const void *defaults; /* a struct to begin with; NULL: zeros */
    /* After all keys: what one key alone does not show. */
    bool (*finish)(struct sim_reader *reader, void *item);
};
#define SIM_KEYS(array) .keys = (array), .key_count = sizeof(array) / sizeof((array)[0])

/* False: there is a problem, or memory ran out. */
bool sim_read(struct sim_reader *reader, const struct sim_json *json, const struct sim_table *table,
              void *item);
bool sim_read_list(struct sim_reader *reader, const struct sim_json *json,
                   const struct sim_table *table, uint32_t most, struct sim_list *list);

/* What both are made of (read_walk.c): an object by its table, `value` reads what is behind a key. */
typedef bool (*sim_value_fn)(struct sim_reader *reader, const struct sim_json *json,
                             const struct sim_key *key, void *at);
bool sim_walk(struct sim_reader *reader, const struct sim_json *json, const struct sim_table *table,
              sim_value_fn value, void *item);
bool sim_read_kind(struct sim_reader *reader, const struct sim_json *json, enum geo_json_kind kind);

/* Everything but scripts, objects and lists (read_scalar.c). */
bool sim_read_scalar(struct sim_reader *reader, const struct sim_json *json,
                     const struct sim_key *key, void *at);

/* Says what is wrong where the reader stands; the first one counts. */
bool sim_wrong(struct sim_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool sim_no_memory(struct sim_reader *reader);

/* The text with the device's number in place of "{index}"; NULL: memory ran out. */
const char *sim_read_text(struct sim_reader *reader, const char *text);

/* What numbers and words share with scripts (read_script.c). */
bool sim_read_number(struct sim_reader *reader, const struct sim_json *json, const char *words,
                     double min, double max, double *out);
bool sim_read_script(struct sim_reader *reader, const struct sim_json *json,
                     const struct sim_key *key, const struct sim_script **out);

extern const struct sim_table sim_ramp_table, sim_sine_table, sim_noise_table, sim_counter_table;

/* Goes into a place of the text and out again; `json` gives the line. */
bool sim_enter(struct sim_reader *reader, const char *name, int32_t element,
               const struct sim_json *json);
void sim_leave(struct sim_reader *reader);

/* The words of a type of the API: its enumerators without what they begin with alike, in small
 * letters. NULL when there are no more. */
const char *sim_word(const char *type, uint32_t number, char *out, size_t size, int64_t *value);
/* The value of a word; false: it is none. */
bool sim_word_find(const char *type, const char *text, double *out);

#endif
