/* Definitions for arm64. Included by machine.h, which describes them. */
#ifndef GEO_MACHINE_AARCH64_H
#define GEO_MACHINE_AARCH64_H

#include <stdatomic.h>

#define GEO_MACHINE_TARGET     GEO_TARGET_AARCH64
#define GEO_MACHINE_ELF        EM_AARCH64
#define GEO_MACHINE_AUDIT      AUDIT_ARCH_AARCH64
#define GEO_MACHINE_FP_DEFAULT 0u /* value of FPCR; the sticky flags are in FPSR */
#define GEO_MACHINE_FP_CONTROL 0xffffffffu
#define GEO_MACHINE_PAGE_BYTES 65536u

static inline uint32_t geo_machine_fp_get(void)
{
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return (uint32_t)control;
}

static inline void geo_machine_fp_set(uint32_t control)
{
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)control));
}

static inline void geo_machine_pause(void)
{
    __asm__ volatile("yield");
}

static inline uint64_t geo_machine_ticks(void)
{
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

static inline uintptr_t geo_machine_instruction(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.pc;
}

static inline long geo_machine_call(long number, long a, long b, long c, long d)
{
    register long call __asm__("x8") = number;
    register long first __asm__("x0") = a;
    register long second __asm__("x1") = b;
    register long third __asm__("x2") = c;
    register long fourth __asm__("x3") = d;
    __asm__ volatile("svc #0"
                     : "+r"(first)
                     : "r"(call), "r"(second), "r"(third), "r"(fourth)
                     : "memory");
    return first;
}

static inline void geo_machine_line_stream(uint8_t *to, const uint8_t *from)
{
    __asm__ volatile("ldp q0, q1, [%1]\n\tldp q2, q3, [%1, #32]\n\t"
                     "stnp q0, q1, [%0]\n\tstnp q2, q3, [%0, #32]"
                     :
                     : "r"(to), "r"(from)
                     : "v0", "v1", "v2", "v3", "memory");
}

static inline void geo_machine_stream_end(void)
{
    atomic_thread_fence(memory_order_release);
}

#endif
