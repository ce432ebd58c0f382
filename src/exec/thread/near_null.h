/* Memory that kernels access instead of memory near null (GEO_KERNEL_NEAR_NULL, native/abi.h):
 * `zeros` reads as zeros, and what is written to `sink` is lost or found again by later atomics.
 *
 *     | 32 GiB, no access | base: 1 GiB | 31 GiB, no access |        one such window for each
 *
 * An offset from null is the same offset from the base of a window. Offsets outside of the gibibyte
 * fault, and the fault is reported with the address that the kernel meant.
 *
 * A window is closed until a kernel accesses it. Then the fault handler opens it for all kernels,
 * notes the access for the thread, and the instruction runs again. So a noted access has really
 * happened, and later accesses cost nothing. geo_near_null_watch closes the windows again, so that
 * the accesses of another kernel are noted as well. */
#ifndef GEO_EXEC_THREAD_NEAR_NULL_H
#define GEO_EXEC_THREAD_NEAR_NULL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum geo_near_null_window {
    GEO_NEAR_NULL_ZEROS,
    GEO_NEAR_NULL_SINK,
    GEO_NEAR_NULL_WINDOWS,
};

/* The accesses of the calling thread that opened a window. The fault handler writes it. */
struct geo_near_null_here {
    volatile bool accessed[GEO_NEAR_NULL_WINDOWS];
    volatile uint64_t address[GEO_NEAR_NULL_WINDOWS]; /* that the kernel meant */
};
extern _Thread_local
    __attribute__((tls_model("initial-exec"))) struct geo_near_null_here geo_near_null_here;

/* Reserves the windows at the first call in the process. Returns false if the system does not allow
 * it; then their bases are 0. notes: the fault handler is installed and notes accesses; otherwise
 * the windows are always open. It is the same in each call. */
bool geo_near_null_open(bool notes);

/* Returns the address that stands for null in a window. */
uint64_t geo_near_null_base(enum geo_near_null_window window);

/* Closes the windows if they are open, so that the next access is noted. Does nothing if accesses
 * are not noted. */
void geo_near_null_watch(void);

/* (in the fault handler) Opens the window that was accessed. Returns whether the instruction has to
 * run again. */
bool geo_near_null_retry(int number, const siginfo_t *info);

/* (in the fault handler) Returns the address that a kernel meant: an address in a window as its
 * offset from null, and any other unchanged. */
uintptr_t geo_near_null_meant(uintptr_t address);

#endif
