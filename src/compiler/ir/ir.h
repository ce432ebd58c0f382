/* The compiler's own module model: what the SPIR-V reader builds and every transform and analysis
 * works on.
 *
 * It knows no LLVM. It keeps SPIR-V's opcodes (SpvOp*, Khronos' spirv.h), so the specification of
 * an instruction is SPIR-V's; a few opcodes of ours (GEO_OP_*) stand for what canonical form
 * resolves.
 *
 *     module -> types, constants, global variables, functions
 *     function -> parameters, blocks (first = entry) -> instructions (phis first, terminator last)
 *
 * Everything lives in the module's arena and dies with it. There are no use lists: a pass that
 * needs them builds them (analysis/uses.h), and a pass that replaces values sets `value->forward`
 * and sweeps once (geo_ir_function_resolve). Types but structs are unique:
 * compare pointers. */
#ifndef GEO_COMPILER_IR_IR_H
#define GEO_COMPILER_IR_IR_H

#include "base/arena.h"
#include "compiler/ir/numbers.h"

#include <spirv/unified1/spirv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct geo_ir_module;
struct geo_ir_function;
struct geo_ir_block;
struct geo_ir_inst;

/* ---- types ---- */

enum geo_ir_type_kind {
    GEO_TYPE_VOID,
    GEO_TYPE_BOOL,
    GEO_TYPE_INT,      /* width 8, 16, 32, 64; no sign: operations carry it; or bfloat16's bits */
    GEO_TYPE_FLOAT,    /* width 16, 32, 64 */
    GEO_TYPE_VECTOR,   /* element, count 2, 3, 4, 8, 16 */
    GEO_TYPE_ARRAY,    /* element, count */
    GEO_TYPE_STRUCT,   /* members, offsets */
    GEO_TYPE_POINTER,  /* element = pointee, storage */
    GEO_TYPE_FUNCTION, /* element = result, members = parameters */
    GEO_TYPE_OPAQUE,   /* events, samplers, images ...: `opaque` is the SpvOpType* that made it */
};

/* What an OpTypeImage says that matters to kernels. */
struct geo_ir_image {
    uint8_t dim;    /* SpvDim: 1D, 2D, 3D, Buffer */
    uint8_t access; /* SpvAccessQualifier */
    bool arrayed, depth;
};

/* A cooperative matrix (OpTypeCooperativeMatrixKHR), which the items of a sub-group hold together:
 * row by row, element i is number i / S of what item i % S holds, S the size of sub-groups. So its
 * type is an array, each item's own part, and what holds for all elements alike need not know more.
 * Where elements run out before items do, the last one of some items is anything. */
struct geo_ir_matrix {
    uint16_t rows, columns; /* 0: no matrix */
    uint8_t use;            /* GEO_MATRIX_A, _B or _ACCUMULATOR */
    uint8_t items;          /* S */
};

#define GEO_MATRIX_USES (GEO_MATRIX_ACCUMULATOR + 1)

struct geo_ir_type {
    enum geo_ir_type_kind kind;
    uint32_t id;    /* SPIR-V id, for messages; 0 when made by a pass */
    uint32_t width; /* bits of INT and FLOAT */
    /* VECTOR, ARRAY: elements; STRUCT, FUNCTION: members; INT: bits that count, 0: all */
    uint64_t count;
    /* VECTOR, ARRAY; POINTER: pointee (NULL: forward, never after reading); FUNCTION: result;
       OPAQUE: the image of a sampled image, else NULL */
    const struct geo_ir_type *element;
    const struct geo_ir_type **members; /* STRUCT, FUNCTION */
    uint64_t *offsets;                  /* STRUCT: byte offset of each member */
    uint64_t *first_leaves;             /* STRUCT: leaves before each member */
    uint64_t leaves; /* scalars that a value consists of, all levels; UINT64_MAX: that many */
    SpvStorageClass storage;     /* POINTER */
    SpvOp opaque;                /* OPAQUE; INT: OpTypeFloat of bfloat16, else 0 */
    struct geo_ir_image image;   /* OPAQUE: of OpTypeImage */
    struct geo_ir_matrix matrix; /* ARRAY */
    bool holds_image;            /* an image or sampler, or something with members that are */
    bool packed;                 /* STRUCT: CPacked */
    uint64_t size;    /* bytes in memory, OpenCL C layout (vec3 as vec4); 0 for VOID, FUNCTION */
    uint32_t align;   /* bytes, a power of two; 1 for VOID, FUNCTION */
    const char *name; /* never NULL */
};

/* bfloat16 is an integer of 16 bits that is a type of its own: what moves values need not know it,
 * and what computes with it becomes conversions (transform/bfloat.c). */
static inline bool geo_ir_is_bfloat(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_INT && type->opaque == SpvOpTypeFloat;
}

/* An integer of another width than 8, 16, 32 or 64 bits is a type of its own as wide as the next of
 * these. Between transform/odd_integers.c and the end the upper bits of its values are zeros. */
static inline bool geo_ir_is_odd_int(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_INT && type->count != 0;
}

/* The bits of an integer that count. */
static inline uint32_t geo_ir_int_bits(const struct geo_ir_type *type)
{
    return geo_ir_is_odd_int(type) ? (uint32_t)type->count : type->width;
}

static inline bool geo_ir_is_matrix(const struct geo_ir_type *type)
{
    return type->matrix.rows != 0;
}

/* The member of a struct that holds one of its leaves. */
uint64_t geo_ir_member_at(const struct geo_ir_type *type, uint64_t leaf);

/* The component type of a vector, any other type itself; how many components it has. */
static inline const struct geo_ir_type *geo_ir_scalar_of(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_VECTOR ? type->element : type;
}

static inline uint64_t geo_ir_components(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_VECTOR ? type->count : 1;
}

/* ---- values ---- */

enum geo_ir_value_kind {
    GEO_VALUE_CONSTANT,  /* struct geo_ir_constant */
    GEO_VALUE_UNDEF,     /* struct geo_ir_value: OpUndef and what mem2reg finds unwritten */
    GEO_VALUE_VARIABLE,  /* struct geo_ir_variable: at module scope; its value is its address */
    GEO_VALUE_PARAMETER, /* struct geo_ir_value: of a function */
    GEO_VALUE_INST,      /* struct geo_ir_inst */
    GEO_VALUE_FUNCTION,  /* struct geo_ir_function: as callee or function pointer */
};

/* Facts from decorations and operands that lowering may use; all optional. */
enum geo_ir_value_flags {
    GEO_VALUE_NO_SIGNED_WRAP = 1u << 0,
    GEO_VALUE_NO_UNSIGNED_WRAP = 1u << 1,
    GEO_VALUE_FAST_NOT_NAN = 1u << 2,
    GEO_VALUE_FAST_NOT_INF = 1u << 3,
    GEO_VALUE_FAST_NSZ = 1u << 4,
    GEO_VALUE_FAST_ALLOW_RECIP = 1u << 5,
    GEO_VALUE_FAST_REASSOC = 1u << 6, /* FPFastMathMode Fast or AllowReassoc */
    GEO_VALUE_FAST_CONTRACT = 1u << 7,
    GEO_VALUE_NO_ALIAS = 1u << 8,  /* parameter: restrict */
    GEO_VALUE_NO_WRITE = 1u << 9,  /* parameter: memory behind it is not written through it */
    GEO_VALUE_BY_VAL = 1u << 10,   /* parameter: pointer to a copy made by the caller */
    GEO_VALUE_VOLATILE = 1u << 11, /* pointer: the reader says so of each access, too */
    GEO_VALUE_ZERO_EXT = 1u << 12,
    GEO_VALUE_SIGN_EXT = 1u << 13,
    GEO_VALUE_INTERLEAVED = 1u << 14, /* pointer: into a private variable of such layout
                                         (analysis/interleave.h) */
    GEO_VALUE_RELAXED = 1u << 15,     /* OpenCL.std: the native function will do */
    GEO_VALUE_FAST_ALL = 0xfcu,
    /* Three bits: SpvFPRoundingMode + 1, of conversions and float arithmetic; 0 default. */
    GEO_VALUE_ROUND_SHIFT = 16,
    GEO_VALUE_SATURATED = 1u << 20,      /* SaturatedConversion */
    GEO_VALUE_FLUSH_OPERANDS = 1u << 21, /* float operands that are denormal count as zeros */
    GEO_VALUE_FLUSH_RESULT = 1u << 22,   /* a float result that is denormal is a zero */
};

struct geo_ir_value {
    enum geo_ir_value_kind kind;
    uint32_t flags;                 /* enum geo_ir_value_flags */
    const struct geo_ir_type *type; /* never NULL; VOID for instructions without result */
    uint32_t id;                    /* SPIR-V id, for messages; 0 when made by a pass */
    uint32_t index; /* dense per function for parameters and instructions (geo_ir_function_number);
                       dense per module for the rest */
    uint32_t align; /* Alignment decoration of pointers; 0 unknown */
    const char *name;             /* OpName; NULL when none */
    struct geo_ir_value *forward; /* set by a pass that replaces this value; NULL otherwise */
};

/* Scalars hold their bits zero-extended; composites hold members; null holds neither (is_null). */
struct geo_ir_constant {
    struct geo_ir_value value;
    bool is_null;
    uint32_t depth; /* how deep it nests, by members and operands; 0: a scalar, null */
    uint64_t bits;  /* BOOL: 0 or 1 */
    /* VECTOR, ARRAY, STRUCT: constants, undefs, variables' addresses; else NULL */
    struct geo_ir_value **members;
    /* A constant expression (OpSpecConstantOp that could not be folded, such as an address
     * computation) */
    SpvOp op; /* SpvOpNop: not an expression */
    uint32_t operand_count;
    struct geo_ir_value **operands;
    uint32_t literal_count;
    uint32_t *literals;
};

enum geo_ir_linkage {
    GEO_LINKAGE_INTERNAL,
    GEO_LINKAGE_EXPORT,
    GEO_LINKAGE_IMPORT,
    GEO_LINKAGE_LINK_ONCE, /* LinkOnceODR */
    GEO_LINKAGE_EXTERNAL,  /* a variable that another module's loaded code holds (link/units.h) */
};

struct geo_ir_variable {
    struct geo_ir_value value; /* type: POINTER; storage in it */
    enum geo_ir_linkage linkage;
    const char *linkage_name; /* NULL without linkage */
    const char *host_name;    /* what else the host calls it; NULL: nothing */
    uint32_t unit;   /* IMPORT: who asks for it; EXTERNAL: who holds it; else 0 (link/units.h) */
    uint32_t serial; /* place among the variables its module was read with */
    bool shared;     /* an exported function uses it: other modules have to find it */
    struct geo_ir_value *initializer;    /* NULL: none */
    bool is_constant;                    /* nobody writes it, not even the host */
    int32_t builtin;                     /* SpvBuiltIn; -1: none */
    const struct geo_ir_function *owner; /* of Workgroup variables: their one user; NULL unknown */
};

/* ---- instructions, blocks, functions ---- */

/* Opcodes of ours, above SPIR-V's. */
enum geo_ir_op {
    GEO_OP_FIRST = 0xF000,
    /* Scalar value of built-in literals[0] (SpvBuiltIn*), component literals[1] (0 for scalars).
       The result is an INT. */
    GEO_OP_BUILTIN = GEO_OP_FIRST,
    /* Byte pointer arithmetic after canonical form: operands[0] pointer + operands[1] (64-bit
       bytes, signed) */
    GEO_OP_PTR_ADD,
    /* old = *operands[0], *operands[0] = old * operands[3], like OpAtomicIAdd on Workgroup memory
       (made by collectives) */
    GEO_OP_LOCAL_IMUL,
    GEO_OP_LOCAL_FMUL,
    /* A failed assertion: expression, file (strings), line, function (string), three global ids,
       three local ids. It may return. */
    GEO_OP_ASSERT_FAIL,
    /* 1 / operands[0], 1 / sqrt(operands[0]) of a float or double to 2^-11 at least, where both are
       normal, else anything; the same at every width (lower/arith/guess.h) */
    GEO_OP_GUESS_INVERSE,
    GEO_OP_GUESS_INVERSE_ROOT,
    /* operands[0] * 2^operands[1], rounded once; operands[1] integral and between -253 and 254
       (double -2044 and 2046), or a NaN: NaN then */
    GEO_OP_SCALE,
    /* What stands for an image or sampler (native/abi.h), as a pointer or a number of 64 bits; or
       back */
    GEO_OP_HANDLE,
};

struct geo_ir_line {
    const char *file;
    uint32_t line, column;
};

/* Operand order is SPIR-V's without result type and id. Ids become operands[] in order, literal
 * words literals[] in order, labels targets[] in order. In particular:
 *
 *   OpPhi                 operands[i] comes from block targets[i]
 *   OpBranch              targets[0]
 *   OpBranchConditional   operands[0]; targets[0] true, targets[1] false
 *   OpSwitch              operands[0]; targets[0] default, targets[1 + i] for case value i, which
 *                         is literals[2 i] | (uint64_t)literals[2 i + 1] << 32, zero-extended,
 *                         whatever the width
 *   OpFunctionCall        operands[0] callee (a function, or a pointer for
 *                         OpFunctionPointerCallINTEL), then arguments
 *   OpExtInst             literals[0] enum geo_ir_ext_set, literals[1] instruction number, operands
 *                         the arguments; OpenCL.std instructions with literal arguments (vloadn's
 *                         n, printf) keep them in literals[2...]
 *   OpLoad, OpStore, OpCopyMemory(Sized)
 *                         memory operands are decoded into `align`, `memory_flags`
 *   OpAccessChain and relatives
 *                         operands[0] base, operands[1...] indices (64- or 32-bit, signed)
 *   OpCompositeExtract/Insert, OpVectorShuffle
 *                         indices in literals
 *   OpImage*              the mask of image operands is literals[0], if there are any
 *   OpGroup*, OpControlBarrier, OpAtomic*
 *                         scopes and semantics are constant operands; the group operation of
 *                         OpGroup* (Reduce, InclusiveScan ...) is literals[0]
 *
 * OpLine, OpNop, OpLabel, merge instructions, debug and non-semantic instructions are not kept as
 * instructions. */
struct geo_ir_inst {
    struct geo_ir_value value; /* first: an instruction is its result */
    SpvOp op;
    uint32_t operand_count, literal_count, target_count;
    struct geo_ir_value **operands;
    uint32_t *literals;
    struct geo_ir_block **targets;
    struct geo_ir_block *block;
    struct geo_ir_inst *prev, *next;
    uint32_t memory_align; /* of a load or store; 0: the type's */
    uint32_t memory_flags; /* SpvMemoryAccess* mask: Volatile, Nontemporal */
    uint32_t source_align; /* OpCopyMemory(Sized): second memory operand; 0: same as memory_align */
    uint32_t word_offset;  /* in the source module, for messages */
    const struct geo_ir_line *line; /* NULL unknown */
};

enum geo_ir_ext_set {
    GEO_EXT_OPENCL_STD,
};

struct geo_ir_block {
    uint32_t id;    /* SPIR-V id of the label; 0 when made by a pass */
    uint32_t index; /* dense per function (geo_ir_function_number), in list order */
    struct geo_ir_function *function;
    struct geo_ir_block *prev, *next;
    struct geo_ir_inst *first, *last; /* last is the terminator */
    uint32_t loop_control; /* SpvLoopControl* of an OpLoopMerge that stood here; hints only */
};

struct geo_ir_function {
    struct geo_ir_value value; /* kind FUNCTION; type = the FUNCTION type's pointer-less form */
    struct geo_ir_module *module;
    struct geo_ir_function *prev, *next;
    const char *linkage_name; /* NULL without linkage; entry points: entry_name */
    enum geo_ir_linkage linkage;
    uint32_t unit;    /* IMPORT: who asks for it (link/units.h); else 0 */
    uint32_t control; /* SpvFunctionControl* */
    uint32_t parameter_count;
    struct geo_ir_value **parameters;
    struct geo_ir_block *first_block, *last_block; /* NULL: a declaration (import) */
    uint32_t block_count, value_count; /* upper bounds of index, set by geo_ir_function_number */
    uint32_t word_offset;
    bool indirect;    /* others may ask for its address: it gets a descriptor (native/abi.h) */
    bool irreducible; /* a cycle with several entries: no loop form (geo_transform_loops), W = 1 */
    /* Entry points (kernels) only */
    bool is_kernel;
    const char *entry_name;
    uint32_t required_size[3];       /* LocalSize; 0: none */
    uint32_t size_hint[3];           /* LocalSizeHint; 0: none */
    uint32_t max_size[3];            /* MaxWorkgroupSizeINTEL; 0: none */
    uint32_t required_subgroup_size; /* SubgroupSize; 0: none */
    uint32_t float_modes;            /* enum geo_ir_float_modes; of what it calls, too */
    const char *vector_type_hint;    /* source text such as "float4"; NULL none */
};

enum geo_ir_float_modes {
    GEO_FLOAT_CONTRACTION_OFF = 1u << 0,
    /* For each width, 16, 32, 64, from geo_ir_float_mode_shift on: */
    GEO_FLOAT_ROUNDING = 3u << 0, /* SpvFPRoundingMode */
    GEO_FLOAT_FLUSH = 1u << 2,    /* denormals are zeros */
    GEO_FLOAT_STRICT = 1u << 3,   /* signs of zeros, infinities and NaNs count */
    GEO_FLOAT_ROUNDING_GIVEN = 1u << 4,
    GEO_FLOAT_DENORMALS_GIVEN = 1u << 5,
    /* What arithmetic differs by, of all widths. */
    GEO_FLOAT_MODES = 0x0f0f0f00u,
};

static inline uint32_t geo_ir_float_mode_shift(uint32_t width)
{
    return width == 16 ? 8 : width == 32 ? 16 : 24;
}

/* enum geo_ir_float_modes of one width, shifted down. */
static inline uint32_t geo_ir_float_mode(uint32_t modes, uint32_t width)
{
    return modes >> geo_ir_float_mode_shift(width) & 0xffu;
}

/* Types found by what they consist of (type.c). */
struct geo_ir_type_table {
    struct geo_ir_type **slots;
    size_t capacity, count;
};

/* Values found by type and bits (constant.c). */
struct geo_ir_table {
    struct geo_ir_value **slots;
    size_t capacity, count;
};

struct geo_ir_module {
    struct geo_arena arena;
    uint32_t version; /* SPIR-V version word */
    uint32_t generator;
    uint32_t id_bound;
    /* What build options allow: GEO_VALUE_FAST_*, GEO_VALUE_RELAXED; the exact division and root */
    uint32_t fast_math;
    bool exact_divide_sqrt;
    bool function_pointers; /* declares FunctionPointersINTEL: functions are called indirectly */
    /* S where there are matrices, for kernels that do not say it; 0: no matrices */
    uint32_t matrix_items;
    struct {
        struct geo_ir_type **items;
        size_t count, capacity;
    } types;
    struct geo_ir_type_table unique_types;
    struct {
        struct geo_ir_value **items;
        size_t count, capacity;
    } constants; /* constants and undefs at module scope */
    struct geo_ir_table scalars, undefs;
    struct {
        struct geo_ir_variable **items;
        size_t count, capacity;
    } variables;
    struct geo_ir_function *first_function, *last_function;
    uint32_t next_index; /* of module-scope values */
};

/* ---- making and changing (ir.c, type.c, constant.c) ---- */

/* limit_bytes bounds the arena. */
struct geo_ir_module *geo_ir_module_create(size_t limit_bytes);
void geo_ir_module_destroy(struct geo_ir_module *module);

/* Unique types. All return NULL only when memory ran out. */
const struct geo_ir_type *geo_ir_type_void(struct geo_ir_module *module);
const struct geo_ir_type *geo_ir_type_bool(struct geo_ir_module *module);
const struct geo_ir_type *geo_ir_type_int(struct geo_ir_module *module, uint32_t width);
const struct geo_ir_type *geo_ir_type_float(struct geo_ir_module *module, uint32_t width);
const struct geo_ir_type *geo_ir_type_bfloat(struct geo_ir_module *module);
/* An integer of 1 to 64 bits, an odd one unless it has 8, 16, 32 or 64. */
const struct geo_ir_type *geo_ir_type_int_of_bits(struct geo_ir_module *module, uint32_t bits);
const struct geo_ir_type *geo_ir_type_vector(struct geo_ir_module *module,
                                             const struct geo_ir_type *element, uint64_t count);
const struct geo_ir_type *geo_ir_type_array(struct geo_ir_module *module,
                                            const struct geo_ir_type *element, uint64_t count);
/* count: of elements that an item holds. */
const struct geo_ir_type *geo_ir_type_matrix(struct geo_ir_module *module,
                                             const struct geo_ir_type *element, uint64_t count,
                                             struct geo_ir_matrix matrix);
const struct geo_ir_type *geo_ir_type_pointer(struct geo_ir_module *module,
                                              const struct geo_ir_type *pointee,
                                              SpvStorageClass storage);
const struct geo_ir_type *geo_ir_type_function(struct geo_ir_module *module,
                                               const struct geo_ir_type *result, uint64_t count,
                                               const struct geo_ir_type *const *parameters);
/* Structs are made anew each time (members may be completed later); layout and leaves are set by
 * geo_ir_struct_layout; _find: another one of the same members that has its layout, or NULL. */
struct geo_ir_type *geo_ir_type_struct(struct geo_ir_module *module, uint64_t count);
bool geo_ir_struct_layout(struct geo_ir_type *type);
const struct geo_ir_type *geo_ir_struct_find(const struct geo_ir_module *module,
                                             const struct geo_ir_type *like);
/* Lets geo_ir_struct_find find it. */
bool geo_ir_struct_add(struct geo_ir_module *module, struct geo_ir_type *type);
/* Unique, but for OpTypeOpaque. image: of OpTypeSampledImage, else NULL */
const struct geo_ir_type *geo_ir_type_opaque(struct geo_ir_module *module, SpvOp op,
                                             const struct geo_ir_type *image);
const struct geo_ir_type *geo_ir_type_image(struct geo_ir_module *module,
                                            struct geo_ir_image image);
/* A pointer whose pointee comes later (set ->element). Not unique. */
struct geo_ir_type *geo_ir_type_forward_pointer(struct geo_ir_module *module,
                                                SpvStorageClass storage);

/* A constant to be filled in, that is no scalar: an expression. */
struct geo_ir_constant *geo_ir_const_blank(struct geo_ir_module *module,
                                           const struct geo_ir_type *type);
/* A new scalar constant, not looked up (the reader's way: producers rarely repeat one). */
struct geo_ir_constant *geo_ir_const_scalar(struct geo_ir_module *module,
                                            const struct geo_ir_type *type, uint64_t bits);
/* A scalar constant, an existing one if there is; null of any type; the undef of any type. */
struct geo_ir_value *geo_ir_const_int(struct geo_ir_module *module, const struct geo_ir_type *type,
                                      uint64_t bits);
struct geo_ir_value *geo_ir_const_null(struct geo_ir_module *module,
                                       const struct geo_ir_type *type);
struct geo_ir_value *geo_ir_undef(struct geo_ir_module *module, const struct geo_ir_type *type);
struct geo_ir_constant *geo_ir_const_composite(struct geo_ir_module *module,
                                               const struct geo_ir_type *type,
                                               struct geo_ir_value *const *members);

/* A variable at module scope, internal and without initialiser; type: POINTER. */
struct geo_ir_variable *geo_ir_variable_create(struct geo_ir_module *module,
                                               const struct geo_ir_type *type);

struct geo_ir_function *geo_ir_function_create(struct geo_ir_module *module,
                                               const struct geo_ir_type *type);
/* Unlinks a function from its module. */
void geo_ir_function_remove(struct geo_ir_function *function);
/* Appends a block; inserts one after another. */
struct geo_ir_block *geo_ir_block_create(struct geo_ir_function *function,
                                         struct geo_ir_block *after);
void geo_ir_block_remove(struct geo_ir_block *block);

/* An instruction not yet in a block, with operand, literal and target arrays of the given sizes
 * (zeroed). */
struct geo_ir_inst *geo_ir_inst_create(struct geo_ir_module *module, SpvOp op,
                                       const struct geo_ir_type *type, uint32_t operand_count,
                                       uint32_t literal_count, uint32_t target_count);
void geo_ir_inst_append(struct geo_ir_block *block, struct geo_ir_inst *inst);
void geo_ir_inst_insert_before(struct geo_ir_inst *position, struct geo_ir_inst *inst);
void geo_ir_inst_remove(struct geo_ir_inst *inst);

/* Gives parameters, instructions and blocks dense indices; analyses rely on it. */
void geo_ir_function_number(struct geo_ir_function *function);
/* The end of a value's forwards; shortens the chain so that later look-ups are quick. */
struct geo_ir_value *geo_ir_value_end(struct geo_ir_value *value);
/* Replaces every operand that has a forward (followed to its end) in the whole function. */
void geo_ir_function_resolve(struct geo_ir_function *function);

/* ---- asking ---- */

static inline struct geo_ir_inst *geo_ir_as_inst(struct geo_ir_value *value)
{
    return value->kind == GEO_VALUE_INST ? (struct geo_ir_inst *)value : NULL;
}
static inline struct geo_ir_constant *geo_ir_as_constant(struct geo_ir_value *value)
{
    return value->kind == GEO_VALUE_CONSTANT ? (struct geo_ir_constant *)value : NULL;
}
static inline struct geo_ir_variable *geo_ir_as_variable(struct geo_ir_value *value)
{
    return value->kind == GEO_VALUE_VARIABLE ? (struct geo_ir_variable *)value : NULL;
}
static inline struct geo_ir_function *geo_ir_as_function(struct geo_ir_value *value)
{
    return value->kind == GEO_VALUE_FUNCTION ? (struct geo_ir_function *)value : NULL;
}

/* The depth of the deepest of these; what is no constant, or NULL, counts 0. */
uint32_t geo_ir_constants_depth(struct geo_ir_value *const *values, uint64_t count);
/* The bits of a scalar constant, samplers too (0 for null); false for anything else. */
bool geo_ir_constant_bits(const struct geo_ir_value *value, uint64_t *bits);
/* Writes memory, has an effect, or must not be removed, duplicated or moved although its result is
 * unused. What else is known of opcodes is in grammar.h. */
bool geo_ir_has_effect(const struct geo_ir_inst *inst);

/* Whether a function of this name (NULL: none) is a copy that clang makes of a kernel, so that
 * kernels can call each other: it is exported, and nobody outside of the module asks for it. */
bool geo_ir_is_kernel_twin(const char *linkage_name);
/* SPIR-V's name of an opcode ("OpIAdd"), ours included; "Op<unknown>" otherwise. */
const char *geo_ir_op_name(SpvOp op);

#define geo_ir_for_each_function(function, module)                                                 \
    for (struct geo_ir_function *function = (module)->first_function; function;                    \
         function = (function)->next)
#define geo_ir_for_each_block(block, fn)                                                           \
    for (struct geo_ir_block *block = (fn)->first_block; block; block = (block)->next)
/* The current instruction may be removed while walking. */
#define geo_ir_for_each_inst(inst, in_block)                                                       \
    for (struct geo_ir_inst *inst = (in_block)->first, *inst##_next;                               \
         inst && (inst##_next = inst->next, 1); inst = inst##_next)

#endif
