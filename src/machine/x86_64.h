/* Definitions for x86-64. Included by machine.h, which describes them. */
#ifndef GEO_MACHINE_X86_64_H
#define GEO_MACHINE_X86_64_H

#include <emmintrin.h>

#define GEO_MACHINE_TARGET     GEO_TARGET_X86_64
#define GEO_MACHINE_ELF        EM_X86_64
#define GEO_MACHINE_AUDIT      AUDIT_ARCH_X86_64
#define GEO_MACHINE_FP_DEFAULT 0x1f80u /* value of MXCSR */
#define GEO_MACHINE_FP_CONTROL 0xffc0u
#define GEO_MACHINE_PAGE_BYTES 4096u

static inline uint32_t geo_machine_fp_get(void)
{
    return __builtin_ia32_stmxcsr();
}

static inline void geo_machine_fp_set(uint32_t control)
{
    __builtin_ia32_ldmxcsr(control);
}

static inline void geo_machine_pause(void)
{
    __builtin_ia32_pause();
}

static inline uint64_t geo_machine_ticks(void)
{
    return __builtin_ia32_rdtsc();
}

static inline uintptr_t geo_machine_instruction(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
}

static inline long geo_machine_call(long number, long a, long b, long c, long d)
{
    register long fourth __asm__("r10") = d;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
                     : "rcx", "r11", "memory");
    return result;
}

static inline void geo_machine_line_stream(uint8_t *to, const uint8_t *from)
{
    const __m128i *source = (const __m128i *)(const void *)from;
    __m128i *target = (__m128i *)(void *)to;
    __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
    __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
}

static inline void geo_machine_stream_end(void)
{
    _mm_sfence();
}

#endif
