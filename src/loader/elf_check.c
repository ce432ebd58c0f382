/* The header of an ELF file against that of this build. See elf_check.h. */
#include "loader/elf_check.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#elif defined(__riscv)
#define OUR_MACHINE EM_RISCV
#elif defined(__powerpc64__)
#define OUR_MACHINE EM_PPC64
#else
#define OUR_MACHINE EM_NONE /* not judged */
#endif

#define OUR_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)
#define OUR_DATA  (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB)

static const char *header_check(const Elf64_Ehdr *header)
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
    if (OUR_MACHINE != EM_NONE && header->e_machine != OUR_MACHINE) {
        return "a library for another kind of processor";
    }
    if (header->e_type != ET_DYN) {
        return "an ELF file, but not a shared library";
    }
    return NULL;
}

const char *geo_elf_check(const char *path)
{
    Elf64_Ehdr header; /* e_type and e_machine lie at the same place in 32-bit headers */
    memset(&header, 0, sizeof(header));
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return NULL; /* the dynamic linker will say why */
    }
    ssize_t bytes = pread(fd, &header, sizeof(header), 0);
    close(fd);
    if (bytes < (ssize_t)sizeof(Elf32_Ehdr)) {
        return "not a shared library (the file is too short)";
    }
    return header_check(&header);
}
