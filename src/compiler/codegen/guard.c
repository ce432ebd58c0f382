/* Handles LLVM's fatal errors. Its back end ends the process when it finds no instruction for an
 * operation, unless a handler does not return: control cannot return through LLVM's frames. */
#include "compiler/codegen/codegen.h"

#include <llvm-c/ErrorHandling.h>

#include <pthread.h>
#include <stdatomic.h>

static _Atomic(geo_codegen_fatal_fn) fatal_function;
static pthread_once_t install_once = PTHREAD_ONCE_INIT;

static void fatal_handle(const char *reason)
{
    atomic_load (&fatal_function)(reason);
}

static void handler_install(void)
{
    LLVMInstallFatalErrorHandler(fatal_handle);
}

void geo_codegen_guard_fatal_error(geo_codegen_fatal_fn function)
{
    atomic_store(&fatal_function, function);
    pthread_once(&install_once, handler_install);
}
