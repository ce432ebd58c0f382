/* What the API consists of, as data: functions, their parameters and checks, dispatch tables,
 * enumerations, structures, handles.
 *
 * Generated from registry/ at build time, walked by the hand-written functions declared here. Used
 * by the loader, the layers and the driver: to fill tables, to print calls, to check arguments. All
 * data is constant; every function is safe from any thread and allocates nothing. What C code has
 * to know at compile time (masks, structure types) is in ddi/geo_ddi_chain.h.
 */
#ifndef GEO_DDI_H
#define GEO_DDI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <level_zero/ze_ddi_common.h>

#include "ddi/geo_ddi_ids.h" /* generated: enum geo_ddi_function_id, enum geo_ddi_table_id */

enum geo_ddi_api { GEO_DDI_ZE, GEO_DDI_ZES, GEO_DDI_ZET, GEO_DDI_ZER, GEO_DDI_API_COUNT };

/* --- functions and tables --- */

/* What a function returns. */
enum geo_ddi_return { GEO_DDI_RESULT, GEO_DDI_RETURNS_HANDLE, GEO_DDI_RETURNS_NUMBER };

struct geo_ddi_function {
    const char *name;        /* "zeMemAllocDevice" */
    const char *handle_type; /* type of the first parameter when that is a handle, else NULL */
    uint16_t table;          /* enum geo_ddi_table_id */
    uint16_t slot;           /* place in that table; offset in bytes = slot * sizeof(void *) */
    uint16_t param_first;    /* parameters: see geo_ddi_function_params */
    uint16_t check_first;    /* see geo_ddi_function_checks */
    uint8_t param_count;
    uint8_t check_count;
    uint8_t since_minor; /* 1.x in which it came */
    uint8_t returns;     /* enum geo_ddi_return */
    bool deprecated;
    bool hot;        /* its entry in a driver does not hold off cancellation */
    int8_t returned; /* GEO_DDI_RETURNS_HANDLE: geo_ddi_handles, else -1 */
};

struct geo_ddi_table {
    const char *name;   /* "Mem": the member of ze_dditable_t and ze_dditable_driver_t */
    const char *type;   /* "ze_mem_dditable_t" */
    const char *getter; /* "zeGetMemProcAddrTable" */
    uint8_t api;        /* enum geo_ddi_api */
    uint16_t function_first;
    uint16_t slot_count;       /* of the newest version */
    uint16_t container_offset; /* of the member in z*_dditable_t */
    uint16_t pointer_offset;   /* of the member in z*_dditable_driver_t */
    /* slots[m]: length of the prefix that version 1.m has in common with the newest */
    uint8_t slots[GEO_DDI_MINOR + 1];
};

extern const struct geo_ddi_function geo_ddi_functions[GEO_DDI_FUNCTION_COUNT];
extern const struct geo_ddi_table geo_ddi_tables[GEO_DDI_TABLE_COUNT];

/* NULL when there is none of that name. */
const struct geo_ddi_function *geo_ddi_function_find(const char *name);
const struct geo_ddi_table *geo_ddi_table_find(const char *getter);

static inline const struct geo_ddi_table *geo_ddi_function_table(const struct geo_ddi_function *f)
{
    return &geo_ddi_tables[f->table];
}

static inline enum geo_ddi_api geo_ddi_function_api(const struct geo_ddi_function *f)
{
    return (enum geo_ddi_api)geo_ddi_tables[f->table].api;
}

/* Bytes of the table that a caller of `version` has in common with us: 0 for another major version;
 * for a newer minor version all that we know. */
size_t geo_ddi_table_size(const struct geo_ddi_table *table, ze_api_version_t version);

/* Copies a table, but only the part that `version` has; the rest of `out` stays as it is. This is
 * the whole body of every z*Get*ProcAddrTable: INVALID_NULL_POINTER for a null `out`,
 * UNSUPPORTED_VERSION for another major version. */
ze_result_t geo_ddi_table_copy(enum geo_ddi_table_id id, ze_api_version_t version, const void *from,
                               void *out);

/* All tables of all APIs: what a loader calls through, what a layer wraps. */
struct geo_ddi_table_set {
    ze_dditable_t ze;
    zes_dditable_t zes;
    zet_dditable_t zet;
    zer_dditable_t zer;
};

/* The place of a table inside a set; an array of slot_count function pointers. */
void *geo_ddi_table_of(struct geo_ddi_table_set *set, enum geo_ddi_table_id id);
const void *geo_ddi_table_of_const(const struct geo_ddi_table_set *set, enum geo_ddi_table_id id);

/* --- parameters --- */

enum geo_ddi_kind {
    GEO_DDI_VALUE,    /* integer */
    GEO_DDI_FLOAT,    /* float or double */
    GEO_DDI_BOOL,     /* ze_bool_t, bool */
    GEO_DDI_TEXT,     /* char: a string where there is one star */
    GEO_DDI_ENUM,     /* index: geo_ddi_enums */
    GEO_DDI_FLAGS,    /* index: geo_ddi_enums */
    GEO_DDI_HANDLE,   /* opaque object; index: geo_ddi_handles */
    GEO_DDI_STRUCT,   /* index: geo_ddi_structs */
    GEO_DDI_CALLBACK, /* pointer to a function */
    GEO_DDI_VOID,     /* untyped memory */
};

enum { GEO_DDI_IN = 1, GEO_DDI_OUT = 2, GEO_DDI_INOUT = 3 };

/* A parameter of a function or a member of a structure. */
struct geo_ddi_param {
    const char *name;
    const char *type;      /* as written: "const ze_device_mem_alloc_desc_t *" */
    const char *count;     /* elements behind the pointer, as written: "*pCount"; else NULL */
    uint8_t kind;          /* enum geo_ddi_kind of what is left when all stars are gone */
    uint8_t depth;         /* stars */
    uint8_t direction;     /* GEO_DDI_IN, _OUT, _INOUT */
    uint8_t since_minor;   /* 0 unless it came after its function or structure */
    uint16_t size;         /* bytes of the argument or member itself */
    uint16_t element_size; /* bytes of what one star leads to, 0 for no star or untyped */
    uint16_t offset;       /* members only: place in the structure */
    uint16_t array_length; /* members only: elements of an array, else 0 */
    int16_t index;         /* of its enumeration, structure or handle type, or -1 */
    int8_t count_param;    /* parameter or member that holds the count, or -1 */
    bool count_indirect;   /* that one is a pointer to the count */
    bool optional;         /* may be null */
    bool release;          /* the call ends the life of the handle or memory */
    bool create;           /* the call makes what is written here; another call releases it */
    bool is_const;         /* pointer to constant data */
    bool zero;             /* must be 0 */
    bool chain;            /* begins a pNext chain */
    bool alone;            /* handles: not from two threads at once with the same one */
};

/* The parameters of a function, param_count of them. */
const struct geo_ddi_param *geo_ddi_function_params(const struct geo_ddi_function *function);

/* --- results, enumerations, flags (text.c) --- */

struct geo_ddi_value {
    const char *name;
    int32_t value;
    uint8_t since_minor;
};

struct geo_ddi_enum {
    const char *name;  /* "ze_init_flag_t" */
    const char *flags; /* "ze_init_flags_t", or NULL for a plain enumeration */
    uint16_t value_first, value_count;
    uint32_t mask; /* of flags: all known bits */
    bool all;      /* of flags: UINT32_MAX is no set of unknown bits, it means every kind */
    bool open;     /* what lies between its enumerators are values, too */
};

extern const struct geo_ddi_enum geo_ddi_enums[GEO_DDI_ENUM_COUNT];
extern const struct geo_ddi_value geo_ddi_values[GEO_DDI_VALUE_COUNT];

/* "ZE_RESULT_ERROR_INVALID_SIZE", and what it means in a line; never NULL, "ZE_RESULT_?" for an
 * unknown code. */
const char *geo_ddi_result_name(ze_result_t result);
const char *geo_ddi_result_text(ze_result_t result);

/* By the name of the type, also its flags type; NULL when there is none. */
const struct geo_ddi_enum *geo_ddi_enum_find(const char *type);
/* The enumerator's name, NULL for a value that the type does not have. */
const char *geo_ddi_enum_name(const char *type, int64_t value);
const char *geo_ddi_enum_value_name(const struct geo_ddi_enum *e, int64_t value);
/* Writes "A | B | 0x40" (0x40: unknown bits), or "0"; returns the length of the whole text like
 * snprintf. An unknown type gives the number in hexadecimal. */
size_t geo_ddi_flags_format(const char *type, uint64_t bits, char *buffer, size_t size);

/* --- structures --- */

struct geo_ddi_struct {
    const char *name;      /* "ze_device_properties_t" */
    uint16_t size;         /* bytes */
    uint16_t member_first; /* see geo_ddi_struct_members */
    uint8_t member_count;
    uint8_t api;    /* whose structure types it uses */
    bool has_stype; /* begins with stype and pNext */
    bool is_const;  /* its pNext is const void *: a descriptor */
    bool is_union;
    uint8_t extends_count;
    uint8_t check_count;
    uint16_t extends_first; /* geo_ddi_extends[]: what it may extend */
    uint16_t check_first;   /* what its members have to pass when it stands in a chain */
};

/* A structure type and the structure that it tags. */
struct geo_ddi_stype {
    const char *name; /* "ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2" */
    uint32_t value;
    uint16_t index; /* geo_ddi_structs */
    uint8_t api;    /* GEO_DDI_ZE, _ZES or _ZET: their numbers overlap */
};

extern const struct geo_ddi_struct geo_ddi_structs[GEO_DDI_STRUCT_COUNT];
extern const struct geo_ddi_stype geo_ddi_stypes[GEO_DDI_STYPE_COUNT];
/* Indexes of structures; GEO_DDI_STRUCT_COUNT + id: a function that has a parameter pNext. */
extern const uint16_t geo_ddi_extends[];

const struct geo_ddi_struct *geo_ddi_struct_find(const char *name);
/* The structure that a structure type tags; NULL for a type that this version does not know. */
const struct geo_ddi_struct *geo_ddi_stype_struct(enum geo_ddi_api api, uint32_t stype);
const char *geo_ddi_stype_name(enum geo_ddi_api api, uint32_t stype);
/* Whether `extension` may stand in the pNext chain of `base`. */
bool geo_ddi_struct_extends(const struct geo_ddi_struct *extension,
                            const struct geo_ddi_struct *base);
/* Returns whether `extension` may stand in a chain that begins at `base`: it extends `base`, or a
 * structure that does and has a pNext of its own. */
bool geo_ddi_struct_follows(const struct geo_ddi_struct *extension,
                            const struct geo_ddi_struct *base);
/* Whether it may stand in the chain that the function's own parameter pNext begins. */
bool geo_ddi_struct_extends_call(const struct geo_ddi_struct *extension,
                                 enum geo_ddi_function_id function);
const struct geo_ddi_param *geo_ddi_struct_members(const struct geo_ddi_struct *s);

/* --- handles --- */

/* A type of objects. Names that mean the same (ze_device_handle_t, zes_device_handle_t) are one. */
struct geo_ddi_handle {
    const char *name; /* "ze_event_pool_handle_t" */
    uint8_t api;      /* enum geo_ddi_api */
};

extern const struct geo_ddi_handle geo_ddi_handles[GEO_DDI_HANDLE_COUNT];

/* --- checks of a call (check.c) --- */

/* What is found wrong. */
enum geo_ddi_check_kind {
    GEO_DDI_CHECK_NULL,            /* a is null */
    GEO_DDI_CHECK_FLAGS,           /* a has a bit that its type does not have */
    GEO_DDI_CHECK_ENUM,            /* a is no value of its enumeration */
    GEO_DDI_CHECK_NULL_ARRAY,      /* the array a is null though its count b is not 0 */
    GEO_DDI_CHECK_ZERO,            /* a is 0 */
    GEO_DDI_CHECK_NO_MULTIPLE,     /* a is no multiple of b */
    GEO_DDI_CHECK_NO_POWER_OF_TWO, /* a is neither 0 nor a power of two */
    GEO_DDI_CHECK_UNKNOWN_LINK,    /* the chain a has a structure that may not stand there */
    GEO_DDI_CHECK_LINKS,           /* a structure in the chain a fails a check of its own */
};

/* A parameter, or a member of the structure that a parameter points to; param -1: of the structure
 * in a chain that the check belongs to. */
struct geo_ddi_place {
    int8_t param, member;
};

struct geo_ddi_check {
    ze_result_t result; /* the answer to a call that fails it */
    uint8_t kind;       /* enum geo_ddi_check_kind */
    uint8_t size;       /* bytes of a */
    struct geo_ddi_place a, b;
    uint16_t offset; /* members: place of a in the structure */
    int16_t index;   /* geo_ddi_enums; of chains what they extend, as in geo_ddi_extends */
    int16_t
        unless; /* a structure which makes the check void when it stands in a chain of the call */
};

/* The checks of a function in the order in which they are made, check_count of them. */
const struct geo_ddi_check *geo_ddi_function_checks(const struct geo_ddi_function *function);

/* What a call did wrong. */
struct geo_ddi_breach {
    enum geo_ddi_function_id function;
    size_t number;                     /* of the function's check */
    const struct geo_ddi_check *check; /* that one, or the link's that it led to */
    const struct geo_ddi_struct *link; /* the structure in a chain whose member a is, or NULL */
    uint64_t value;                    /* of a; of an unknown link its structure type */
};

/* Makes the checks of a call, from number `first` on, and tells the first that fails; SUCCESS when
 * none does. `arguments` has the address of each. Reads the structures and chains that are passed
 * in, not the arrays. */
ze_result_t geo_ddi_call_check(enum geo_ddi_function_id function, void *const *arguments,
                               size_t first, struct geo_ddi_breach *breach);

/* Whether a call may fail a check; false: none fails. A few comparisons, made from the same checks
 * (generated); NULL for functions without any. */
extern bool (*const geo_ddi_suspicions[GEO_DDI_FUNCTION_COUNT])(void *const *arguments);

/* Says what was wrong: "desc->flags has the unknown value 0x80"; returns like snprintf. */
int geo_ddi_breach_format(const struct geo_ddi_breach *breach, char *buffer, size_t size);

/* --- callbacks of tracers --- */

/* Which function each pointer in zel_core_callbacks_t (ze_callbacks_t) belongs to, in the order in
 * which they stand there: enum geo_ddi_function_id. */
extern const uint16_t geo_ddi_callbacks[GEO_DDI_CALLBACK_COUNT];

#endif
