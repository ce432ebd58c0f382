/* The architecture that this library runs on: all that depends on it outside of the compiler, one
 * header for each. What the compiler makes code for is compiler/codegen/target.h's.
 *
 *     GEO_MACHINE_TARGET         enum geo_native_target: whose native binaries run here
 *     GEO_MACHINE_ELF            e_machine of this library, and of theirs
 *     GEO_MACHINE_AUDIT          what a filter of system calls knows it by
 *     GEO_MACHINE_FP_DEFAULT     the floating-point unit as kernels want it: to nearest, nothing
 *                                traps, denormals kept
 *     GEO_MACHINE_FP_CONTROL     bits of it that are no sticky flags
 *     GEO_MACHINE_PAGE_BYTES     the largest page that a system may have
 *
 *     geo_machine_fp_get, _set   this thread's unit
 *     geo_machine_pause          in a loop that waits for another thread
 *     geo_machine_ticks          a cheap counter, the same on all cores, of unknown rate
 *     geo_machine_instruction    where a signal came to
 *     geo_machine_call           a system call; returns -errno and leaves errno alone
 *     geo_machine_line_stream    copies a line past the caches; `to` is aligned
 *     geo_machine_stream_end     what was streamed is stored before what is stored from here on */
#ifndef GEO_MACHINE_MACHINE_H
#define GEO_MACHINE_MACHINE_H

#include "native/native.h"

#include <elf.h>
#include <linux/audit.h>
#include <stdint.h>
#include <ucontext.h>

#define GEO_MACHINE_LINE_BYTES 64u

#if defined(__x86_64__)
#include "machine/x86_64.h"
#elif defined(__aarch64__)
#include "machine/aarch64.h"
#else
#error "no code is made for this architecture: machine/machine.h has those that it is made for"
#endif

#endif
