/* Access to memory at any address. See memory.h. */
#include "backend/cpu/debug/memory.h"

#include "base/assert.h"
#include "machine/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PIECE 4096u /* fits in every pipe */

/* Moves bytes from a place to another one through a pipe. The system checks both addresses. Returns
 * the number of bytes moved. The C library's functions are not called, because sanitizers check
 * there that nobody else uses the memory. */
static size_t pipe_copy(const int ends[2], void *to, const void *from, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        size_t piece = bytes - done < PIECE ? bytes - done : PIECE;
        const long written = syscall(SYS_write, ends[1], (const uint8_t *)from + done, piece);
        if (written <= 0) {
            break;
        }
        const long got = syscall(SYS_read, ends[0], (uint8_t *)to + done, (size_t)written);
        if (got != written) {
            done += got > 0 ? (size_t)got : 0;
            break;
        }
        done += (size_t)got;
    }
    return done;
}

static size_t copy(void *to, const void *from, size_t bytes)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        return 0;
    }
    const size_t done = pipe_copy(ends, to, from, bytes);
    close(ends[0]);
    close(ends[1]);
    return done;
}

bool geo_cpu_debug_memory_read(uint64_t address, void *buffer, size_t bytes)
{
    return bytes <= UINT64_MAX - address &&
           copy(buffer, (const void *)(uintptr_t)address, bytes) == bytes;
}

bool geo_cpu_debug_memory_write(uint64_t address, const void *buffer, size_t bytes)
{
    void *place = (void *)(uintptr_t)address;
    uint8_t *before = malloc(bytes ? bytes : 1);
    bool done = before && geo_cpu_debug_memory_read(address, before, bytes);
    if (done) {
        const size_t written = copy(place, buffer, bytes);
        done = written == bytes;
        if (!done) {
            (void)copy(place, before, written);
        }
    }
    free(before);
    return done;
}

/* ---- code ---- */

/* Writes through the file of the process's memory, which ignores that code cannot be written. */
static bool file_write(uint64_t address, const void *buffer, size_t bytes)
{
    int fd = open("/proc/self/mem", O_WRONLY | O_CLOEXEC);
    bool done = fd >= 0 && pwrite(fd, buffer, bytes, (off_t)address) == (ssize_t)bytes;
    if (fd >= 0) {
        close(fd);
    }
    return done;
}

/* Makes the pages writable meanwhile. They stay executable, because other threads run there. */
static bool pages_write(uint64_t address, const void *buffer, size_t bytes)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t begin = address & ~(page - 1);
    const size_t length = (size_t)(((address + bytes + page - 1) & ~(page - 1)) - begin);
    void *pages = (void *)(uintptr_t)begin;
    if (mprotect(pages, length, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
        return false;
    }
    memcpy((void *)(uintptr_t)address, buffer, bytes);
    return mprotect(pages, length, PROT_READ | PROT_EXEC) == 0;
}

bool geo_cpu_debug_memory_write_code(uint64_t address, const void *buffer, size_t bytes)
{
    GEO_ASSERT(bytes != 0);
    const bool done = file_write(address, buffer, bytes) || pages_write(address, buffer, bytes);
    if (done) {
        /* no effect on x86-64, where instruction fetches see earlier stores */
        __builtin___clear_cache((char *)(uintptr_t)address, (char *)(uintptr_t)(address + bytes));
    }
    return done;
}
