/* The register file that profiles of kernels describe (zetKernelGetProfileInfo), as bytes. The
 * registers of each class follow each other, in the order of their numbers:
 *
 *     x86-64   rax rcx rdx rbx rsp rbp rsi rdi r8 ... r15   16 x  8 bytes from    0
 *              zmm0 ... zmm31                               32 x 64 bytes from  128
 *              k0 ... k7                                     8 x  8 bytes from 2176
 *     arm64    x0 ... x30                                   31 x  8 bytes from    0
 *              v0 ... v31                                   32 x 16 bytes from  256
 *
 * In native binaries a set of registers is a word with one bit for each, in the same order. */
#ifndef GEO_NATIVE_REGISTERS_H
#define GEO_NATIVE_REGISTERS_H

#include <level_zero/zet_api.h>

#include <stdint.h>

/* All flags of -zet-profile-flags. */
#define GEO_NATIVE_PROFILE_FLAGS                                                                   \
    ((uint32_t)(ZET_PROFILE_FLAG_REGISTER_REALLOCATION | ZET_PROFILE_FLAG_FREE_REGISTER_INFO))

/* Most sequences that geo_native_registers_list writes: no two of them touch. */
#define GEO_NATIVE_REGISTERS_SEQUENCES 32u

/* One class of registers. */
struct geo_native_register_class {
    const char *llvm; /* LLVM's names of its registers: a prefix before the number, or a list */
    uint32_t first;   /* bit of register 0 */
    uint32_t count;
    uint32_t start, bytes; /* of the first register, and of each, in the register file */
};

/* Returns the classes of a target, up to one with count 0; NULL for an unknown target. */
const struct geo_native_register_class *geo_native_registers_classes(uint32_t target);

/* Returns the registers of a target with these features that a function may overwrite without
 * saving them. Others are never free. */
uint64_t geo_native_registers_scratch(uint32_t target, uint32_t features);

/* Returns the registers that code leaves alone which is made with
 * ZET_PROFILE_FLAG_REGISTER_REALLOCATION: some of each class. */
uint64_t geo_native_registers_spared(uint32_t target, uint32_t features);

/* Writes the bytes of a set of registers as sequences, sorted, as long as possible, and returns
 * their number. Code that only uses the lower part of registers says nothing about the rest, so
 * only the part that the features include is listed. */
uint32_t
geo_native_registers_list(uint32_t target, uint32_t features, uint64_t set,
                          zet_profile_register_sequence_t out[GEO_NATIVE_REGISTERS_SEQUENCES]);

#endif
