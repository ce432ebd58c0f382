/* The image of a loaded module: a relocatable ELF file as the device has it in memory. Opening it
 * gives every section the address at which it is loaded, and relocates the debug information, which
 * nobody else does. */
#ifndef ZEDBG_IMAGE_H
#define ZEDBG_IMAGE_H

#include <elf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_row;
struct type;

struct image {
    uint8_t *bytes;
    size_t size;
    const Elf64_Shdr *sections; /* within `bytes` */
    uint32_t section_count;
    uint64_t begin, end; /* addresses of loaded sections */
    Elf *elf;
    Dwarf *dwarf;           /* NULL: it has no debug information */
    Dwarf_CFI *cfi;         /* NULL: it has no information for unwinding */
    struct line_row *lines; /* line.h */
    size_t line_count;
    struct type **types; /* type.h */
    size_t type_count;
};

/* Opens an image, and owns `bytes` from then on, also when it fails. Sections have the addresses
 * that their headers say. If no header says any, they follow each other from `load` on. Lines are
 * not read yet (line.h). */
bool image_open(struct image *image, uint8_t *bytes, size_t size, uint64_t load);
/* Accepts an image that was not opened completely. Its lines and types are freed before. */
void image_close(struct image *image);

/* Returns whether an address is in code of the image. */
bool image_has_code(const struct image *image, uint64_t address);
/* Returns the function at an address by the symbol table, or NULL. `start` gets its address, `size`
 * its size in bytes. */
const char *image_symbol(const struct image *image, uint64_t address, uint64_t *start,
                         uint64_t *size);
/* Finds a function by its name in the symbol table. */
bool image_function(const struct image *image, const char *name, uint64_t *address);
/* Calls `visit` for each function of the symbol table until it returns false. */
void image_functions(const struct image *image,
                     bool (*visit)(void *context, const char *name, uint64_t address,
                                   bool is_kernel),
                     void *context);

#endif
