/* What LLVM and the C++ library ask of the process, answered by this library for itself: linked
 * into libgeoid_compiler.so.1 alone, hidden, and so called from inside it only.
 *
 * Nothing of LLVM's is taken down at exit: threads may be in a build then, and handlers of exit may
 * begin one. The end of the process takes it all. (The library stays loaded for ever: nodelete.) */

int __cxa_atexit(void (*function)(void *), void *argument, void *library);

/* C++ objects at file scope register their destructors here. */
int __cxa_atexit(void (*function)(void *), void *argument, void *library)
{
    (void)function;
    (void)argument;
    (void)library;
    return 0;
}
