/* The loader of native code: what it places, what it refuses, and that no file can hurt it. */
#include "support.h"

#include "backend/cpu/elf_image.h"
#include "backend/cpu/elf_register.h"
#include "native/native.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static struct file sample, sample_import, native;
static struct fixture cpu;

static int group_setup(void **state)
{
    (void)state;
    sample = file_read("elf_sample.o");
    sample_import = file_read("elf_sample_import.o");
    native = file_read("backend_native.o");
    fixture_open(&cpu, &geo_backend_cpu_ops);
    return 0;
}

static int group_teardown(void **state)
{
    (void)state;
    free(sample.bytes);
    free(sample_import.bytes);
    free(native.bytes);
    return 0;
}

/* Loads a whole file; the log's text is left in `text`. */
static ze_result_t load(const void *bytes, size_t size, struct geo_elf_object *object,
                        struct geo_elf_image *image, char text[256])
{
    struct geo_strbuf log;
    bool memory;
    ze_result_t result = ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    geo_strbuf_init(&log, 0);
    memset(image, 0, sizeof(*image));
    if (geo_elf_object_parse(bytes, size, object, &log, &memory)) {
        result = geo_elf_image_load(object, image, &log);
        if (result != ZE_RESULT_SUCCESS) {
            geo_elf_object_finish(object);
        }
    }
    if (result == ZE_RESULT_ERROR_INVALID_NATIVE_BINARY) {
        assert_true(log.length > 10); /* never refused without a reason */
    }
    snprintf(text, 256, "%s", geo_strbuf_text(&log));
    geo_strbuf_finish(&log);
    return result;
}

/* The permissions of the mapping at an address, as in /proc/self/maps. */
static void permissions_of(const void *address, char text[5])
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];
    unsigned long begin, end;
    strcpy(text, "?");
    while (maps && fgets(line, sizeof(line), maps)) {
        char found[5];
        if (sscanf(line, "%lx-%lx %4s", &begin, &end, found) == 3 && (uintptr_t)address >= begin &&
            (uintptr_t)address < end) {
            memcpy(text, found, 5);
        }
    }
    if (maps) {
        fclose(maps);
    }
}

/* ---- loading ---- */

#if defined(__clang__)
__attribute__((no_sanitize("function"))) /* loaded code carries no type signatures */
#endif
static void code_runs_with_its_data(void **state)
{
    (void)state;
    struct geo_elf_object object;
    struct geo_elf_image image;
    char text[256];
    assert_int_equal(load(sample.bytes, sample.size, &object, &image, text), ZE_RESULT_SUCCESS);
    union {
        void *address;
        int (*sum)(void);
        int (*call)(int, int);
        int (*next)(void);
        size_t (*copy)(uint8_t *, const uint8_t *, size_t);
        int (*choose)(int);
        double (*polynomial)(double);
    } function;
    function.address = geo_elf_image_symbol_find(&object, &image, "sample_sum", true);
    assert_non_null(function.address);
    assert_int_equal(function.sum(), 30 + 7 + 8 + 9 + 1 + 2 + 3);
    function.address = geo_elf_image_symbol_find(&object, &image, "sample_call", true);
    assert_int_equal(function.call(1, 21), 42);
    function.address = geo_elf_image_symbol_find(&object, &image, "sample_next", true);
    assert_int_equal(function.next(), 1); /* zeroes are there, and can be written */
    assert_int_equal(function.next(), 2);
    function.address = geo_elf_image_symbol_find(&object, &image, "sample_switch", true);
    assert_int_equal(function.choose(2), 77);
    assert_int_equal(function.choose(4), 1234);
    function.address = geo_elf_image_symbol_find(&object, &image, "sample_polynomial", true);
    assert_true(function.polynomial(2.0) == (2.0 * 0.125 + 3.5) * 2.0 - 17.25);
    uint8_t to[5000], from[5000];
    for (size_t i = 0; i < sizeof(from); i++) {
        from[i] = (uint8_t)(i * 3);
    }
    function.address = geo_elf_image_symbol_find(&object, &image, "sample_copy", true);
    assert_int_equal(function.copy(to, from, sizeof(to)), sizeof(to));
    assert_memory_equal(to, from, sizeof(to));

    int *data = geo_elf_image_symbol_find(&object, &image, "sample_data", false);
    assert_non_null(data);
    assert_int_equal(data[3], 40);
    assert_null(geo_elf_image_symbol_find(&object, &image, "sample_data", true));
    assert_null(geo_elf_image_symbol_find(&object, &image, "sample_sum", false));
    assert_null(geo_elf_image_symbol_find(&object, &image, "nobody", true));
    geo_elf_object_finish(&object);
    geo_elf_image_unload(&image);
}

static void memory_is_never_writable_and_executable(void **state)
{
    (void)state;
    struct geo_elf_object object;
    struct geo_elf_image image;
    char text[256];
    assert_int_equal(load(sample.bytes, sample.size, &object, &image, text), ZE_RESULT_SUCCESS);
    permissions_of(geo_elf_image_symbol_find(&object, &image, "sample_sum", true), text);
    assert_string_equal(text, "r-xp");
    permissions_of(geo_elf_image_symbol_find(&object, &image, "sample_constants", false), text);
    assert_string_equal(text, "r--p");
    permissions_of(geo_elf_image_symbol_find(&object, &image, "sample_zero", false), text);
    assert_string_equal(text, "rw-p");
    uint8_t *base = image.base;
    geo_elf_object_finish(&object);
    geo_elf_image_unload(&image);
    permissions_of(base, text);
    assert_string_not_equal(text, "r-xp");
}

static void an_unknown_import_is_refused_by_name(void **state)
{
    (void)state;
    struct geo_elf_object object;
    struct geo_elf_image image;
    char text[256];
    assert_int_equal(load(sample_import.bytes, sample_import.size, &object, &image, text),
                     ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    assert_non_null(strstr(text, "sample_missing"));
}

/* ---- hostile files ---- */

static void truncated_objects_are_refused_or_harmless(void **state)
{
    (void)state;
    for (size_t size = 0; size < sample.size; size += size < 256 ? 1 : 37) {
        struct geo_elf_object object;
        struct geo_elf_image image;
        char text[256];
        uint8_t *copy = malloc(size ? size : 1); /* of exactly this size: overruns are found */
        memcpy(copy, sample.bytes, size);
        if (load(copy, size, &object, &image, text) == ZE_RESULT_SUCCESS) {
            geo_elf_object_finish(&object);
            geo_elf_image_unload(&image);
        }
        free(copy);
    }
}

static void changed_objects_are_refused_or_harmless(void **state)
{
    (void)state;
    uint32_t random = 1, loaded = 0;
    for (int round = 0; round < 6000; round++) {
        struct geo_elf_object object;
        struct geo_elf_image image;
        char text[256];
        uint8_t *copy = malloc(sample.size);
        memcpy(copy, sample.bytes, sample.size);
        int changes = round % 3 + 1;
        for (int i = 0; i < changes; i++) {
            random = random * 1664525 + 1013904223;
            size_t at = (random >> 3) % sample.size;
            if (round % 2) { /* headers are where it hurts */
                at = at % 3 == 0 ? at % 64 : sample.size - 1 - at % 2048;
            }
            copy[at] = (uint8_t)(random >> 24);
        }
        if (load(copy, sample.size, &object, &image, text) == ZE_RESULT_SUCCESS) {
            loaded++;
            struct geo_elf_registration *registration = geo_elf_register(&object, &image);
            geo_elf_unregister(registration);
            geo_elf_object_finish(&object);
            geo_elf_image_unload(&image);
        }
        free(copy);
    }
    assert_true(loaded > 0 && loaded < 6000);
}

/* The first section header for which `match` holds, in a copy that may be changed. */
static Elf64_Shdr *section_find(uint8_t *bytes, uint32_t type, uint64_t flags)
{
    Elf64_Ehdr *header = (Elf64_Ehdr *)(void *)bytes;
    Elf64_Shdr *sections = (Elf64_Shdr *)(void *)(bytes + header->e_shoff);
    for (uint32_t i = 1; i < header->e_shnum; i++) {
        if (sections[i].sh_type == type && (sections[i].sh_flags & flags) == flags &&
            sections[i].sh_size != 0 &&
            (type != SHT_RELA || (sections[sections[i].sh_info].sh_flags & SHF_ALLOC))) {
            return &sections[i];
        }
    }
    fail_msg("no section of type %u", type);
    return NULL;
}

enum change {
    WRITABLE_CODE,
    THREAD_LOCAL,
    CONSTRUCTORS,
    HUGE_SECTION,
    ODD_ALIGNMENT,
    OTHER_MACHINE,
    UNKNOWN_RELOCATION,
    RELOCATION_OUTSIDE,
    RELOCATION_SYMBOL,
    RELOCATION_TARGET,
    SYMBOL_OUTSIDE,
    NAME_OUTSIDE,
    STRINGS_OPEN,
    CHANGES,
};

static void change_apply(uint8_t *bytes, enum change change)
{
    Elf64_Ehdr *header = (Elf64_Ehdr *)(void *)bytes;
    Elf64_Shdr *code = section_find(bytes, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR);
    Elf64_Shdr *rela = section_find(bytes, SHT_RELA, 0);
    Elf64_Shdr *symtab = section_find(bytes, SHT_SYMTAB, 0);
    Elf64_Rela *relocation = (Elf64_Rela *)(void *)(bytes + rela->sh_offset);
    Elf64_Sym *symbols = (Elf64_Sym *)(void *)(bytes + symtab->sh_offset);
    Elf64_Shdr *sections = (Elf64_Shdr *)(void *)(bytes + header->e_shoff);
    Elf64_Sym *last = &symbols[symtab->sh_size / sizeof(*symbols) - 1];
    switch (change) {
    case WRITABLE_CODE:
        code->sh_flags |= SHF_WRITE;
        break;
    case THREAD_LOCAL:
        code->sh_flags |= SHF_TLS;
        break;
    case CONSTRUCTORS:
        code->sh_type = SHT_INIT_ARRAY;
        break;
    case HUGE_SECTION:
        section_find(bytes, SHT_NOBITS, SHF_ALLOC)->sh_size = UINT64_C(1) << 40;
        break;
    case ODD_ALIGNMENT:
        code->sh_addralign = 48;
        break;
    case OTHER_MACHINE:
        header->e_machine = EM_AARCH64;
        break;
    case UNKNOWN_RELOCATION:
        relocation->r_info = ELF64_R_INFO(ELF64_R_SYM(relocation->r_info), R_X86_64_32S);
        break;
    case RELOCATION_OUTSIDE:
        relocation->r_offset = sections[rela->sh_info].sh_size - 3;
        break;
    case RELOCATION_SYMBOL:
        relocation->r_info = ELF64_R_INFO(0xffffff, ELF64_R_TYPE(relocation->r_info));
        break;
    case RELOCATION_TARGET:
        rela->sh_info = header->e_shnum + 5u;
        break;
    case SYMBOL_OUTSIDE:
        last->st_shndx = (uint16_t)(code - sections);
        last->st_value = code->sh_size + 1;
        break;
    case NAME_OUTSIDE:
        last->st_name = 0x7fffffff;
        break;
    case STRINGS_OPEN: {
        Elf64_Shdr *strings = &sections[symtab->sh_link];
        bytes[strings->sh_offset + strings->sh_size - 1] = 'x';
        break;
    }
    case CHANGES:
        break;
    }
}

static void what_is_not_allowed_is_refused(void **state)
{
    (void)state;
    for (int change = 0; change < CHANGES; change++) {
        struct geo_elf_object object;
        struct geo_elf_image image;
        char text[256];
        uint8_t *copy = malloc(sample.size);
        memcpy(copy, sample.bytes, sample.size);
        change_apply(copy, (enum change)change);
        ze_result_t result = load(copy, sample.size, &object, &image, text);
        if (result != ZE_RESULT_ERROR_INVALID_NATIVE_BINARY) {
            fail_msg("change %d gave 0x%x", change, result);
        }
        free(copy);
    }
}

/* ---- programs ---- */

static ze_result_t program_load(const struct file *file, uint32_t features,
                                struct geo_backend_program **program, char text[256])
{
    struct geo_native_view view;
    struct geo_strbuf log;
    const char *reason = "";
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_native_parse(file->bytes, file->size, &view, &reason), ZE_RESULT_SUCCESS);
    assert_int_equal(view.header->payload_count, 1);
    struct geo_native_payload payload = view.payloads[0];
    payload.features = features;
    view.payloads = &payload;
    ze_result_t result = cpu.ops->program->load(cpu.device, &view, program, &log);
    snprintf(text, 256, "%s", geo_strbuf_text(&log));
    geo_strbuf_finish(&log);
    return result;
}

/* Runs the kernel "ids" of tests/fixtures/native_module.c. */
static void ids_run(struct geo_backend_program *program)
{
    const struct geo_backend_kernel *kernel = cpu.ops->program->kernel(program, 0);
    assert_non_null(kernel);
    uint32_t out[64], *pointer = out;
    struct test_batch batch;
    batch_init(&batch);
    struct geo_command_launch *launch =
        batch_add_launch(&batch, kernel, 8, &pointer, sizeof(pointer));
    launch->local_size[0] = 8;
    launch->global_offset[0] = 100;
    struct geo_backend_stream *stream = stream_open(&cpu);
    stream_run_batch(&cpu, stream, &batch);
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(out[i], i + 100);
    }
    cpu.ops->stream->destroy(stream);
    batch_finish(&batch);
}

/* MOD-12 */
static void programs_have_kernels_and_symbols(void **state)
{
    (void)state;
    struct geo_backend_program *program;
    char text[256];
    assert_int_equal(program_load(&native, 0, &program, text), ZE_RESULT_SUCCESS);
    void *address = NULL;
    assert_int_equal(cpu.ops->program->symbol(program, "variable_table", &address),
                     ZE_RESULT_SUCCESS);
    assert_int_equal(((uint32_t *)address)[3], 7);
    assert_int_equal(cpu.ops->program->symbol(program, "nobody", &address),
                     ZE_RESULT_ERROR_INVALID_GLOBAL_NAME);
    ids_run(program);
    cpu.ops->program->unload(program);
}

/* Launches of the others cost nothing more. */
static void contention_is_measured_of_kernels_that_say_so(void **state)
{
    (void)state;
    for (uint32_t contends = 0; contends < 2; contends++) {
        struct geo_native_view view;
        struct geo_backend_program *program;
        struct geo_strbuf log;
        const char *reason = "";
        uint8_t *copy = malloc(native.size);
        assert_non_null(copy);
        memcpy(copy, native.bytes, native.size);
        assert_int_equal(geo_native_parse(copy, native.size, &view, &reason), ZE_RESULT_SUCCESS);
        const void *entry = geo_native_payload_entry(&view, &view.payloads[0], 0);
        struct geo_native_cpu_kernel *record = (void *)(uintptr_t)entry;
        record->flags |= contends ? GEO_KERNEL_CONTENDS : 0;
        geo_strbuf_init(&log, 0);
        assert_int_equal(cpu.ops->program->load(cpu.device, &view, &program, &log),
                         ZE_RESULT_SUCCESS);
        assert_int_equal(cpu.ops->program->kernel(program, 0)->contention != NULL, contends);
        ids_run(program);
        cpu.ops->program->unload(program);
        geo_strbuf_finish(&log);
        free(copy);
    }
}

/* Variables may have a GiB: they take the device's memory, and lack it, like allocations. */
static void programs_take_memory_of_their_device(void **state)
{
    (void)state;
    struct geo_backend_program *program;
    const uint64_t memory = cpu.device->info.memory_bytes, before = cpu.device->used_bytes;
    char text[256];
    assert_int_equal(program_load(&native, 0, &program, text), ZE_RESULT_SUCCESS);
    assert_true(cpu.device->used_bytes > before);
    cpu.ops->program->unload(program);
    assert_int_equal(cpu.device->used_bytes, before);
    cpu.device->info.memory_bytes = before;
    ze_result_t result = program_load(&native, 0, &program, text);
    cpu.device->info.memory_bytes = memory;
    assert_int_equal(result, ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_non_null(strstr(text, "of device memory, more than are left"));
    assert_int_equal(cpu.device->used_bytes, before);
}

static void code_for_a_better_processor_is_refused(void **state)
{
    (void)state;
    struct geo_backend_program *program;
    struct geo_device_info info = cpu.device->info;
    char text[256];
    cpu.device->info.native.features = GEO_FEATURE_SSE4_2;
    assert_int_equal(program_load(&native, GEO_FEATURE_SSE4_2 | GEO_FEATURE_AVX512, &program, text),
                     ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    assert_non_null(strstr(text, "AVX-512"));
    assert_int_equal(program_load(&native, GEO_FEATURE_SSE4_2, &program, text), ZE_RESULT_SUCCESS);
    cpu.ops->program->unload(program);
    cpu.device->info = info;
}

/* A native binary whose own object has no code: an object in its note has. */
struct container {
    Elf64_Ehdr elf;
    Elf64_Shdr sections[2];
    struct {
        Elf64_Nhdr note;
        char name[sizeof(GEO_NATIVE_NOTE_NAME)];
        struct geo_native_header header;
        struct geo_native_payload payloads[2];
        struct geo_native_cpu_kernel record;
        struct geo_native_kernel kernel;
        struct geo_native_argument argument;
        char strings[32];
    } note;
    uint8_t object[]; /* the second payload */
};

#define DESCRIPTOR     offsetof(struct container, note.header)
#define PLACE(part)    (uint32_t)(offsetof(struct container, part) - DESCRIPTOR)
#define FEATURE_NOBODY (1u << 31)

static void container_fill(struct container *c)
{
    static const char strings[] = "\0ids\0kernel_ids";
    memcpy(c->elf.e_ident, ELFMAG, SELFMAG);
    c->elf.e_ident[EI_CLASS] = ELFCLASS64;
    c->elf.e_ident[EI_DATA] = ELFDATA2LSB;
    c->elf.e_type = ET_REL;
    c->elf.e_shoff = offsetof(struct container, sections);
    c->elf.e_shentsize = sizeof(Elf64_Shdr);
    c->elf.e_shnum = 2;
    c->sections[1].sh_type = SHT_NOTE;
    c->sections[1].sh_offset = offsetof(struct container, note);
    c->sections[1].sh_size = sizeof(c->note) + native.size;
    c->note.note = (Elf64_Nhdr){.n_namesz = sizeof(c->note.name),
                                .n_descsz = PLACE(object) + (uint32_t)native.size,
                                .n_type = GEO_NATIVE_NOTE_TYPE};
    memcpy(c->note.name, GEO_NATIVE_NOTE_NAME, sizeof(c->note.name));
    c->note.header = (struct geo_native_header){
        .magic = GEO_NATIVE_MAGIC,
        .version = GEO_NATIVE_VERSION,
        .total_bytes = c->note.note.n_descsz,
        .payload_count = 2,
        .payload_offset = PLACE(note.payloads),
        .kernel_count = 1,
        .kernel_offset = PLACE(note.kernel),
        .argument_count = 1,
        .argument_offset = PLACE(note.argument),
        .global_offset = PLACE(note.strings),
        .symbol_offset = PLACE(note.strings),
        .source_offset = PLACE(note.strings),
        .string_bytes = sizeof(c->note.strings),
        .string_offset = PLACE(note.strings),
    };
    c->note.payloads[0] =
        (struct geo_native_payload){.kind = GEO_PAYLOAD_OBJECT,
                                    .contract = GEO_ABI_VERSION,
                                    .target = GEO_TARGET_X86_64,
                                    .features = FEATURE_NOBODY,
                                    .kernel_offset = PLACE(note.record),
                                    .kernel_bytes = sizeof(struct geo_native_cpu_kernel)};
    c->note.payloads[1] = c->note.payloads[0];
    c->note.payloads[1].features = 0;
    c->note.payloads[1].offset = PLACE(object);
    c->note.payloads[1].bytes = (uint32_t)native.size;
    c->note.record = (struct geo_native_cpu_kernel){.symbol = 5, .lanes = 1};
    c->note.kernel = (struct geo_native_kernel){.name = 1,
                                                .subgroup_size = 8,
                                                .preferred_multiple = 1,
                                                .argument_count = 1,
                                                .argument_bytes = 8};
    c->note.argument =
        (struct geo_native_argument){.kind = GEO_ARGUMENT_GLOBAL, .size = 8, .align = 4};
    memcpy(c->note.strings, strings, sizeof(strings));
    memcpy(c->object, native.bytes, native.size);
}

/* MOD-12: the payload that is the file itself needs more than this processor has */
static void code_is_loaded_from_the_payload_that_fits(void **state)
{
    (void)state;
    _Static_assert(PLACE(object) % 8 == 0, "payloads are aligned");
    const size_t size = sizeof(struct container) + native.size;
    struct container *container = calloc(1, size);
    struct geo_backend_program *program;
    struct geo_native_view view;
    struct geo_strbuf log;
    const char *reason = "";
    assert_non_null(container);
    container_fill(container);
    assert_true(geo_native_parse_seal(container, size));
    geo_strbuf_init(&log, 0);
    ze_result_t result = geo_native_parse(container, size, &view, &reason);
    assert_string_equal(reason, "");
    assert_int_equal(result, ZE_RESULT_SUCCESS);
    assert_int_equal(cpu.ops->program->load(cpu.device, &view, &program, &log), ZE_RESULT_SUCCESS);
    free(container); /* the code is a copy */
    ids_run(program);
    cpu.ops->program->unload(program);
    geo_strbuf_finish(&log);
}

/* ---- gdb, perf ---- */

struct jit_entry {
    struct jit_entry *next, *previous;
    const char *symfile;
    uint64_t size;
};
extern struct {
    uint32_t version, action;
    struct jit_entry *relevant, *first;
} __jit_debug_descriptor;

static void loaded_code_is_known_to_gdb_and_perf(void **state)
{
    (void)state;
    struct geo_backend_program *program;
    char text[256], path[64], line[256];
    setenv("GEOID_PERF", "1", 1);
    assert_int_equal(program_load(&native, 0, &program, text), ZE_RESULT_SUCCESS);
    unsetenv("GEOID_PERF");
    struct jit_entry *entry = __jit_debug_descriptor.first;
    assert_non_null(entry);
    assert_int_equal(entry->size, native.size);
    assert_memory_equal(entry->symfile, native.bytes, EI_NIDENT);
    /* the copy's section headers carry the addresses */
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)entry->symfile;
    const Elf64_Shdr *sections =
        (const Elf64_Shdr *)(const void *)(entry->symfile + header->e_shoff);
    void *table = NULL;
    cpu.ops->program->symbol(program, "variable_table", &table);
    bool found = false;
    for (uint32_t i = 0; i < header->e_shnum; i++) {
        found |= (uintptr_t)table >= sections[i].sh_addr &&
                 (uintptr_t)table < sections[i].sh_addr + sections[i].sh_size;
    }
    assert_true(found);
    cpu.ops->program->unload(program);
    assert_null(__jit_debug_descriptor.first);

    snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
    FILE *map = fopen(path, "re");
    assert_non_null(map);
    found = false;
    while (fgets(line, sizeof(line), map)) {
        found |= strstr(line, " kernel_ids\n") != NULL;
    }
    assert_true(found);
    fclose(map);
    unlink(path);
}

/* Loads and unloads code with the map switched on. Returns the map's size, which it removes. */
static long perf_size_after_load(const char *path)
{
    struct geo_backend_program *program;
    struct stat status;
    char text[256];
    setenv("GEOID_PERF", "1", 1);
    assert_int_equal(program_load(&native, 0, &program, text), ZE_RESULT_SUCCESS);
    unsetenv("GEOID_PERF");
    cpu.ops->program->unload(program);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(unlink(path), 0);
    return (long)status.st_size;
}

/* The folder is everybody's: a pipe is not waited for, a link not followed, and neither a file with
 * another name nor one of another user is written. */
static void the_map_of_perf_is_a_file_of_our_own(void **state)
{
    (void)state;
    char path[64], other[64], byte;
    snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
    snprintf(other, sizeof(other), "/tmp/geoid-other-%d", (int)getpid());
    (void)unlink(path);
    int fd = open(other, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(link(other, path), 0);
    assert_int_equal(perf_size_after_load(path), 0);
    assert_int_equal(symlink(other, path), 0);
    assert_int_equal(perf_size_after_load(path), 0);
    close(fd);
    assert_int_equal(unlink(other), 0);

    assert_int_equal(mkfifo(path, 0600), 0);
    fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(fd >= 0);
    (void)perf_size_after_load(path);
    assert_int_equal(read(fd, &byte, 1), 0);
    close(fd);
    assert_int_equal(mkfifo(path, 0600), 0); /* this one has no reader */
    (void)perf_size_after_load(path);

    if (geteuid() != 0) {
        print_message("not root: no file of another user\n");
        return;
    }
    close(open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    assert_int_equal(chown(path, 65534, 65534), 0);
    assert_int_equal(perf_size_after_load(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_runs_with_its_data),
        cmocka_unit_test(memory_is_never_writable_and_executable),
        cmocka_unit_test(an_unknown_import_is_refused_by_name),
        cmocka_unit_test(truncated_objects_are_refused_or_harmless),
        cmocka_unit_test(changed_objects_are_refused_or_harmless),
        cmocka_unit_test(what_is_not_allowed_is_refused),
        cmocka_unit_test(programs_have_kernels_and_symbols),
        cmocka_unit_test(contention_is_measured_of_kernels_that_say_so),
        cmocka_unit_test(programs_take_memory_of_their_device),
        cmocka_unit_test(code_for_a_better_processor_is_refused),
        cmocka_unit_test(code_is_loaded_from_the_payload_that_fits),
        cmocka_unit_test(loaded_code_is_known_to_gdb_and_perf),
        cmocka_unit_test(the_map_of_perf_is_a_file_of_our_own),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
