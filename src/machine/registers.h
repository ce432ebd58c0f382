/* Registers of a thread that a signal interrupted, in the context that its handler gets. A change
 * takes effect when the handler returns.
 *
 * Sets and numbers are those of geoid/debug.h. */
#ifndef GEO_MACHINE_REGISTERS_H
#define GEO_MACHINE_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

enum geo_machine_register_set {
    GEO_MACHINE_GENERAL = 1, /* by DWARF numbers, then the program counter */
    GEO_MACHINE_VECTOR,
    GEO_MACHINE_MASK,
    GEO_MACHINE_STATUS, /* flags, floating-point control */
    GEO_MACHINE_REGISTER_SETS = GEO_MACHINE_STATUS,
};

#define GEO_MACHINE_REGISTER_BYTES 64u /* of the largest register */

/* ---- defined by the architecture's file (x86_64_registers.c ...) ---- */

/* Returns how many registers of a set this machine has, and their size in bytes. 0: it lacks the
 * set. */
uint32_t geo_machine_registers_count(enum geo_machine_register_set set, uint32_t *bytes);

/* Reads or writes one register of a set that the machine has. */
void geo_machine_registers_read(const ucontext_t *context, enum geo_machine_register_set set,
                                uint32_t number, void *value);
void geo_machine_registers_write(ucontext_t *context, enum geo_machine_register_set set,
                                 uint32_t number, const void *value);

/* Returns whether the thread traps after one instruction, or changes that. Without effect on
 * machines where only the system can step. */
bool geo_machine_registers_steps(const ucontext_t *context);
void geo_machine_registers_step(ucontext_t *context, bool step);

/* Returns the address of the breakpoint instruction that trapped, or moves the program counter. */
uintptr_t geo_machine_registers_breakpoint(const ucontext_t *context);
void geo_machine_registers_move(ucontext_t *context, uintptr_t instruction);

/* Returns whether the bytes at an address are a breakpoint instruction. */
bool geo_machine_registers_is_breakpoint(const uint8_t *code);

#endif
