/* Compares the header of an ELF file with that of this build. See elf_check.h. */
#include "loader/library/elf_check.h"

#include "machine/machine.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUR_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)
#define OUR_DATA  (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB)

/* Checks the ELF header. The fields e_type and e_machine have the same offset in 32-bit and 64-bit
 * headers. */
static const char *header_check(const ElfW(Ehdr) * header)
{
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
        return "not a shared library (no ELF header)";
    }
    if (header->e_ident[EI_CLASS] != OUR_CLASS) {
        return sizeof(void *) == 8 ? "a library for 32-bit programs, this one has 64 bits"
                                   : "a library for 64-bit programs, this one has 32 bits";
    }
    if (header->e_ident[EI_DATA] != OUR_DATA) {
        return "a library for a machine of other byte order";
    }
    if (header->e_machine != GEO_MACHINE_ELF) {
        return "a library for another kind of processor";
    }
    if (header->e_type != ET_DYN) {
        return "an ELF file, but not a shared library";
    }
    return NULL;
}

/* Checks that the file contains all loaded segments. The dynamic linker maps them without a check,
 * and access to a page behind the end of a truncated file would kill the process. Only files of
 * this build's ELF class get here. */
static const char *segments_check(int fd, const ElfW(Ehdr) * header, uint64_t file_bytes)
{
    static const char truncated[] = "not a shared library (the file is truncated)";
    for (uint32_t i = 0; i < header->e_phnum; i++) {
        ElfW(Phdr) segment;
        uint64_t offset = (uint64_t)header->e_phoff + (uint64_t)i * sizeof(segment);
        if (header->e_phentsize != sizeof(segment) || offset > INT64_MAX ||
            pread(fd, &segment, sizeof(segment), (off_t)offset) != (ssize_t)sizeof(segment)) {
            return truncated;
        }
        if (segment.p_type == PT_LOAD &&
            (segment.p_offset > file_bytes || segment.p_filesz > file_bytes - segment.p_offset)) {
            return truncated;
        }
    }
    return NULL;
}

static const char *file_check(int fd)
{
    ElfW(Ehdr) header;
    struct stat status;
    memset(&header, 0, sizeof(header));
    ssize_t bytes = pread(fd, &header, sizeof(header), 0);
    if (bytes < (ssize_t)sizeof(Elf32_Ehdr) || fstat(fd, &status) != 0) {
        return "not a shared library (the file is too short)";
    }
    const char *mismatch = header_check(&header);
    if (!mismatch && bytes < (ssize_t)sizeof(header)) {
        mismatch = "not a shared library (the file is too short)";
    }
    return mismatch ? mismatch : segments_check(fd, &header, (uint64_t)status.st_size);
}

const char *geo_elf_check(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return NULL; /* the dynamic linker reports the error */
    }
    const char *mismatch = file_check(fd);
    close(fd);
    return mismatch;
}
