/* Modules that are counted: rewriting them, and the report at the end. */
#ifndef GEOID_BLOCKS_COUNT_H
#define GEOID_BLOCKS_COUNT_H

#include <level_zero/ze_ddi.h>
#include <level_zero/zet_ddi.h>

/* The next functions of each table. */
struct count_next {
    ze_module_dditable_t module;
    ze_kernel_dditable_t kernel;
    zet_module_dditable_t zet_module;
    zet_kernel_dditable_t zet_kernel;
};
extern struct count_next count_next;

/* Creates a copy of a module that counts its blocks. Returns NULL if that is impossible, which the
 * report says; the program then uses its own module. */
ze_module_handle_t count_module(ze_context_handle_t context, ze_device_handle_t device,
                                ze_module_handle_t module);

/* Writes the counts of all modules so far, once. */
void count_report(void);

#endif
