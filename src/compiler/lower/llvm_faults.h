/* LLVM's faults that generated code is kept away from, in one table: what LLVM does, in which
 * version it was seen, and which function of ours works around it.
 *
 * geo_lower_target.llvm_faults says which of them LLVM has: all, but in the unit test of this
 * table (tests/unit/compiler/codegen/test_llvm_faults.c), which has a test for each row: with the
 * workaround the result is right, without it is wrong or there is none. When a row's second half
 * fails with a later LLVM, the row and its workaround can go. */
#ifndef GEO_COMPILER_LOWER_LLVM_FAULTS_H
#define GEO_COMPILER_LOWER_LLVM_FAULTS_H

#include <stdint.h>

enum geo_llvm_fault {
#define GEO_LLVM_FAULT(name, version, place, what) GEO_LLVM_##name##_BIT,
#include "compiler/lower/llvm_faults.def"
#undef GEO_LLVM_FAULT
    GEO_LLVM_FAULT_COUNT,
#define GEO_LLVM_FAULT(name, version, place, what) GEO_LLVM_##name = 1 << GEO_LLVM_##name##_BIT,
#include "compiler/lower/llvm_faults.def"
#undef GEO_LLVM_FAULT
    GEO_LLVM_FAULTS_ALL = (1 << GEO_LLVM_FAULT_COUNT) - 1,
};

#endif
