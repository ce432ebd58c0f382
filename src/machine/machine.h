/* The architecture that this library runs on: everything outside of the compiler that depends on
 * it, in one header for each. compiler/codegen/target.h describes the architectures that code is
 * generated for.
 *
 *     GEO_MACHINE_TARGET         enum geo_native_target of the native binaries that run here
 *     GEO_MACHINE_ELF            ELF machine number of this library and of native binaries
 *     GEO_MACHINE_AUDIT          its number for system call filters
 *     GEO_MACHINE_FP_DEFAULT     floating-point control for kernels: round to nearest, no traps,
 *                                denormals kept
 *     GEO_MACHINE_FP_CONTROL     mask of the control bits, without sticky flags
 *     GEO_MACHINE_PAGE_BYTES     largest page size that a system may use
 *
 *     geo_machine_fp_get, _set   floating-point control of this thread
 *     geo_machine_pause          hint for a loop that waits for another thread
 *     geo_machine_ticks          a cheap counter of unknown rate, equal on all cores
 *     geo_machine_instruction    address of the instruction that a signal interrupted
 *     geo_machine_call           makes a system call; returns -errno, leaves errno unchanged
 *     geo_machine_line_stream    copies a cache line past the caches; `to` is aligned
 *     geo_machine_stream_end     orders streamed stores before later stores
 */
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
#error "this architecture is not supported: machine/machine.h lists the supported ones"
#endif

#endif
