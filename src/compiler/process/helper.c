/* geoid-build LIBRARY: the program that the compiler starts for builds in a process of their own
 * (compiler/facade/child.c). Standard input is the socket; the library does the rest.
 *
 * The process that was started ends at once, so that the application never meets a child of ours
 * when it waits for its own; and no signal of its terminal comes here. */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    pid_t pid = argc == 2 ? fork() : -1;
    if (pid != 0) {
        return pid < 0;
    }
    setsid();
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    int (*serve)(int) = library ? (int (*)(int))dlsym(library, "geo_compiler_serve") : NULL;
    if (!serve) {
        fprintf(stderr, "geoid-build: %s\n", dlerror());
        return 1;
    }
    return serve(STDIN_FILENO);
}
