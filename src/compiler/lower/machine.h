/* The machine of lowering: how a work-group runs, apart from what a kernel means.
 *
 *     what a kernel means                          how a work-group runs
 *
 *     state emit arch arith global                 cpu/   a group is a loop on one thread, and W of
 *     value instruction memory ext   -- this -->          its items are the lanes of a vector
 *     dispatch                         table       simt/  an item is a thread of the machine
 *
 * There is one constant table for each machine. The rooms of the meaning include this header and
 * nothing of cpu/ or simt/ (scripts/check_includes.py), so all that they know of a machine is in
 * its rows. A machine includes the rooms of the meaning and emits the functions of a module. It
 * calls geo_dispatch_instruction (dispatch/dispatch.h) for every instruction except control flow
 * and phis.
 *
 * A machine defines two structs, to which the rooms of the meaning have only pointers:
 *
 *     struct geo_lower_module_frame    its data about the module: geo_lower.frame (state/module.h)
 *     struct geo_lower_frame           its data about the function that is being emitted:
 *                                      geo_lower_function.frame (state/function.h), NULL at module
 *                                      scope
 *
 * Rows that are functions are never NULL, unless their comment says so. Functions of the type
 * geo_lower_fn lower one instruction: they set its result (value/value.h), or report an error and
 * return false. The others report an error by geo_state_error and return a poison value, if they
 * can fail. */
#ifndef GEO_COMPILER_LOWER_MACHINE_H
#define GEO_COMPILER_LOWER_MACHINE_H

#include <llvm-c/Core.h>
#include <spirv/unified1/spirv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct geo_ir_function;
struct geo_ir_inst;
struct geo_ir_value;
struct geo_lower;
struct geo_lower_function;
struct geo_lower_result;

/* Lowers a whole instruction. Reports an error and returns false if it fails. */
typedef bool (*geo_lower_fn)(struct geo_lower_function *f, const struct geo_ir_inst *inst);

/* Where a generic pointer points. The conditions have the form of the pointer: i1 or <W x i1>. */
struct geo_lower_space {
    LLVMValueRef pointer;  /* the pointer, as a scalar or as a vector */
    LLVMValueRef in_local; /* it points to local memory */
    LLVMValueRef in_group; /* it points to local or private memory */
};

/* The table of one machine. */
struct geo_lower_machine {
    const char *name; /* for messages */

    /* ---- modules ---- */

    /* Emits all kernels of the module, and the functions and variables that they reach, into
     * lower->llvm_module, and fills result->kernels. Reports an error in lower->log, or sets
     * lower->no_memory, and returns false if it fails. Caller: module.c, after the analysis of the
     * functions (state/code.h) and the placement of local memory (global/local_memory.h). */
    bool (*emit)(struct geo_lower *lower, struct geo_lower_result *result);
    /* Frees what `emit` allocated outside lower->arena. Caller: module.c, also after a failure,
     * when lower->frame may be NULL. */
    void (*finish)(struct geo_lower *lower);

    /* ---- values ---- */

    /* Values of W items are held together, by their shape (value/value.h). Otherwise a value is
     * that of one item: f->lanes is 1, every shape is uniform, and f->body.mask is NULL. User: an
     * assertion of geo_state_function_init (state/function.h). */
    bool vectors;
    /* Returns the number of items of a sub-group, for kernels that require none. Caller: the
     * machine's own plan of a kernel. */
    uint32_t (*subgroup_size)(const struct geo_lower *lower);

    /* ---- addresses ---- */

    /* Returns the LLVM address space of pointers to a storage class. Opaque handles count as
     * pointers to UniformConstant. Callers: geo_type_of (emit/type.c) for values, and
     * global/variable.c for variables at module scope. Casts between the spaces of two storage
     * classes are LLVM's addrspacecast (geo_emit_pointer_cast). */
    unsigned (*address_space)(SpvStorageClass storage);
    /* Returns where a generic pointer points. `as_scalar` says in which form the pointer is read.
     * Caller: memory/pointer.c, for OpGenericCastToPtrExplicit and OpGenericPtrMemSemantics. */
    struct geo_lower_space (*space_of)(struct geo_lower_function *f, struct geo_ir_value *pointer,
                                       bool as_scalar);
    /* Returns the address of the Workgroup variable that has this index in module->variables. Its
     * offset in the kernel's local memory is lower->local_offsets[index]. Returns NULL where the
     * address is not a constant and f->frame is NULL. Caller: geo_global_variable_address
     * (global/variable.c). */
    LLVMValueRef (*local_variable)(struct geo_lower_function *f, size_t index);
    /* The largest alignment of local memory in bytes. The size of a kernel's static local memory is
     * a multiple of it. User: global/local_memory.c. */
    uint32_t local_align;
    /* Lowers OpVariable in a function: the address of private memory. Caller: dispatch/dispatch.c.
     * */
    geo_lower_fn private_variable;

    /* ---- arguments and ids ---- */

    /* Returns the address of the block of the kernel's arguments (memory/argument.h). Caller:
     * geo_argument_load, at the kernel's entry. */
    LLVMValueRef (*arguments)(struct geo_lower_function *f);
    /* Returns the address of the local memory of an argument. `place` is the argument's i64 in the
     * block. Caller: geo_argument_load. */
    LLVMValueRef (*local_argument)(struct geo_lower_function *f, LLVMValueRef place);
    /* The number of bytes behind the handle of an image that are readable, or 0. User:
     * geo_argument_load. */
    uint32_t image_bytes;
    /* Lowers GEO_OP_BUILTIN: ids, sizes, masks of sub-groups. literals[0] is the SpvBuiltIn and
     * literals[1] the component. Caller: dispatch/dispatch.c. */
    geo_lower_fn builtin;

    /* ---- order of memory ---- */

    /* Lowers OpControlBarrier: execution and the order of memory. A machine that turns barriers of
     * the group into control flow gets only the others. Caller: dispatch/dispatch.c. */
    geo_lower_fn barrier;
    /* Emits a fence, if the machine needs one at this scope (a value of the model). `order` is not
     * monotonic. Caller: geo_atomic_fence (memory/atomic.c), for OpMemoryBarrier. */
    void (*fence)(struct geo_lower_function *f, LLVMAtomicOrdering order,
                  const struct geo_ir_value *scope);
    /* Returns LLVM's synchronisation scope for an atomic operation of this scope (a value of the
     * model). Caller: memory/atomic.c. */
    unsigned (*sync_scope)(struct geo_lower_function *f, const struct geo_ir_value *scope);
    /* One thread runs the group, so that atomic operations on local memory are plain ones. User:
     * memory/atomic.c. Atomic operations on private memory are plain on every machine. */
    bool plain_local;
    /* Returns whether an atomic instruction is a pending addition (analysis/pending.h). NULL:
     * additions do not pend on this machine. Caller: memory/atomic.c. */
    bool (*pends)(const struct geo_lower_function *f, const struct geo_ir_inst *inst);
    /* Returns an i1: `count` (i64) pending additions that follow are to be emitted by `pend`. If
     * not, it is faster to execute them at once. Caller: memory/atomic_operation.c. */
    LLVMValueRef (*pending_pays)(struct geo_lower_function *f, LLVMValueRef count);
    /* Emits a pending addition of one lane: the scalar `value` is added to memory later. Caller:
     * memory/atomic_operation.c. */
    void (*pend)(struct geo_lower_function *f, LLVMValueRef pointer, LLVMValueRef value);

    /* ---- groups and sub-groups ---- */

    /* Lower operations of sub-groups, by family (ir/group_op.h). NULL: the machine has none, and
     * their use is an error. Caller: dispatch/group.c, which has checked the scope. */
    geo_lower_fn vote;      /* all, any, all equal, elections */
    geo_lower_fn ballot;    /* ballots, and the instructions that read them */
    geo_lower_fn broadcast; /* broadcasts, also of the first active item */
    geo_lower_fn shuffle;   /* shuffles, up, down and exclusive or, rotations */
    geo_lower_fn reduce;    /* reductions and scans, also of clusters */
    geo_lower_fn block_io;  /* block reads and writes of SPV_INTEL_subgroups */
    geo_lower_fn matrix;    /* loads, stores and products of cooperative matrices */
    geo_lower_fn multiply;  /* products of matrices that items pass in parts (ir/multiply.h) */
    /* Lowers operations of the work-group. NULL: transform/expand/collectives.c has replaced them
     * by local memory, barriers and local atomics. Caller: dispatch/group.c. */
    geo_lower_fn collective;

    /* ---- calls ---- */

    /* Lower OpFunctionCall and OpFunctionPointerCallINTEL. Caller: dispatch/dispatch.c. */
    geo_lower_fn call, call_pointer;
    /* Returns the value of a pointer to a function, which is a constant. Reports an error if the
     * function cannot be called through a pointer. Caller: geo_global_variable_address. */
    LLVMValueRef (*function_address)(struct geo_lower_function *f,
                                     const struct geo_ir_function *function);

    /* ---- services of the host ---- */

    /* Lower printf of OpenCL.std (caller: ext/opencl.c) and GEO_OP_ASSERT_FAIL (caller:
     * dispatch/dispatch.c). */
    geo_lower_fn print, assert_fail;
};

/* cpu/machine.c, simt/machine.c */
extern const struct geo_lower_machine geo_lower_cpu, geo_lower_simt;

#endif
