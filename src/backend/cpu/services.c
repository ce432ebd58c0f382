/* printf and assert, executed on the thread that runs the work-item.
 *
 * The text of a call is built completely and written to the C library's stdout at once. Nothing is
 * buffered until the kernel ends, so no output grows or gets lost, and work-items print in program
 * order. The stream's lock is held only while the text is copied, and no kernel memory is read
 * meanwhile.
 *
 * String addresses come from the kernel and may be invalid. They are read under a fault scope,
 * except for constants of the program itself, which are known to be mapped. */
#include "backend/cpu/services.h"

#include "base/file_limit.h"
#include "base/log.h"
#include "base/option.h"
#include "exec/job/limit.h"
#include "exec/thread/fault.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES 256u

/* ---- strings of the kernel ---- */

/* Returns the number of bytes of program constants at an address. */
static size_t constant_bytes(const struct geo_backend_kernel *kernel, uint64_t address)
{
    uint64_t offset = address - (uint64_t)(uintptr_t)kernel->constants;
    return offset < kernel->constants_bytes ? kernel->constants_bytes - offset : 0;
}

/* Copies up to the terminating zero, which is not copied, or the limit. Returns false when a fault
 * occurred. */
static bool piece_copy(const volatile char *from, char *to, size_t limit, volatile size_t *length)
{
    struct geo_fault_scope scope;
    bool done = GEO_FAULT_TRY(&scope);
    if (done) {
        for (*length = 0; *length < limit && (to[*length] = from[*length]) != '\0';) {
            *length += 1;
        }
    }
    geo_fault_leave(&scope);
    return done;
}

static bool string_add(void *data, uint64_t address, size_t limit, struct geo_strbuf *out)
{
    const char *text = (const char *)(uintptr_t)address;
    size_t room = constant_bytes(data, address);
    if (room > 0) {
        geo_strbuf_add(out, text, strnlen(text, room < limit ? room : limit));
        return true;
    }
    char piece[PIECE_BYTES];
    volatile size_t length;
    do {
        size_t wanted = limit < sizeof(piece) ? limit : sizeof(piece);
        if (!piece_copy(text, piece, wanted, &length)) {
            return false;
        }
        geo_strbuf_add(out, piece, length);
        text += length;
        limit -= length;
    } while (length == sizeof(piece) && limit > 0 && !out->truncated);
    return true;
}

/* ---- printf ---- */

static int32_t text_write(const struct geo_strbuf *text)
{
    struct geo_file_limit limit;
    geo_file_limit_hold(&limit);
    size_t written = fwrite(geo_strbuf_text(text), 1, text->length, stdout);
    geo_file_limit_release(&limit);
    return written == text->length ? 0 : -1;
}

static int32_t format_print(const struct geo_backend_kernel *kernel, const char *format,
                            size_t length, const struct geo_cl_arguments *arguments)
{
    struct geo_strbuf text;
    geo_strbuf_init(&text, GEO_CL_PRINTF_BYTES);
    int32_t result = -1;
    switch (geo_cl_printf(&text, format, length, arguments)) {
    case GEO_CL_DONE:
        result = text_write(&text);
        break;
    case GEO_CL_MISFIT:
        text_write(&text);
        break;
    case GEO_CL_TOO_LONG:
        geo_log("cpu", GEO_LOG_WARN, "%s: printf of more than %u bytes: nothing is printed",
                kernel->name, GEO_CL_PRINTF_BYTES);
        break;
    }
    geo_strbuf_finish(&text);
    return result;
}

static int32_t service_print(const struct geo_launch *launch, const char *format,
                             const struct geo_cl_type *types, uint32_t count,
                             const uint64_t *values)
{
    const struct geo_backend_kernel *kernel = ((const struct geo_cpu_launch *)launch)->kernel;
    const struct geo_cl_arguments arguments = {
        .types = types,
        .count = count,
        .values = values,
        .string = string_add,
        .data = (void *)(uintptr_t)kernel,
    };
    geo_limit_service_begin(); /* locks are held from here on, so the thread must not be stopped */
    size_t room = constant_bytes(kernel, (uint64_t)(uintptr_t)format);
    int32_t result = -1;
    if (room > 0) {
        result = format_print(kernel, format, strnlen(format, room), &arguments);
    } else {
        struct geo_strbuf copy;
        geo_strbuf_init(&copy, GEO_CL_PRINTF_BYTES);
        bool there =
            string_add(arguments.data, (uint64_t)(uintptr_t)format, GEO_CL_PRINTF_BYTES + 1, &copy);
        if (there && !copy.truncated) {
            result = format_print(kernel, geo_strbuf_text(&copy), copy.length, &arguments);
        } else {
            geo_log("cpu", GEO_LOG_WARN, "%s: printf with a format that %s", kernel->name,
                    there ? "does not end" : "is at an invalid address");
        }
        geo_strbuf_finish(&copy);
    }
    geo_limit_service_end();
    return result;
}

/* ---- assert ---- */

static void name_add(struct geo_strbuf *text, const struct geo_backend_kernel *kernel,
                     uint64_t address)
{
    struct geo_strbuf name;
    geo_strbuf_init(&name, GEO_CL_PRINTF_BYTES);
    bool there =
        address && string_add((void *)(uintptr_t)kernel, address, GEO_CL_PRINTF_BYTES, &name);
    const char *shown = there ? geo_strbuf_text(&name) : "(null)";
    geo_strbuf_add_shown(text, shown, strlen(shown));
    geo_strbuf_finish(&name);
}

static void ids_add(struct geo_strbuf *text, const char *before, const uint64_t ids[3])
{
    geo_strbuf_printf(text, "%s[%llu,%llu,%llu]", before, (unsigned long long)ids[0],
                      (unsigned long long)ids[1], (unsigned long long)ids[2]);
}

static void message_write(const struct geo_backend_kernel *kernel,
                          const struct geo_assertion *assertion)
{
    struct geo_strbuf text;
    geo_strbuf_init(&text, 4 * (size_t)GEO_CL_PRINTF_BYTES);
    name_add(&text, kernel, assertion->file);
    geo_strbuf_printf(&text, ":%d: ", (int)(int32_t)assertion->line);
    name_add(&text, kernel, assertion->function);
    ids_add(&text, ": global id: ", assertion->global_id);
    ids_add(&text, ", local id: ", assertion->local_id);
    geo_strbuf_printf(&text, " Assertion `");
    name_add(&text, kernel, assertion->expression);
    geo_strbuf_printf(&text, "` failed.\n");
    struct geo_file_limit limit;
    geo_file_limit_hold(&limit);
    fflush(stdout); /* writes earlier output first, because abort discards it */
    fwrite(geo_strbuf_text(&text), 1, text.length, stderr);
    geo_file_limit_release(&limit);
    geo_strbuf_finish(&text);
}

static void service_assert_fail(const struct geo_launch *launch,
                                const struct geo_assertion *assertion)
{
    const struct geo_backend_kernel *kernel = ((const struct geo_cpu_launch *)launch)->kernel;
    geo_limit_service_begin(); /* this state only ends with the service */
    message_write(kernel, assertion);
    if (strcmp(geo_option_string("GEOID_ASSERT"), "report") == 0) {
        geo_fault_raise(SIGABRT, (uintptr_t)__builtin_return_address(0));
    }
    abort();
}

const struct geo_services geo_cpu_services = {
    .print = service_print,
    .assert_fail = service_assert_fail,
};
