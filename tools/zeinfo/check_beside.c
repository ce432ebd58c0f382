/* The program zeinfo, --check: what lies beside the drivers: the validation layer, OpenCL, and
 * whether other programs find the loader. See check.h. */
#include "check.h"
#include "zeinfo.h"

#include <level_zero/ze_api.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- the validation layer ---- */

/* Where the layer of this probe writes; made before the probe starts, as part of its environment. */
static int report_fd = -1;

/* Makes a wrong call, and looks whether the layer reported it. */
static void validation_probe(struct check_list *list)
{
    struct check_drivers drivers;
    ze_api_version_t version;
    check_at(list, "the initialisation with the validation layer");
    check_drivers_open(&drivers);
    if (drivers.count > 0) {
        (void)zeDriverGetApiVersion(NULL, &version);
        if (lseek(report_fd, 0, SEEK_END) > 0) {
            check_add(list, "validation", CHECK_OK, NULL, "the layer reports a wrong call");
        } else {
            check_add(list, "validation", CHECK_FAILED,
                      "install libze_validation_layer.so.1 of the same version beside the loader "
                      "(package geoid-loader)",
                      "the layer does not report a wrong call: it is missing or does not work");
        }
    }
    check_drivers_close(&drivers);
}

void check_validation(struct check_list *list)
{
    char path[64];
    char *account = why_account();
    const bool ours = account != NULL;
    free(account);
    if (!ours) {
        check_add(list, "validation", CHECK_NOTE, NULL,
                  "not checked: this is not Geoid's loader, which has its own layers");
        return;
    }
    report_fd = memfd_create("zeinfo", 0);
    if (report_fd < 0) {
        check_add(list, "validation", CHECK_NOTE, NULL, "not checked: memory files cannot be made");
        return;
    }
    snprintf(path, sizeof(path), "/proc/self/fd/%d", report_fd);
    const struct check_variable variables[] = {{"ZE_ENABLE_VALIDATION_LAYER", "1"},
                                               {"GEOID_VALIDATION", "parameters"},
                                               {"GEOID_VALIDATION_FORMAT", "text"},
                                               {"GEOID_VALIDATION_FILE", path},
                                               {"GEOID_VALIDATION_ABORT", ""},
                                               {"GEOID_VALIDATION_HIDE", ""},
                                               {NULL, NULL}};
    check_probe(list, "validation", variables, validation_probe);
    close(report_fd);
}

/* ---- how programs find the loader ---- */

#define LOADER "libze_loader.so.1"

/* Finds the loader in the folders of LD_LIBRARY_PATH. */
static bool path_search(char found[PATH_MAX])
{
    const char *at = getenv("LD_LIBRARY_PATH");
    while (at && *at) {
        const size_t length = strcspn(at, ":");
        snprintf(found, PATH_MAX, "%.*s/" LOADER, (int)length, at);
        if (length && access(found, R_OK) == 0) {
            return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}

/* Finds the loader in the cache of the dynamic linker. */
static bool linker_search(char found[PATH_MAX])
{
    char line[PATH_MAX];
    bool is_there = false;
    FILE *pipe = popen("PATH=\"$PATH:/sbin:/usr/sbin\" ldconfig -p 2>/dev/null", "re");
    while (pipe && fgets(line, sizeof(line), pipe)) {
        const char *name = line + strspn(line, " \t"), *arrow = strstr(line, " => ");
        if (!is_there && arrow && strncmp(name, LOADER " ", strlen(LOADER " ")) == 0) {
            snprintf(found, PATH_MAX, "%.*s", (int)strcspn(arrow + 4, "\n"), arrow + 4);
            is_there = true;
        }
    }
    if (pipe) {
        pclose(pipe);
    }
    return is_there;
}

static bool files_are_same(const char *left, const char *right)
{
    char a[PATH_MAX], b[PATH_MAX];
    return realpath(left, a) && realpath(right, b) && strcmp(a, b) == 0;
}

void check_linking(struct check_list *list)
{
    static const char remedy[] =
        "start programs with geoid-run, or set LD_LIBRARY_PATH, or run ldconfig as root for the "
        "folder of this loader";
    char found[PATH_MAX];
    const char *own = why_loader_path();
    if (!path_search(found) && !linker_search(found)) {
        check_add(list, "programs", CHECK_NOTE, remedy, "other programs find no loader");
    } else if (own && !files_are_same(own, found)) {
        check_add(list, "programs", CHECK_NOTE, remedy, "other programs find another loader: %s",
                  found);
    } else {
        check_add(list, "programs", CHECK_OK, NULL, "other programs find this loader: %s", found);
    }
}

/* ---- OpenCL ---- */

/* The two functions of OpenCL that are called, whose headers the tools do not need. */
typedef int32_t (*platforms_fn)(uint32_t room, void **platforms, uint32_t *count);
typedef int32_t (*info_fn)(void *platform, uint32_t name, size_t size, void *value, size_t *used);
enum { PLATFORM_VERSION = 0x0901, PLATFORM_NAME = 0x0902, PLATFORMS = 16 };
#define OPENCL_FILE "geoid.icd"

/* Finds the file by which loaders of OpenCL find Geoid's driver, and reads the library's name. */
static bool icd_read(char path[PATH_MAX], char library[PATH_MAX])
{
    const char *folder = getenv("OCL_ICD_VENDORS");
    snprintf(path, PATH_MAX, "%s/" OPENCL_FILE, folder && *folder ? folder : "/etc/OpenCL/vendors");
    FILE *file = fopen(path, "re");
    const bool read = file && fgets(library, PATH_MAX, file);
    if (read) {
        library[strcspn(library, "\n")] = '\0';
    }
    if (file) {
        fclose(file);
    }
    return read;
}

/* Returns whether a platform of OpenCL is Geoid's, with its name. */
static bool platform_find(void *loader, char *name, size_t size)
{
    platforms_fn get = (platforms_fn)dlsym(loader, "clGetPlatformIDs");
    info_fn ask = (info_fn)dlsym(loader, "clGetPlatformInfo");
    void *platforms[PLATFORMS];
    uint32_t count = 0;
    if (!get || !ask || get(PLATFORMS, platforms, &count) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < count && i < PLATFORMS; i++) {
        char version[256] = "";
        if (ask(platforms[i], PLATFORM_VERSION, sizeof(version), version, NULL) == 0 &&
            strstr(version, "Geoid") && ask(platforms[i], PLATFORM_NAME, size, name, NULL) == 0) {
            return true;
        }
    }
    return false;
}

static void opencl_probe(struct check_list *list)
{
    char path[PATH_MAX], library[PATH_MAX], name[256];
    const bool installed = icd_read(path, library);
    check_at(list, "OpenCL");
    void *loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!loader) {
        check_add(list, "OpenCL", CHECK_NOTE,
                  "install a loader of OpenCL (package ocl-icd-libopencl1) if you need OpenCL",
                  "libOpenCL.so.1 is not installed");
    } else if (platform_find(loader, name, sizeof(name))) {
        check_add(list, "OpenCL", CHECK_OK, NULL, "%s", name);
    } else if (installed) {
        void *driver = dlopen(library, RTLD_NOW | RTLD_LOCAL);
        const char *reason = driver ? "its loader does not list it" : dlerror();
        check_add(list, "OpenCL", CHECK_FAILED,
                  "install the package geoid-opencl-icd again, or correct the path in that file",
                  "%s names %s, which does not work: %s", path, library, reason);
    } else {
        check_add(list, "OpenCL", CHECK_NOTE,
                  "start programs with geoid-run, or install the package geoid-opencl-icd, if you "
                  "need OpenCL",
                  "loaders of OpenCL do not find Geoid's driver: there is no %s", path);
    }
}

void check_opencl(struct check_list *list)
{
    check_probe(list, "OpenCL", NULL, opencl_probe);
}
