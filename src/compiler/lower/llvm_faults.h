/* The table of LLVM's faults that generated code must avoid: what LLVM does, in which version it
 * was seen, and which function works around it.
 *
 * geo_lower_target.llvm_faults tells which workarounds are on. All of them are on, except in the
 * unit test of this table (tests/unit/compiler/codegen/test_llvm_faults.c). For each row it shows
 * that the result is right with the workaround, and wrong or missing without it. If a later LLVM is
 * right without it, the row and its workaround can be removed. */
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
