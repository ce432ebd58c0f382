/* Sizes and places in the output of zetKernelGetProfileInfo, for CPUs. */
#ifndef GEOID_PROFILE_H
#define GEOID_PROFILE_H

/* Most bytes that zetKernelGetProfileInfo writes: zet_profile_properties_t, and behind it the
 * tokens, each with its register sequences. The call has no parameter for the size of the memory,
 * so this much must be there for kernels that were built with ZET_PROFILE_FLAG_FREE_REGISTER_INFO.
 */
#define GEOID_PROFILE_BYTES 512u

/* Offsets in the register file on x86-64. General registers are numbered as in machine code: rax,
 * rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15. */
#define GEOID_PROFILE_X86_64_GENERAL(n) ((n) * 8u)
#define GEOID_PROFILE_X86_64_VECTOR(n)  (128u + (n) * 64u) /* xmm, ymm or zmm n */
#define GEOID_PROFILE_X86_64_MASK(n)    (2176u + (n) * 8u) /* k n */

/* Offsets in the register file on arm64. */
#define GEOID_PROFILE_ARM64_GENERAL(n) ((n) * 8u)         /* x n */
#define GEOID_PROFILE_ARM64_VECTOR(n)  (256u + (n) * 16u) /* v n */

#endif
