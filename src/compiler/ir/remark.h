/* Remarks: what the compiler decided in one build, and why. The report of geoidc is made of them.
 *
 * The collection belongs to the thread that builds, like the budget (ir/budget.h). Without one,
 * which is the normal case, each function here returns after one test of a thread-local pointer.
 * Remarks never change the code, and a lack of memory only loses them (`failed`).
 *
 * The report is a JSON array with one object per remark:
 *
 *     {"kind": "access", "function": "copy", "kernel": true, "file": "copy.cl", "line": 3,
 *      "column": 12, ...}
 *
 * `file`, `line` and `column` are present if the module has source lines. `inlined_line` is the
 * line of the kernel if the code comes from an inlined call. The other members depend on `kind`:
 *
 *     width     lanes, why                     a step in the choice of the width; the last counts
 *     cost      model, ...                     numbers of a cost model (analysis/one_lane, latency)
 *     symbol    symbol                         the name of the kernel's code
 *     access    op, class, space, bytes, masked
 *     branch, loop                             lanes may take different ways, or leave at
 *                                              different times
 *     barrier, call                            callee of a call that was not inlined
 *     regions   count, passed, device          how barriers divide the kernel; 0: they do not
 *     masks     blocks, masked                 basic blocks, and those that run under a mask
 *     variant   level, name                    lower/cpu/function/variants.c
 *     code      symbol, spills, reloads, stack, instructions        of one function of the object */
#ifndef GEO_COMPILER_IR_REMARK_H
#define GEO_COMPILER_IR_REMARK_H

#include "base/ptrmap.h"
#include "base/strbuf.h"
#include "compiler/ir/ir.h"

/* Classes of memory accesses, from the cheapest to the dearest. */
enum geo_remark_class {
    GEO_REMARK_SCALAR, /* the code has one lane */
    GEO_REMARK_UNIFORM,
    GEO_REMARK_CONSECUTIVE,
    GEO_REMARK_REVERSED,
    GEO_REMARK_STRIDED,  /* wide accesses and shuffles */
    GEO_REMARK_PATTERN,  /* the same, for lanes at known distances (analysis/pattern.h) */
    GEO_REMARK_TABLE,    /* from a table in registers (analysis/table.h) */
    GEO_REMARK_RECORDS,  /* each lane's short vector is one access */
    GEO_REMARK_GATHERED, /* one gather or scatter instruction */
    GEO_REMARK_LANES,    /* lane by lane */
};

/* One access of the model, as it was emitted first. */
struct geo_remark_access {
    const struct geo_ir_inst *inst;
    enum geo_remark_class class; /* of its dearest part */
    bool masked;
};

/* Things that a build may collect, as bits. compiler/compiler.h has the same numbers. */
enum geo_remark_form {
    GEO_REMARK_REPORT = 1u << 0,
    GEO_REMARK_MODELS = 1u << 1, /* the model after each pass */
    GEO_REMARK_LLVM = 1u << 2,   /* LLVM IR, as lowered and as optimised */
    GEO_REMARK_PTX = 1u << 3,    /* the assembly of a GPU */
};

/* One text that a build has collected. */
struct geo_remark_text {
    uint32_t form;    /* enum geo_remark_form */
    const char *name; /* static: the pass, or the stage */
    char *text;       /* owned, terminated */
    size_t length;
};

/* The remarks of one build. */
struct geo_remarks {
    uint32_t wanted;         /* enum geo_remark_form */
    struct geo_strbuf items; /* the report so far, without brackets */
    struct {
        struct geo_remark_access *items;
        size_t count, capacity;
    } accesses;
    struct geo_ptrmap seen; /* instructions that are in `accesses` */
    bool open;              /* the last access is still being emitted */
    struct {
        struct geo_remark_text *items;
        size_t count, capacity;
    } texts;
    struct geo_strbuf last; /* the text of the model after the last pass */
    bool failed;            /* memory ran out, and something is missing */
};

/* The remarks of the build that this thread runs, or NULL. */
extern _Thread_local struct geo_remarks *geo_remarks_current;

void geo_remarks_init(struct geo_remarks *remarks, uint32_t wanted);
void geo_remarks_finish(struct geo_remarks *remarks);
/* Forgets the report: the module is lowered again. */
void geo_remarks_restart(void);
/* Adds the accesses to the report. Called when all functions are lowered. */
void geo_remarks_accesses_add(void);

/* Adds a remark. `inst` NULL: it has no place in the source. `format` makes further members of the
 * JSON object ("\"lanes\": %u"), without text from the module; NULL: none. */
void geo_remark(const struct geo_ir_function *function, const struct geo_ir_inst *inst,
                const char *kind, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The same, about the object's function of this name. */
void geo_remark_code(const char *symbol, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds a remark with the member `key`, whose value is text from the module. */
void geo_remark_name(const struct geo_ir_function *function, const struct geo_ir_inst *inst,
                     const char *kind, const char *key, const char *name);

/* Begins the emission of an access. Only the first emission of an instruction counts: later ones
 * are copies for partial chunks and for rare launches. */
void geo_remark_access_begin(const struct geo_ir_inst *inst, bool masked);
/* Says how a part of that access is emitted. */
void geo_remark_access_part(enum geo_remark_class class);
/* Says that the parts that follow are a second way, which seldom runs, so they do not count. */
void geo_remark_access_end(void);

/* Keeps the text of the model after a pass, if models are wanted. A pass that changed nothing
 * leaves an empty text. */
void geo_remark_model(const struct geo_ir_module *module, const char *pass);
/* Keeps a copy of a text of this form. `name` is static. */
void geo_remark_text(enum geo_remark_form form, const char *name, const char *text, size_t length);

/* Returns whether the build collects this form. Code asks before it computes something for a remark
 * only. */
static inline bool geo_remarks_want(enum geo_remark_form form)
{
    return geo_remarks_current && geo_remarks_current->wanted & form;
}

/* Returns whether the build collects a report. */
static inline bool geo_remarks_wanted(void)
{
    return geo_remarks_want(GEO_REMARK_REPORT);
}

#endif
