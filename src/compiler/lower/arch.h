/* What of lowering depends on the architecture that code is for: rows, and functions where rows do
 * not say it. arch/ has one file for each. Levels and features of an architecture are rows of
 * codegen/target.h. */
#ifndef GEO_COMPILER_LOWER_ARCH_H
#define GEO_COMPILER_LOWER_ARCH_H

#include <llvm-c/Core.h>
#include <spirv/unified1/spirv.h>
#include <stdbool.h>
#include <stdint.h>

struct geo_lower_function;

/* One instruction that permutes by numbers which are not known (emit/permute.c). */
struct geo_lower_permute {
    uint32_t needs;       /* enum geo_native_feature */
    uint32_t bits, lanes; /* of a unit; in a register */
    /* By how many registers they choose from: of one, two, four. NULL: there is none. */
    const char *one, *two, *four;
    bool numbers_last; /* behind the registers; else behind the first one */
    bool cuts;         /* looks at as many bits of a number as choose, or the number is in bounds */
};

/* The register that holds the direction of rounding (arith/mode.c). */
struct geo_lower_mode_register {
    const char *get, *set;
    bool by_pointer; /* both take the address of the value */
    uint32_t bits, shift;
    uint32_t codes[4]; /* by SpvFPRoundingMode; two bits */
};

struct geo_lower_arch {
    const struct geo_lower_permute *permutes;
    uint32_t permute_count;
    struct geo_lower_mode_register mode;
    /* Vector registers that code for vectors of so many bits has. */
    uint32_t (*registers)(uint32_t vector_bits);
    /* GEO_OP_GUESS_INVERSE, GEO_OP_GUESS_INVERSE_ROOT, GEO_OP_SCALE: whether there are instructions
     * for elements of so many bits; on whole registers, n is the power (GEO_OP_SCALE) or NULL. */
    bool (*guesses)(const struct geo_lower_function *f, uint32_t op, uint32_t bits);
    LLVMValueRef (*guess)(struct geo_lower_function *f, uint32_t op, LLVMValueRef x,
                          LLVMValueRef n);
    /* Floats to the bits of halves by the target's instruction (has_half); NULL: it does not round
     * so. */
    LLVMValueRef (*to_half)(struct geo_lower_function *f, LLVMValueRef value,
                            SpvFPRoundingMode mode);
    /* Sums of the products of four bytes, of vectors of 32 bits; NULL: there is no instruction. The
     * function may be NULL. */
    LLVMValueRef (*dot)(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b, bool a_signed,
                        bool b_signed);
};

extern const struct geo_lower_arch geo_lower_x86_64, geo_lower_aarch64;

#endif
