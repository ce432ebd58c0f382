/* Registers of arm64 in a signal context. See registers.h.
 *
 * Vector registers are in a record of the context's reserved area. Only the system can step a
 * thread. */
#include "machine/registers.h"

#include <asm/sigcontext.h>
#include <string.h>

#define GENERAL_COUNT 33u
#define STATUS_COUNT  2u
#define VECTOR_COUNT  32u
#define SP            31u
#define CONDITIONS    UINT64_C(0xf0000000) /* the flags that a program may change */
#define BREAKPOINT    0xd4200000u          /* brk, without its number */

uint32_t geo_machine_registers_count(enum geo_machine_register_set set, uint32_t *bytes)
{
    *bytes = sizeof(uint64_t);
    switch (set) {
    case GEO_MACHINE_GENERAL:
        return GENERAL_COUNT;
    case GEO_MACHINE_VECTOR:
        *bytes = 16;
        return VECTOR_COUNT;
    case GEO_MACHINE_STATUS:
        return STATUS_COUNT;
    case GEO_MACHINE_MASK:
        break;
    }
    return 0;
}

/* Returns the record of the vector registers, or NULL. */
static struct fpsimd_context *vectors_find(const ucontext_t *context)
{
    const size_t room = sizeof(context->uc_mcontext.__reserved);
    uint8_t *area = (uint8_t *)(uintptr_t)context->uc_mcontext.__reserved;
    struct _aarch64_ctx head;
    for (size_t at = 0; at + sizeof(struct fpsimd_context) <= room; at += head.size) {
        memcpy(&head, area + at, sizeof(head));
        if (head.magic == FPSIMD_MAGIC) {
            return (struct fpsimd_context *)(void *)(area + at);
        }
        if (head.magic == 0 || head.size == 0) {
            break;
        }
    }
    return NULL;
}

static uint64_t *general_find(ucontext_t *context, uint32_t number)
{
    mcontext_t *machine = &context->uc_mcontext;
    return (uint64_t *)(number < SP    ? &machine->regs[number]
                        : number == SP ? &machine->sp
                                       : &machine->pc);
}

void geo_machine_registers_read(const ucontext_t *context, enum geo_machine_register_set set,
                                uint32_t number, void *value)
{
    const struct fpsimd_context *vectors = vectors_find(context);
    uint64_t word = 0;
    switch (set) {
    case GEO_MACHINE_VECTOR:
        memset(value, 0, 16);
        if (vectors) {
            memcpy(value, &vectors->vregs[number], 16);
        }
        return;
    case GEO_MACHINE_GENERAL:
        word = *general_find((ucontext_t *)(uintptr_t)context, number);
        break;
    case GEO_MACHINE_STATUS:
        word = number == 0 ? context->uc_mcontext.pstate : vectors ? vectors->fpcr : 0;
        break;
    case GEO_MACHINE_MASK:
        break;
    }
    memcpy(value, &word, sizeof(word));
}

void geo_machine_registers_write(ucontext_t *context, enum geo_machine_register_set set,
                                 uint32_t number, const void *value)
{
    struct fpsimd_context *vectors = vectors_find(context);
    uint64_t word;
    if (set == GEO_MACHINE_VECTOR) {
        if (vectors) {
            memcpy(&vectors->vregs[number], value, 16);
        }
        return;
    }
    memcpy(&word, value, sizeof(word));
    if (set == GEO_MACHINE_GENERAL) {
        *general_find(context, number) = word;
    } else if (set == GEO_MACHINE_STATUS && number == 0) {
        context->uc_mcontext.pstate =
            (context->uc_mcontext.pstate & ~CONDITIONS) | (word & CONDITIONS);
    } else if (set == GEO_MACHINE_STATUS && vectors) {
        vectors->fpcr = (uint32_t)word;
    }
}

bool geo_machine_registers_steps(const ucontext_t *context)
{
    (void)context;
    return false;
}

void geo_machine_registers_step(ucontext_t *context, bool step)
{
    (void)context;
    (void)step;
}

uintptr_t geo_machine_registers_breakpoint(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.pc;
}

void geo_machine_registers_move(ucontext_t *context, uintptr_t instruction)
{
    context->uc_mcontext.pc = instruction;
}

bool geo_machine_registers_is_breakpoint(const uint8_t *code)
{
    uint32_t word;
    memcpy(&word, code, sizeof(word));
    return (word & 0xffe0001fu) == BREAKPOINT;
}
