/* Writes messages as SARIF 2.1.0. See sarif.h. */
#include "layers/validation/report/sarif.h"

#include "base/file_limit.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "layers/validation/report/json_text.h"
#include "layers/validation/report/stack.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

static const char tail[] = "\n]}]}\n";
enum { TAIL_BYTES = sizeof(tail) - 1 };

static char file_path[GEO_PATH_BYTES]; /* written once, by geo_val_sarif_open */

/* SARIF's names of severities. */
static const char *const levels[] = {
    [GEO_VAL_ERROR] = "error", [GEO_VAL_WARNING] = "warning", [GEO_VAL_HINT] = "note"};

/* ---- the document ---- */

static void rule_add(struct geo_strbuf *text, const struct geo_val_message_row *row)
{
    geo_strbuf_printf(text, "{\"id\":\"%s\",\"shortDescription\":{\"text\":", row->name);
    geo_val_json_add(text, row->text);
    geo_strbuf_printf(text,
                      "},\"defaultConfiguration\":{\"level\":\"%s\"},\"properties\":{\"tags\":[",
                      levels[row->severity]);
    geo_val_json_add(text, row->requirement);
    geo_strbuf_printf(text, ",");
    geo_val_json_add(text, row->section);
    geo_strbuf_printf(text, "]}}");
}

/* The document up to its first result. */
static void head_add(struct geo_strbuf *text)
{
    geo_strbuf_printf(text, "{\"$schema\":\"" SCHEMA "\",\"version\":\"2.1.0\",\"runs\":[{\"tool\":"
                            "{\"driver\":{\"name\":\"Geoid validation layer\",\"rules\":[\n");
    for (int i = 0; i < GEO_VAL_MESSAGE_COUNT; i++) {
        rule_add(text, &geo_val_messages[i]);
        geo_strbuf_printf(text, i + 1 < GEO_VAL_MESSAGE_COUNT ? ",\n" : "\n");
    }
    geo_strbuf_printf(text, "]}},\"results\":[\n");
}

/* ---- a result ---- */

/* Appends a path as a URI: an absolute one with the scheme "file". */
static void uri_add(struct geo_strbuf *text, const char *path)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    geo_strbuf_printf(text, path[0] == '/' ? "\"file://" : "\"");
    for (const char *c = path; *c; c++) {
        if (strchr(plain, *c)) {
            geo_strbuf_add(text, c, 1);
        } else {
            geo_strbuf_printf(text, "%%%02X", (unsigned char)*c);
        }
    }
    geo_strbuf_printf(text, "\"");
}

/* Appends the source line of a stack. Returns false, and appends nothing, if it is unknown. */
static bool line_add(struct geo_strbuf *text, const struct geo_val_stack *stack)
{
    char file[GEO_VAL_FILE_BYTES];
    int line;
    if (!stack || !geo_val_stack_place(stack, file, &line)) {
        return false;
    }
    geo_strbuf_printf(text, "\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
    uri_add(text, file);
    geo_strbuf_printf(text, "},\"region\":{\"startLine\":%d}}", line);
    return true;
}

/* Appends a location with what is known of it, or nothing. `member` begins it. */
static void location_add(struct geo_strbuf *text, const char *member,
                         const struct geo_val_stack *stack, const char *function, const char *what)
{
    const size_t begin = text->length;
    geo_strbuf_printf(text, ",\"%s\":[{", member);
    const size_t empty = text->length;
    const bool has_line = line_add(text, stack);
    if (function) {
        geo_strbuf_printf(text,
                          "%s\"logicalLocations\":[{\"fullyQualifiedName\":\"%s\",\"kind\":"
                          "\"function\"}]",
                          has_line ? "," : "", function);
    }
    if (text->length == empty) {
        text->length = begin;
        return;
    }
    if (what) {
        geo_strbuf_printf(text, ",\"message\":{\"text\":\"%s\"}", what);
    }
    geo_strbuf_printf(text, "}]");
}

static const char *function_name(uint32_t id)
{
    return id < GEO_DDI_FUNCTION_COUNT ? geo_ddi_functions[id].name : NULL;
}

static void result_add(struct geo_strbuf *text, enum geo_val_message message,
                       const struct geo_val_place *place, const struct geo_val_stack *stack,
                       const char *words)
{
    struct geo_strbuf sentence = {0};
    const struct geo_val_history *history = place->history;
    const char *function = place->call ? function_name((uint32_t)place->call->id) : NULL;
    const char *maker = history ? function_name(history->made.function) : NULL;
    geo_strbuf_printf(&sentence, "%s%s%s%s", function ? function : "", function ? ": " : "",
                      place->argument ? place->argument : "", place->argument ? ": " : "");
    geo_strbuf_add_shown(&sentence, words, strlen(words)); /* names may be any bytes */
    geo_strbuf_printf(
        text, "{\"ruleId\":\"%s\",\"ruleIndex\":%d,\"level\":\"%s\",\"message\":{\"text\":",
        geo_val_messages[message].name, (int)message, levels[geo_val_messages[message].severity]);
    geo_val_json_add(text, geo_strbuf_text(&sentence));
    geo_strbuf_printf(text, "}");
    geo_strbuf_finish(&sentence);
    if (place->call || !history) {
        location_add(text, "locations", stack, function, NULL);
    }
    if (history) { /* outside calls, as for leaks, the object's creation is the best location */
        location_add(text, place->call ? "relatedLocations" : "locations", history->stack, maker,
                     "the object was created here");
    }
    if (place->handle) {
        geo_strbuf_printf(text, ",\"properties\":{\"object\":\"%p\"}", place->handle);
    }
    geo_strbuf_printf(text, "}");
}

/* ---- the file ---- */

/* Opens and locks the file. The lock ends when it is closed. Returns -1 and sets errno if it is not
 * a regular file. */
static int file_open(off_t *size)
{
    struct stat status;
    const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    const int fd = open(file_path, flags, 0666);
    if (fd < 0) {
        return -1;
    }
    while (flock(fd, LOCK_EX) != 0 && errno == EINTR) {
    }
    const bool known = fstat(fd, &status) == 0;
    if (!known || !S_ISREG(status.st_mode)) {
        const int reason = known ? EINVAL : errno;
        close(fd);
        errno = reason;
        return -1;
    }
    *size = status.st_size;
    return fd;
}

/* Returns whether the file ends as a document of this layer does, and whether it has results. */
static bool end_check(int fd, off_t size, bool *has_results)
{
    char end[TAIL_BYTES + 1];
    const off_t at = size - (off_t)sizeof(end);
    if (at < 0 || pread(fd, end, sizeof(end), at) != (ssize_t)sizeof(end) ||
        memcmp(end + 1, tail, TAIL_BYTES) != 0) {
        return false;
    }
    *has_results = end[0] == '}';
    return true;
}

/* Writes the end of the document. If not all of it can be written, the document becomes what it
 * was. */
static bool end_write(int fd, off_t at, const struct geo_strbuf *text)
{
    struct geo_file_limit limit;
    geo_file_limit_hold(&limit);
    const ssize_t written = pwrite(fd, text->text, text->length, at);
    const bool good = written >= 0 && (size_t)written == text->length;
    const int reason = written < 0 ? errno : ENOSPC;
    if (!good && ftruncate(fd, at) == 0 && at > 0) {
        (void)!pwrite(fd, tail, TAIL_BYTES, at);
    }
    geo_file_limit_release(&limit);
    errno = reason;
    return good;
}

/* Inserts a result into the file, or makes an empty document if it is NULL. */
static bool file_insert(int fd, off_t size, const struct geo_strbuf *result)
{
    struct geo_strbuf text = {0};
    bool has_results = false;
    if (size == 0) {
        head_add(&text);
        text.length--; /* the tail begins with the line feed */
    } else if (!end_check(fd, size, &has_results)) {
        errno = EILSEQ;
        return false;
    } else if (!result) {
        return true;
    }
    if (result) {
        geo_strbuf_printf(&text, has_results ? ",\n" : "\n");
        geo_strbuf_add(&text, result->text, result->length);
    }
    geo_strbuf_add(&text, tail, TAIL_BYTES);
    errno = ENOMEM;
    const bool good = !text.truncated && end_write(fd, size == 0 ? 0 : size - TAIL_BYTES, &text);
    geo_strbuf_finish(&text);
    return good;
}

static bool result_insert(const struct geo_strbuf *result)
{
    off_t size;
    const int fd = file_open(&size);
    if (fd < 0) {
        return false;
    }
    const bool good = file_insert(fd, size, result);
    const int reason = errno;
    close(fd);
    errno = reason;
    return good;
}

bool geo_val_sarif_open(const char *path)
{
    if (!path || !*path || !geo_path_absolute(path, file_path, sizeof(file_path))) {
        errno = path && *path ? ENAMETOOLONG : ENOENT;
        return false;
    }
    return result_insert(NULL);
}

bool geo_val_sarif_write(enum geo_val_message message, const struct geo_val_place *place,
                         const struct geo_val_stack *stack, const char *text)
{
    struct geo_strbuf result = {0};
    const int reason = errno;
    result_add(&result, message, place, stack, text);
    const bool good = !result.truncated && result_insert(&result);
    geo_strbuf_finish(&result);
    errno = good ? reason : errno;
    return good;
}
