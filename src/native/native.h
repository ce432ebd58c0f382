/* The native binary: a container in the form of an ELF relocatable object with a note section. See
 * docs/decisions/codegen.md, "A native binary is an ELF object with a note of its payloads".
 *
 *     section ".note.geoid", SHT_NOTE:
 *       one note { namesz, descsz, type = GEO_NATIVE_NOTE_TYPE, GEO_NATIVE_NOTE_NAME, descriptor }
 *     descriptor:
 *       struct geo_native_header, then the tables it names, payloads, then strings
 *
 * Kernels, arguments, globals, symbols and sources are described once and for every machine. A
 * payload is code for one kind of device:
 *
 *     payloads[0]   the ELF object itself: code for a CPU, as LLVM emits it
 *     payloads[1]   bytes in the descriptor: PTX, a cubin, an ELF object for another CPU
 *     ...
 *
 * Each payload has a table with a record per kernel, which begins with struct geo_native_entry. The
 * kind of the payload says what follows there; only the backend that runs the payload reads it.
 *
 * All numbers are little-endian. Offsets are relative to the header, tables and payloads are
 * aligned to 8 bytes, strings are terminated.
 *
 * The compiler writes the note (codegen/note.c) and seals the object with a checksum.
 * zeModuleGetNativeBinary returns the whole object. Backends and the null driver read it by
 * geo_native_parse, which trusts no byte, since a binary may come from anywhere. The checksum
 * detects damage by disks and memory, after which many binaries would still load but compute
 * something else. It does not protect against forged binaries. */
#ifndef GEO_NATIVE_NATIVE_H
#define GEO_NATIVE_NATIVE_H

#include <level_zero/ze_api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GEO_NATIVE_SECTION   ".note.geoid"
#define GEO_NATIVE_NOTE_NAME "GeoidNative" /* its length aligns the descriptor to 8 bytes */
#define GEO_NATIVE_NOTE_TYPE 0x47454f31u   /* "GEO1" */
#define GEO_NATIVE_MAGIC     0x31304f45474f4547ull
#define GEO_NATIVE_VERSION   5u

/* Architectures of payloads; target.c has their names. */
enum geo_native_target {
    GEO_TARGET_X86_64 = 1,
    GEO_TARGET_AARCH64 = 2, /* with NEON */
    GEO_TARGET_NVIDIA = 3,  /* GPUs; geo_native_payload.architecture says which */
};

/* Instruction sets that the code needs, numbered separately for each target. A payload that needs
 * more than the machine has is not used. */
enum geo_native_feature {
    /* For GEO_TARGET_X86_64: */
    GEO_FEATURE_SSE4_2 = 1u << 0, /* with SSSE3, POPCNT: x86-64-v2 */
    GEO_FEATURE_AVX2 = 1u << 1,   /* with FMA, BMI1, BMI2, F16C, LZCNT, MOVBE: x86-64-v3 */
    GEO_FEATURE_AVX512 = 1u << 2, /* F, BW, CD, DQ, VL: x86-64-v4 */
    GEO_FEATURE_VNNI = 1u << 3,   /* with VBMI, VBMI2, BITALG, VPOPCNTDQ: Ice Lake, Zen 4 */
    GEO_FEATURE_FP16 = 1u << 4,   /* AVX512_FP16: Sapphire Rapids */
};

/* Returns the name of a target, or NULL if it is unknown. */
const char *geo_native_target_name(uint32_t target);
/* Returns all features of a target. */
uint32_t geo_native_target_features(uint32_t target);
/* Returns the name of the most advanced feature that is needed and missing; NULL if all are
 * present. */
const char *geo_native_target_feature_missing(uint32_t target, uint32_t needed, uint32_t there);

/* The start of the descriptor. */
struct geo_native_header {
    uint64_t magic;
    uint64_t checksum;                        /* of all other bytes of the object */
    uint32_t version;                         /* GEO_NATIVE_VERSION */
    uint32_t total_bytes;                     /* size of the descriptor */
    uint32_t payload_count, payload_offset;   /* struct geo_native_payload[] */
    uint32_t kernel_count, kernel_offset;     /* struct geo_native_kernel[] */
    uint32_t argument_count, argument_offset; /* struct geo_native_argument[] of all kernels */
    uint32_t global_count, global_offset;     /* struct geo_native_global[] */
    uint32_t symbol_count, symbol_offset;     /* struct geo_native_symbol[]: exports and imports */
    uint32_t source_count, source_offset;     /* struct geo_native_source[] */
    uint32_t string_bytes, string_offset;
    uint32_t compiler_name; /* string: build identity of the compiler */
    uint32_t build_options; /* string */
};

/* Kinds of payloads. */
enum geo_payload_kind {
    GEO_PAYLOAD_OBJECT = 1, /* relocatable ELF object for a CPU */
    GEO_PAYLOAD_PTX,        /* NVIDIA's assembly as text, with a terminating zero */
    GEO_PAYLOAD_CUBIN,      /* NVIDIA's machine code: an ELF file */
};

/* The record of a payload. */
struct geo_native_payload {
    uint32_t kind;     /* enum geo_payload_kind */
    uint32_t contract; /* version of the contract by which kernels are called; OBJECT: abi.h's */
    uint32_t target;   /* enum geo_native_target */
    uint32_t features; /* enum geo_native_feature */
    /* GEO_TARGET_NVIDIA: compute capability that the code needs, times ten (90 is 9.0); else 0 */
    uint32_t architecture;
    uint32_t device_name; /* string: device for which the code was tuned; may be empty */
    /* place of the code in the descriptor; both 0: the payload is the file itself (OBJECT) */
    uint32_t offset, bytes;
    uint32_t kernel_offset; /* [kernel_count] records, each of kernel_bytes */
    uint32_t kernel_bytes;
};

/* The start of a payload's record of a kernel. OBJECT: struct geo_native_cpu_kernel (abi.h). PTX
 * and CUBIN: nothing else. */
struct geo_native_entry {
    uint32_t symbol; /* string: name of the kernel's entry point in the payload */
    uint32_t flags;  /* defined by the kind of payload */
};

/* Properties of a kernel that the launcher or programs ask for. A payload's record has the others:
 * bits 0, 7, 8 and 10 to 12 are enum geo_cpu_kernel_flags (abi.h). */
enum geo_kernel_flags {
    GEO_KERNEL_BARRIER = 1u << 1, /* uses work-group barriers */
    GEO_KERNEL_SUBGROUPS =
        1u << 2, /* uses sub-group operations: subgroup_size is part of its semantics */
    GEO_KERNEL_PRINTF = 1u << 3, /* prints or asserts itself */
    /* The binary has the name of the kernel, but no code: it is built from the sources when it is
       created. Programs never get such binaries. */
    GEO_KERNEL_DEFERRED = 1u << 4,
    GEO_KERNEL_DEVICE_BARRIER =
        1u << 5, /* its groups meet at barriers of the device: see abi.h; launched cooperatively */
    GEO_KERNEL_WAITS = 1u << 6, /* its groups may also wait for each other in loops */
    /* The code runs only launches of small ids (GEO_LAUNCH_IDS_LIMIT), and the payload may name
       other limits. The first launch that needs more makes the driver build the complete kernel
       from the sources. Programs never get such binaries. */
    GEO_KERNEL_RESTRICTED = 1u << 9,
};

/* The record of a kernel. */
struct geo_native_kernel {
    uint32_t name;                   /* string: the name for zeKernelCreate */
    uint32_t flags;                  /* enum geo_kernel_flags */
    uint32_t subgroup_size;          /* sub-group size that programs see */
    uint32_t required_subgroup_size; /* 0: none */
    uint32_t preferred_multiple;     /* groups of a multiple of this size use the device best */
    uint32_t required_size[3];       /* reqd_work_group_size; 0: none */
    uint32_t size_hint[3];
    uint32_t max_size[3];
    uint32_t first_argument, argument_count; /* kernels share no arguments and are in their order */
    uint32_t argument_bytes;                 /* size of the argument block */
    uint32_t attributes;                     /* string: source attributes, separated by blanks */
    uint64_t local_bytes;                    /* local variables of a work-group */
    uint64_t private_bytes;                  /* of a work-item */
    uint64_t spill_bytes;                    /* of a thread: registers on its stack */
};

/* How the launcher writes an argument into the argument block. */
enum geo_argument_kind {
    GEO_ARGUMENT_VALUE = 1, /* `size` bytes are copied into the block */
    GEO_ARGUMENT_GLOBAL,    /* an address: global or constant memory; 8 bytes */
    /* the size is given when it is set; at run time the block holds the backend's number for the
       memory; 8 bytes */
    GEO_ARGUMENT_LOCAL,
    GEO_ARGUMENT_IMAGE,   /* the backend's number for an image; 8 bytes */
    GEO_ARGUMENT_SAMPLER, /* the backend's number for a sampler; 8 bytes */
};

/* How a kernel uses the memory of an argument. */
enum geo_argument_flags {
    GEO_ARGUMENT_CONSTANT_SPACE = 1u << 0, /* UniformConstant */
    GEO_ARGUMENT_READ_ONLY = 1u << 1,      /* never written */
    GEO_ARGUMENT_WRITE_ONLY = 1u << 2,     /* IMAGE: never read */
};

/* The record of a kernel's argument. */
struct geo_native_argument {
    uint32_t kind;   /* enum geo_argument_kind */
    uint32_t flags;  /* enum geo_argument_flags */
    uint32_t offset; /* in the argument block */
    uint32_t size;   /* bytes in the block */
    /* alignment of the type (VALUE) or the pointee (GLOBAL, LOCAL): a power of two */
    uint32_t align;
    uint32_t name;      /* string: may be empty */
    uint32_t type_name; /* string: may be empty */
    uint32_t image;     /* IMAGE: 1 + required ze_image_type_t; else 0 */
};

/* The record of a variable that the host can find. */
struct geo_native_global {
    uint32_t name;   /* string: the name for zeModuleGetGlobalPointer */
    uint32_t symbol; /* string: its name in every payload */
    uint64_t size;   /* bytes */
};

/* Kinds of names that modules share. */
enum geo_symbol_kind {
    GEO_SYMBOL_IMPORT_FUNCTION = 1,
    GEO_SYMBOL_IMPORT_VARIABLE,
    GEO_SYMBOL_EXPORT_FUNCTION,
    GEO_SYMBOL_EXPORT_VARIABLE,
    GEO_SYMBOL_SHARED_VARIABLE, /* private, but used by exported functions */
};

enum geo_symbol_flags {
    GEO_SYMBOL_WEAK = 1u << 0, /* one of several equal definitions (LinkOnceODR) */
};

/* A name that modules share. A binary with imports of unit 0 has no code: the code is generated
 * from the sources when the module is linked. Code generated then has imports of units 1... only:
 * variables in the loaded code of the modules that it was linked with (compiler.h). */
struct geo_native_symbol {
    uint32_t kind;  /* enum geo_symbol_kind */
    uint32_t flags; /* enum geo_symbol_flags */
    uint32_t name;  /* string: linkage name */
    /* string: name in every payload of the variable or of the function's descriptor; empty: none */
    uint32_t symbol;
    uint32_t unit; /* imports: the unit that defines it; 0: not linked yet */
    uint32_t user; /* string: for imports, a function that uses it; may be empty */
};

/* SPIR-V that the binary was built from, with its specialisation constants applied, for linking
 * other modules. Only binaries with exports or imports have it. */
struct geo_native_source {
    uint32_t offset, bytes; /* offset from the header */
    uint32_t options;       /* string: build flags */
    uint32_t reserved;
};

/* A level: a set of instructions that many CPUs support. GEOID_CPU accepts its name. */
struct geo_native_level {
    const char *name;
    uint32_t target;   /* enum geo_native_target */
    uint32_t features; /* enum geo_native_feature that code of the level needs */
};

/* Returns the level of a name, or NULL if it is unknown. */
const struct geo_native_level *geo_native_target_level_find(const char *name);
/* Returns the best level of a target for a machine with these features; NULL for an unknown
 * target. */
const struct geo_native_level *geo_native_target_level_best(uint32_t target, uint32_t features);

/* A validated view of a native binary. Its pointers lead into the caller's bytes, which must
 * outlive it. */
struct geo_native_view {
    const uint8_t *file; /* the whole ELF file */
    size_t file_bytes;
    const struct geo_native_header *header;
    const struct geo_native_payload *payloads;
    const struct geo_native_kernel *kernels;
    const struct geo_native_argument *arguments;
    const struct geo_native_global *globals;
    const struct geo_native_symbol *symbols;
    const struct geo_native_source *sources;
    const char *strings;
};

/* Writes the checksum of a complete object. Returns false if the object has no Geoid note. */
bool geo_native_parse_seal(void *bytes, size_t size);

/* Seals an object whose checksum is 0: a tool that changed it has written that. Does nothing to
 * others. */
void geo_native_parse_seal_changed(void *bytes, size_t size);

/* Finds the note in an ELF object, and checks the checksum and every offset, count, string, enum
 * and size in it. Returns INVALID_NATIVE_BINARY for anything else; then `reason` is a static text.
 * The bytes must be aligned to 8, as malloc and mmap do. The code itself is not checked. */
ze_result_t geo_native_parse(const void *bytes, size_t size, struct geo_native_view *view,
                             const char **reason);

/* Returns whether an ELF object has DWARF. Every byte is untrusted. */
bool geo_native_parse_has_debug(const void *bytes, size_t size);

/* Returns the string at an offset of a record. */
static inline const char *geo_native_string(const struct geo_native_view *view, uint32_t offset)
{
    return view->strings + offset; /* `geo_native_parse` has checked the offset */
}

/* Returns a payload's record of a kernel, by the kernel's number. */
static inline const struct geo_native_entry *
geo_native_payload_entry(const struct geo_native_view *view,
                         const struct geo_native_payload *payload, uint32_t index)
{
    return (const void *)((const uint8_t *)view->header + payload->kernel_offset +
                          (size_t)index * payload->kernel_bytes);
}

/* Returns a payload's code, aligned to 8 bytes. */
static inline const uint8_t *geo_native_payload_code(const struct geo_native_view *view,
                                                     const struct geo_native_payload *payload,
                                                     size_t *bytes)
{
    *bytes = payload->offset ? payload->bytes : view->file_bytes;
    return payload->offset ? (const uint8_t *)view->header + payload->offset : view->file;
}

/* The payloads that a device can run. */
struct geo_native_device {
    uint32_t kinds;        /* 1 << enum geo_payload_kind */
    uint32_t contract;     /* version of its calling contract */
    uint32_t target;       /* enum geo_native_target */
    uint32_t features;     /* enum geo_native_feature that it has */
    uint32_t architecture; /* GEO_TARGET_NVIDIA: its compute capability, times ten; else 0 */
};

/* Room for the reason of geo_native_choose. */
#define GEO_NATIVE_REASON_BYTES 256u

/* Returns the payload that suits a device best: machine code rather than text, then the code that
 * uses most of the device. Returns NULL if it can run none; then `reason` says what the binary
 * holds and what the device needs, cut off if it is too long. */
const struct geo_native_payload *geo_native_choose(const struct geo_native_view *view,
                                                   const struct geo_native_device *device,
                                                   char reason[GEO_NATIVE_REASON_BYTES]);

#endif
