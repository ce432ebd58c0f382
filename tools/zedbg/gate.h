/* Gates: breakpoints at the first instruction of each kernel. While they are closed, no thread gets
 * past the beginning of a kernel, so all threads of the device stand still. An interrupt alone does
 * not reach threads that are about to start a kernel. */
#ifndef ZEDBG_GATE_H
#define ZEDBG_GATE_H

#include "debuggee.h"

/* Closes the gates of all modules. They may be closed already. */
bool gates_close(void);
bool gates_open(void);
/* Closes the gates of a module that was loaded, if the others are closed. */
bool gates_add(const struct module *module);
/* Forgets the gates of a module before it is closed; NULL: of all modules, the process has ended. */
void gates_forget(const struct module *module);

#endif
