/* Sizes and places in the output of zetKernelGetProfileInfo, for CPUs. */
#ifndef GEOID_PROFILE_H
#define GEOID_PROFILE_H

/* The call writes tokens behind zet_profile_properties_t in memory, and has no parameter for the
 * size of that memory. Programs exist that pass the structure alone. So tokens are written only if
 * numTokens is GEOID_PROFILE_TOKENS before the call. This says that the structure is at the start
 * of GEOID_PROFILE_BYTES bytes, the most that the call writes. Otherwise numTokens becomes 0. */
#define GEOID_PROFILE_TOKENS 1u
#define GEOID_PROFILE_BYTES  512u

/* Offsets in the register file on x86-64. General registers are numbered as in machine code: rax,
 * rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15. */
#define GEOID_PROFILE_X86_64_GENERAL(n) ((n) * 8u)
#define GEOID_PROFILE_X86_64_VECTOR(n)  (128u + (n) * 64u) /* xmm, ymm or zmm n */
#define GEOID_PROFILE_X86_64_MASK(n)    (2176u + (n) * 8u) /* k n */

/* Offsets in the register file on arm64. */
#define GEOID_PROFILE_ARM64_GENERAL(n) ((n) * 8u)         /* x n */
#define GEOID_PROFILE_ARM64_VECTOR(n)  (256u + (n) * 16u) /* v n */

#endif
