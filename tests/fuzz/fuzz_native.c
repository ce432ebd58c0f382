/* Native binaries from anyone: the note's reader and the loader of objects must refuse or load,
 * never crash, hang or leak. What loads is not run: its code is as untrusted as the file. */
#include "backend/cpu/elf_image.h"
#include "backend/cpu/elf_register.h"
#include "native/native.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void note_read(const uint8_t *bytes, size_t size)
{
    struct geo_native_view view;
    const char *reason = NULL;
    if (geo_native_parse(bytes, size, &view, &reason) != ZE_RESULT_SUCCESS) {
        if (!reason) {
            abort(); /* never refused without a reason */
        }
        return;
    }
    size_t total = 0;
    for (uint32_t i = 0; i < view.header->kernel_count; i++) {
        total += strlen(geo_native_string(&view, view.kernels[i].name));
        total += strlen(geo_native_string(&view, view.kernels[i].symbol));
    }
    for (uint32_t i = 0; i < view.header->global_count; i++) {
        total += strlen(geo_native_string(&view, view.globals[i].symbol));
    }
    for (uint32_t i = 0; i < view.header->symbol_count; i++) {
        total += strlen(geo_native_string(&view, view.symbols[i].name));
        total += strlen(geo_native_string(&view, view.symbols[i].symbol));
        total += strlen(geo_native_string(&view, view.symbols[i].user));
    }
    for (uint32_t i = 0; i < view.header->source_count; i++) { /* every byte can be read */
        const uint8_t *source = (const uint8_t *)view.header + view.sources[i].offset;
        total += strlen(geo_native_string(&view, view.sources[i].options));
        for (uint32_t k = 0; k < view.sources[i].bytes; k++) {
            total += source[k];
        }
    }
    if (total == SIZE_MAX) {
        abort();
    }
}

/* The two steps apart, with an address for whatever the object asks for. */
static void object_place(const struct geo_elf_object *object, struct geo_strbuf *log)
{
    static uint64_t variable;
    const struct geo_elf_external externals[] = {{"missing_function", &variable}};
    struct geo_elf_image image;
    struct geo_elf_loading *loading;
    if (geo_elf_place(object, externals, 1, &image, &loading, log) == ZE_RESULT_SUCCESS) {
        (void)geo_elf_relocate(loading, log);
        geo_elf_unload(&image);
    }
}

static void object_load(const uint8_t *bytes, size_t size)
{
    struct geo_elf_object object;
    struct geo_elf_image image;
    struct geo_strbuf log;
    bool memory;
    geo_strbuf_init(&log, 4096);
    if (geo_elf_parse(bytes, size, &object, &log, &memory)) {
        if (geo_elf_load(&object, &image, &log) == ZE_RESULT_SUCCESS) {
            struct geo_elf_registration *registration = geo_elf_register(&object, &image);
            geo_elf_symbol_find(&object, &image, "kernel_ids", true);
            geo_elf_symbol_find(&object, &image, "variable_table", false);
            geo_elf_unregister(registration);
            geo_elf_unload(&image);
        }
        object_place(&object, &log);
        geo_elf_finish(&object);
    }
    geo_strbuf_finish(&log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1); /* aligned, and of exactly this size */
    if (copy) {
        memcpy(copy, data, size);
        note_read(copy, size);
        if (geo_native_seal(copy, size)) { /* what lies behind the checksum */
            note_read(copy, size);
        }
        object_load(copy, size);
        free(copy);
    }
    return 0;
}
