/* Debug information of a module: where instructions come from in the source, and where the values
 * of source variables are.
 *
 *     location            file, line, column, scope, inlined at; instructions share locations
 *     scope -> scope      lexical block -> function -> compile unit
 *     type                what a variable's bytes mean; enough to write DWARF
 *     variable            name, type, scope, line, number of the argument
 *     record              "from here on the variable is this value, in this memory, or unknown"
 *
 * Everything but the records is immutable. Files, scopes, types and variables live in a store,
 * which modules share: a copy of a function refers to the store of the original. They never refer
 * to values of the model. Functions and module-scope variables refer to them instead.
 *
 * Records stand in front of an instruction (geo_ir_inst.records). They are not instructions and not
 * uses, so no pass gives different code because of them. They move with the instruction, and to
 * its successor when it is removed (geo_ir_inst_remove). A record whose value is replaced follows
 * value->forward (geo_ir_function_resolve). After a pass, geo_pass_debug_settle gives up values
 * that the pass has removed.
 *
 * A module without debug information has module->debug == NULL and no memory for it. */
#ifndef GEO_COMPILER_IR_DEBUG_H
#define GEO_COMPILER_IR_DEBUG_H

#include "compiler/ir/ir.h"

/* A source file. */
struct geo_ir_file {
    const char *name;
    const char *text; /* the source, or a comment with its checksum; NULL: none */
};

enum geo_ir_scope_kind {
    GEO_SCOPE_UNIT,     /* language, version, file */
    GEO_SCOPE_FUNCTION, /* linkage_name, type, flags, scope_line, declaration */
    GEO_SCOPE_BLOCK,    /* discriminator */
    GEO_SCOPE_MODULE,   /* a namespace or module; the text that it is built with */
    GEO_SCOPE_TYPE,     /* type: a class with member functions */
};

/* The flags of the debug instruction sets (DebugInfoFlags) that this compiler reads. */
enum geo_ir_debug_flags {
    GEO_DEBUG_IS_LOCAL = 1u << 2,
    GEO_DEBUG_IS_DEFINITION = 1u << 3,
    GEO_DEBUG_IS_ARTIFICIAL = 1u << 5,
};

/* A part of the source in which names are declared. */
struct geo_ir_scope {
    enum geo_ir_scope_kind kind;
    const struct geo_ir_scope *parent; /* NULL: none */
    const struct geo_ir_file *file;    /* NULL: unknown */
    uint32_t line, column;
    const char *name; /* NULL: none; BLOCK with a name: a C++ namespace */
    const char *linkage_name;
    uint32_t flags;       /* DebugInfoFlags */
    uint32_t scope_line;  /* FUNCTION: line of its body */
    uint32_t language;    /* UNIT: SpvSourceLanguage */
    uint32_t version;     /* UNIT: of DWARF */
    const char *producer; /* UNIT: NULL: unknown */
    uint32_t discriminator;
    const struct geo_ir_debug_type *type;
    const struct geo_ir_scope *declaration; /* FUNCTION: a declaration elsewhere; NULL: none */
    const struct geo_ir_template *templates;
};

enum geo_ir_debug_type_kind {
    GEO_DEBUG_UNSPECIFIED, /* no information */
    GEO_DEBUG_BASIC,       /* name, size, encoding */
    GEO_DEBUG_POINTER,     /* base, storage, flags (references) */
    GEO_DEBUG_QUALIFIED,   /* base, qualifier */
    GEO_DEBUG_ARRAY,       /* base, ranges */
    GEO_DEBUG_VECTOR,      /* base, ranges: one */
    GEO_DEBUG_MATRIX,      /* base: a vector, ranges: one, column_major */
    GEO_DEBUG_TYPEDEF,     /* name, base */
    GEO_DEBUG_FUNCTION,    /* base: result, members: parameters */
    GEO_DEBUG_ENUM,        /* base, size, members: values with names */
    GEO_DEBUG_CLASS,       /* size, linkage_name, members; also the next two */
    GEO_DEBUG_STRUCTURE,
    GEO_DEBUG_UNION,
    GEO_DEBUG_MEMBER_POINTER, /* base: type of the member, owner: the class */
    GEO_DEBUG_STRING,         /* a string of Fortran: name, size */
};

/* The number of elements of one dimension. */
struct geo_ir_range {
    bool count_known;
    uint64_t count;
    int64_t lower; /* index of the first element */
};

/* A part of a type: a member, a base class, a parameter or the value of an enumeration. */
struct geo_ir_debug_member {
    const struct geo_ir_debug_member *next;
    const char *name; /* NULL: none */
    const struct geo_ir_debug_type *type;
    const struct geo_ir_file *file;
    uint32_t line, column, flags;
    bool is_base;          /* a base class (inheritance) */
    bool has_value;        /* a value of an enumeration, or a constant member */
    uint64_t value;        /* zero-extended */
    uint64_t offset, size; /* bits */
};

/* A template argument. */
struct geo_ir_template {
    const struct geo_ir_template *next;
    const char *name;
    const struct geo_ir_debug_type *type; /* NULL: the argument is a template or a pack */
    const char *template_name;            /* of a template as argument; else NULL */
    bool has_value;
    uint64_t value;
};

/* A type of the source. */
struct geo_ir_debug_type {
    enum geo_ir_debug_type_kind kind;
    const char *name, *linkage_name;
    const struct geo_ir_debug_type *base, *owner;
    const struct geo_ir_scope *parent;
    const struct geo_ir_file *file;
    uint32_t line, column, flags;
    uint64_t size;      /* bits; 0: unknown */
    uint32_t encoding;  /* BASIC: DebugBaseTypeAttributeEncoding */
    uint32_t qualifier; /* QUALIFIED: DebugTypeQualifier */
    uint32_t storage;   /* POINTER: SpvStorageClass */
    bool column_major;
    bool dynamic; /* ARRAY: its bounds or its place are only known when the program runs */
    const struct geo_ir_range *ranges;
    uint32_t range_count;
    const struct geo_ir_debug_member *members;
    const struct geo_ir_template *templates;
};

/* A variable of the source. A variable of module scope has no records; geo_ir_variable.debug names
 * it. */
struct geo_ir_debug_variable {
    const char *name, *linkage_name;
    const struct geo_ir_debug_type *type;
    const struct geo_ir_scope *scope;
    const struct geo_ir_file *file;
    uint32_t line, column, flags;
    uint32_t argument; /* 1 for the first argument; 0: not an argument */
};

/* A place in the source. */
struct geo_ir_location {
    const struct geo_ir_file *file; /* NULL: only the scope is known */
    uint32_t line, column;
    const struct geo_ir_scope *scope; /* NULL: unknown */
    uint32_t inlined_at;              /* number of the location of the call; 0: not inlined */
    uint32_t depth;                   /* number of calls that were inlined around it */
    /* The location of an inlined call has a number of its own, since two calls of a line have two
       sets of variables. Other locations: 0. */
    uint32_t instance;
};

/* Deeper chains of inlined calls are cut: input may be hostile. */
#define GEO_LIMIT_INLINED_DEPTH 64u

/* One step from a record's value or address to that of the variable: a stack machine as DWARF's. */
enum geo_ir_debug_step_kind {
    GEO_STEP_DEREF,        /* loads from the address on the stack */
    GEO_STEP_PLUS,         /* adds the two topmost values */
    GEO_STEP_MINUS,        /* subtracts the topmost from the next */
    GEO_STEP_ADD_CONSTANT, /* adds `number`, wrapping */
    GEO_STEP_CONSTANT,     /* pushes `number` */
    GEO_STEP_SWAP,         /* exchanges the two topmost */
    /* These stand for instructions that were removed. */
    GEO_STEP_PART, /* takes `size` bytes of a vector, array or struct from byte `number` on */
    GEO_STEP_ZERO_EXTEND, /* the value has `number` bits that count */
    GEO_STEP_SIGN_EXTEND,
};

struct geo_ir_debug_step {
    enum geo_ir_debug_step_kind kind;
    uint32_t size;
    uint64_t number;
};

/* Steps, immutable and shared. */
struct geo_ir_debug_steps {
    uint32_t count;
    struct geo_ir_debug_step items[];
};

#define GEO_LIMIT_DEBUG_STEPS 16u

enum geo_ir_place {
    GEO_PLACE_UNKNOWN, /* the value is lost */
    GEO_PLACE_VALUE,   /* the variable's value is the steps' result */
    GEO_PLACE_MEMORY,  /* the steps' result is the variable's address */
};

/* Where a variable is from a position in a block on. It holds until the next record of the same
 * variable, instance and overlapping fragment. */
struct geo_ir_record {
    struct geo_ir_record *next; /* in the list of the instruction */
    const struct geo_ir_debug_variable *variable;
    uint32_t location; /* scope and inlined-at of the declaration: tells instances apart */
    enum geo_ir_place place;
    struct geo_ir_value *value;              /* UNKNOWN: NULL */
    const struct geo_ir_debug_steps *steps;  /* NULL: none */
    uint64_t fragment_offset, fragment_size; /* bits of the variable; size 0: all of it */
};

/* The memory of files, scopes, types, variables and steps. It has a reference for each module. */
struct geo_ir_debug_store {
    struct geo_arena arena;
    uint32_t references;
};

/* The records in front of one instruction. */
struct geo_ir_record_list {
    struct geo_ir_record *first;
    struct geo_ir_record *last; /* the end of the list, or a record before it */
};

/* The debug information of a module. */
struct geo_ir_debug {
    struct geo_ir_debug_store *store; /* for what this module makes */
    struct {
        struct geo_ir_debug_store **items;
        size_t count, capacity;
    } stores; /* all stores that the module refers to, `store` too */
    struct {
        const struct geo_ir_location **items; /* by number; item 0 is NULL */
        size_t count, capacity;
    } locations;
    struct {
        struct geo_ir_record_list *items; /* by number; item 0 is empty */
        size_t count, capacity;
    } lists;
    uint32_t *slots; /* hash table of location numbers; 0: free */
    size_t slot_count;
    uint32_t instances; /* last instance number given */
    /* Memory or its limit was exhausted, so a record is missing and others may be out of date: all
       records are dropped (geo_ir_debug_forget). Debug information never fails a build. */
    bool overflowed;
};

/* Returns the module's debug information, and creates it on first use. NULL: no memory. */
struct geo_ir_debug *geo_ir_debug_get(struct geo_ir_module *module);
/* Frees a module's debug information (geo_ir_module_destroy). NULL: nothing happens. */
void geo_ir_debug_destroy(struct geo_ir_debug *debug);
/* Lets a module refer to the stores of another. Returns false when memory runs out. */
bool geo_ir_debug_share(struct geo_ir_module *module, const struct geo_ir_module *other);

/* ---- locations ---- */

/* Returns the number of a location, the same one for equal locations. 0: no memory. */
uint32_t geo_ir_location_number(struct geo_ir_module *module,
                                const struct geo_ir_location *location);
/* Returns the location of a number; NULL for 0. */
static inline const struct geo_ir_location *geo_ir_location(const struct geo_ir_module *module,
                                                            uint32_t number)
{
    return number ? module->debug->locations.items[number] : NULL;
}
/* Makes the location of an inlined call, with an instance number of its own. `call` 0: a call at an
 * unknown line of `scope`. Returns 0 when memory runs out, or if scope is NULL and call is 0. */
uint32_t geo_ir_location_of_call(struct geo_ir_module *module, uint32_t call,
                                 const struct geo_ir_scope *scope);
/* Returns the location of code at `number` after its function was inlined at `call`
 * (geo_ir_location_of_call). Chains that become too deep keep their innermost calls. 0: no
 * location, or no memory. */
uint32_t geo_ir_location_inlined(struct geo_ir_module *module, uint32_t number, uint32_t call);

/* ---- records ---- */

/* Returns the first record in front of an instruction; NULL: none. */
static inline struct geo_ir_record *geo_ir_records(const struct geo_ir_inst *inst)
{
    return inst->records ? inst->block->function->module->debug->lists.items[inst->records].first
                         : NULL;
}
#define geo_ir_for_each_record(record, inst)                                                       \
    for (struct geo_ir_record *record = geo_ir_records(inst); record; record = record->next)

/* Add a copy of a record in front of an instruction, as the last one or as the first one. If memory
 * runs out, the debug information is marked as overflowed. */
void geo_ir_record_add(struct geo_ir_inst *inst, const struct geo_ir_record *record);
void geo_ir_record_add_first(struct geo_ir_inst *inst, const struct geo_ir_record *record);
/* Adds a copy of a record at the end of a list, or of a new list for 0. Returns the list's number. */
uint32_t geo_ir_records_add(struct geo_ir_debug *debug, uint32_t list,
                            const struct geo_ir_record *record);
/* Adds a copy of a record behind another one of the same list. */
void geo_ir_record_add_behind(struct geo_ir_debug *debug, struct geo_ir_record *behind,
                              const struct geo_ir_record *record);
/* Adds a copy of a record at the end of a block whose terminator is missing. */
void geo_ir_record_append(struct geo_ir_block *block, const struct geo_ir_record *record);
/* Moves all records of `from` to `to`, in front of those that `to` has. Both are in blocks. */
void geo_ir_records_move(struct geo_ir_inst *from, struct geo_ir_inst *to);
/* Joins two lists, given by their numbers, and returns the number of the result. */
uint32_t geo_ir_records_join(struct geo_ir_debug *debug, uint32_t first, uint32_t second);
/* Removes all records of a module. */
void geo_ir_debug_forget(struct geo_ir_module *module);
/* Makes a record say that the variable is lost. */
static inline void geo_ir_record_lose(struct geo_ir_record *record)
{
    record->place = GEO_PLACE_UNKNOWN;
    record->value = NULL;
    record->steps = NULL;
}
/* Returns whether two records are about the same variable of the same inlined call. */
bool geo_ir_record_same_variable(const struct geo_ir_module *module, const struct geo_ir_record *a,
                                 const struct geo_ir_record *b);
/* Replaces the first `skipped` steps of a record by `count` others. Returns false, with the record
 * unchanged, if there would be too many steps or memory runs out. */
bool geo_ir_record_steps(struct geo_ir_module *module, struct geo_ir_record *record,
                         uint32_t skipped, const struct geo_ir_debug_step *steps, uint32_t count);

#endif
