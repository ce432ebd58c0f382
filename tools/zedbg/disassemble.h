/* Machine code as text. */
#ifndef ZEDBG_DISASSEMBLE_H
#define ZEDBG_DISASSEMBLE_H

#include "debuggee.h"

/* Prints the instructions in [begin, end) and marks the one at `pc`. `lines`: also the lines of the
 * source. At most `count` instructions. */
bool disassemble(const struct thread *thread, uint64_t begin, uint64_t end, uint64_t count,
                 uint64_t pc, bool lines);

#endif
