/* The parser of native binaries: a well-formed one is understood, anything else is refused with a
 * reason. */
#include "support.h"

#include "native/abi.h"
#include "native/native.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NAME_BYTES sizeof(GEO_NATIVE_NOTE_NAME)

/* An ELF object that holds nothing but the note. */
struct binary {
    Elf64_Ehdr elf;
    Elf64_Shdr sections[2];
    struct {
        Elf64_Nhdr note;
        char name[NAME_BYTES];
        struct geo_native_header header;
        struct geo_native_kernel kernel;
        struct geo_native_argument arguments[2];
        struct geo_native_global global;
        struct geo_native_symbol symbol;
        struct geo_native_source source;
        char strings[64];
    } note;
};

#define DESCRIPTOR  offsetof(struct binary, note.header)
#define PLACE(part) (uint32_t)(offsetof(struct binary, note.part) - DESCRIPTOR)

static void binary_fill(struct binary *b)
{
    static const char strings[] = "\0saxpy\0y\0k.saxpy";
    memset(b, 0, sizeof(*b));
    memcpy(b->elf.e_ident, ELFMAG, SELFMAG);
    b->elf.e_ident[EI_CLASS] = ELFCLASS64;
    b->elf.e_ident[EI_DATA] = ELFDATA2LSB;
    b->elf.e_type = ET_REL;
    b->elf.e_machine = EM_X86_64;
    b->elf.e_shoff = offsetof(struct binary, sections);
    b->elf.e_shentsize = sizeof(Elf64_Shdr);
    b->elf.e_shnum = 2;
    b->sections[1].sh_type = SHT_NOTE;
    b->sections[1].sh_offset = offsetof(struct binary, note);
    b->sections[1].sh_size = sizeof(b->note);
    b->note.note.n_namesz = NAME_BYTES;
    b->note.note.n_descsz = (uint32_t)(sizeof(*b) - DESCRIPTOR);
    b->note.note.n_type = GEO_NATIVE_NOTE_TYPE;
    memcpy(b->note.name, GEO_NATIVE_NOTE_NAME, NAME_BYTES);
    b->note.header = (struct geo_native_header){
        .magic = GEO_NATIVE_MAGIC,
        .version = GEO_NATIVE_VERSION,
        .abi_version = GEO_ABI_VERSION,
        .target = GEO_TARGET_X86_64,
        .total_bytes = b->note.note.n_descsz,
        .kernel_count = 1,
        .kernel_offset = PLACE(kernel),
        .argument_count = 2,
        .argument_offset = PLACE(arguments),
        .global_count = 1,
        .global_offset = PLACE(global),
        .symbol_count = 1,
        .symbol_offset = PLACE(symbol),
        .source_count = 1,
        .source_offset = PLACE(source),
        .string_bytes = sizeof(b->note.strings),
        .string_offset = PLACE(strings),
    };
    b->note.kernel = (struct geo_native_kernel){.name = 1,
                                                .symbol = 9,
                                                .lanes = 16,
                                                .subgroup_size = 16,
                                                .argument_count = 2,
                                                .argument_bytes = 16,
                                                .local_bytes = GEO_ABI_SCRATCH_ALIGN};
    b->note.arguments[0] = (struct geo_native_argument){
        .kind = GEO_ARGUMENT_GLOBAL, .offset = 0, .size = 8, .align = 4, .name = 7};
    b->note.arguments[1] = (struct geo_native_argument){
        .kind = GEO_ARGUMENT_VALUE, .offset = 8, .size = 4, .align = 4};
    b->note.global = (struct geo_native_global){.name = 7, .symbol = 7, .size = 4};
    b->note.symbol =
        (struct geo_native_symbol){.kind = GEO_SYMBOL_EXPORT_VARIABLE, .name = 7, .symbol = 7};
    b->note.source = (struct geo_native_source){.offset = PLACE(strings), .bytes = 8};
    memcpy(b->note.strings, strings, sizeof(strings));
    (void)geo_native_parse_seal(b, sizeof(*b));
}

static void refused(const struct binary *b, size_t size, const char *reason)
{
    struct geo_native_view view;
    const char *text = NULL;
    assert_int_equal(geo_native_parse(b, size, &view, &text),
                     ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    if (!text || !strstr(text, reason)) {
        fail_msg("reason is '%s', expected '%s'", text ? text : "none", reason);
    }
    assert_null(view.header);
}

/* MOD-10 */
static void understands_a_binary(void **state)
{
    _Alignas(8) struct binary b;
    struct geo_native_view view;
    const char *reason;
    (void)state;
    binary_fill(&b);
    assert_int_equal(geo_native_parse(&b, sizeof(b), &view, &reason), ZE_RESULT_SUCCESS);
    assert_string_equal(reason, "");
    assert_int_equal(view.header->kernel_count, 1);
    assert_string_equal(geo_native_string(&view, view.kernels[0].name), "saxpy");
    assert_string_equal(geo_native_string(&view, view.kernels[0].symbol), "k.saxpy");
    assert_int_equal(view.arguments[1].offset, 8);
    assert_string_equal(geo_native_string(&view, view.globals[0].name), "y");
    assert_string_equal(geo_native_string(&view, view.symbols[0].name), "y");
    assert_int_equal(view.sources[0].bytes, 8);
}

/* VAL-13 */
static void refuses_each_broken_field(void **state)
{
    _Alignas(8) struct binary b;
    (void)state;
#define BREAK(field, value, reason)                                                                \
    binary_fill(&b);                                                                               \
    b.field = value;                                                                               \
    (void)geo_native_parse_seal(&b, sizeof(b)); /* as whoever writes such a binary would */        \
    refused(&b, sizeof(b), reason)
    BREAK(elf.e_ident[0], 'x', "not an ELF file");
    BREAK(elf.e_type, ET_DYN, "relocatable");
    BREAK(elf.e_shoff, UINT64_MAX - 8, "section table");
    BREAK(elf.e_shnum, 0, "no Geoid note");
    BREAK(sections[1].sh_offset, UINT64_MAX, "no Geoid note");
    BREAK(sections[1].sh_size, UINT64_MAX, "no Geoid note");
    BREAK(note.note.n_type, 1, "no Geoid note");
    BREAK(note.note.n_descsz, UINT32_MAX, "no Geoid note");
    BREAK(note.note.n_descsz, 8, "not in Geoid's form");
    BREAK(note.header.magic, 1, "not in Geoid's form");
    BREAK(note.header.version, 99, "another version");
    BREAK(note.header.abi_version, 99, "another version");
    BREAK(note.header.total_bytes, 8, "size does not match");
    BREAK(note.header.kernel_count, 70000, "a table lies outside");
    BREAK(note.header.kernel_count, 60000, "a table lies outside");
    BREAK(note.header.kernel_offset, UINT32_MAX & ~7u, "a table lies outside");
    BREAK(note.header.argument_offset, PLACE(arguments) + 4, "a table lies outside");
    BREAK(note.header.global_offset, 8, "a table lies outside");
    BREAK(note.header.string_bytes, UINT32_MAX, "not terminated");
    BREAK(note.header.string_bytes, 0, "not terminated");
    BREAK(note.strings[63], 'x', "not terminated");
    BREAK(note.header.device_name, 64, "a name lies outside");
    BREAK(note.kernel.name, 64, "a kernel's name");
    BREAK(note.kernel.flags, 1u << 31, "flags or lane count");
    BREAK(note.kernel.lanes, 0, "flags or lane count");
    BREAK(note.kernel.lanes, 12, "flags or lane count");
    BREAK(note.kernel.argument_count, 3, "arguments lie outside");
    BREAK(note.kernel.first_argument, UINT32_MAX, "arguments lie outside");
    BREAK(note.kernel.argument_bytes, 8, "argument is malformed");
    BREAK(note.kernel.local_bytes, 1, "scratch sizes");
    BREAK(note.kernel.chunk_bytes, UINT64_C(1) << 60, "scratch sizes");
    BREAK(note.arguments[0].kind, 77, "argument is malformed");
    BREAK(note.arguments[0].size, 4, "argument is malformed");
    BREAK(note.arguments[1].align, 3, "argument is malformed");
    BREAK(note.arguments[1].offset, UINT32_MAX, "argument is malformed");
    BREAK(note.global.name, 64, "a global's name");
    BREAK(note.symbol.kind, 0, "a symbol is malformed");
    BREAK(note.symbol.kind, 6, "a symbol is malformed");
    BREAK(note.symbol.flags, 2, "a symbol is malformed");
    BREAK(note.symbol.symbol, 64, "a symbol is malformed");
    BREAK(note.symbol.user, 64, "a symbol is malformed");
    BREAK(note.header.source_offset, 8, "a table lies outside");
    BREAK(note.source.bytes, UINT32_MAX, "a source lies outside");
    BREAK(note.source.offset, UINT32_MAX, "a source lies outside");
    BREAK(note.source.options, 64, "a source lies outside");
#undef BREAK
}

/* VAL-13 */
static void refuses_every_flipped_bit(void **state)
{
    _Alignas(8) struct binary b;
    struct geo_native_view view;
    const char *reason;
    (void)state;
    binary_fill(&b);
    for (size_t bit = 0; bit < 8 * sizeof(b); bit++) {
        ((uint8_t *)&b)[bit / 8] ^= (uint8_t)(1u << bit % 8);
        refused(&b, sizeof(b), "");
        ((uint8_t *)&b)[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    b.note.strings[1] ^= 1; /* a name like another */
    refused(&b, sizeof(b), "checksum");
    assert_true(geo_native_parse_seal(&b, sizeof(b)));
    assert_int_equal(geo_native_parse(&b, sizeof(b), &view, &reason), ZE_RESULT_SUCCESS);
}

/* VAL-13 */
static void refuses_every_prefix(void **state)
{
    _Alignas(8) struct binary b;
    (void)state;
    binary_fill(&b);
    for (size_t size = 0; size < sizeof(b); size++) {
        struct binary *copy = malloc(size + 1);
        assert_non_null(copy);
        memcpy(copy, &b, size);
        refused(copy, size, "");
        free(copy);
    }
}

/* VAL-13 */
static void mutations_never_crash(void **state)
{
    _Alignas(8) struct binary b;
    struct support_random random = {42};
    struct geo_native_view view;
    const char *reason;
    int good = 0;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        binary_fill(&b);
        uint8_t *bytes = (uint8_t *)&b;
        for (uint32_t k = 1 + support_random_below(&random, 4); k > 0; k--) {
            bytes[support_random_below(&random, sizeof(b))] = (uint8_t)support_random(&random);
        }
        (void)geo_native_parse_seal(&b, sizeof(b));
        if (geo_native_parse(&b, sizeof(b), &view, &reason) == ZE_RESULT_SUCCESS) {
            good++;
            for (uint32_t k = 0; k < view.header->kernel_count; k++) {
                (void)strlen(geo_native_string(&view, view.kernels[k].name));
            }
        }
    }
    assert_true(good > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(understands_a_binary),      cmocka_unit_test(refuses_each_broken_field),
        cmocka_unit_test(refuses_every_flipped_bit), cmocka_unit_test(refuses_every_prefix),
        cmocka_unit_test(mutations_never_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
