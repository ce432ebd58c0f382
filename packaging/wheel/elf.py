"""Reads what the dynamic linker needs to know of an ELF file, and adds a RUNPATH to a library.

Used by packaging/wheel/build. Files must be 64-bit and little-endian, as on all processors that
Geoid runs on. A file that breaks the format raises ElfError.
"""

import struct

PT_LOAD, PT_DYNAMIC, PT_PHDR = 1, 2, 6
DT_NULL, DT_NEEDED, DT_STRTAB, DT_STRSZ, DT_SONAME, DT_RPATH, DT_RUNPATH = 0, 1, 5, 10, 14, 15, 29
DT_VERNEED, DT_VERNEEDNUM = 0x6FFFFFFE, 0x6FFFFFFF
SHT_STRTAB = 3
ET_DYN = 3
# Names of processors in platform tags of wheels, and in names of folders of Debian.
MACHINES = {62: "x86_64", 183: "aarch64", 243: "riscv64", 21: "ppc64le"}

HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SEGMENT = struct.Struct("<IIQQQQQQ")
SECTION = struct.Struct("<IIQQQQIIQQ")
ENTRY = struct.Struct("<qQ")
VERNEED = struct.Struct("<HHIII")
VERNAUX = struct.Struct("<IHHII")
# Reading outside of the file raises one of these, and so do missing entries and wrong texts.
DAMAGE = (struct.error, OverflowError, IndexError, ValueError, TypeError)


class ElfError(Exception):
    """The file is not an ELF file that this module can read or change."""


def is_elf(data):
    return data[:4] == b"\x7fELF"


class Elf:
    """An ELF file.

    machine    name of the processor
    segments   program headers as lists: type, flags, offset, address, physical address, size in
               the file, size in memory, alignment
    dynamic    (tag, value) of the dynamic section up to its end, which is not included
    spare      number of unused entries behind the end of the dynamic section
    """

    def __init__(self, data):
        self.data = data
        if not is_elf(data):
            raise ElfError("is not an ELF file")
        if data[4:6] != b"\x02\x01":
            raise ElfError("is not a 64-bit little-endian ELF file")
        try:
            self._read()
        except DAMAGE as error:
            raise ElfError(f"is damaged: {error}") from None

    def _read(self):
        self.header = list(HEADER.unpack_from(self.data))
        self.type, self.machine = self.header[1], MACHINES.get(self.header[2])
        if not self.machine:
            raise ElfError(f"is for a processor of the unknown number {self.header[2]}")
        at, size, count = self.header[5], self.header[9], self.header[10]
        if size != SEGMENT.size:
            raise ElfError(f"has program headers of {size} bytes, not {SEGMENT.size}")
        self.segments = [list(SEGMENT.unpack_from(self.data, at + size * i)) for i in range(count)]
        self.dynamic, self.spare, self.dynamic_offset = [], 0, 0
        for kind, _, start, _, _, size, _, _ in self.segments:
            if kind == PT_DYNAMIC:
                self._read_dynamic(start, size)

    def _read_dynamic(self, start, size):
        entries = list(
            ENTRY.iter_unpack(self.data[start : start + size // ENTRY.size * ENTRY.size])
        )
        end = next((i for i, (tag, _) in enumerate(entries) if tag == DT_NULL), None)
        if end is None:
            raise ElfError("has a dynamic section without an end")
        self.dynamic, self.spare, self.dynamic_offset = entries[:end], len(entries) - end - 1, start

    def values(self, tag):
        return [value for name, value in self.dynamic if name == tag]

    def value(self, tag):
        found = self.values(tag)
        return found[0] if found else None

    def offset(self, address):
        """Returns where the byte of this address is in the file."""
        for kind, _, start, virtual, _, size, _, _ in self.segments:
            if kind == PT_LOAD and virtual <= address < virtual + size:
                return start + address - virtual
        raise ElfError(f"has no segment with the address 0x{address:x}")

    def text(self, place):
        """Returns the text at a place of the table of strings."""
        start = self.offset(self.value(DT_STRTAB)) + place
        return self.data[start : self.data.index(b"\0", start)].decode()

    def texts(self, tag):
        try:
            return [self.text(value) for value in self.values(tag)]
        except DAMAGE as error:
            raise ElfError(f"is damaged: {error}") from None

    def needed(self):
        return self.texts(DT_NEEDED)

    def soname(self):
        return next(iter(self.texts(DT_SONAME)), None)

    def search_path(self):
        """Returns the elements of RUNPATH and RPATH."""
        return [
            part
            for text in self.texts(DT_RUNPATH) + self.texts(DT_RPATH)
            for part in text.split(":")
        ]

    def versions(self):
        """Returns the set of (library, version) that the symbols of the file need."""
        found, at = set(), self.value(DT_VERNEED)
        try:
            at = self.offset(at) if at is not None else None
            for _ in range(self.value(DT_VERNEEDNUM) or 0):
                _, count, file, names, following = VERNEED.unpack_from(self.data, at)
                name_at = at + names
                for _ in range(count):
                    _, _, _, name, next_name = VERNAUX.unpack_from(self.data, name_at)
                    found.add((self.text(file), self.text(name)))
                    if next_name == 0:
                        break
                    name_at += next_name
                if following == 0:
                    break
                at += following
        except DAMAGE as error:
            raise ElfError(f"has damaged symbol versions: {error}") from None
        return found


def runpath_add(data, path):
    """Returns the bytes of a shared library with a RUNPATH.

    The table of strings cannot grow in its place. It is copied behind the file, into a segment of
    its own. The program headers need one more entry, so they move there too:

        +---------------------+----------+-----------------+---------+------+
        | the file as it was  | to align | program headers | strings | path |
        +---------------------+----------+-----------------+---------+------+
                              `---------- the new segment -----------------'

    Only for libraries: the kernel is told where a program's headers are, and not all kernels find
    headers that have moved. The new entry of the dynamic section takes a spare one, which linkers
    leave for this purpose."""
    elf = Elf(data)
    if elf.type != ET_DYN or elf.value(DT_STRTAB) is None:
        raise ElfError("is not a shared library")
    if elf.search_path():
        raise ElfError(f"has a search path already: {':'.join(elf.search_path())}")
    if elf.spare < 1:
        raise ElfError("has no spare entry in its dynamic section")
    loaded = [segment for segment in elf.segments if segment[0] == PT_LOAD]
    page = max(4096, *(segment[7] for segment in loaded))
    begin = -(-len(data) // page) * page
    address = -(-max(segment[3] + segment[6] for segment in loaded) // page) * page
    old_address, old_size = elf.value(DT_STRTAB), elf.value(DT_STRSZ)
    old_begin = elf.offset(old_address)
    strings = data[old_begin : old_begin + old_size] + path.encode() + b"\0"
    headers_size = SEGMENT.size * (len(elf.segments) + 1)
    total = headers_size + len(strings)
    segments = [*elf.segments, [PT_LOAD, 4, begin, address, address, total, total, page]]
    for segment in segments:
        if segment[0] == PT_PHDR:
            segment[2:7] = [begin, address, address, headers_size, headers_size]

    result = bytearray(data) + bytes(begin - len(data))
    result += b"".join(SEGMENT.pack(*segment) for segment in segments) + strings
    header = list(elf.header)
    header[5], header[10] = begin, len(segments)
    HEADER.pack_into(result, 0, *header)
    new = {DT_STRTAB: address + headers_size, DT_STRSZ: len(strings)}
    entries = [(tag, new.get(tag, value)) for tag, value in elf.dynamic] + [(DT_RUNPATH, old_size)]
    for index, entry in enumerate(entries):
        ENTRY.pack_into(result, elf.dynamic_offset + ENTRY.size * index, *entry)
    _section_move(
        result, header, old_address, address + headers_size, begin + headers_size, len(strings)
    )
    return bytes(result)


def _section_move(result, header, old_address, address, offset, size):
    """Sets the section header of the table of strings, which only tools read."""
    for index in range(header[12]):
        at = header[6] + SECTION.size * index
        section = list(SECTION.unpack_from(result, at))
        if section[1] == SHT_STRTAB and section[3] == old_address:
            section[3:6] = [address, offset, size]
            SECTION.pack_into(result, at, *section)
