/* Registers of x86-64 in a signal context. See registers.h.
 *
 * Vector registers are in the XSAVE area behind fpregs, in its standard format: the FXSAVE area of
 * 512 bytes, the header, then the components at offsets that CPUID tells. A component whose bit in
 * the header is clear has its initial value, zero. */
#include "machine/registers.h"

#include <cpuid.h>
#include <string.h>

#define GENERAL_COUNT 17u
#define STATUS_COUNT  2u
#define MASK_COUNT    8u

#define FLAG_TRAP 0x100
/* the flags that a program may change: arithmetic, direction, trap, alignment, identification */
#define FLAGS_WRITABLE UINT64_C(0x240dd5)

#define FXSAVE_XMM   160u
#define FXSAVE_MXCSR 24u
#define FXSAVE_MASK  28u  /* bits of MXCSR that exist; 0: the default */
#define FXSAVE_MAGIC 464u /* the system's words: magic, total size, components, size */
#define MAGIC        0x46505853u
#define HEADER       512u
#define MXCSR_BITS   0xffbfu

/* Numbers of components. */
enum component {
    SSE = 1,
    YMM_HIGH = 2, /* bits 128 to 255 of registers 0 to 15 */
    MASKS = 5,
    ZMM_HIGH = 6, /* bits 256 to 511 of registers 0 to 15 */
    ZMM_MORE = 7, /* registers 16 to 31 */
};

static const int general[GENERAL_COUNT] = {
    REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
    REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
};

/* Returns the components that the system saves. */
static uint64_t components_saved(void)
{
    uint32_t eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE)) {
        return 0;
    }
    __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
    return (uint64_t)edx << 32 | eax;
}

static bool has(enum component component)
{
    return components_saved() >> component & 1;
}

/* Returns the size of a vector register in bytes. */
static uint32_t vector_bytes(void)
{
    return has(ZMM_MORE) ? 64 : has(YMM_HIGH) ? 32 : 16;
}

uint32_t geo_machine_registers_count(enum geo_machine_register_set set, uint32_t *bytes)
{
    *bytes = sizeof(uint64_t);
    switch (set) {
    case GEO_MACHINE_GENERAL:
        return GENERAL_COUNT;
    case GEO_MACHINE_VECTOR:
        *bytes = vector_bytes();
        return *bytes == 64 ? 32 : 16;
    case GEO_MACHINE_MASK:
        return has(MASKS) ? MASK_COUNT : 0;
    case GEO_MACHINE_STATUS:
        return STATUS_COUNT;
    }
    return 0;
}

/* ---- the XSAVE area ---- */

static uint32_t word_at(const uint8_t *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof(word));
    return word;
}

/* Returns the place of a component, or NULL if the context lacks it. */
static uint8_t *component_find(uint8_t *area, enum component component, uint32_t *bytes)
{
    uint32_t eax, ebx, ecx, edx;
    if (word_at(area + FXSAVE_MAGIC) != MAGIC || !has(component) ||
        !__get_cpuid_count(0xd, (uint32_t)component, &eax, &ebx, &ecx, &edx) || eax == 0 ||
        ebx + eax > word_at(area + FXSAVE_MAGIC + 4)) {
        return NULL;
    }
    *bytes = eax;
    return area + ebx;
}

static bool component_is_set(const uint8_t *area, enum component component)
{
    return area[HEADER] >> component & 1;
}

/* Reads or writes a part of a register in a component. */
static void part_read(uint8_t *area, enum component component, uint32_t offset, uint32_t size,
                      uint8_t *value)
{
    uint32_t bytes;
    const uint8_t *from = component_find(area, component, &bytes);
    memset(value, 0, size);
    if (from && component_is_set(area, component)) {
        memcpy(value, from + offset, size);
    }
}

static void part_write(uint8_t *area, enum component component, uint32_t offset, uint32_t size,
                       const uint8_t *value)
{
    uint32_t bytes;
    uint8_t *to = component_find(area, component, &bytes);
    if (!to) {
        return;
    }
    if (!component_is_set(area, component)) {
        memset(to, 0, bytes);
        area[HEADER] = (uint8_t)(area[HEADER] | 1u << component);
    }
    memcpy(to + offset, value, size);
}

static void vector_read(uint8_t *area, uint32_t number, uint8_t *value)
{
    const uint32_t size = vector_bytes();
    if (number >= 16) {
        part_read(area, ZMM_MORE, (number - 16) * 64, 64, value);
        return;
    }
    memset(value, 0, 16);
    if (word_at(area + FXSAVE_MAGIC) != MAGIC || component_is_set(area, SSE)) {
        memcpy(value, area + FXSAVE_XMM + (size_t)number * 16, 16);
    }
    if (size >= 32) {
        part_read(area, YMM_HIGH, number * 16, 16, value + 16);
    }
    if (size == 64) {
        part_read(area, ZMM_HIGH, number * 32, 32, value + 32);
    }
}

static void vector_write(uint8_t *area, uint32_t number, const uint8_t *value)
{
    const uint32_t size = vector_bytes();
    if (number >= 16) {
        part_write(area, ZMM_MORE, (number - 16) * 64, 64, value);
        return;
    }
    if (word_at(area + FXSAVE_MAGIC) == MAGIC && !component_is_set(area, SSE)) {
        memset(area + FXSAVE_XMM, 0, (size_t)16 * 16);
        area[HEADER] = (uint8_t)(area[HEADER] | 1u << SSE);
    }
    memcpy(area + FXSAVE_XMM + (size_t)number * 16, value, 16);
    if (size >= 32) {
        part_write(area, YMM_HIGH, number * 16, 16, value + 16);
    }
    if (size == 64) {
        part_write(area, ZMM_HIGH, number * 32, 32, value + 32);
    }
}

/* ---- the interface ---- */

void geo_machine_registers_read(const ucontext_t *context, enum geo_machine_register_set set,
                                uint32_t number, void *value)
{
    uint8_t *area = (uint8_t *)(void *)context->uc_mcontext.fpregs;
    uint64_t word = 0;
    switch (set) {
    case GEO_MACHINE_VECTOR:
        vector_read(area, number, value);
        return;
    case GEO_MACHINE_MASK:
        part_read(area, MASKS, number * 8, 8, value);
        return;
    case GEO_MACHINE_GENERAL:
        word = (uint64_t)context->uc_mcontext.gregs[general[number]];
        break;
    case GEO_MACHINE_STATUS:
        word = number == 0 ? (uint64_t)context->uc_mcontext.gregs[REG_EFL]
                           : word_at(area + FXSAVE_MXCSR);
        break;
    }
    memcpy(value, &word, sizeof(word));
}

/* A bit of MXCSR that does not exist would make the return from the handler fail. */
static void status_write(ucontext_t *context, uint8_t *area, uint32_t number, uint64_t word)
{
    greg_t *flags = &context->uc_mcontext.gregs[REG_EFL];
    if (number == 0) {
        *flags = (greg_t)(((uint64_t)*flags & ~FLAGS_WRITABLE) | (word & FLAGS_WRITABLE));
        return;
    }
    const uint32_t mask = word_at(area + FXSAVE_MASK);
    const uint32_t control = (uint32_t)word & (mask ? mask : MXCSR_BITS);
    memcpy(area + FXSAVE_MXCSR, &control, sizeof(control));
}

void geo_machine_registers_write(ucontext_t *context, enum geo_machine_register_set set,
                                 uint32_t number, const void *value)
{
    uint8_t *area = (uint8_t *)(void *)context->uc_mcontext.fpregs;
    uint64_t word;
    switch (set) {
    case GEO_MACHINE_VECTOR:
        vector_write(area, number, value);
        return;
    case GEO_MACHINE_MASK:
        part_write(area, MASKS, number * 8, 8, value);
        return;
    case GEO_MACHINE_GENERAL:
        memcpy(&word, value, sizeof(word));
        context->uc_mcontext.gregs[general[number]] = (greg_t)word;
        return;
    case GEO_MACHINE_STATUS:
        memcpy(&word, value, sizeof(word));
        status_write(context, area, number, word);
        return;
    }
}

bool geo_machine_registers_steps(const ucontext_t *context)
{
    return context->uc_mcontext.gregs[REG_EFL] & FLAG_TRAP;
}

void geo_machine_registers_step(ucontext_t *context, bool step)
{
    greg_t *flags = &context->uc_mcontext.gregs[REG_EFL];
    *flags = step ? *flags | FLAG_TRAP : *flags & ~(greg_t)FLAG_TRAP;
}

/* The program counter is behind the instruction int3. */
uintptr_t geo_machine_registers_breakpoint(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP] - 1;
}

void geo_machine_registers_move(ucontext_t *context, uintptr_t instruction)
{
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)instruction;
}

bool geo_machine_registers_is_breakpoint(const uint8_t *code)
{
    return *code == 0xcc;
}
