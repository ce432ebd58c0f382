/* Prints which libraries the loader tried, as the loader reports it. Other loaders than Geoid's
 * cannot report it; for them only the settings are printed. */
#include "zeinfo.h"

#include <geoid/loader.h>
#include <level_zero/loader/ze_loader.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

char *why_account(void)
{
    geoid_pfnLoaderExplain_t explain =
        (geoid_pfnLoaderExplain_t)dlsym(RTLD_DEFAULT, "geoidLoaderExplain");
    size_t size = 0;
    if (!explain || explain(NULL, &size) != ZE_RESULT_SUCCESS) {
        return NULL;
    }
    size += 4096; /* it may have grown meanwhile */
    char *text = malloc(size);
    if (text && explain(text, &size) != ZE_RESULT_SUCCESS) {
        free(text);
        return NULL;
    }
    return text;
}

/* Cuts the next field off a line that ends in a tab, a line feed or the end. */
static char *field_take(char **line)
{
    char *field = *line;
    size_t length = strcspn(field, "\t\n");
    *line = field + length + (field[length] != '\0');
    field[length] = '\0';
    return field;
}

bool why_attempt_take(char **text, struct why_attempt *attempt)
{
    if (!**text) {
        return false;
    }
    attempt->name = field_take(text);
    attempt->origin = field_take(text);
    attempt->path = field_take(text);
    attempt->outcome = field_take(text);
    attempt->detail = field_take(text);
    return true;
}

/* "manifest PATH" are two things. */
static void origin_print(struct emit *emit, char *origin)
{
    static const char manifest[] = "manifest ";
    char *path = strncmp(origin, manifest, strlen(manifest)) == 0 ? strchr(origin, ' ') : NULL;
    if (path) {
        *path = '\0';
    }
    emit_text(emit, "origin", origin);
    if (path) {
        emit_text(emit, "manifest", path + 1);
    }
}

static void attempts_print(struct emit *emit, char *text)
{
    struct why_attempt attempt;
    emit_begin(emit, "libraries", EMIT_LIST);
    while (why_attempt_take(&text, &attempt)) {
        emit_begin(emit, NULL, EMIT_OBJECT);
        emit_text(emit, "name", attempt.name);
        origin_print(emit, attempt.origin);
        if (strcmp(attempt.path, "-") != 0) {
            emit_text(emit, "path", attempt.path);
        }
        emit_text(emit, "outcome", attempt.outcome);
        emit_text(emit, "detail", attempt.detail);
        emit_end(emit);
    }
    emit_end(emit);
}

/* The loader's own entry among the versions of its parts. */
static bool loader_version(zel_component_version_t *version)
{
    zel_component_version_t parts[16];
    size_t count = 0;
    if (zelLoaderGetVersions(&count, NULL) != ZE_RESULT_SUCCESS) {
        return false;
    }
    count = count < 16 ? count : 16;
    if (zelLoaderGetVersions(&count, parts) != ZE_RESULT_SUCCESS) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (strncmp(parts[i].component_name, "loader", sizeof(parts[i].component_name)) == 0) {
            *version = parts[i];
            return true;
        }
    }
    return false;
}

bool why_loader_version(char text[WHY_VERSION_BYTES])
{
    zel_component_version_t version;
    if (!loader_version(&version)) {
        return false;
    }
    snprintf(text, WHY_VERSION_BYTES, "%d.%d.%d", version.component_lib_version.major,
             version.component_lib_version.minor, version.component_lib_version.patch);
    return true;
}

const char *why_loader_path(void)
{
    Dl_info info;
    void *address = dlsym(RTLD_DEFAULT, "zeInit");
    return dladdr((void *)(uintptr_t)address, &info) && info.dli_fname ? info.dli_fname : NULL;
}

static void loader_print(struct emit *emit)
{
    char version[WHY_VERSION_BYTES];
    const char *path = why_loader_path();
    emit_begin(emit, "loader", EMIT_OBJECT);
    if (path) {
        emit_text(emit, "path", path);
    }
    if (why_loader_version(version)) {
        emit_text(emit, "version", version);
    }
    emit_end(emit);
}

/* The variables that loader and drivers go by, as far as they are set. */
static void settings_print(struct emit *emit)
{
    static const char *const prefixes[] = {"ZE_",  "ZES_",   "ZET_",
                                           "ZEL_", "GEOID_", "LD_LIBRARY_PATH="};
    emit_begin(emit, "environment", EMIT_OBJECT);
    for (char **variable = environ; *variable; variable++) {
        const char *equals = strchr(*variable, '=');
        for (size_t i = 0; equals && i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
            if (strncmp(*variable, prefixes[i], strlen(prefixes[i])) == 0) {
                char name[128];
                snprintf(name, sizeof(name), "%.*s", (int)(equals - *variable), *variable);
                emit_text(emit, name, equals + 1);
            }
        }
    }
    emit_end(emit);
}

bool why_print(struct emit *emit)
{
    char *text = why_account();
    loader_print(emit);
    settings_print(emit);
    if (text) {
        attempts_print(emit, text);
    } else {
        emit_text(emit, "libraries", "unknown: this loader does not say which libraries it tried");
    }
    bool known = text != NULL;
    free(text);
    return known;
}

const char *why_driver_path(ze_driver_handle_t driver)
{
    static char path[4096];
    geoid_pfnLoaderGetDriverPath_t ask =
        (geoid_pfnLoaderGetDriverPath_t)dlsym(RTLD_DEFAULT, "geoidLoaderGetDriverPath");
    size_t size = sizeof(path);
    if (!ask || ask(driver, path, &size) != ZE_RESULT_SUCCESS) {
        path[0] = '\0';
    }
    return path;
}

const char *why_error_text(void)
{
    ze_result_t (*ask)(const char **text);
    void *address = dlsym(RTLD_DEFAULT, "zerGetLastErrorDescription");
    const char *text = NULL;
    memcpy(&ask, &address, sizeof(ask));
    return address && ask(&text) == ZE_RESULT_SUCCESS && text && *text ? text : NULL;
}
