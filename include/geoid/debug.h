/* Register sets of Geoid's CPU devices, for debuggers that use zetDebug*. docs/user/debug-api.md
 * describes sessions, threads and memory. */
#ifndef GEOID_DEBUG_H
#define GEOID_DEBUG_H

#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The version of the sets below, in zet_debug_regset_properties_t::version. */
#define GEOID_REGSET_VERSION 1u

/* Types of register sets, for zetDebugReadRegisters and zetDebugWriteRegisters. The properties of a
 * set have the number of registers and their size. A machine lacks the sets that its processor does
 * not have. */
typedef enum _geoid_regset_t {
    /* General registers of 64 bits, by their DWARF numbers. x86-64: rax, rdx, rcx, rbx, rsi, rdi,
     * rbp, rsp, r8 to r15, and as number 16 the program counter. AArch64: x0 to x30, sp, and as
     * number 32 the program counter. */
    GEOID_REGSET_GENERAL = 1,
    /* Vector registers as wide as the machine's: xmm, ymm or zmm 0 to 15, with AVX-512 0 to 31;
     * AArch64: v0 to v31. */
    GEOID_REGSET_VECTOR = 2,
    GEOID_REGSET_MASK = 3,   /* AVX-512: k0 to k7, 64 bits each */
    GEOID_REGSET_STATUS = 4, /* geoid_status_register_t, 64 bits each */
    GEOID_REGSET_LAUNCH = 5, /* geoid_launch_register_t, 64 bits each; read only */
} geoid_regset_t;

/* Number of the program counter in GEOID_REGSET_GENERAL. */
#if defined(__aarch64__)
#define GEOID_REGISTER_PC 32u
#define GEOID_REGISTER_SP 31u
#else
#define GEOID_REGISTER_PC 16u
#define GEOID_REGISTER_SP 7u
#endif

/* The registers of GEOID_REGSET_STATUS. */
typedef enum _geoid_status_register_t {
    GEOID_STATUS_FLAGS = 0, /* x86-64: RFLAGS; AArch64: PSTATE */
    GEOID_STATUS_FLOAT = 1, /* x86-64: MXCSR; AArch64: FPCR */
} geoid_status_register_t;

/* Bit of GEOID_STATUS_FLAGS on x86-64. A thread that is resumed with it stops again after one
 * instruction of a kernel. The stop clears it. */
#define GEOID_STATUS_FLAGS_STEP UINT64_C(0x100)

/* The registers of GEOID_REGSET_LAUNCH: what a stopped thread runs. Grids are as they run: kernels
 * that do not depend on their work-groups run in other groups than the program asked for, unless
 * GEOID_EXACT_FAULTS=1 is set in the debugged process. */
typedef enum _geoid_launch_register_t {
    GEOID_LAUNCH_LANES = 0, /* work-items that run together in the lanes of vectors: 1 to 64 */
    GEOID_LAUNCH_FLAGS = 1, /* GEOID_LAUNCH_FLAG_* */
    /* The thread is in one of `group_count` work-groups from `first_group` on. Groups are numbered
     * x fastest. */
    GEOID_LAUNCH_FIRST_GROUP = 2,
    GEOID_LAUNCH_GROUP_COUNT = 3,
    GEOID_LAUNCH_GROUPS_X = 4, /* the launch: number of work-groups */
    GEOID_LAUNCH_GROUPS_Y = 5,
    GEOID_LAUNCH_GROUPS_Z = 6,
    GEOID_LAUNCH_LOCAL_SIZE_X = 7, /* work-items of a work-group */
    GEOID_LAUNCH_LOCAL_SIZE_Y = 8,
    GEOID_LAUNCH_LOCAL_SIZE_Z = 9,
    GEOID_LAUNCH_GLOBAL_OFFSET_X = 10,
    GEOID_LAUNCH_GLOBAL_OFFSET_Y = 11,
    GEOID_LAUNCH_GLOBAL_OFFSET_Z = 12,
    GEOID_LAUNCH_GLOBAL_SIZE_X = 13, /* work-items of the launch */
    GEOID_LAUNCH_GLOBAL_SIZE_Y = 14,
    GEOID_LAUNCH_GLOBAL_SIZE_Z = 15,
    GEOID_LAUNCH_LOCAL_MEMORY = 16,       /* address of offset 0 of the space SLM */
    GEOID_LAUNCH_LOCAL_MEMORY_BYTES = 17, /* size of the space SLM */
    GEOID_LAUNCH_ARGUMENTS = 18,          /* address of the kernel's arguments */
    GEOID_LAUNCH_KERNEL_NAME = 19,        /* address of the kernel's name, terminated by 0 */
    GEOID_LAUNCH_KERNEL_ENTRY = 20,       /* address of its first instruction */
    GEOID_LAUNCH_STOP_REASON = 21,        /* geoid_stop_reason_t */
    GEOID_LAUNCH_STOP_SIGNAL = 22,        /* number of the signal; 0: an interrupt */
    GEOID_LAUNCH_STOP_ADDRESS = 23,       /* page faults: the address; otherwise 0 */
    GEOID_LAUNCH_SYSTEM_THREAD = 24,      /* the thread's id in the system */
    GEOID_LAUNCH_REGISTER_COUNT = 25,
} geoid_launch_register_t;

/* The work-items of a work-group are in lanes by their linear numbers. Without this flag a vector
 * has neighbours along x. */
#define GEOID_LAUNCH_FLAG_LINEAR UINT64_C(1)

/* Why a thread stopped. */
typedef enum _geoid_stop_reason_t {
    GEOID_STOP_INTERRUPT = 1,  /* zetDebugInterrupt */
    GEOID_STOP_BREAKPOINT = 2, /* the program counter is at the breakpoint instruction */
    GEOID_STOP_STEP = 3,       /* GEOID_STATUS_FLAGS_STEP */
    GEOID_STOP_FAULT = 4,      /* an invalid access, instruction or operation */
} geoid_stop_reason_t;

#if defined(__cplusplus)
}
#endif

#endif
