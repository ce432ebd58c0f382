/* Writes intermediate forms of builds to files. See dump.h. */
#include "compiler/facade/dump.h"

#include "base/log.h"
#include "base/option.h"
#include "base/output.h"
#include "base/path.h"
#include "base/room.h"
#include "compiler/ir/print.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static _Atomic unsigned build_count;
static _Thread_local unsigned build_number;

static void dump_write(const char *suffix, const void *data, size_t bytes)
{
    char name[512];
    snprintf(name, sizeof(name), "%s/%d-%u.%s", geo_option_string("GEOID_DUMP"), (int)getpid(),
             build_number, suffix);
    GEO_ROOM_TEXT(path, geo_path_copy(name, strlen(name)));
    if (!path || !geo_output_file(path, data, bytes)) {
        geo_log("compiler", GEO_LOG_ERROR, "GEOID_DUMP: cannot write %s: %s", name,
                strerror(errno));
    }
}

static bool dump_wanted(void)
{
    return geo_option_string("GEOID_DUMP") != NULL;
}

void geo_dump_spirv(const void *words, size_t bytes)
{
    if (dump_wanted()) {
        build_number = atomic_fetch_add(&build_count, 1);
        dump_write("spv", words, bytes);
    }
}

void geo_dump_module(const struct geo_ir_module *module)
{
    struct geo_strbuf text;
    if (dump_wanted()) {
        geo_strbuf_init(&text, 0);
        text.shown = true;
        geo_ir_print(module, &text);
        dump_write("model", geo_strbuf_text(&text), text.length);
        geo_strbuf_finish(&text);
    }
}

void geo_dump_llvm(LLVMModuleRef module, const char *stage)
{
    char suffix[32];
    if (dump_wanted()) {
        char *text = LLVMPrintModuleToString(module);
        snprintf(suffix, sizeof(suffix), "%s.ll", stage);
        dump_write(suffix, text, strlen(text));
        LLVMDisposeMessage(text);
    }
}

void geo_dump_object(const void *object, size_t bytes)
{
    if (dump_wanted()) {
        dump_write("o", object, bytes);
    }
}
