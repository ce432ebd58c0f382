/* Builds the structures of bench_rtas.c with Embree 3 or 4. Prints "missing" if Embree is not found
 * at run time. Usage: bench_embree THREADS */
#include "rtas_scene.h"
#include "table.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* The part of Embree's interface that is needed. It is the same in both versions. */
enum { TRIANGLES = 0, INDICES = 0, VERTICES = 1, UINT3 = 0x5003, FLOAT3 = 0x9003 };

static struct {
    void *(*new_device)(const char *config);
    void (*release_device)(void *device);
    int (*device_error)(void *device);
    void *(*new_scene)(void *device);
    void (*set_scene_quality)(void *scene, int quality);
    void (*commit_scene)(void *scene);
    void (*release_scene)(void *scene);
    void *(*new_geometry)(void *device, int type);
    void (*set_buffer)(void *geometry, int type, unsigned slot, int format, const void *data,
                       size_t offset, size_t stride, size_t count);
    void (*set_quality)(void *geometry, int quality);
    void (*commit_geometry)(void *geometry);
    unsigned (*attach_geometry)(void *scene, void *geometry);
    void (*release_geometry)(void *geometry);
} rtc;

static bool find(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    *(void **)function = address;
    return address;
}

static bool library_open(void)
{
    void *library = dlopen("libembree3.so.3", RTLD_NOW);
    library = library ? library : dlopen("libembree4.so.4", RTLD_NOW);
    return library && find(library, "rtcNewDevice", &rtc.new_device) &&
           find(library, "rtcReleaseDevice", &rtc.release_device) &&
           find(library, "rtcGetDeviceError", &rtc.device_error) &&
           find(library, "rtcNewScene", &rtc.new_scene) &&
           find(library, "rtcSetSceneBuildQuality", &rtc.set_scene_quality) &&
           find(library, "rtcCommitScene", &rtc.commit_scene) &&
           find(library, "rtcReleaseScene", &rtc.release_scene) &&
           find(library, "rtcNewGeometry", &rtc.new_geometry) &&
           find(library, "rtcSetSharedGeometryBuffer", &rtc.set_buffer) &&
           find(library, "rtcSetGeometryBuildQuality", &rtc.set_quality) &&
           find(library, "rtcCommitGeometry", &rtc.commit_geometry) &&
           find(library, "rtcAttachGeometry", &rtc.attach_geometry) &&
           find(library, "rtcReleaseGeometry", &rtc.release_geometry);
}

/* Returns the milliseconds of the commit, which builds the structure. */
static double build(void *device, const struct rtas_mesh *mesh, int quality)
{
    void *scene = rtc.new_scene(device), *geometry = rtc.new_geometry(device, TRIANGLES);
    rtc.set_scene_quality(scene, quality);
    rtc.set_quality(geometry, quality);
    rtc.set_buffer(geometry, INDICES, 0, UINT3, mesh->indices, 0, 12, mesh->triangle_count);
    rtc.set_buffer(geometry, VERTICES, 0, FLOAT3, mesh->vertices, 0, 12, mesh->vertex_count);
    rtc.commit_geometry(geometry);
    rtc.attach_geometry(scene, geometry);
    rtc.release_geometry(geometry);
    double start = bench_now_ms();
    rtc.commit_scene(scene);
    double ms = bench_now_ms() - start;
    rtc.release_scene(scene);
    return ms;
}

static void run(void *device, enum rtas_scene scene)
{
    struct rtas_mesh mesh = rtas_mesh_create(scene);
    for (int quality = 0; quality < 3; quality++) {
        double best = build(device, &mesh, quality);
        for (int i = 1; i < RTAS_REPEATS; i++) {
            double ms = build(device, &mesh, quality);
            best = ms < best ? ms : best;
        }
        printf("build %s_%s %.3f\n", rtas_scene_names[scene], rtas_quality_names[quality], best);
    }
    free(mesh.vertices);
    free(mesh.indices);
}

int main(int argc, char **argv)
{
    char config[64];
    int threads = argc > 1 ? atoi(argv[1]) : 1;
    if (!library_open()) {
        printf("missing embree\n");
        return 0;
    }
    snprintf(config, sizeof(config), "threads=%d,set_affinity=0", threads);
    void *device = rtc.new_device(config);
    if (!device) {
        fprintf(stderr, "bench_embree: no device\n");
        return 1;
    }
    for (int scene = 0; scene < RTAS_SCENES; scene++) {
        run(device, (enum rtas_scene)scene);
    }
    int error = rtc.device_error(device);
    rtc.release_device(device);
    if (error) {
        fprintf(stderr, "bench_embree: error %d\n", error);
    }
    return error != 0;
}
