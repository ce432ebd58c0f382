/* The native binary of the trial. See kernels.h. */
#include "kernels.h"

#include <stddef.h>
#include <string.h>

/* clang-format off */
static const char ptx[] =
    ".version 7.8\n"
    ".target sm_80\n"
    ".address_size 64\n"
    ".extern .shared .align 128 .b8 geoid_local[];\n"
    ".visible .entry reverse(\n"
    "\t.param .align 16 .b8 reverse_param_0[32],\n"
    "\t.param .u64 reverse_param_1,\n"
    "\t.param .u64 reverse_param_2,\n"
    "\t.param .u64 reverse_param_3,\n"
    "\t.param .u32 reverse_param_4\n"
    ")\n"
    "{\n"
    "\t.reg .b32 \t%r<9>;\n"
    "\t.reg .b64 \t%rd<21>;\n"
    "\tld.param.b64 \t%rd1, [reverse_param_1];\n"
    "\tld.param.b64 \t%rd2, [reverse_param_0];\n"
    "\tld.param.b64 \t%rd3, [reverse_param_0+8];\n"
    "\tld.param.b32 \t%r1, [reverse_param_4];\n"
    "\tld.param.b64 \t%rd4, [reverse_param_0+16];\n"
    "\tmov.b64 \t%rd5, geoid_local;\n"
    "\tadd.s64 \t%rd6, %rd5, %rd4;\n"
    "\tld.param.b32 \t%r2, [reverse_param_0+24];\n"
    "\tmov.u32 \t%r3, %tid.x;\n"
    "\tcvt.u64.u32 \t%rd7, %r3;\n"
    "\tmov.u32 \t%r4, %ntid.x;\n"
    "\tmov.u32 \t%r5, %ctaid.x;\n"
    "\tmul.wide.u32 \t%rd8, %r5, %r4;\n"
    "\tadd.s64 \t%rd9, %rd8, %rd7;\n"
    "\tadd.s64 \t%rd10, %rd9, %rd1;\n"
    "\tshl.b64 \t%rd11, %rd10, 2;\n"
    "\tadd.s64 \t%rd12, %rd2, %rd11;\n"
    "\tld.global.b32 \t%r6, [%rd12];\n"
    "\tmul.wide.u32 \t%rd13, %r3, 4;\n"
    "\tadd.s64 \t%rd14, %rd6, %rd13;\n"
    "\tst.shared.b32 \t[%rd14], %r6;\n"
    "\tbar.sync \t0;\n"
    "\tnot.b64 \t%rd15, %rd7;\n"
    "\tmul.wide.u32 \t%rd16, %r4, 4;\n"
    "\tadd.s64 \t%rd17, %rd6, %rd16;\n"
    "\tshl.b64 \t%rd18, %rd15, 2;\n"
    "\tadd.s64 \t%rd19, %rd17, %rd18;\n"
    "\tld.shared.b32 \t%r7, [%rd19];\n"
    "\tmad.lo.s32 \t%r8, %r1, %r7, %r2;\n"
    "\tadd.s64 \t%rd20, %rd3, %rd11;\n"
    "\tst.global.b32 \t[%rd20], %r8;\n"
    "\tret;\n"
    "}\n"
    ".visible .entry store(\n"
    "\t.param .align 16 .b8 store_param_0[16],\n"
    "\t.param .u64 store_param_1,\n"
    "\t.param .u64 store_param_2,\n"
    "\t.param .u64 store_param_3,\n"
    "\t.param .u32 store_param_4\n"
    ")\n"
    "{\n"
    "\t.reg .b32 \t%r<4>;\n"
    "\t.reg .b64 \t%rd<9>;\n"
    "\tld.param.b64 \t%rd1, [store_param_1];\n"
    "\tld.param.b64 \t%rd2, [store_param_0];\n"
    "\tmov.u32 \t%r1, %tid.x;\n"
    "\tcvt.u64.u32 \t%rd3, %r1;\n"
    "\tmov.u32 \t%r2, %ntid.x;\n"
    "\tmov.u32 \t%r3, %ctaid.x;\n"
    "\tmul.wide.u32 \t%rd4, %r3, %r2;\n"
    "\tadd.s64 \t%rd5, %rd4, %rd3;\n"
    "\tadd.s64 \t%rd6, %rd5, %rd1;\n"
    "\tshl.b64 \t%rd7, %rd6, 2;\n"
    "\tadd.s64 \t%rd8, %rd2, %rd7;\n"
    "\tst.global.b32 \t[%rd8], 1;\n"
    "\tret;\n"
    "}\n";
/* clang-format on */

enum { NAME_REVERSE = 1, NAME_STORE = 9 };

static struct {
    struct geo_native_header header;
    struct geo_native_payload payload;
    struct geo_native_entry entries[KERNEL_COUNT];
    struct geo_native_kernel kernels[KERNEL_COUNT];
    struct geo_native_argument arguments[REVERSE_ARGUMENTS + 1];
    char strings[16];
    _Alignas(8) char code[sizeof(ptx)];
} binary;

static struct geo_native_argument argument(uint32_t kind, uint32_t offset, uint32_t size)
{
    return (struct geo_native_argument){
        .kind = kind, .offset = offset, .size = size, .align = size};
}

struct geo_native_view kernels_view(void)
{
    binary.header = (struct geo_native_header){
        .payload_count = 1, .kernel_count = KERNEL_COUNT, .argument_count = REVERSE_ARGUMENTS + 1};
    binary.payload = (struct geo_native_payload){
        .kind = GEO_PAYLOAD_PTX,
        .contract = GEO_NVIDIA_CONTRACT,
        .target = GEO_TARGET_NVIDIA,
        .architecture = 80,
        .offset = (uint32_t)((const char *)binary.code - (const char *)&binary),
        .bytes = sizeof(ptx),
        .kernel_offset = (uint32_t)((const char *)binary.entries - (const char *)&binary),
        .kernel_bytes = sizeof(binary.entries[0]),
    };
    memcpy(binary.strings, "\0reverse\0store", 15);
    memcpy(binary.code, ptx, sizeof(ptx));
    binary.entries[KERNEL_REVERSE].symbol = binary.kernels[KERNEL_REVERSE].name = NAME_REVERSE;
    binary.entries[KERNEL_STORE].symbol = binary.kernels[KERNEL_STORE].name = NAME_STORE;
    binary.kernels[KERNEL_REVERSE].argument_count = REVERSE_ARGUMENTS;
    binary.kernels[KERNEL_REVERSE].argument_bytes = sizeof(struct reverse_arguments);
    binary.kernels[KERNEL_STORE].first_argument = REVERSE_ARGUMENTS;
    binary.kernels[KERNEL_STORE].argument_count = 1;
    binary.kernels[KERNEL_STORE].argument_bytes = 8;
    binary.arguments[0] = argument(GEO_ARGUMENT_GLOBAL, offsetof(struct reverse_arguments, in), 8);
    binary.arguments[1] = argument(GEO_ARGUMENT_GLOBAL, offsetof(struct reverse_arguments, out), 8);
    binary.arguments[REVERSE_LINE] =
        argument(GEO_ARGUMENT_LOCAL, offsetof(struct reverse_arguments, line), 8);
    binary.arguments[3] = argument(GEO_ARGUMENT_VALUE, offsetof(struct reverse_arguments, bias), 4);
    binary.arguments[REVERSE_ARGUMENTS] = argument(GEO_ARGUMENT_GLOBAL, 0, 8);
    return (struct geo_native_view){
        .file = (const uint8_t *)&binary,
        .file_bytes = sizeof(binary),
        .header = &binary.header,
        .payloads = &binary.payload,
        .kernels = binary.kernels,
        .arguments = binary.arguments,
        .strings = binary.strings,
    };
}
