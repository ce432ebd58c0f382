/* Finds functions of our libraries by address. See ours.h. It must not call malloc, because our
 * malloc calls it. */
#include "ours.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILES_MAX 16

struct function {
    uintptr_t begin, end;
    const char *name;
};

/* A loaded file. */
static struct file {
    uintptr_t load, begin, end;
    struct function *functions; /* sorted */
    size_t count;
} files[FILES_MAX];
static size_t file_count;

static void *pages(size_t bytes, int fd)
{
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE;
    int protection = PROT_READ | (fd < 0 ? PROT_WRITE : 0);
    void *memory = (void *)syscall(SYS_mmap, NULL, bytes, protection, flags, fd, 0L);
    return memory == MAP_FAILED ? NULL : memory;
}

static void sift(struct function *heap, size_t root, size_t count)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && heap[child + 1].begin > heap[child].begin) {
            child++;
        }
        if (heap[root].begin >= heap[child].begin) {
            return;
        }
        struct function swap = heap[root];
        heap[root] = heap[child];
        heap[child] = swap;
    }
}

static void sort(struct function *functions, size_t count)
{
    for (size_t i = count / 2; i-- > 0;) {
        sift(functions, i, count);
    }
    for (size_t i = count; i-- > 1;) {
        struct function swap = functions[0];
        functions[0] = functions[i];
        functions[i] = swap;
        sift(functions, 0, i);
    }
}

static void symbols_read(struct file *file, const uint8_t *bytes, const Elf64_Shdr *table,
                         const char *names)
{
    const Elf64_Sym *symbols = (const Elf64_Sym *)(const void *)(bytes + table->sh_offset);
    size_t count = table->sh_size / sizeof(*symbols);
    file->functions = pages(count * sizeof(*file->functions) + 1, -1);
    for (size_t i = 0; file->functions && i < count; i++) {
        if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC && symbols[i].st_size != 0) {
            uintptr_t begin = file->load + symbols[i].st_value;
            file->functions[file->count++] =
                (struct function){begin, begin + symbols[i].st_size, names + symbols[i].st_name};
        }
    }
    sort(file->functions, file->count);
}

/* Reads the functions of a file. The file stays mapped, as the names point into it. */
static void file_read(struct file *file, const char *path)
{
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    const uint8_t *bytes =
        fd >= 0 && fstat(fd, &status) == 0 ? pages((size_t)status.st_size, fd) : NULL;
    if (fd >= 0) {
        close(fd);
    }
    if (!bytes) {
        return;
    }
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)bytes;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(const void *)(bytes + header->e_shoff);
    for (size_t i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_type == SHT_SYMTAB) {
            symbols_read(file, bytes, &sections[i],
                         (const char *)bytes + sections[sections[i].sh_link].sh_offset);
        }
    }
}

static bool path_is_ours(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    return *name == '\0' || strncmp(name, "libze_", 6) == 0 || strncmp(name, "libgeoid", 8) == 0;
}

static int file_learn(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    (void)data;
    struct file file = {.load = info->dlpi_addr};
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X)) {
            file.begin = info->dlpi_addr + segment->p_vaddr;
            file.end = file.begin + segment->p_memsz;
        }
    }
    for (size_t i = 0; i < file_count; i++) {
        if (files[i].begin == file.begin) {
            return 0;
        }
    }
    if (file_count < FILES_MAX && path_is_ours(info->dlpi_name)) {
        file_read(&file, info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe");
        files[file_count++] = file;
    }
    return 0;
}

void ours_learn(void)
{
    dl_iterate_phdr(file_learn, NULL);
}

static const struct function *function_at(uintptr_t address)
{
    const struct file *file = files;
    while (file < files + file_count && (address < file->begin || address >= file->end)) {
        file++;
    }
    if (file == files + file_count) {
        return NULL;
    }
    size_t low = 0, high = file->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (file->functions[middle].begin <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low != 0 && address < file->functions[low - 1].end ? &file->functions[low - 1] : NULL;
}

bool ours_made(const void *return_address)
{
    const struct function *function = function_at((uintptr_t)return_address - 1);
    return function && strncmp(function->name, "_Z", 2) != 0 &&
           strncmp(function->name, "LLVM", 4) != 0 &&
           strcmp(function->name, "allocate") != 0; /* the operator new that LLVM calls */
}

const char *ours_name(const void *return_address)
{
    const struct function *function = function_at((uintptr_t)return_address - 1);
    return function ? function->name : "?";
}
