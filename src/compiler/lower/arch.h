/* Describes the target architecture for lowering: table rows, and functions where rows are not
 * enough. Each architecture has one file in arch/. Its levels and features are in
 * codegen/target.h. */
#ifndef GEO_COMPILER_LOWER_ARCH_H
#define GEO_COMPILER_LOWER_ARCH_H

#include <llvm-c/Core.h>
#include <spirv/unified1/spirv.h>
#include <stdbool.h>
#include <stdint.h>

struct geo_lower_function;
struct geo_lower_target;

/* Float operations that can be rounded in any mode (arith/mode.h). */
enum geo_rounded {
    GEO_ROUNDED_ADD,
    GEO_ROUNDED_SUBTRACT,
    GEO_ROUNDED_MULTIPLY,
    GEO_ROUNDED_DIVIDE,
    GEO_ROUNDED_SQRT,
    GEO_ROUNDED_FMA, /* only if the target has FMA instructions */
};

/* An instruction that permutes vector elements by indices in a register (emit/permute.c). It
 * handles units of `bits` bits. */
struct geo_lower_permute {
    uint32_t needs;       /* required bits of enum geo_native_feature */
    uint32_t bits, lanes; /* size of a unit; units per register */
    /* LLVM intrinsics that select from one, two or four registers; NULL: the target lacks it */
    const char *one, *two, *four;
    /* the indices are the last argument; otherwise they follow the first register */
    bool numbers_last;
    bool cuts; /* ignores the index bits beyond the register, so the index needs no masking */
};

/* How to read and write the register with the rounding mode (arith/mode.c). */
struct geo_lower_mode_register {
    const char *get, *set;
    bool by_pointer; /* both intrinsics take the address of the value */
    uint32_t bits, shift;
    uint32_t codes[4]; /* 2-bit code of each SpvFPRoundingMode */
};

/* All that lowering knows about one architecture. */
struct geo_lower_arch {
    const struct geo_lower_permute *permutes;
    uint32_t permute_count;
    struct geo_lower_mode_register mode;
    /* Returns the number of vector registers for code with vectors of `vector_bits` bits. */
    uint32_t (*registers)(uint32_t vector_bits);
    /* GEO_OP_GUESS_INVERSE, GEO_OP_GUESS_INVERSE_ROOT and GEO_OP_SCALE: `guesses` tells whether the
     * target has an instruction for elements of `bits` bits. `guess` emits it for whole registers;
     * `n` is the power for GEO_OP_SCALE, otherwise NULL. */
    bool (*guesses)(const struct geo_lower_function *f, uint32_t op, uint32_t bits);
    LLVMValueRef (*guess)(struct geo_lower_function *f, uint32_t op, LLVMValueRef x,
                          LLVMValueRef n);
    /* Converts floats to the bits of halves by an instruction of the target (needs has_half).
     * Returns NULL if no instruction rounds in this mode. */
    LLVMValueRef (*to_half)(struct geo_lower_function *f, LLVMValueRef value,
                            SpvFPRoundingMode mode);
    /* Emits a float operation in a rounding mode other than the default. NULL: `mode` switches the
     * processor's mode around the operation. */
    LLVMValueRef (*rounded)(struct geo_lower_function *f, enum geo_rounded operation,
                            SpvFPRoundingMode mode, const LLVMValueRef *operands);
    /* Emits the dot product of the small integers in each 32-bit element, of `bits` bits: four
     * bytes, or two 16-bit numbers with signs. If both operands have signs, or none has, the sum of
     * the first one's components may be needed too. Returns NULL if the target lacks such an
     * instruction; the function pointer itself may be NULL. */
    LLVMValueRef (*dot)(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b, uint32_t bits,
                        bool a_signed, bool b_signed);
    /* Returns the largest table of bytes that `look_up` takes; 0: none. */
    uint32_t (*look_up_limit)(const struct geo_lower_target *target);
    /* Returns the bytes of `table` at `numbers`, a vector of as many bytes as there are lanes. The
     * table has a power of two of bytes, at least 16. Numbers beyond it may give any byte. */
    LLVMValueRef (*look_up)(struct geo_lower_function *f, LLVMValueRef table, LLVMValueRef numbers);
};

extern const struct geo_lower_arch geo_lower_x86_64, geo_lower_aarch64, geo_lower_nvptx64;

#endif
