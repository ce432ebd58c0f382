/* Emission of objects by LLVM's C++ interface. See emitter.h. */
#include "compiler/codegen/emitter.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/Pass.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <cstring>

namespace
{

/* Runs the passes that the target adds, except those that are left out. */
class Pipeline final : public llvm::legacy::PassManager
{
  public:
    explicit Pipeline(bool combine) : combine_(combine) {}

    void add(llvm::Pass *pass) override
    {
        if (!combine_ && pass->getPassID() == &llvm::MachineCombinerID) {
            delete pass;
            return;
        }
        llvm::legacy::PassManager::add(pass);
    }

  private:
    bool combine_;
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
    {"machine-sink", GEO_EMITTER_BRANCHED | GEO_EMITTER_PLAIN},
    {"x86-isel", GEO_EMITTER_PLAIN},
    {"aarch64-isel", GEO_EMITTER_PLAIN},
};

/* Answers LLVM's passes from the attribute of the function that they are about to run on. */
class Gate final : public llvm::OptPassGate
{
  public:
    explicit Gate(const llvm::Module &module) : module_(module) {}

    bool isEnabled() const override { return true; }

    bool shouldRunPass(llvm::StringRef pass, llvm::StringRef description) const override
    {
        if (!description.consume_front("function (") || !description.consume_back(")")) {
            return true;
        }
        const llvm::Function *function = module_.getFunction(description);
        unsigned limits = 0;
        return !function ||
               function->getFnAttribute(GEO_EMITTER_LIMITS_ATTRIBUTE)
                   .getValueAsString()
                   .getAsInteger(10, limits) ||
               geo_codegen_object_runs(pass.str().c_str(), limits);
    }

  private:
    const llvm::Module &module_;
};

/* Puts a gate in front of the passes of a context while it lives. */
class Gated final
{
  public:
    Gated(llvm::LLVMContext &context, Gate &gate)
        : context_(context), before_(context.getOptPassGate())
    {
        context.setOptPassGate(gate);
    }
    ~Gated() { context_.setOptPassGate(before_); }
    Gated(const Gated &) = delete;
    Gated &operator=(const Gated &) = delete;

  private:
    llvm::LLVMContext &context_;
    llvm::OptPassGate &before_;
};

} // namespace

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
                                       bool combine)
{
    auto *target = reinterpret_cast<llvm::TargetMachine *>(machine);
    llvm::SmallVector<char, 0> object;
    llvm::raw_svector_ostream stream(object);
    Pipeline pipeline(combine);
    if (target->addPassesToEmitFile(pipeline, stream, nullptr, llvm::CodeGenFileType::ObjectFile)) {
        return nullptr;
    }
    Gate gate(*llvm::unwrap(module));
    Gated gated(llvm::unwrap(module)->getContext(), gate);
    pipeline.run(*llvm::unwrap(module));
    return llvm::wrap(new llvm::SmallVectorMemoryBuffer(std::move(object), false));
}
