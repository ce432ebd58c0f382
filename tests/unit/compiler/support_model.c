/* Models from fixtures and from assembly text, for the compiler's unit tests. See support.h. */
#include "support.h"

#include "compiler/spirv/reader.h"
#include "compiler/validate/validate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void *file_read(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fail_msg("%s cannot be opened", path);
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    void *data = malloc((size_t)size + 1);
    assert_non_null(data);
    *bytes = fread(data, 1, (size_t)size, file);
    fclose(file);
    return data;
}

void *support_fixture_bytes(const char *name, size_t *bytes)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s.spv", FIXTURES, name);
    return file_read(path, bytes);
}

void support_assert_valid(struct geo_ir_module *module)
{
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    if (geo_validate(module, "test", &log) != ZE_RESULT_SUCCESS) {
        fail_msg("invalid: %s", geo_strbuf_text(&log));
    }
    geo_strbuf_finish(&log);
}

static struct geo_ir_module *module_read(const void *data, size_t bytes)
{
    struct geo_strbuf log;
    struct geo_ir_module *module = NULL;
    geo_strbuf_init(&log, 0);
    if (geo_spirv_read(data, bytes, &module, &log) != ZE_RESULT_SUCCESS) {
        fail_msg("not read: %s", geo_strbuf_text(&log));
    }
    geo_strbuf_finish(&log);
    support_assert_valid(module);
    return module;
}

struct geo_ir_module *support_fixture(const char *name)
{
    size_t bytes;
    void *data = support_fixture_bytes(name, &bytes);
    struct geo_ir_module *module = module_read(data, bytes);
    free(data);
    return module;
}

void *support_assemble_bytes(const char *text, size_t *bytes)
{
    static const char head[] = "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\n"
                               "OpCapability Int64\nOpCapability Int16\nOpCapability Int8\n"
                               "OpCapability Float64\nOpCapability Float16\nOpCapability Vector16\n"
                               "%ocl = OpExtInstImport \"OpenCL.std\"\n"
                               "OpMemoryModel Physical64 OpenCL\n";
    char source[] = "/tmp/geoid-test-XXXXXX", output[64], command[1024];
    int fd = mkstemp(source);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, head, sizeof(head) - 1), sizeof(head) - 1);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    snprintf(output, sizeof(output), "%s.spv", source);
    snprintf(command, sizeof(command), "%s --target-env spv1.4 %s -o %s", SPIRV_AS, source, output);
    int status = system(command);
    unlink(source);
    if (status != 0) {
        fail_msg("not assembled:\n%s", text);
    }
    void *data = file_read(output, bytes);
    unlink(output);
    return data;
}

struct geo_ir_module *support_assemble(const char *text)
{
    size_t bytes;
    void *data = support_assemble_bytes(text, &bytes);
    struct geo_ir_module *module = module_read(data, bytes);
    free(data);
    return module;
}
