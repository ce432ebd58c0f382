/* The compiler's intermediate representation (the model): built by the SPIR-V reader, used by every
 * transform and analysis.
 *
 * It is independent of LLVM. It keeps SPIR-V's opcodes (SpvOp*, Khronos' spirv.h) with their
 * specified meaning. Passes also use a few opcodes of Geoid (GEO_OP_*).
 *
 *     module -> types, constants, global variables, functions
 *     function -> parameters, blocks (first = entry) -> instructions (phis first, terminator last)
 *
 * All objects live in the module's arena and are freed with it. Values have no use lists: a pass
 * that needs them builds them (analysis/uses.h). A pass that replaces values sets `value->forward`
 * and then calls geo_ir_function_resolve once. All types except structs are unique and can be
 * compared by pointer. */
#ifndef GEO_COMPILER_IR_IR_H
#define GEO_COMPILER_IR_IR_H

#include "base/arena.h"
#include "base/assert.h"
#include "compiler/ir/numbers.h"

#include <spirv/unified1/spirv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct geo_ir_module;
struct geo_ir_function;
struct geo_ir_block;
struct geo_ir_inst;
struct geo_ir_debug;
struct geo_ir_scope;
struct geo_ir_debug_variable;

/* ---- types ---- */

/* Kinds of types, with the fields of struct geo_ir_type that each uses. */
enum geo_ir_type_kind {
    GEO_TYPE_VOID,
    GEO_TYPE_BOOL,
    GEO_TYPE_INT,   /* width 8, 16, 32, 64; without a sign: the operations have it. Also bfloat16 */
    GEO_TYPE_FLOAT, /* width 16, 32, 64 */
    GEO_TYPE_VECTOR,   /* element, count 2, 3, 4, 8, 16 */
    GEO_TYPE_ARRAY,    /* element, count */
    GEO_TYPE_STRUCT,   /* members, offsets */
    GEO_TYPE_POINTER,  /* element = pointee, storage */
    GEO_TYPE_FUNCTION, /* element = result, members = parameters */
    GEO_TYPE_OPAQUE,   /* event, sampler, image ...: `opaque` is the SpvOpType* that declared it */
};

/* The operands of OpTypeImage that matter to kernels. */
struct geo_ir_image {
    uint8_t dim;    /* SpvDim: 1D, 2D, 3D, Buffer */
    uint8_t access; /* SpvAccessQualifier */
    bool arrayed, depth;
};

/* A cooperative matrix (OpTypeCooperativeMatrixKHR), distributed over the items of a sub-group.
 * Elements are numbered row by row. With sub-groups of S items, element i is number i / S of item i
 * % S. The matrix's type is an array: the part that one item holds. Element-wise operations need to
 * know no more. If S does not divide the number of elements, the last element of some items is
 * undefined. */
struct geo_ir_matrix {
    uint16_t rows, columns; /* 0: not a matrix */
    uint8_t use;            /* GEO_MATRIX_A, _B or _ACCUMULATOR */
    uint8_t items;          /* S */
};

#define GEO_MATRIX_USES (GEO_MATRIX_ACCUMULATOR + 1)

/* A type. Unique within its module, except for structs, forward pointers and OpTypeOpaque. */
struct geo_ir_type {
    enum geo_ir_type_kind kind;
    uint32_t id;    /* SPIR-V id, for messages; 0 when made by a pass */
    uint32_t width; /* bits of INT and FLOAT */
    /* VECTOR, ARRAY: elements; STRUCT, FUNCTION: members; INT: significant bits if less than width,
       else 0 */
    uint64_t count;
    /* VECTOR, ARRAY: element type; POINTER: pointee (NULL only while a forward pointer is read);
       FUNCTION: result; OPAQUE: the image type of a sampled image, else NULL */
    const struct geo_ir_type *element;
    const struct geo_ir_type **members; /* STRUCT, FUNCTION */
    uint64_t *offsets;                  /* STRUCT: byte offset of each member */
    uint64_t *first_leaves;             /* STRUCT: number of leaves before each member */
    uint64_t leaves; /* scalars in a value, over all levels; UINT64_MAX: too many to count */
    SpvStorageClass storage; /* POINTER */
    SpvOp opaque; /* OPAQUE: the declaring opcode; INT: OpTypeFloat for bfloat16, else 0 */
    struct geo_ir_image image;   /* OPAQUE: operands of OpTypeImage */
    struct geo_ir_matrix matrix; /* ARRAY */
    bool holds_image;            /* is an image or sampler, or contains one */
    bool packed;                 /* STRUCT: CPacked */
    uint64_t size;    /* bytes in memory, OpenCL C layout (vec3 as vec4); 0 for VOID, FUNCTION */
    uint32_t align;   /* bytes, a power of two; 1 for VOID, FUNCTION */
    const char *name; /* never NULL */
};

/* bfloat16 is represented as an INT type of 16 bits, distinct from the integers. Copies treat it as
 * any integer; transform/expand/bfloat.c replaces its arithmetic by conversions. */
static inline bool geo_ir_is_bfloat(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_INT && type->opaque == SpvOpTypeFloat;
}

/* An odd integer has a number of bits other than 8, 16, 32 or 64. Its type is distinct, and its
 * width is the next larger of these. From transform/expand/odd_integers.c on, the upper bits of its
 * values are zero. */
static inline bool geo_ir_is_odd_int(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_INT && type->count != 0;
}

/* Returns the number of significant bits of an integer type. */
static inline uint32_t geo_ir_int_bits(const struct geo_ir_type *type)
{
    return geo_ir_is_odd_int(type) ? (uint32_t)type->count : type->width;
}

/* Returns whether memory behind a pointer belongs to one work-group or item. */
static inline bool geo_ir_is_of_group(const struct geo_ir_type *pointer)
{
    return pointer->storage == SpvStorageClassWorkgroup ||
           pointer->storage == SpvStorageClassFunction ||
           pointer->storage == SpvStorageClassPrivate;
}

/* Returns whether a type is a cooperative matrix, distributed over items. */
static inline bool geo_ir_is_matrix(const struct geo_ir_type *type)
{
    return type->matrix.rows != 0;
}

/* Returns the index of the struct member that holds a given leaf. */
uint64_t geo_ir_struct_member_at(const struct geo_ir_type *type, uint64_t leaf);

/* geo_ir_scalar_of returns the component type of a vector, and any other type unchanged.
 * geo_ir_components returns the number of components, 1 for other types. */
static inline const struct geo_ir_type *geo_ir_scalar_of(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_VECTOR ? type->element : type;
}

static inline uint64_t geo_ir_components(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_VECTOR ? type->count : 1;
}

/* ---- values ---- */

/* Kinds of values, with the struct that a value of this kind is. See geo_ir_as_inst and the
 * others. */
enum geo_ir_value_kind {
    GEO_VALUE_CONSTANT, /* struct geo_ir_constant */
    GEO_VALUE_UNDEF, /* struct geo_ir_value: OpUndef, and loads that mem2reg finds uninitialised */
    GEO_VALUE_VARIABLE,  /* struct geo_ir_variable: at module scope; its value is its address */
    GEO_VALUE_PARAMETER, /* struct geo_ir_value: of a function */
    GEO_VALUE_INST,      /* struct geo_ir_inst */
    GEO_VALUE_FUNCTION,  /* struct geo_ir_function: as a callee or function pointer */
};

/* Facts from decorations and operands that lowering may use. All are optional. */
enum geo_ir_value_flags {
    GEO_VALUE_NO_SIGNED_WRAP = 1u << 0,
    GEO_VALUE_NO_UNSIGNED_WRAP = 1u << 1,
    GEO_VALUE_FAST_NOT_NAN = 1u << 2,
    GEO_VALUE_FAST_NOT_INF = 1u << 3,
    GEO_VALUE_FAST_NSZ = 1u << 4,
    GEO_VALUE_FAST_ALLOW_RECIP = 1u << 5,
    GEO_VALUE_FAST_REASSOC = 1u << 6, /* FPFastMathMode Fast or AllowReassoc */
    GEO_VALUE_FAST_CONTRACT = 1u << 7,
    GEO_VALUE_NO_ALIAS = 1u << 8, /* parameter: restrict */
    GEO_VALUE_NO_WRITE = 1u << 9, /* parameter: nothing is written through it */
    GEO_VALUE_BY_VAL = 1u << 10,  /* parameter: pointer to a copy made by the caller */
    /* pointer: all accesses through it are volatile (the reader marks each access as well) */
    GEO_VALUE_VOLATILE = 1u << 11,
    GEO_VALUE_ZERO_EXT = 1u << 12,
    GEO_VALUE_SIGN_EXT = 1u << 13,
    /* pointer: into a private variable of interleaved layout (analysis/interleave.h) */
    GEO_VALUE_INTERLEAVED = 1u << 14,
    GEO_VALUE_RELAXED = 1u << 15, /* OpenCL.std: the less exact native function is allowed */
    GEO_VALUE_FAST_ALL = 0xfcu,
    /* Three bits: SpvFPRoundingMode + 1 of conversions and float arithmetic; 0: the default. */
    GEO_VALUE_ROUND_SHIFT = 16,
    GEO_VALUE_SATURATED = 1u << 20,      /* SaturatedConversion */
    GEO_VALUE_FLUSH_OPERANDS = 1u << 21, /* denormal float operands are treated as zeros */
    GEO_VALUE_FLUSH_RESULT = 1u << 22,   /* a denormal float result becomes zero */
};

/* Anything that can be an operand. Embedded as the first member of constants, variables,
 * instructions and functions. */
struct geo_ir_value {
    enum geo_ir_value_kind kind;
    uint32_t flags;                 /* enum geo_ir_value_flags */
    const struct geo_ir_type *type; /* never NULL; VOID for instructions without result */
    uint32_t id;                    /* SPIR-V id, for messages; 0 when made by a pass */
    /* dense per function for parameters and instructions (geo_ir_function_number), dense per module
       for other values */
    uint32_t index;
    uint32_t align;               /* Alignment decoration of pointers; 0 unknown */
    const char *name;             /* OpName; NULL when none */
    struct geo_ir_value *forward; /* the value that replaces this one (set by a pass), else NULL */
};

/* A constant. Scalars have `bits`, zero-extended; composites have `members`; a null constant has
 * only `is_null`. */
struct geo_ir_constant {
    struct geo_ir_value value;
    bool is_null;
    uint32_t depth; /* nesting depth over members and operands; 0 for scalars and null */
    uint64_t bits;  /* BOOL: 0 or 1 */
    /* VECTOR, ARRAY, STRUCT: constants, undefs or addresses of variables; else NULL */
    struct geo_ir_value **members;
    /* The rest describes a constant expression: an OpSpecConstantOp that could not be folded, such
       as an address computation. */
    SpvOp op; /* SpvOpNop: not an expression */
    uint32_t operand_count;
    struct geo_ir_value **operands;
    uint32_t literal_count;
    uint32_t *literals;
};

/* How other modules see a function or variable. */
enum geo_ir_linkage {
    GEO_LINKAGE_INTERNAL,
    GEO_LINKAGE_EXPORT,
    GEO_LINKAGE_IMPORT,
    GEO_LINKAGE_LINK_ONCE, /* LinkOnceODR */
    /* a variable whose memory belongs to another module that is already loaded (link/units.h) */
    GEO_LINKAGE_EXTERNAL,
};

/* A variable at module scope. Its value is its address. */
struct geo_ir_variable {
    struct geo_ir_value value; /* its type is a POINTER, which has the storage class */
    enum geo_ir_linkage linkage;
    const char *linkage_name; /* NULL without linkage */
    const char *host_name;    /* a second name by which the host finds it; NULL: none */
    const char *symbol;       /* its name in the code; NULL: the linkage name */
    /* IMPORT: the unit that imports it; EXTERNAL: the unit that holds it; else 0 (link/units.h) */
    uint32_t unit;
    uint32_t serial; /* position among the variables of the module it was read with */
    bool shared;     /* an exported function uses it, so other modules must find it */
    struct geo_ir_value *initializer;          /* NULL: none */
    bool is_constant;                          /* never written, not even by the host */
    int32_t builtin;                           /* SpvBuiltIn; -1: none */
    const struct geo_ir_debug_variable *debug; /* debug information; NULL: none */
    /* Workgroup variables: the only function that uses it; NULL: unknown */
    const struct geo_ir_function *owner;
};

/* ---- instructions, blocks, functions ---- */

/* Geoid's own opcodes, numbered above SPIR-V's. */
enum geo_ir_op {
    GEO_OP_FIRST = 0xF000,
    /* Scalar of the built-in variable literals[0] (SpvBuiltIn* or enum geo_ir_builtin), component
       literals[1] (0 for scalars). The result is an INT. */
    GEO_OP_BUILTIN = GEO_OP_FIRST,
    /* Address arithmetic in bytes, in canonical form: pointer operands[0] plus operands[1] (64-bit,
       signed). */
    GEO_OP_PTR_ADD,
    /* Atomic multiplication on Workgroup memory, with the operands of OpAtomicIAdd. It returns the
       old value and stores its product with operands[3]. Made for reductions
       (transform/expand/collectives.c). */
    GEO_OP_LOCAL_IMUL,
    GEO_OP_LOCAL_FMUL,
    /* A failed assertion. Operands: expression and file (strings), line, function (string), three
       global ids, three local ids. Control may return from it. */
    GEO_OP_ASSERT_FAIL,
    /* 1 / operands[0] and 1 / sqrt(operands[0]) of a float or double, with a relative error of at
       most 2^-11. Defined only if operand and result are normal. Equal at every vector width
       (lower/arith/guess.h). */
    GEO_OP_GUESS_INVERSE,
    GEO_OP_GUESS_INVERSE_ROOT,
    /* operands[0] * 2^operands[1], rounded once. operands[1] is an integral float between -253 and
       254 (double: -2044 and 2046), or a NaN: then the result is a NaN. */
    GEO_OP_SCALE,
    /* Converts an image or sampler to its handle (native/abi.h), as a pointer or a 64-bit number,
       or back. */
    GEO_OP_HANDLE,
    /* A bool that is the same for all lanes of a chunk. If it is true, operands[0] is true in every
       active lane. It may be false at any time: then nothing is known. Passes use it to choose
       between two ways of computing the same. */
    GEO_OP_ALL_LANES,
    /* A number that is the same for all lanes of a chunk: operands[0] in the first lane. If that
       lane is not active, it is any number. */
    GEO_OP_FIRST_LANE,
};

/* Built-in values of Geoid, numbered above SPIR-V's: the addresses that accesses near null use
 * instead (transform/memory/near_null.c). They are equal for all items of a launch. */
enum geo_ir_builtin {
    GEO_BUILTIN_ZEROS = 0xF000, /* memory that reads as zeros */
    GEO_BUILTIN_SINK,           /* memory whose contents do not matter */
};

/* An instruction. Operands are in SPIR-V's order, without result type and result id. Ids become
 * operands[], literal words literals[], labels targets[]. In particular:
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
 *                         memory operands are decoded into `memory_align`, `memory_flags`
 *   OpAccessChain and relatives
 *                         operands[0] base, operands[1...] indices (64- or 32-bit, signed)
 *   OpCompositeExtract/Insert, OpVectorShuffle
 *                         indices in literals
 *   OpImage*              the mask of image operands is literals[0], if there are any
 *   OpGroup*, OpControlBarrier, OpAtomic*
 *                         scopes and semantics are constant operands; the group operation of
 *                         OpGroup* (Reduce, InclusiveScan ...) is literals[0]
 *
 * The reader drops OpNop, OpLabel, merge instructions and non-semantic instructions. Lines and
 * debug instructions become debug information (ir/debug.h). */
struct geo_ir_inst {
    struct geo_ir_value value; /* first member: an instruction is its result */
    SpvOp op;
    uint32_t operand_count, literal_count, target_count;
    struct geo_ir_value **operands;
    uint32_t *literals;
    struct geo_ir_block **targets;
    struct geo_ir_block *block;
    struct geo_ir_inst *prev, *next;
    uint32_t memory_align; /* of a load or store; 0: the alignment of the type */
    uint32_t memory_flags; /* SpvMemoryAccess* mask (Volatile, Nontemporal) and ir/access.h */
    /* OpCopyMemory(Sized): alignment of the source; 0: same as memory_align */
    uint32_t source_align;
    uint32_t word_offset; /* position in the source module, for messages */
    /* Debug information (ir/debug.h): number of the source location, and of the list of records in
       front of this instruction; 0: none. */
    uint32_t location, records;
};

/* Sets of extended instructions that the model keeps. The reader turns debug sets into debug
 * information, drops other non-semantic sets, and rejects all others. */
enum geo_ir_ext_set {
    GEO_EXT_OPENCL_STD,
};

/* A basic block, in the list of its function. It has at least a terminator once it is complete. */
struct geo_ir_block {
    uint32_t id;    /* SPIR-V id of the label; 0 when made by a pass */
    uint32_t index; /* dense per function (geo_ir_function_number), in list order */
    struct geo_ir_function *function;
    struct geo_ir_block *prev, *next;
    struct geo_ir_inst *first, *last; /* last is the terminator */
    uint32_t loop_control;            /* SpvLoopControl* hints of the OpLoopMerge in this block */
    /* Debug information: records behind the last instruction, while the terminator is missing */
    uint32_t records;
    bool removed; /* geo_ir_block_remove was called */
};

/* A function or kernel, or the declaration of an imported one. In the list of its module. */
struct geo_ir_function {
    /* kind FUNCTION; its type is the FUNCTION type itself, not a pointer */
    struct geo_ir_value value;
    struct geo_ir_module *module;
    struct geo_ir_function *prev, *next;
    const char *linkage_name; /* NULL without linkage; kernels have entry_name */
    enum geo_ir_linkage linkage;
    uint32_t unit;    /* IMPORT: the unit that imports it (link/units.h); else 0 */
    uint32_t control; /* SpvFunctionControl* */
    uint32_t parameter_count;
    struct geo_ir_value **parameters;
    struct geo_ir_block *first_block, *last_block; /* NULL: a declaration (import) */
    uint32_t block_count, value_count; /* upper bounds of `index`, set by geo_ir_function_number */
    uint32_t word_offset;
    const struct geo_ir_scope *scope; /* debug information: the function in the source; or NULL */
    bool indirect; /* its address is taken: it gets a descriptor (native/abi.h) */
    /* has a loop with several entries: stays out of loop form, is compiled for width 1 */
    bool irreducible;
    bool one_lane; /* a kernel that is compiled for width 1, because it is very large otherwise */
    /* The chunks of a work-group run from the last one to the first, in each region with a barrier
       of the item itself. */
    bool descending;
    /* Only for entry points (kernels): */
    bool is_kernel;
    const char *entry_name;
    uint32_t required_size[3];       /* LocalSize; 0: none */
    uint32_t size_hint[3];           /* LocalSizeHint; 0: none */
    uint32_t max_size[3];            /* MaxWorkgroupSizeINTEL; 0: none */
    uint32_t required_subgroup_size; /* SubgroupSize; 0: none */
    uint32_t float_modes; /* enum geo_ir_float_modes; also holds for the functions it calls */
    const char *vector_type_hint; /* source text such as "float4"; NULL none */
};

/* Float modes of a kernel, from its execution modes. */
enum geo_ir_float_modes {
    GEO_FLOAT_CONTRACTION_OFF = 1u << 0,
    /* The rest exists once per width (16, 32, 64), shifted by geo_ir_float_mode_shift. */
    GEO_FLOAT_ROUNDING = 3u << 0, /* SpvFPRoundingMode */
    GEO_FLOAT_FLUSH = 1u << 2,    /* denormals are flushed to zero */
    GEO_FLOAT_STRICT = 1u << 3,   /* signs of zeros, infinities and NaNs are preserved */
    GEO_FLOAT_ROUNDING_GIVEN = 1u << 4,
    GEO_FLOAT_DENORMALS_GIVEN = 1u << 5,
    /* Mask of the modes that change arithmetic, for all widths. */
    GEO_FLOAT_MODES = 0x0f0f0f00u,
};

/* Returns the position of the modes of one width (16, 32, 64) in a word of modes. */
static inline uint32_t geo_ir_float_mode_shift(uint32_t width)
{
    GEO_ASSERT(width == 16 || width == 32 || width == 64);
    return width == 16 ? 8 : width == 32 ? 16 : 24;
}

/* Returns the modes (enum geo_ir_float_modes) of one width, shifted down. */
static inline uint32_t geo_ir_float_mode(uint32_t modes, uint32_t width)
{
    return modes >> geo_ir_float_mode_shift(width) & 0xffu;
}

/* Hash table of types by their contents (type.c). */
struct geo_ir_type_table {
    struct geo_ir_type **slots;
    size_t capacity, count;
};

/* Hash table of values by type and bits (constant.c). */
struct geo_ir_table {
    struct geo_ir_value **slots;
    size_t capacity, count;
};

/* A module: the unit of reading, transforming and lowering. The build that created it owns it. */
struct geo_ir_module {
    struct geo_arena arena;
    uint32_t version; /* SPIR-V version word */
    uint32_t generator;
    uint32_t id_bound;
    /* Set by build options: GEO_VALUE_FAST_*, GEO_VALUE_RELAXED; correctly rounded division and
       square root. */
    uint32_t fast_math;
    bool exact_divide_sqrt;
    /* Values that debug records name stay, so that debuggers see every variable: the code is not
       optimised. Set by the facade. */
    bool keeps_variables;
    /* Accesses near null read zeros and write nothing. Set by the facade. */
    bool near_null;
    /* Items of a work-group run at the same time, in no order. Set by
       geo_transform_canonicalize_code. */
    bool concurrent_items;
    /* Loops were unrolled so that arrays that they index become values. Set by
       geo_transform_unroll. */
    bool unrolled;
    /* FunctionPointersINTEL is declared: functions may be called through pointers */
    bool function_pointers;
    /* Sub-group size for kernels that declare none, in a module with matrices; else 0. */
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
    uint32_t next_index;        /* next index of a module-scope value */
    struct geo_ir_debug *debug; /* debug information (ir/debug.h); NULL: none */
};

/* ---- creating and changing (ir.c, type.c, constant.c) ---- */

/* Creates an empty module whose arena holds at most limit_bytes. Returns NULL when memory runs
 * out. */
struct geo_ir_module *geo_ir_module_create(size_t limit_bytes);
/* Frees the module and everything in its arena: types, values, instructions and functions. */
void geo_ir_module_destroy(struct geo_ir_module *module);

/* The geo_ir_type_* functions return the unique type for their arguments, or NULL when memory runs
 * out. */
const struct geo_ir_type *geo_ir_type_void(struct geo_ir_module *module);
const struct geo_ir_type *geo_ir_type_bool(struct geo_ir_module *module);
const struct geo_ir_type *geo_ir_type_int(struct geo_ir_module *module, uint32_t width);
const struct geo_ir_type *geo_ir_type_float(struct geo_ir_module *module, uint32_t width);
const struct geo_ir_type *geo_ir_type_bfloat(struct geo_ir_module *module);
/* Returns an integer type of 1 to 64 bits: an odd one unless bits is 8, 16, 32 or 64. */
const struct geo_ir_type *geo_ir_type_int_of_bits(struct geo_ir_module *module, uint32_t bits);
const struct geo_ir_type *geo_ir_type_vector(struct geo_ir_module *module,
                                             const struct geo_ir_type *element, uint64_t count);
const struct geo_ir_type *geo_ir_type_array(struct geo_ir_module *module,
                                            const struct geo_ir_type *element, uint64_t count);
/* `count` is the number of elements that one item holds. */
const struct geo_ir_type *geo_ir_type_matrix(struct geo_ir_module *module,
                                             const struct geo_ir_type *element, uint64_t count,
                                             struct geo_ir_matrix matrix);
const struct geo_ir_type *geo_ir_type_pointer(struct geo_ir_module *module,
                                              const struct geo_ir_type *pointee,
                                              SpvStorageClass storage);
const struct geo_ir_type *geo_ir_type_function(struct geo_ir_module *module,
                                               const struct geo_ir_type *result, uint64_t count,
                                               const struct geo_ir_type *const *parameters);
/* Structs are not unique: `geo_ir_type_struct` creates a new one whose members the caller fills in.
 * `geo_ir_struct_layout` then sets offsets, size and leaves; false: the size overflows.
 * `geo_ir_struct_find` returns a struct with the same members that was added to the table, or
 * NULL. */
struct geo_ir_type *geo_ir_type_struct(struct geo_ir_module *module, uint64_t count);
bool geo_ir_struct_layout(struct geo_ir_type *type);
const struct geo_ir_type *geo_ir_struct_find(const struct geo_ir_module *module,
                                             const struct geo_ir_type *like);
/* Adds a struct with its layout to the table that geo_ir_struct_find searches. */
bool geo_ir_struct_add(struct geo_ir_module *module, struct geo_ir_type *type);
/* Returns the unique opaque type; OpTypeOpaque gets a new type each time. `image`: the image type
 * of an OpTypeSampledImage, else NULL. */
const struct geo_ir_type *geo_ir_type_opaque(struct geo_ir_module *module, SpvOp op,
                                             const struct geo_ir_type *image);
/* Returns the unique type of an image. */
const struct geo_ir_type *geo_ir_type_image(struct geo_ir_module *module,
                                            struct geo_ir_image image);
/* Creates a pointer type whose pointee is set later (->element). It is not unique. */
struct geo_ir_type *geo_ir_type_forward_pointer(struct geo_ir_module *module,
                                                SpvStorageClass storage);

/* Creates a constant that the caller fills in: an expression, a composite or null. */
struct geo_ir_constant *geo_ir_const_blank(struct geo_ir_module *module,
                                           const struct geo_ir_type *type);
/* Creates a scalar constant without searching for an equal one: the reader uses it, as producers
 * rarely repeat constants. */
struct geo_ir_constant *geo_ir_const_scalar(struct geo_ir_module *module,
                                            const struct geo_ir_type *type, uint64_t bits);
/* Return a scalar constant (an existing one if possible), the null of a type, and the undef of a
 * type. */
struct geo_ir_value *geo_ir_const_int(struct geo_ir_module *module, const struct geo_ir_type *type,
                                      uint64_t bits);
struct geo_ir_value *geo_ir_const_null(struct geo_ir_module *module,
                                       const struct geo_ir_type *type);
struct geo_ir_value *geo_ir_const_undef(struct geo_ir_module *module,
                                        const struct geo_ir_type *type);
/* Creates a constant vector, array or struct. The members are copied. Returns NULL when memory runs
 * out. */
struct geo_ir_constant *geo_ir_const_composite(struct geo_ir_module *module,
                                               const struct geo_ir_type *type,
                                               struct geo_ir_value *const *members);

/* Creates a variable at module scope, internal and without initialiser. `type` is a POINTER. */
struct geo_ir_variable *geo_ir_variable_create(struct geo_ir_module *module,
                                               const struct geo_ir_type *type);

/* Creates a function at the end of the module's list. `type` is its FUNCTION type. It has its
 * parameters, and no blocks. Returns NULL when memory runs out. */
struct geo_ir_function *geo_ir_function_create(struct geo_ir_module *module,
                                               const struct geo_ir_type *type);
/* Unlinks a function from its module. */
void geo_ir_function_remove(struct geo_ir_function *function);
/* Creates an empty block behind `after`, or as the last one if `after` is NULL. */
struct geo_ir_block *geo_ir_block_create(struct geo_ir_function *function,
                                         struct geo_ir_block *after);
/* Unlinks a block from its function. */
void geo_ir_block_remove(struct geo_ir_block *block);

/* Creates an instruction outside of any block, with zeroed arrays of the given sizes. */
struct geo_ir_inst *geo_ir_inst_create(struct geo_ir_module *module, SpvOp op,
                                       const struct geo_ir_type *type, uint32_t operand_count,
                                       uint32_t literal_count, uint32_t target_count);
/* Add an instruction at the end of a block, and in front of another instruction. */
void geo_ir_inst_append(struct geo_ir_block *block, struct geo_ir_inst *inst);
void geo_ir_inst_insert_before(struct geo_ir_inst *position, struct geo_ir_inst *inst);
/* Unlinks an instruction from its block. Its uses are not updated. Its debug records go to the next
 * instruction, or wait for the block's next terminator. */
void geo_ir_inst_remove(struct geo_ir_inst *inst);
/* Gives an instruction the place in the source of another one, which it replaces or belongs to.
 * Whoever creates an instruction calls this. */
static inline void geo_ir_inst_from(struct geo_ir_inst *inst, const struct geo_ir_inst *origin)
{
    inst->word_offset = origin->word_offset;
    inst->location = origin->location;
}

/* Numbers parameters, instructions and blocks densely. Analyses index arrays by these numbers. */
void geo_ir_function_number(struct geo_ir_function *function);
/* Returns the value at the end of a chain of forwards, and shortens the chain for later calls. */
struct geo_ir_value *geo_ir_value_end(struct geo_ir_value *value);
/* Replaces every operand of the function that has a forward by the end of its chain, and the values
 * of debug records, too. */
void geo_ir_function_resolve(struct geo_ir_function *function);

/* ---- queries ---- */

/* Return the object that a value is, or NULL if the value is of another kind. */
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

/* Returns what OpenCL's work-item functions return for dimensions above 2, for which the built-in
 * variable has no component: 1 for sizes and counts, 0 for ids and offsets. */
uint32_t geo_ir_builtin_outside(SpvBuiltIn builtin);
/* Returns the largest depth of these values. NULL and values that are not constants count 0. */
uint32_t geo_ir_constants_depth(struct geo_ir_value *const *values, uint64_t count);
/* Returns in `bits` the bits of a scalar constant, pointer or sampler (0 for null). Returns false
 * for any other value. */
bool geo_ir_constant_bits(const struct geo_ir_value *value, uint64_t *bits);
/* Returns whether an instruction must stay where it is even if its result is unused: it writes
 * memory, is volatile or has another effect. Traits of opcodes are in grammar.h. */
bool geo_ir_has_effect(const struct geo_ir_inst *inst);

/* Returns whether this is the name of a copy of a kernel, which clang makes so that kernels can
 * call each other. The copy is exported although no other module uses it. NULL: false. */
bool geo_ir_is_kernel_twin(const char *linkage_name);
/* Returns the name of an opcode ("OpIAdd"), of GEO_OP_* too; "Op<unknown>" for others. */
const char *geo_op_name(SpvOp op);

#define geo_ir_for_each_function(function, module)                                                 \
    for (struct geo_ir_function *function = (module)->first_function; function;                    \
         function = (function)->next)
#define geo_ir_for_each_block(block, fn)                                                           \
    for (struct geo_ir_block *block = (fn)->first_block; block; block = (block)->next)
/* The loop body may remove the current instruction. */
#define geo_ir_for_each_inst(inst, in_block)                                                       \
    for (struct geo_ir_inst *inst = (in_block)->first, *inst##_next;                               \
         inst && (inst##_next = inst->next, 1); inst = inst##_next)

#endif
