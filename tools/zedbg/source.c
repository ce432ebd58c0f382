/* Reads source files. See source.h. */
#include "source.h"

#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file {
    struct file *next;
    char *path;
    char **lines;
    size_t count;
};

static struct file *files;
static char **folders;
static size_t folder_count;

const char *source_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void source_folder_add(const char *folder)
{
    folders = memory_grow(folders, folder_count, sizeof(*folders));
    folders[folder_count++] = memory_text(folder);
    while (files) { /* files that were not found may be there */
        struct file *next = files->next;
        for (size_t i = 0; i < files->count; i++) {
            free(files->lines[i]);
        }
        free(files->lines);
        free(files->path);
        free(files);
        files = next;
    }
}

static FILE *open_at(const char *path)
{
    FILE *stream = fopen(path, "re");
    for (size_t i = 0; i < folder_count && !stream; i++) {
        stream = fopen(scratch_format("%s/%s", folders[i], path), "re");
        if (!stream) {
            stream = fopen(scratch_format("%s/%s", folders[i], source_name(path)), "re");
        }
    }
    return stream;
}

static const struct file *file_get(const char *path)
{
    struct file *file = files;
    while (file && strcmp(file->path, path) != 0) {
        file = file->next;
    }
    if (file) {
        return file;
    }
    file = memory_alloc(1, sizeof(*file));
    *file = (struct file){.next = files, .path = memory_text(path)};
    files = file;
    FILE *stream = open_at(path);
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    while (stream && (length = getline(&line, &size, stream)) >= 0) {
        while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r')) {
            line[--length] = '\0';
        }
        file->lines = memory_grow(file->lines, file->count, sizeof(*file->lines));
        file->lines[file->count++] = memory_text(line);
    }
    free(line);
    if (stream) {
        fclose(stream);
    }
    return file;
}

const char *source_line(const char *path, int line)
{
    const struct file *file = file_get(path);
    return line >= 1 && (size_t)line <= file->count ? file->lines[line - 1] : NULL;
}

int source_lines(const char *path)
{
    return (int)file_get(path)->count;
}
