/* Describes the processor: registers by DWARF's numbers, the instruction that stops, and the flag
 * that stops after one instruction. */
#ifndef ZEDBG_MACHINE_H
#define ZEDBG_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* DWARF's numbers of general registers. The program counter takes the number of the return address,
 * which stands for it in unwinding. */
enum { MACHINE_SP = 7, MACHINE_PC = 16, MACHINE_GENERAL = 17 };

#define MACHINE_VECTOR_BYTES 64u   /* of the widest vector register */
#define MACHINE_STEP_FLAG    0x100 /* of the flags: stop after the next instruction */

/* The instruction that stops, and its size. */
extern const uint8_t machine_break[1];

/* Returns the name of a general register by DWARF's number. */
const char *machine_general(unsigned number);
/* Returns a register's number by its name without "$", or -1. "pc", "sp" and "fp" are names, too. */
int machine_find(const char *name);
/* Returns the index of the vector register with a number of DWARF, or -1. */
int machine_vector(unsigned number);
/* Returns the index of the mask register with a number of DWARF, or -1. */
int machine_mask(unsigned number);

#endif
