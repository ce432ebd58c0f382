/* Reads a manifest. See manifest.h. The path may name anything, even a device or a pipe. It is
 * therefore checked before it is opened, it is opened without blocking, and at most the maximum
 * size of a manifest is read. */
#include "loader/discovery/manifest.h"

#include "base/assert.h"
#include "loader/discovery/members.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FORMAT_MAJOR 1 /* supported format version; minor versions only add members */

enum { FORMAT, LIBRARY, API, NAME, MEMBER_COUNT };

/* ---- the file ---- */

const char *geo_manifest_distrust(const struct stat *status)
{
    return status->st_mode & S_IWOTH ? "anybody may write to it" : NULL;
}

static const char *status_check(const struct stat *status)
{
    if (!S_ISREG(status->st_mode)) {
        return "not a regular file";
    }
    return status->st_size > GEO_MANIFEST_BYTES ? "larger than 64 KiB"
                                                : geo_manifest_distrust(status);
}

/* Reads at most one byte more than the maximum size of a manifest. Returns the length, or -1 with
 * errno. */
static ssize_t bytes_read(int fd, char *bytes)
{
    size_t length = 0;
    while (length <= GEO_MANIFEST_BYTES) {
        ssize_t got = read(fd, bytes + length, GEO_MANIFEST_BYTES + 1 - length);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got < 0 ? got : (ssize_t)length;
        }
        length += (size_t)got;
    }
    GEO_ASSERT(length == GEO_MANIFEST_BYTES + 1);
    return (ssize_t)length;
}

/* Reads the file into `bytes` (GEO_MANIFEST_BYTES + 1). Returns NULL on success, else the error
 * text. */
static const char *file_read(const char *path, char *bytes, size_t *size)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return strerrordesc_np(errno);
    }
    const char *problem = status_check(&status);
    if (problem) {
        return problem;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return strerrordesc_np(errno);
    }
    problem = fstat(fd, &status) == 0 ? status_check(&status) : strerrordesc_np(errno);
    if (!problem) {
        ssize_t length = bytes_read(fd, bytes);
        *size = length < 0 ? 0 : (size_t)length;
        problem = length < 0                   ? strerrordesc_np(errno)
                  : *size == 0                 ? "an empty file"
                  : *size > GEO_MANIFEST_BYTES ? "larger than 64 KiB"
                                               : NULL;
    }
    close(fd);
    return problem;
}

/* ---- content ---- */

/* Parses a version such as "1.17": two decimal numbers below 2^16. */
static bool version_parse(const char *text, uint32_t *version)
{
    uint32_t numbers[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        const char *first = text;
        while (*text >= '0' && *text <= '9' && numbers[i] <= UINT16_MAX) {
            numbers[i] = numbers[i] * 10 + (uint32_t)(*text++ - '0');
        }
        if (text == first || numbers[i] > UINT16_MAX || *text != (i ? '\0' : '.')) {
            return false;
        }
        text++;
    }
    *version = numbers[0] << 16 | numbers[1];
    return true;
}

/* Checks the members of a manifest. Returns false and describes the problem when they are
 * invalid. */
static bool members_check(const struct geo_member *members, uint32_t *api, char *problem,
                          size_t room)
{
    uint32_t format = 0;
    const char *format_text = members[FORMAT].text, *api_text = members[API].text;
    if (!format_text || !members[LIBRARY].text) {
        snprintf(problem, room, "\"%s\" is missing", members[format_text ? LIBRARY : FORMAT].key);
    } else if (!version_parse(format_text, &format)) {
        snprintf(problem, room, "\"file_format_version\" is not a version: %.40s", format_text);
    } else if (format >> 16 != FORMAT_MAJOR) {
        snprintf(problem, room, "of format %s, this loader reads %d.x", format_text, FORMAT_MAJOR);
    } else if (!members[LIBRARY].text[0]) {
        snprintf(problem, room, "\"library\" is empty");
    } else if (api_text && !version_parse(api_text, api)) {
        snprintf(problem, room, "\"api_version\" is not a version: %.40s", api_text);
    } else {
        return true;
    }
    return false;
}

/* Returns the library's path. A relative path with a slash is resolved against the manifest's
 * folder. */
static char *library_locate(const char *manifest, const char *library)
{
    const char *slash = strrchr(manifest, '/');
    if (!strchr(library, '/') || library[0] == '/' || !slash) {
        return strdup(library);
    }
    return geo_candidate_text("%.*s/%s", (int)(slash - manifest), manifest, library);
}

bool geo_manifest_refuse(const char *path, const char *reason, struct geo_candidate *candidate)
{
    *candidate = (struct geo_candidate){.from = GEO_FROM_MANIFEST,
                                        .name = strdup(path),
                                        .manifest = strdup(path),
                                        .refusal = strdup(reason)};
    if (!candidate->name || !candidate->manifest || !candidate->refusal) {
        geo_candidate_finish(candidate);
        return false;
    }
    return true;
}

static bool manifest_accept(const char *path, const struct geo_member *members, uint32_t api,
                            struct geo_candidate *candidate)
{
    const char *label = members[NAME].text;
    GEO_ASSERT(members[LIBRARY].text && members[LIBRARY].text[0]);
    *candidate = (struct geo_candidate){.from = GEO_FROM_MANIFEST,
                                        .name = library_locate(path, members[LIBRARY].text),
                                        .manifest = strdup(path),
                                        .label = label ? strdup(label) : NULL,
                                        .declared = api};
    if (!candidate->name || !candidate->manifest || (label && !candidate->label)) {
        geo_candidate_finish(candidate);
        return false;
    }
    return true;
}

bool geo_manifest_read(const char *path, struct geo_candidate *candidate)
{
    struct geo_member members[MEMBER_COUNT] = {[FORMAT] = {.key = "file_format_version"},
                                               [LIBRARY] = {.key = "library"},
                                               [API] = {.key = "api_version"},
                                               [NAME] = {.key = "name"}};
    char *bytes = malloc(GEO_MANIFEST_BYTES + 1), problem[160];
    size_t size = 0;
    uint32_t api = 0;
    if (!bytes) {
        return false;
    }
    bool complete;
    const char *unreadable = file_read(path, bytes, &size);
    if (unreadable) {
        complete = geo_manifest_refuse(path, unreadable, candidate);
    } else if (!geo_members_read(bytes, size, members, MEMBER_COUNT, problem, sizeof(problem)) ||
               !members_check(members, &api, problem, sizeof(problem))) {
        complete = geo_manifest_refuse(path, problem, candidate);
    } else {
        complete = manifest_accept(path, members, api, candidate);
    }
    GEO_ASSERT(!complete || geo_candidate_is_valid(candidate));
    free(bytes);
    return complete;
}
