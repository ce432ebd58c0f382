/* What memory_flags of an instruction say beside SPIR-V's memory access operands. */
#ifndef GEO_COMPILER_IR_ACCESS_H
#define GEO_COMPILER_IR_ACCESS_H

/* Nothing writes there while the kernel runs. SPIR-V has no such bit; the reader lets none of its
 * own through. */
#define GEO_ACCESS_INVARIANT 0x80000000u

#endif
