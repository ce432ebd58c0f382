/* Makes native binaries of code that LLVM does not emit as an object: an ELF file that has the note
 * and no other contents. */
#include "compiler/codegen/internal.h"

#include "base/assert.h"
#include "native/nvidia.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* Sections of the file. */
enum { SECTION_NONE, SECTION_NOTE, SECTION_NAMES, SECTION_COUNT };

/* The names of the sections, and where each begins. */
#define NAMES      "\0" GEO_NATIVE_SECTION "\0.shstrtab"
#define NAME_NOTE  1
#define NAME_NAMES (1 + sizeof(GEO_NATIVE_SECTION))

/* The beginning of the file. The note follows, aligned to 8 bytes, and the names behind it. */
struct file_head {
    Elf64_Ehdr elf;
    Elf64_Shdr sections[SECTION_COUNT];
};

static void head_fill(struct file_head *head, size_t note_bytes)
{
    *head = (struct file_head){
        .elf =
            {
                .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
                            EV_CURRENT},
                .e_type = ET_REL,
                .e_machine = EM_CUDA,
                .e_version = EV_CURRENT,
                .e_shoff = offsetof(struct file_head, sections),
                .e_ehsize = sizeof(Elf64_Ehdr),
                .e_shentsize = sizeof(Elf64_Shdr),
                .e_shnum = SECTION_COUNT,
                .e_shstrndx = SECTION_NAMES,
            },
        .sections =
            {
                [SECTION_NOTE] = {.sh_name = NAME_NOTE,
                                  .sh_type = SHT_NOTE,
                                  .sh_offset = sizeof(struct file_head),
                                  .sh_size = note_bytes,
                                  .sh_addralign = 8},
                [SECTION_NAMES] = {.sh_name = NAME_NAMES,
                                   .sh_type = SHT_STRTAB,
                                   .sh_offset = sizeof(struct file_head) + note_bytes,
                                   .sh_size = sizeof(NAMES),
                                   .sh_addralign = 1},
            },
    };
}

/* Makes the file of a note. Returns NULL when memory runs out. */
static uint8_t *file_make(const void *note, size_t note_bytes, size_t *bytes)
{
    struct file_head head;
    _Static_assert(sizeof(head) % 8 == 0, "the note is 8-byte aligned");
    *bytes = sizeof(head) + note_bytes + sizeof(NAMES);
    uint8_t *file = malloc(*bytes);
    if (file) {
        head_fill(&head, note_bytes);
        memcpy(file, &head, sizeof(head));
        memcpy(file + sizeof(head), note, note_bytes);
        memcpy(file + sizeof(head) + note_bytes, NAMES, sizeof(NAMES));
        bool sealed = geo_native_parse_seal(file, *bytes);
        GEO_ASSERT(sealed); /* the file has the note */
        (void)sealed;
    }
    return file;
}

ze_result_t geo_codegen_contain_ptx(const char *text, uint32_t architecture,
                                    struct geo_ir_module *module,
                                    const struct geo_lower_result *lowered,
                                    const struct geo_codegen_notes *notes, void **object,
                                    size_t *object_bytes)
{
    const struct geo_codegen_payload payload = {
        .record =
            {
                .kind = GEO_PAYLOAD_PTX,
                .contract = GEO_NVIDIA_CONTRACT,
                .target = GEO_TARGET_NVIDIA,
                .architecture = architecture,
                .kernel_bytes = sizeof(struct geo_native_entry),
            },
        .device_name = "",
        .code = text,
        .bytes = text ? strlen(text) + 1 : 0,
    };
    size_t note_bytes;
    void *note = geo_codegen_note_make(text ? &payload : NULL, module, lowered, notes, &note_bytes);
    *object = note ? file_make(note, note_bytes, object_bytes) : NULL;
    free(note);
    return *object ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}
