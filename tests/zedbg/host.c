/* A program for zedbg to debug: it builds a module and runs one of its kernels on 16 items.
 *
 *     host MODULE BUILD-FLAGS KERNEL [read]
 *
 * reach   writes far outside of its buffer: the exit code is 3 if the device is lost then
 * spin    runs until somebody sets a number in its memory; the program prints "spins" before
 * types   has variables of many types
 * read    reads a line from standard input before, and prints it */
#include "host.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ITEMS = 16 };

struct node {
    int key;
    const struct node *next;
};

/* Sets the second argument, which differs between kernels. */
static void argument_set(const struct host *host, ze_kernel_handle_t kernel, const char *name)
{
    if (strcmp(name, "reach") == 0) {
        const int far = 1 << 30;
        HOST_CHECK(zeKernelSetArgumentValue(kernel, 1, sizeof(far), &far));
    } else if (strcmp(name, "types") == 0) {
        struct node *nodes = host_alloc(host, 2 * sizeof(*nodes));
        nodes[0] = (struct node){11, &nodes[1]};
        nodes[1] = (struct node){22, NULL};
        host_pointer_set(kernel, 1, nodes);
    }
}

static void kernel_run(const struct host *host, ze_module_handle_t module, const char *name,
                       int *out)
{
    const bool spins = strcmp(name, "spin") == 0;
    ze_kernel_handle_t kernel = host_kernel(module, name);
    host_pointer_set(kernel, 0, out);
    argument_set(host, kernel, name);
    ze_command_list_handle_t list = host_start(host, kernel, spins ? 1 : ITEMS, spins ? 1 : ITEMS);
    if (spins) {
        while (((volatile int *)out)[1] == 0) {
        }
        puts("spins");
        fflush(stdout);
    }
    host_finish(list, kernel);
}

int main(int argc, char **argv)
{
    struct host host;
    char line[100];
    if (argc < 4) {
        fprintf(stderr, "usage: host MODULE BUILD-FLAGS KERNEL [read]\n");
        return 2;
    }
    if (argc > 4 && fgets(line, sizeof(line), stdin)) {
        printf("read: %s", line);
    }
    host_open(&host);
    int *out = host_alloc(&host, ITEMS * sizeof(*out));
    ze_module_handle_t module = host_module(&host, ZE_MODULE_FORMAT_IL_SPIRV, argv[1], argv[2]);
    kernel_run(&host, module, argv[3], out);
    printf("out[2] = %d\n", out[2]);
    HOST_CHECK(zeModuleDestroy(module));
    host_close(&host);
    return 0;
}
