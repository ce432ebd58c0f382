/* The API as data: functions, their parameters and checks, dispatch tables, enumerations,
 * structures, handles.
 *
 * The data is generated from registry/ at build time and is constant. The functions declared here
 * are written by hand; they may be called from any thread and allocate nothing. The loader, the
 * layers and the driver use them to fill tables, print calls and check arguments. Facts that C code
 * needs at compile time (masks, structure types) are in ddi/geo_ddi_chain.h. */
#ifndef GEO_DDI_H
#define GEO_DDI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <level_zero/ze_ddi_common.h>

#include "ddi/geo_ddi_ids.h" /* generated: enum geo_ddi_function_id, enum geo_ddi_table_id */

enum geo_ddi_api { GEO_DDI_ZE, GEO_DDI_ZES, GEO_DDI_ZET, GEO_DDI_ZER, GEO_DDI_API_COUNT };

/* --- functions and tables --- */

/* Kind of a function's return value. */
enum geo_ddi_return { GEO_DDI_RESULT, GEO_DDI_RETURNS_HANDLE, GEO_DDI_RETURNS_NUMBER };

struct geo_ddi_function {
    const char *name;        /* "zeMemAllocDevice" */
    const char *handle_type; /* type of the first parameter if it is a handle, else NULL */
    uint16_t table;          /* enum geo_ddi_table_id */
    uint16_t slot;           /* index in that table; offset in bytes = slot * sizeof(void *) */
    uint16_t param_first;    /* first parameter: see geo_ddi_function_params */
    uint16_t check_first;    /* first check: see geo_ddi_function_checks */
    uint8_t param_count;
    uint8_t check_count;
    uint8_t since_minor; /* minor version 1.x that added the function */
    uint8_t returns;     /* enum geo_ddi_return */
    bool deprecated;
    bool hot;        /* its driver entry does not disable cancellation */
    int8_t returned; /* for GEO_DDI_RETURNS_HANDLE: index in geo_ddi_handles, else -1 */
};

struct geo_ddi_table {
    const char *name;   /* "Mem": the member of ze_dditable_t and ze_dditable_driver_t */
    const char *type;   /* "ze_mem_dditable_t" */
    const char *getter; /* "zeGetMemProcAddrTable" */
    uint8_t api;        /* enum geo_ddi_api */
    uint16_t function_first;
    uint16_t slot_count;       /* in the newest version */
    uint16_t container_offset; /* offset of the member in z*_dditable_t, in bytes */
    uint16_t pointer_offset;   /* offset of the member in z*_dditable_driver_t, in bytes */
    /* slots[m]: number of leading slots that version 1.m shares with the newest version */
    uint8_t slots[GEO_DDI_MINOR + 1];
};

extern const struct geo_ddi_function geo_ddi_functions[GEO_DDI_FUNCTION_COUNT];
extern const struct geo_ddi_table geo_ddi_tables[GEO_DDI_TABLE_COUNT];

/* Return the function or table with this name, or NULL. */
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

/* Returns the number of bytes of the table that a caller of `version` shares with us. Returns 0 for
 * another major version, and the whole table for a newer minor version. */
size_t geo_ddi_table_size(const struct geo_ddi_table *table, ze_api_version_t version);

/* Copies the part of a table that `version` has, and leaves the rest of `out` unchanged. This is
 * the body of every z*Get*ProcAddrTable. Returns INVALID_NULL_POINTER for a NULL `out` and
 * UNSUPPORTED_VERSION for another major version. */
ze_result_t geo_ddi_table_copy(enum geo_ddi_table_id id, ze_api_version_t version, const void *from,
                               void *out);

/* All tables of all APIs: what a loader calls through and a layer wraps. */
struct geo_ddi_table_set {
    ze_dditable_t ze;
    zes_dditable_t zes;
    zet_dditable_t zet;
    zer_dditable_t zer;
};

/* Return a table inside a set, as an array of slot_count function pointers. */
void *geo_ddi_table_of(struct geo_ddi_table_set *set, enum geo_ddi_table_id id);
const void *geo_ddi_table_of_const(const struct geo_ddi_table_set *set, enum geo_ddi_table_id id);

/* --- parameters --- */

enum geo_ddi_kind {
    GEO_DDI_VALUE,    /* integer */
    GEO_DDI_FLOAT,    /* float or double */
    GEO_DDI_BOOL,     /* ze_bool_t, bool */
    GEO_DDI_TEXT,     /* char; a string if depth is 1 */
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
    const char *type;  /* as written: "const ze_device_mem_alloc_desc_t *" */
    const char *count; /* elements behind the pointer, as written: "*pCount"; else NULL */
    uint8_t kind;      /* enum geo_ddi_kind of the type without its stars */
    uint8_t depth;     /* number of stars of the type */
    uint8_t direction; /* GEO_DDI_IN, _OUT, _INOUT */
    uint8_t
        since_minor; /* minor version that added it, or 0 if it came with its function or structure */
    uint16_t size;   /* size of the argument or member itself, in bytes */
    uint16_t element_size; /* size of what one star points to; 0: no star or untyped */
    uint16_t offset;       /* members only: offset in the structure, in bytes */
    uint16_t array_length; /* members only: number of elements of an array, else 0 */
    int16_t index;         /* index of its enumeration, structure or handle type, or -1 */
    int8_t count_param;    /* index of the parameter or member that holds the count, or -1 */
    bool count_indirect;   /* count_param is a pointer to the count */
    bool optional;         /* may be null */
    bool release;          /* the call ends the lifetime of the handle or memory */
    bool create;           /* the call creates the object written here; another call releases it */
    bool is_const;         /* pointer to const */
    bool zero;             /* reserved: must be 0 */
    bool chain;            /* starts a pNext chain */
    bool alone;            /* handles: two threads must not use the same one at once */
};

/* Returns the function's parameters, param_count of them. */
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
    uint32_t mask; /* flags: all known bits */
    bool all;      /* flags: UINT32_MAX is valid and means every kind */
    bool open;     /* values between its enumerators are valid, too */
};

extern const struct geo_ddi_enum geo_ddi_enums[GEO_DDI_ENUM_COUNT];
extern const struct geo_ddi_value geo_ddi_values[GEO_DDI_VALUE_COUNT];

/* Return the name of a result code, such as "ZE_RESULT_ERROR_INVALID_SIZE", and a line that
 * explains it. Never NULL: an unknown code has the name "ZE_RESULT_?". */
const char *geo_ddi_result_name(ze_result_t result);
const char *geo_ddi_result_text(ze_result_t result);

/* Returns the enumeration with this type name or flags type name, or NULL. */
const struct geo_ddi_enum *geo_ddi_enum_find(const char *type);
/* Return the enumerator's name, or NULL for a value that the type does not have. */
const char *geo_ddi_enum_name(const char *type, int64_t value);
const char *geo_ddi_enum_value_name(const struct geo_ddi_enum *e, int64_t value);
/* Writes "A | B | 0x40" (0x40: unknown bits), or "0". Returns the length of the whole text as
 * snprintf does. For an unknown type it writes the number in hexadecimal. */
size_t geo_ddi_flags_format(const char *type, uint64_t bits, char *buffer, size_t size);

/* --- structures --- */

struct geo_ddi_struct {
    const char *name;      /* "ze_device_properties_t" */
    uint16_t size;         /* bytes */
    uint16_t member_first; /* see geo_ddi_struct_members */
    uint8_t member_count;
    uint8_t api;    /* API that defines its structure types */
    bool has_stype; /* starts with stype and pNext */
    bool is_const;  /* its pNext is const void *: a descriptor */
    bool is_union;
    uint8_t extends_count;
    uint8_t check_count;
    uint16_t
        extends_first;    /* first index in geo_ddi_extends of the structures that it may extend */
    uint16_t check_first; /* index of the first check of its members, made when it is in a chain */
};

/* A structure type (stype) and the structure that it identifies. */
struct geo_ddi_stype {
    const char *name; /* "ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2" */
    uint32_t value;
    uint16_t index; /* index in geo_ddi_structs */
    uint8_t api;    /* GEO_DDI_ZE, _ZES or _ZET: their numbers overlap */
};

extern const struct geo_ddi_struct geo_ddi_structs[GEO_DDI_STRUCT_COUNT];
extern const struct geo_ddi_stype geo_ddi_stypes[GEO_DDI_STYPE_COUNT];
/* Indexes of structures. A value of GEO_DDI_STRUCT_COUNT + id stands for a function with a pNext
 * parameter. */
extern const uint16_t geo_ddi_extends[];

const struct geo_ddi_struct *geo_ddi_struct_find(const char *name);
/* Returns the structure that a structure type identifies, or NULL for an unknown type. */
const struct geo_ddi_struct *geo_ddi_stype_struct(enum geo_ddi_api api, uint32_t stype);
const char *geo_ddi_stype_name(enum geo_ddi_api api, uint32_t stype);
/* Returns whether `extension` may be in the pNext chain of `base`. */
bool geo_ddi_struct_extends(const struct geo_ddi_struct *extension,
                            const struct geo_ddi_struct *base);
/* Returns whether `extension` may be in a chain that starts at `base`: it extends `base`, or it
 * extends a structure that extends `base` and has a pNext. */
bool geo_ddi_struct_follows(const struct geo_ddi_struct *extension,
                            const struct geo_ddi_struct *base);
/* Returns whether `extension` may be in the chain of the function's own pNext parameter. */
bool geo_ddi_struct_extends_call(const struct geo_ddi_struct *extension,
                                 enum geo_ddi_function_id function);
const struct geo_ddi_param *geo_ddi_struct_members(const struct geo_ddi_struct *s);

/* --- handles --- */

/* An object type. Type names with the same meaning (ze_device_handle_t, zes_device_handle_t) share
 * one entry. */
struct geo_ddi_handle {
    const char *name; /* "ze_event_pool_handle_t" */
    uint8_t api;      /* enum geo_ddi_api */
};

extern const struct geo_ddi_handle geo_ddi_handles[GEO_DDI_HANDLE_COUNT];

/* --- checks of a call (check.c) --- */

/* The conditions that fail a check, for values a and b. */
enum geo_ddi_check_kind {
    GEO_DDI_CHECK_NULL,            /* a is null */
    GEO_DDI_CHECK_FLAGS,           /* a has a bit that its type does not have */
    GEO_DDI_CHECK_ENUM,            /* a is not a value of its enumeration */
    GEO_DDI_CHECK_NULL_ARRAY,      /* the array a is null although its count b is not 0 */
    GEO_DDI_CHECK_ZERO,            /* a is 0 */
    GEO_DDI_CHECK_NO_MULTIPLE,     /* a is not a multiple of b */
    GEO_DDI_CHECK_NO_POWER_OF_TWO, /* a is neither 0 nor a power of two */
    GEO_DDI_CHECK_UNKNOWN_LINK,    /* the chain a has a structure that is not allowed there */
    GEO_DDI_CHECK_LINKS,           /* a structure in the chain a fails one of its own checks */
};

/* A parameter, or a member of the structure that a parameter points to. With param -1: a member of
 * the structure in a chain that the check belongs to. */
struct geo_ddi_place {
    int8_t param, member;
};

struct geo_ddi_check {
    ze_result_t result; /* the result of a call that fails the check */
    uint8_t kind;       /* enum geo_ddi_check_kind */
    uint8_t size;       /* size of a, in bytes */
    struct geo_ddi_place a, b;
    uint16_t offset; /* members: offset of a in the structure */
    int16_t index;   /* in geo_ddi_enums; for chains as in geo_ddi_extends */
    int16_t unless;  /* a structure in a chain of the call that voids the check */
};

/* Returns the checks of a function, check_count of them, in the order in which they are made. */
const struct geo_ddi_check *geo_ddi_function_checks(const struct geo_ddi_function *function);

/* The first check that a call fails. */
struct geo_ddi_breach {
    enum geo_ddi_function_id function;
    size_t number; /* index of the check in the function's checks */
    const struct geo_ddi_check
        *check; /* the failed check: the function's, or that of a structure in a chain */
    const struct geo_ddi_struct *link; /* the structure in a chain that a belongs to, or NULL */
    uint64_t value;                    /* value of a; for an unknown structure its structure type */
};

/* Makes the checks of a call, starting at number `first`. Returns the result of the first failed
 * check and describes it in `breach`, or returns SUCCESS. `arguments` has the address of each
 * argument. Reads the input structures and chains, but not the arrays. */
ze_result_t geo_ddi_call_check(enum geo_ddi_function_id function, void *const *arguments,
                               size_t first, struct geo_ddi_breach *breach);

/* Fast tests, generated from the same checks: false means that the call passes all of them, true
 * that it may fail one. NULL for functions without checks. */
extern bool (*const geo_ddi_suspicions[GEO_DDI_FUNCTION_COUNT])(void *const *arguments);

/* Describes a failed check, for example "desc->flags has the unknown value 0x80". Returns its
 * length as snprintf does. */
int geo_ddi_breach_format(const struct geo_ddi_breach *breach, char *buffer, size_t size);

/* --- callbacks of tracers --- */

/* The function of each pointer in zel_core_callbacks_t (ze_callbacks_t), in the order of its
 * members, as enum geo_ddi_function_id. */
extern const uint16_t geo_ddi_callbacks[GEO_DDI_CALLBACK_COUNT];

#endif
