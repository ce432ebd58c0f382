/* Trees: the files of a machine as text. scripts/record_machine writes them, and people do. A line
 * that begins with "/" is a file; others are remarks.
 *
 *     /path text            a file of that line
 *     /path <<              a file of the lines that follow, up to a line "."
 *     /path hex 11 2a       a file of those bytes
 *     /path -> target       a link
 *     /path 0400 | text     a file of that line and that mode; likewise "0400 <<" and "0400 hex"
 *     /path 0400 refused    a file that who recorded could not read: an empty one of that mode
 *     /path 0444 error EIO  a file that is there, and that the system does not let be read now
 *
 * "{0-3}" in a path stands for one file for each of these numbers, "@" in its text for the number. */
#include "machine_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_BYTES  8192
#define BLOCK_BYTES 65536

static void hex_write(const struct machine *machine, const char *path, const char *text)
{
    uint8_t bytes[LINE_BYTES / 3];
    size_t size = 0;
    for (char *end; size < sizeof(bytes); text = end) {
        unsigned long byte = strtoul(text, &end, 16);
        if (end == text) {
            break;
        }
        bytes[size++] = (uint8_t)byte;
    }
    machine_bytes(machine, path, bytes, size);
}

/* "@" is the number. */
static void number_put(char *out, size_t size, const char *text, long number)
{
    size_t length = 0;
    for (; *text && length + 24 < size; text++) {
        length += *text == '@' ? (size_t)snprintf(out + length, size - length, "%ld", number) : 1;
        if (*text != '@') {
            out[length - 1] = *text;
        }
    }
    out[length] = '\0';
}

static void link_make(const struct machine *machine, const char *path, const char *target)
{
    machine_folders(machine_path(machine, path));
    assert_int_equal(symlink(target, machine_path(machine, path)), 0);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The mode that a text begins with, which is taken from it; 0: none. */
static unsigned mode_take(const char **text)
{
    unsigned mode = 0;
    int used = 0;
    if (**text != '0' || sscanf(*text, "%4o %n", &mode, &used) != 1 || used != 5) {
        return 0;
    }
    const char *rest = *text + used;
    if (begins(rest, "| ") || strcmp(rest, "|") == 0) {
        *text = rest + (rest[1] == ' ' ? 2 : 1);
    } else if (begins(rest, "hex") || begins(rest, "<<") || begins(rest, "refused") ||
               begins(rest, "error ")) {
        *text = rest;
    } else {
        return 0;
    }
    return mode;
}

/* The lines up to "." */
static void block_make(const struct machine *machine, const char *path, FILE *manifest)
{
    static char text[BLOCK_BYTES];
    char line[LINE_BYTES];
    size_t length = 0;
    while (fgets(line, sizeof(line), manifest) && strcmp(line, ".\n") != 0) {
        assert_true(length + strlen(line) < sizeof(text));
        memcpy(text + length, line, strlen(line) + 1);
        length += strlen(line);
    }
    machine_bytes(machine, path, text, length);
}

static void file_make(const struct machine *machine, const char *path, const char *text,
                      FILE *manifest)
{
    unsigned mode = mode_take(&text);
    if (mode == 0 && begins(text, "-> ")) {
        link_make(machine, path, text + 3);
    } else if (mode != 0 && begins(text, "error ")) {
        link_make(machine, path, "/proc/self/mem"); /* a file whose beginning cannot be read */
        return;
    } else if (strcmp(text, "<<") == 0) {
        block_make(machine, path, manifest);
    } else if (strcmp(text, "hex") == 0 || begins(text, "hex ")) {
        hex_write(machine, path, text + 3);
    } else if (mode != 0 && strcmp(text, "refused") == 0) {
        machine_bytes(machine, path, "", 0);
    } else {
        machine_write(machine, path, text);
    }
    if (mode) {
        machine_mode(machine, path, mode);
    }
}

/* "{0-3}" in the path: a file for each. */
static void files_make(const struct machine *machine, const char *path, const char *text,
                       FILE *manifest)
{
    const char *open = strchr(path, '{'), *close = strchr(path, '}');
    long first = 0, last = 0;
    if (!open) {
        file_make(machine, path, text, manifest);
        return;
    }
    assert_true(close && sscanf(open, "{%ld-%ld}", &first, &last) == 2);
    for (long i = first; i <= last; i++) {
        char one[512], value[512];
        snprintf(one, sizeof(one), "%.*s%ld%s", (int)(open - path), path, i, close + 1);
        number_put(value, sizeof(value), text, i);
        file_make(machine, one, value, manifest);
    }
}

void machine_tree_read(const struct machine *machine, const char *name)
{
    char path[512], line[LINE_BYTES];
    if (strchr(name, '/')) {
        snprintf(path, sizeof(path), "%s", name);
    } else {
        snprintf(path, sizeof(path), "%s/%s.tree", SYSMAN_TREES, name);
    }
    FILE *manifest = fopen(path, "r");
    assert_non_null(manifest);
    while (fgets(line, sizeof(line), manifest)) {
        line[strcspn(line, "\n")] = '\0';
        char *text = strchr(line, ' ');
        if (line[0] != '/') {
            continue;
        }
        assert_non_null(text);
        *text++ = '\0';
        files_make(machine, line, text, manifest);
    }
    fclose(manifest);
}
