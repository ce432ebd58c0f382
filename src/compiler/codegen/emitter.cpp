/* Emission of objects by LLVM's C++ interface. See emitter.h. */
#include "compiler/codegen/emitter.h"

#include "compiler/codegen/registers.h"
#include "compiler/codegen/spills.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/MachineOptimizationRemarkEmitter.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/Pass.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <cstring>

#include <level_zero/zet_api.h>

namespace
{

/* Passes for intrinsics, types, attributes and options that our functions never have. Each takes
 * time in every build of a small kernel, although it changes nothing. The names are LLVM's. */
const char *const idle[] = {
    "Analyze Machine Code For Garbage Collection",
    "Contiguously Lay Out Funclets",
    "Exception handling preparation",
    "Expand indirectbr instructions",
    "Fixup Statepoint Caller Saved",
    "Implement the 'patchable-function' attribute",
    "Insert KCFI indirect call checks",
    "Insert XRay ops",
    "Insert fentry calls",
    "Instrument function entry/exit with calls to e.g. mcount() (post inlining)",
    "Local Dynamic TLS Access Clean-up",
    "Lower AMX intrinsics",
    "Lower AMX type for load/store",
    "Lower Garbage Collection Instructions",
    "Machine Sanitizer Binary Metadata",
    "ObjC ARC contraction",
    "Prepare callbr",
    "Pseudo Probe Inserter",
    "Register Allocation Pass Scoring",
    "Remove Loads Into Fake Uses",
    "Replace intrinsics with calls to vector library",
    "Safe Stack instrumentation pass",
    "Shadow Stack GC Lowering",
    "Stack Frame Layout Analysis",
    "StackMap Liveness Analysis",
    "Tile Register Configure",
    "Tile Register Pre-configure",
    "X86 Indirect Branch Tracking",
    "X86 Indirect Thunks",
    "X86 Load Value Injection (LVI) Load Hardening",
    "X86 Load Value Injection (LVI) Ret-Hardening",
    "X86 Lower Tile Copy",
    "X86 Return Thunks",
    "X86 Speculative Execution Side Effect Suppression",
    "X86 Suppress APX features for relocation",
    "X86 speculative load hardening",
};

/* Runs the passes that the target adds, except those that are left out, and those of a profile. */
class Pipeline final : public llvm::legacy::PassManager
{
  public:
    Pipeline(bool combine, const geo_emitter_profile &profile)
        : combine_(combine), profile_(profile)
    {
    }

    void add(llvm::Pass *pass) override
    {
        const bool spares = profile_.flags & ZET_PROFILE_FLAG_REGISTER_REALLOCATION;
        /* This scheduler runs for some processors only. It renames registers to spared ones. */
        if ((!combine_ && pass->getPassID() == &llvm::MachineCombinerID) ||
            (spares && pass->getPassID() == &llvm::PostRASchedulerID) ||
            geo_codegen_object_is_idle(pass->getPassName().str().c_str())) {
            delete pass;
            return;
        }
        if (spares && pass->getPassName() == "Greedy Register Allocator") {
            *profile_.spared = true;
            llvm::legacy::PassManager::add(geo_codegen_registers_spare(&profile_));
        }
        /* the printer is the last pass that sees the code; the manager may delete a pass */
        const bool printer = pass->getPassName().ends_with("Assembly Printer");
        if (profile_.tell_spills && printer) {
            llvm::legacy::PassManager::add(geo_codegen_spills_find(&profile_));
        }
        llvm::legacy::PassManager::add(pass);
        if (profile_.flags & ZET_PROFILE_FLAG_FREE_REGISTER_INFO && printer) {
            found_ = true;
            llvm::legacy::PassManager::add(geo_codegen_registers_find(&profile_));
        }
    }

    /* Returns whether all passes of the profile were added. */
    bool complete() const
    {
        return found_ || !(profile_.flags & ZET_PROFILE_FLAG_FREE_REGISTER_INFO);
    }

  private:
    bool combine_;
    const geo_emitter_profile &profile_;
    bool found_ = false;
};

/* Passes that ask LLVM's gate before each function, and the limits for which they are left out. The
 * selection then works without optimisation. */
struct Limited {
    const char *pass;
    unsigned limits;
};
const Limited limited[] = {
    {"machine-scheduler", GEO_EMITTER_STRAIGHT | GEO_EMITTER_PLAIN},
    {"post-RA-sched", GEO_EMITTER_STRAIGHT | GEO_EMITTER_PLAIN},
    {"twoaddressinstruction", GEO_EMITTER_STRAIGHT | GEO_EMITTER_PLAIN},
    /* it joins blocks */
    {"codegenprepare", GEO_EMITTER_STRAIGHT | GEO_EMITTER_BRANCHED | GEO_EMITTER_PLAIN},
    {"machine-sink", GEO_EMITTER_BRANCHED | GEO_EMITTER_PLAIN},
    {"x86-isel", GEO_EMITTER_PLAIN},
    {"aarch64-isel", GEO_EMITTER_PLAIN},
};

/* Returns the limits that the function exceeds. */
unsigned limitsOf(const llvm::Function &function)
{
    unsigned limits = 0;
    llvm::StringRef text = function.getFnAttribute(GEO_EMITTER_LIMITS_ATTRIBUTE).getValueAsString();
    return text.getAsInteger(10, limits) ? 0 : limits;
}

/* Answers LLVM's passes from the attribute of the function that they are about to run on. */
class Gate final : public llvm::OptPassGate
{
  public:
    explicit Gate(const llvm::Module &module) : module_(module) {}

    bool isEnabled() const override
    {
        return true;
    }

    bool shouldRunPass(llvm::StringRef pass, llvm::StringRef description) const override
    {
        if (!description.consume_front("function (") || !description.consume_back(")")) {
            return true;
        }
        const llvm::Function *function = module_.getFunction(description);
        return !function || geo_codegen_object_runs(pass.str().c_str(), limitsOf(*function));
    }

  private:
    const llvm::Module &module_;
};

/* Splits the blocks of a function into pieces of PIECE instructions. Passes of the back end that
 * take square time in a block then take it in pieces. */
constexpr unsigned PIECE = 4096;

void blocksSplit(llvm::Function &function)
{
    llvm::SmallVector<llvm::BasicBlock *, 16> blocks;
    for (llvm::BasicBlock &block : function) {
        blocks.push_back(&block);
    }
    for (llvm::BasicBlock *block : blocks) {
        unsigned count = 0;
        for (auto at = block->begin(); !at->isTerminator(); ++at) {
            /* the variables of a function are in its first block */
            if (count++ < PIECE || llvm::isa<llvm::PHINode>(*at)) {
                continue;
            }
            bool variables = false;
            for (auto rest = at; rest != block->end(); ++rest) {
                variables |= llvm::isa<llvm::AllocaInst>(*rest);
            }
            if (variables) {
                break;
            }
            block = block->splitBasicBlock(at);
            at = block->begin();
            count = 0;
        }
    }
}

/* Puts a gate in front of the passes of a context while it lives. */
class Gated final
{
  public:
    Gated(llvm::LLVMContext &context, Gate &gate)
        : context_(context), before_(context.getOptPassGate())
    {
        context.setOptPassGate(gate);
    }
    ~Gated()
    {
        context_.setOptPassGate(before_);
    }
    Gated(const Gated &) = delete;
    Gated &operator=(const Gated &) = delete;

  private:
    llvm::LLVMContext &context_;
    llvm::OptPassGate &before_;
};

/* Listens to the remarks of the back end on each function. The passes report in this order:
 * register allocation, frame layout, output of instructions. */
class Listener final : public llvm::DiagnosticHandler
{
  public:
    explicit Listener(geo_emitter_hear_fn hear) : hear_(hear) {}

    bool isMissedOptRemarkEnabled(llvm::StringRef pass) const override
    {
        return pass == "regalloc";
    }
    bool isAnalysisRemarkEnabled(llvm::StringRef pass) const override
    {
        return pass == "prologepilog" || pass == "asm-printer";
    }
    bool isPassedOptRemarkEnabled(llvm::StringRef) const override
    {
        return false;
    }
    bool isAnyRemarkEnabled() const override
    {
        return true;
    }

    bool handleDiagnostics(const llvm::DiagnosticInfo &info) override
    {
        const auto *remark = llvm::dyn_cast<llvm::DiagnosticInfoMIROptimization>(&info);
        if (!remark) {
            return llvm::DiagnosticHandler::handleDiagnostics(info);
        }
        llvm::StringRef name = remark->getRemarkName();
        if (name == "SpillReloadCopies") {
            read(*remark, "NumSpills", &now_.spills);
            read(*remark, "NumReloads", &now_.reloads);
        } else if (name == "StackSize") {
            read(*remark, "NumStackBytes", &now_.stack_bytes);
        } else if (name == "InstructionCount") {
            std::string function = remark->getFunction().getName().str();
            read(*remark, "NumInstructions", &now_.instructions);
            now_.name = function.c_str();
            hear_(&now_);
            now_ = {};
        }
        return true;
    }

  private:
    static void read(const llvm::DiagnosticInfoMIROptimization &remark, llvm::StringRef key,
                     unsigned long long *out)
    {
        for (const auto &argument : remark.getArgs()) {
            unsigned long long value = 0;
            if (argument.Key == key && !llvm::StringRef(argument.Val).getAsInteger(10, value)) {
                *out = value;
            }
        }
    }

    geo_emitter_hear_fn hear_;
    geo_emitter_function now_ = {};
};

} // namespace

bool geo_codegen_object_is_idle(const char *name)
{
    for (const char *row : idle) {
        if (std::strcmp(row, name) == 0) {
            return true;
        }
    }
    return false;
}

void geo_codegen_object_remarks(LLVMContextRef context, geo_emitter_hear_fn hear)
{
    llvm::unwrap(context)->setDiagnosticHandler(std::make_unique<Listener>(hear));
}

bool geo_codegen_object_runs(const char *pass, unsigned limits)
{
    for (const Limited &row : limited) {
        if (std::strcmp(row.pass, pass) == 0) {
            return (row.limits & limits) == 0;
        }
    }
    return true;
}

LLVMMemoryBufferRef geo_codegen_object(LLVMTargetMachineRef machine, LLVMModuleRef module,
                                       bool combine, const struct geo_emitter_profile *profile)
{
    auto *target = reinterpret_cast<llvm::TargetMachine *>(machine);
    llvm::SmallVector<char, 0> object;
    llvm::raw_svector_ostream stream(object);
    static const geo_emitter_profile none = {};
    Pipeline pipeline(combine, profile ? *profile : none);
    if (target->addPassesToEmitFile(pipeline, stream, nullptr, llvm::CodeGenFileType::ObjectFile) ||
        !pipeline.complete()) {
        return nullptr;
    }
    for (llvm::Function &function : *llvm::unwrap(module)) {
        if (limitsOf(function) & GEO_EMITTER_STRAIGHT) {
            blocksSplit(function);
        }
    }
    Gate gate(*llvm::unwrap(module));
    Gated gated(llvm::unwrap(module)->getContext(), gate);
    pipeline.run(*llvm::unwrap(module));
    return llvm::wrap(new llvm::SmallVectorMemoryBuffer(std::move(object), false));
}
