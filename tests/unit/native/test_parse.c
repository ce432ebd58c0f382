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
        struct geo_native_payload payloads[3]; /* the file, PTX, an object for another CPU */
        struct geo_native_cpu_kernel records[2];
        struct geo_native_entry entries[2];
        struct geo_native_kernel kernels[2];
        struct geo_native_argument arguments[3];
        struct geo_native_global global;
        struct geo_native_symbol symbol;
        struct geo_native_source source;
        char ptx[16];
        Elf64_Ehdr object;
        char strings[64];
    } note;
};

#define DESCRIPTOR  offsetof(struct binary, note.header)
#define PLACE(part) (uint32_t)(offsetof(struct binary, note.part) - DESCRIPTOR)

static void payloads_fill(struct binary *b)
{
    b->note.payloads[0] =
        (struct geo_native_payload){.kind = GEO_PAYLOAD_OBJECT,
                                    .contract = GEO_ABI_VERSION,
                                    .target = GEO_TARGET_X86_64,
                                    .features = GEO_FEATURE_AVX2,
                                    .device_name = 1,
                                    .kernel_offset = PLACE(records),
                                    .kernel_bytes = sizeof(struct geo_native_cpu_kernel)};
    b->note.payloads[1] =
        (struct geo_native_payload){.kind = GEO_PAYLOAD_PTX,
                                    .target = GEO_TARGET_NVIDIA,
                                    .architecture = 70,
                                    .offset = PLACE(ptx),
                                    .bytes = sizeof(b->note.ptx),
                                    .kernel_offset = PLACE(entries),
                                    .kernel_bytes = sizeof(struct geo_native_entry)};
    b->note.payloads[2] = b->note.payloads[0];
    b->note.payloads[2].target = GEO_TARGET_AARCH64;
    b->note.payloads[2].offset = PLACE(object);
    b->note.payloads[2].bytes = sizeof(b->note.object);
    for (uint32_t i = 0; i < 2; i++) {
        b->note.records[i] = (struct geo_native_cpu_kernel){
            .symbol = 9, .lanes = 16, .local_bytes = GEO_ABI_SCRATCH_ALIGN};
        b->note.entries[i].symbol = 1;
    }
    memcpy(b->note.ptx, ".version 7.0", sizeof(".version 7.0"));
    memcpy(b->note.object.e_ident, ELFMAG, SELFMAG);
}

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
        .total_bytes = b->note.note.n_descsz,
        .payload_count = 3,
        .payload_offset = PLACE(payloads),
        .kernel_count = 2,
        .kernel_offset = PLACE(kernels),
        .argument_count = 3,
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
    payloads_fill(b);
    b->note.kernels[0] = (struct geo_native_kernel){.name = 1,
                                                    .subgroup_size = 16,
                                                    .preferred_multiple = 16,
                                                    .argument_count = 2,
                                                    .argument_bytes = 16,
                                                    .local_bytes = 100};
    b->note.kernels[1] = (struct geo_native_kernel){.name = 7,
                                                    .subgroup_size = 8,
                                                    .preferred_multiple = 1,
                                                    .first_argument = 2,
                                                    .argument_count = 1,
                                                    .argument_bytes = 8};
    b->note.arguments[0] = (struct geo_native_argument){
        .kind = GEO_ARGUMENT_GLOBAL, .offset = 0, .size = 8, .align = 4, .name = 7};
    b->note.arguments[1] = (struct geo_native_argument){
        .kind = GEO_ARGUMENT_VALUE, .offset = 8, .size = 4, .align = 4};
    b->note.arguments[2] = b->note.arguments[0];
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
    assert_int_equal(view.header->kernel_count, 2);
    assert_string_equal(geo_native_string(&view, view.kernels[0].name), "saxpy");
    assert_int_equal(view.arguments[1].offset, 8);
    assert_string_equal(geo_native_string(&view, view.globals[0].name), "y");
    assert_string_equal(geo_native_string(&view, view.symbols[0].name), "y");
    assert_int_equal(view.sources[0].bytes, 8);
}

/* MOD-10 */
static void finds_the_code_of_each_payload(void **state)
{
    _Alignas(8) struct binary b;
    struct geo_native_view view;
    const char *reason;
    size_t bytes;
    (void)state;
    binary_fill(&b);
    assert_int_equal(geo_native_parse(&b, sizeof(b), &view, &reason), ZE_RESULT_SUCCESS);
    assert_int_equal(view.header->payload_count, 3);
    assert_string_equal(geo_native_string(&view, view.payloads[0].device_name), "saxpy");
    assert_ptr_equal(geo_native_payload_code(&view, &view.payloads[0], &bytes), &b);
    assert_int_equal(bytes, sizeof(b));
    const struct geo_native_entry *entry = geo_native_payload_entry(&view, &view.payloads[0], 1);
    assert_ptr_equal(entry, &b.note.records[1]);
    assert_string_equal(geo_native_string(&view, entry->symbol), "k.saxpy");
    assert_string_equal((const char *)geo_native_payload_code(&view, &view.payloads[1], &bytes),
                        ".version 7.0");
    assert_int_equal(bytes, sizeof(b.note.ptx));
    entry = geo_native_payload_entry(&view, &view.payloads[1], 1);
    assert_string_equal(geo_native_string(&view, entry->symbol), "saxpy");
    assert_ptr_equal(geo_native_payload_code(&view, &view.payloads[2], &bytes), &b.note.object);
}

/* Code of another version of the contract is no fault of the file: a device does not take it. */
static void records_of_another_contract_are_not_read(void **state)
{
    _Alignas(8) struct binary b;
    struct geo_native_view view;
    const char *reason;
    (void)state;
    binary_fill(&b);
    b.note.records[0].lanes = 12;
    b.note.payloads[0].contract = b.note.payloads[2].contract = GEO_ABI_VERSION + 1;
    assert_true(geo_native_parse_seal(&b, sizeof(b)));
    assert_int_equal(geo_native_parse(&b, sizeof(b), &view, &reason), ZE_RESULT_SUCCESS);
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
    BREAK(note.header.total_bytes, 8, "size does not match");
    BREAK(note.header.kernel_count, 70000, "a table lies outside");
    BREAK(note.header.kernel_count, 60000, "a table lies outside");
    BREAK(note.header.kernel_offset, UINT32_MAX & ~7u, "a table lies outside");
    BREAK(note.header.argument_offset, PLACE(arguments) + 4, "a table lies outside");
    BREAK(note.header.global_offset, 8, "a table lies outside");
    BREAK(note.header.string_bytes, UINT32_MAX, "not terminated");
    BREAK(note.header.string_bytes, 0, "not terminated");
    BREAK(note.strings[63], 'x', "not terminated");
    BREAK(note.header.compiler_name, 64, "a name lies outside");
    BREAK(note.header.build_options, 64, "a name lies outside");
    BREAK(note.header.payload_count, 65, "too many payloads");
    BREAK(note.header.payload_count, 64, "a table lies outside");
    BREAK(note.header.payload_offset, 8, "a table lies outside");
    BREAK(note.header.payload_offset, PLACE(payloads) + 4, "a table lies outside");
    BREAK(note.kernels[0].name, 64, "a kernel's name");
    BREAK(note.kernels[0].attributes, 64, "a kernel's name");
    BREAK(note.kernels[0].flags, 1u << 31, "flags or sub-group size");
    BREAK(note.kernels[0].flags, GEO_KERNEL_LINEAR, "flags or sub-group size");
    BREAK(note.kernels[0].subgroup_size, 0, "flags or sub-group size");
    BREAK(note.kernels[0].subgroup_size, 128, "flags or sub-group size");
    BREAK(note.kernels[0].preferred_multiple, 0, "flags or sub-group size");
    BREAK(note.kernels[0].preferred_multiple, 12, "flags or sub-group size");
    BREAK(note.kernels[0].argument_count, 4, "arguments lie outside");
    BREAK(note.kernels[0].first_argument, UINT32_MAX, "arguments lie outside");
    BREAK(note.kernels[1].first_argument, 1, "or are another's");
    BREAK(note.kernels[0].argument_bytes, 8, "argument is malformed");
    BREAK(note.kernels[0].local_bytes, UINT64_C(1) << 60, "memory sizes");
    BREAK(note.kernels[0].private_bytes, UINT64_C(1) << 60, "memory sizes");
    BREAK(note.kernels[0].spill_bytes, UINT64_MAX, "memory sizes");
    BREAK(note.payloads[0].kind, 0, "kind or target");
    BREAK(note.payloads[0].kind, GEO_PAYLOAD_CUBIN + 1, "kind or target");
    BREAK(note.payloads[0].kind, UINT32_MAX, "kind or target");
    BREAK(note.payloads[0].kind, GEO_PAYLOAD_PTX, "kind or target");
    BREAK(note.payloads[0].target, 0, "kind or target");
    BREAK(note.payloads[0].target, GEO_TARGET_NVIDIA, "kind or target");
    BREAK(note.payloads[0].architecture, 70, "kind or target");
    BREAK(note.payloads[1].target, GEO_TARGET_X86_64, "kind or target");
    BREAK(note.payloads[1].features, 1, "kind or target");
    BREAK(note.payloads[1].architecture, 0, "kind or target");
    BREAK(note.payloads[1].architecture, 1000, "kind or target");
    BREAK(note.payloads[1].device_name, 64, "a name lies outside");
    BREAK(note.payloads[0].bytes, 8, "code is malformed");
    BREAK(note.payloads[1].offset, 0, "code is malformed");
    BREAK(note.payloads[1].offset, 8, "code is malformed");
    BREAK(note.payloads[1].offset, PLACE(ptx) + 4, "code is malformed");
    BREAK(note.payloads[1].offset, UINT32_MAX & ~7u, "code is malformed");
    BREAK(note.payloads[1].bytes, 0, "code is malformed");
    BREAK(note.payloads[1].bytes, UINT32_MAX, "code is malformed");
    BREAK(note.ptx[15], 'x', "code is malformed");
    BREAK(note.payloads[2].bytes, sizeof(Elf64_Ehdr) - 1, "code is malformed");
    BREAK(note.object.e_ident[0], 'x', "code is malformed");
    BREAK(note.payloads[0].kernel_offset, 8, "a table lies outside");
    BREAK(note.payloads[1].kernel_offset, UINT32_MAX & ~7u, "a table lies outside");
    BREAK(note.payloads[0].kernel_bytes, sizeof(struct geo_native_entry), "another size");
    BREAK(note.payloads[1].kernel_bytes, 0, "another size");
    BREAK(note.payloads[1].kernel_bytes, 12, "another size");
    BREAK(note.payloads[1].kernel_bytes, 8192, "another size");
    BREAK(note.entries[1].symbol, 64, "a kernel's name");
    BREAK(note.records[0].symbol, 64, "a kernel's name");
    BREAK(note.records[0].flags, GEO_KERNEL_BARRIER, "record of a kernel");
    BREAK(note.records[0].flags, GEO_KERNEL_WHOLE_ROWS, "is not restricted");
    BREAK(note.records[0].lanes, 0, "record of a kernel");
    BREAK(note.records[0].lanes, 12, "record of a kernel");
    BREAK(note.records[0].lanes, 128, "record of a kernel");
    BREAK(note.records[0].profile_flags, 4, "record of a kernel");
    BREAK(note.records[0].local_bytes, 1, "record of a kernel");
    BREAK(note.records[1].frame_bytes, 64, "record of a kernel");
    BREAK(note.records[1].chunk_bytes, UINT64_C(1) << 60, "record of a kernel");
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

/* The OpenCL driver appends bytes to a binary. */
static void ignores_bytes_after_the_object(void **state)
{
    struct {
        _Alignas(8) struct binary binary;
        uint8_t more[100];
    } longer;
    struct geo_native_view view;
    const char *reason;
    (void)state;
    memset(&longer, 0x5a, sizeof(longer));
    binary_fill(&longer.binary);
    assert_int_equal(geo_native_parse(&longer, sizeof(longer), &view, &reason), ZE_RESULT_SUCCESS);
    assert_int_equal(view.file_bytes, sizeof(longer.binary));
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
        cmocka_unit_test(understands_a_binary),
        cmocka_unit_test(finds_the_code_of_each_payload),
        cmocka_unit_test(records_of_another_contract_are_not_read),
        cmocka_unit_test(refuses_each_broken_field),
        cmocka_unit_test(refuses_every_flipped_bit),
        cmocka_unit_test(refuses_every_prefix),
        cmocka_unit_test(ignores_bytes_after_the_object),
        cmocka_unit_test(mutations_never_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
