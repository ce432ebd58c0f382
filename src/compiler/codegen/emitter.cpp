/* Emission of objects by LLVM's C++ interface. See emitter.h. */
#include "compiler/codegen/emitter.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Pass.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

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

} // namespace

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
    pipeline.run(*llvm::unwrap(module));
    return llvm::wrap(new llvm::SmallVectorMemoryBuffer(std::move(object), false));
}
