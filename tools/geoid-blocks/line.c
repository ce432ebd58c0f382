/* Reads DWARF with libdw. See line.h. libdw applies the relocations of the file. */
#include "line.h"

#include <elfutils/libdwfl.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct line_source {
    Dwfl *session;
    Dwfl_Module *module;
};

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

static bool write_all(int fd, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(fd, bytes, size);
        if (written <= 0) {
            return false;
        }
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

/* Gives libdw the bytes as a file, which it then owns. */
static bool module_report(struct line_source *source, const uint8_t *bytes, size_t size)
{
    const int fd = memfd_create("geoid-blocks", MFD_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    if (!write_all(fd, bytes, size)) {
        close(fd);
        return false;
    }
    dwfl_report_begin(source->session);
    source->module = dwfl_report_offline(source->session, "module", "module", fd);
    if (!source->module) {
        close(fd);
    }
    return dwfl_report_end(source->session, NULL, NULL) == 0 && source->module;
}

struct line_source *line_open(const uint8_t *bytes, size_t size)
{
    Dwarf_Addr bias;
    struct line_source *source = calloc(1, sizeof(*source));
    if (!source) {
        return NULL;
    }
    source->session = dwfl_begin(&callbacks);
    if (!source->session || !module_report(source, bytes, size) ||
        !dwfl_module_getdwarf(source->module, &bias)) {
        line_close(source);
        return NULL;
    }
    return source;
}

static bool function_address(struct line_source *source, const char *function, GElf_Addr *address)
{
    const int count = dwfl_module_getsymtab(source->module);
    for (int i = 0; i < count; i++) {
        GElf_Sym symbol;
        const char *name =
            dwfl_module_getsym_info(source->module, i, &symbol, address, NULL, NULL, NULL);
        if (name && strcmp(name, function) == 0) {
            return true;
        }
    }
    return false;
}

/* Finds the line that holds at the start of a range of addresses, or else the first in the range:
 * code without a source line has the number 0. */
static bool range_find(Dwarf_Die *unit, Dwarf_Addr begin, Dwarf_Addr end, const char **file,
                       int *number)
{
    Dwarf_Lines *lines;
    size_t count;
    if (dwarf_getsrclines(unit, &lines, &count) != 0) {
        return false;
    }
    *number = 0;
    for (size_t i = 0; i < count; i++) {
        Dwarf_Line *line = dwarf_onesrcline(lines, i);
        Dwarf_Addr address;
        int at = 0;
        dwarf_lineaddr(line, &address);
        if (address >= end || (address > begin && *number > 0)) {
            break;
        }
        dwarf_lineno(line, &at);
        *number = at;
        *file = dwarf_linesrc(line, NULL, NULL);
    }
    return *number > 0 && *file;
}

void line_find(struct line_source *source, const char *function, uint64_t offset, uint64_t size,
               char *text, size_t room)
{
    GElf_Addr address;
    Dwarf_Addr bias = 0;
    text[0] = '\0';
    if (!source || !function_address(source, function, &address)) {
        return;
    }
    for (Dwarf_Die *unit = dwfl_module_nextcu(source->module, NULL, &bias); unit;
         unit = dwfl_module_nextcu(source->module, unit, &bias)) {
        const char *file = NULL;
        int number;
        const Dwarf_Addr begin = address + offset - bias;
        if (range_find(unit, begin, begin + size, &file, &number)) {
            const char *slash = strrchr(file, '/');
            snprintf(text, room, "%s:%d", slash ? slash + 1 : file, number);
            return;
        }
    }
}

void line_close(struct line_source *source)
{
    if (source) {
        dwfl_end(source->session);
        free(source);
    }
}
