/* A pass that adds up spill slots. See spills.h. */
#include "compiler/codegen/spills.h"

#include <llvm/CodeGen/MachineFrameInfo.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/IR/Function.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace
{

class Spills final : public llvm::MachineFunctionPass
{
  public:
    static char ID;
    explicit Spills(const geo_emitter_profile &profile) : MachineFunctionPass(ID), profile_(profile)
    {
    }

    llvm::StringRef getPassName() const override
    {
        return "Geoid: find spill slots";
    }

    void getAnalysisUsage(llvm::AnalysisUsage &usage) const override
    {
        usage.setPreservesAll();
        MachineFunctionPass::getAnalysisUsage(usage);
    }

    bool runOnMachineFunction(llvm::MachineFunction &function) override
    {
        Frame &frame = frames_[function.getName().str()];
        frame.bytes = slotsAdd(function.getFrameInfo());
        for (const llvm::MachineBasicBlock &block : function) {
            for (const llvm::MachineInstr &inst : block.instrs()) {
                for (const llvm::MachineOperand &operand : inst.operands()) {
                    if (inst.isCall() && operand.isGlobal()) {
                        frame.callees.insert(operand.getGlobal()->getName().str());
                    }
                }
            }
        }
        return false;
    }

    /* Tells the sums when all functions are known. */
    bool doFinalization(llvm::Module &) override
    {
        for (const auto &row : frames_) {
            profile_.tell_spills(profile_.data, row.first.c_str(), deepest(row.first));
        }
        frames_.clear();
        return false;
    }

  private:
    struct Frame {
        uint64_t bytes = 0, sum = 0; /* of its own; with callees, once `known` */
        bool known = false;
        std::set<std::string> callees;
    };

    /* Returns the bytes of the slots that are in use. Fixed ones, with negative numbers, are those
     * of registers that are saved for the caller. */
    static uint64_t slotsAdd(const llvm::MachineFrameInfo &info)
    {
        std::set<int> saved;
        for (const llvm::CalleeSavedInfo &one : info.getCalleeSavedInfo()) {
            if (!one.isSpilledToReg()) {
                saved.insert(one.getFrameIdx());
            }
        }
        uint64_t bytes = 0;
        for (int slot = 0; slot < info.getObjectIndexEnd(); slot++) {
            if (info.isSpillSlotObjectIndex(slot) && !info.isDeadObjectIndex(slot) &&
                saved.count(slot) == 0) {
                bytes += static_cast<uint64_t>(info.getObjectSize(slot));
            }
        }
        return bytes;
    }

    /* Returns the sum of a function. Functions of a module are not recursive; one that were would
     * count once. */
    uint64_t deepest(const std::string &name)
    {
        auto row = frames_.find(name);
        if (row == frames_.end()) {
            return 0;
        }
        Frame &frame = row->second;
        if (!frame.known) {
            frame.known = true;
            uint64_t below = 0;
            for (const std::string &callee : frame.callees) {
                below = std::max(below, deepest(callee));
            }
            frame.sum = frame.bytes + below;
        }
        return frame.sum;
    }

    const geo_emitter_profile &profile_;
    std::map<std::string, Frame> frames_;
};

char Spills::ID;

} // namespace

llvm::MachineFunctionPass *geo_codegen_spills_find(const struct geo_emitter_profile *profile)
{
    return new Spills(*profile);
}
