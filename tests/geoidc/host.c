/* Loads a module that geoidc has made, for the tests of geoidc.
 *
 *     host native|spirv MODULE             prints what zeKernelGetProperties says of each kernel
 *     host native|spirv MODULE work        runs the kernels of kernels/work.cl, checks results
 *     host native|spirv MODULE constants   prints what kernels/constants.spvasm stores
 *     host native|spirv MODULE profiles    prints the profile flags of each kernel */
#include "host.h"

#include <level_zero/zet_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS  1024u
#define GROUP  64u
#define FACTOR 1.5f

static struct host host;

static void expect(int is, const char *what, uint32_t at)
{
    if (!is) {
        fprintf(stderr, "%s: element %u is wrong\n", what, at);
        exit(1);
    }
}

/* ---- what is run ---- */

static void scale_run(ze_module_handle_t module)
{
    ze_kernel_handle_t kernel = host_kernel(module, "scale");
    float *in = host_alloc(&host, ITEMS * sizeof(*in)),
          *out = host_alloc(&host, ITEMS * sizeof(*out));
    float factor = FACTOR;
    for (uint32_t i = 0; i < ITEMS; i++) {
        in[i] = (float)i;
    }
    host_pointer_set(kernel, 0, out);
    host_pointer_set(kernel, 1, in);
    HOST_CHECK(zeKernelSetArgumentValue(kernel, 2, sizeof(factor), &factor));
    host_run(&host, kernel, ITEMS, GROUP);
    for (uint32_t i = 0; i < ITEMS; i++) {
        expect(out[i] == (float)i * FACTOR, "scale", i);
    }
}

static void pick_run(ze_module_handle_t module)
{
    ze_kernel_handle_t kernel = host_kernel(module, "pick");
    int *in = host_alloc(&host, ITEMS * sizeof(*in)),
        *out = host_alloc(&host, ITEMS * sizeof(*out));
    int *index = host_alloc(&host, ITEMS * sizeof(*index));
    for (uint32_t i = 0; i < ITEMS; i++) {
        in[i] = (int)i * 3;
        out[i] = -7;
        index[i] = i % 3 ? (int)(ITEMS - 1 - i) : -1;
    }
    host_pointer_set(kernel, 0, out);
    host_pointer_set(kernel, 1, in);
    host_pointer_set(kernel, 2, index);
    host_run(&host, kernel, ITEMS, GROUP);
    for (uint32_t i = 0; i < ITEMS; i++) {
        expect(out[i] == (i % 3 ? (int)(ITEMS - 1 - i) * 3 : -7), "pick", i);
    }
}

static void total_run(ze_module_handle_t module)
{
    ze_kernel_handle_t kernel = host_kernel(module, "total");
    int *in = host_alloc(&host, ITEMS * sizeof(*in)),
        *out = host_alloc(&host, ITEMS * sizeof(*out));
    for (uint32_t i = 0; i < ITEMS; i++) {
        in[i] = (int)i;
    }
    host_pointer_set(kernel, 0, out);
    host_pointer_set(kernel, 1, in);
    host_run(&host, kernel, ITEMS, GROUP);
    for (uint32_t i = 0; i < ITEMS / GROUP; i++) {
        int first = (int)(i * GROUP), last = first + (int)GROUP - 1;
        expect(out[i] == (first + last) * (int)GROUP / 2, "total", i);
    }
}

static void constants_run(ze_module_handle_t module)
{
    ze_kernel_handle_t kernel = host_kernel(module, "constants");
    int64_t *out = host_alloc(&host, 5 * sizeof(*out));
    host_pointer_set(kernel, 0, out);
    host_run(&host, kernel, 1, 1);
    for (int i = 0; i < 5; i++) {
        printf("%lld%c", (long long)out[i], i < 4 ? ' ' : '\n');
    }
}

static void properties_print(ze_module_handle_t module)
{
    const char *names[16];
    uint32_t count = 16;
    HOST_CHECK(zeModuleGetKernelNames(module, &count, names));
    printf("{");
    for (uint32_t i = 0; i < count; i++) {
        ze_kernel_handle_t kernel = host_kernel(module, names[i]);
        ze_kernel_preferred_group_size_properties_t preferred = {
            .stype = ZE_STRUCTURE_TYPE_KERNEL_PREFERRED_GROUP_SIZE_PROPERTIES};
        ze_kernel_properties_t p = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES,
                                    .pNext = &preferred};
        HOST_CHECK(zeKernelGetProperties(kernel, &p));
        printf("%s\n\"%s\": {\"numKernelArgs\": %u, \"requiredGroupSizeX\": %u, "
               "\"requiredGroupSizeY\": %u, \"requiredGroupSizeZ\": %u, "
               "\"requiredSubgroupSize\": %u, \"maxSubgroupSize\": %u, \"preferredMultiple\": %u, "
               "\"localMemSize\": %u, \"privateMemSize\": %u, \"spillMemSize\": %u}",
               i ? "," : "", names[i], p.numKernelArgs, p.requiredGroupSizeX, p.requiredGroupSizeY,
               p.requiredGroupSizeZ, p.requiredSubgroupSize, p.maxSubgroupSize,
               preferred.preferredMultiple, p.localMemSize, p.privateMemSize, p.spillMemSize);
        HOST_CHECK(zeKernelDestroy(kernel));
    }
    printf("}\n");
}

/* Prints the flags of -zet-profile-flags that each kernel was built with. */
static void profiles_print(ze_module_handle_t module)
{
    const char *names[16];
    uint32_t count = 16;
    HOST_CHECK(zeModuleGetKernelNames(module, &count, names));
    for (uint32_t i = 0; i < count; i++) {
        ze_kernel_handle_t kernel = host_kernel(module, names[i]);
        zet_profile_properties_t profile = {.stype = ZET_STRUCTURE_TYPE_PROFILE_PROPERTIES};
        HOST_CHECK(zetKernelGetProfileInfo((zet_kernel_handle_t)kernel, &profile));
        printf("%s %u\n", names[i], (unsigned)profile.flags);
        HOST_CHECK(zeKernelDestroy(kernel));
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 3 ? argv[3] : "";
    if (argc < 3) {
        fprintf(stderr, "usage: host native|spirv MODULE [work|constants|profiles]\n");
        return 2;
    }
    host_open(&host);
    ze_module_handle_t module = host_module(
        &host, strcmp(argv[1], "native") == 0 ? ZE_MODULE_FORMAT_NATIVE : ZE_MODULE_FORMAT_IL_SPIRV,
        argv[2], NULL);
    if (strcmp(what, "work") == 0) {
        scale_run(module);
        pick_run(module);
        total_run(module);
        printf("ok\n");
    } else if (strcmp(what, "constants") == 0) {
        constants_run(module);
    } else if (strcmp(what, "profiles") == 0) {
        profiles_print(module);
    } else {
        properties_print(module);
    }
    HOST_CHECK(zeModuleDestroy(module));
    host_close(&host);
    return 0;
}
