/* Flags of `memory_flags` (struct geo_ir_inst) that SPIR-V's memory operands do not have. */
#ifndef GEO_COMPILER_IR_ACCESS_H
#define GEO_COMPILER_IR_ACCESS_H

/* Marks a load whose memory stays unchanged while the kernel runs. The bit is free in SPIR-V, and
 * the reader never sets it. */
#define GEO_ACCESS_INVARIANT 0x80000000u
/* Marks a store of a vector of 3 components that has no padding. */
#define GEO_ACCESS_PACKED 0x40000000u

#endif
