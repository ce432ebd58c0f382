/* Passes about physical registers. See registers.h. */
#include "compiler/codegen/registers.h"

extern "C" {
#include "native/registers.h"
}

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/CodeGen/LiveIntervals.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/TargetRegisterInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/Function.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace
{

/* LLVM's registers by the bit that stands for them (native/registers.h). */
using Registers = std::map<unsigned, llvm::MCRegister>;

Registers registersOf(const llvm::TargetRegisterInfo &info, unsigned target)
{
    std::map<std::string, unsigned> bits;
    const geo_native_register_class *kind = geo_native_registers_classes(target);
    for (; kind && kind->count; kind++) {
        llvm::SmallVector<llvm::StringRef, 16> names;
        llvm::SplitString(kind->llvm, names, " ");
        for (unsigned i = 0; i < kind->count; i++) {
            bool listed = names.size() > 1;
            bits[listed ? names[i].str() : names[0].str() + std::to_string(i)] = kind->first + i;
        }
    }
    Registers found;
    for (unsigned number = 1; number < info.getNumRegs(); number++) {
        auto row = bits.find(info.getName(number));
        if (row != bits.end()) {
            found[row->second] = llvm::MCRegister(number);
        }
    }
    return found;
}

/* Returns whether any part of a register is in the set. */
bool overlaps(const llvm::TargetRegisterInfo &info, llvm::MCRegister reg,
              const llvm::BitVector &set)
{
    for (llvm::MCRegAliasIterator alias(reg, &info, true); alias.isValid(); ++alias) {
        if (set.test((*alias).id())) {
            return true;
        }
    }
    return false;
}

class Spare final : public llvm::MachineFunctionPass
{
  public:
    static char ID;
    explicit Spare(const geo_emitter_profile &profile) : MachineFunctionPass(ID), profile_(profile)
    {
    }

    llvm::StringRef getPassName() const override { return "Geoid: spare registers"; }

    void getAnalysisUsage(llvm::AnalysisUsage &usage) const override
    {
        usage.setPreservesAll();
        usage.addRequired<llvm::LiveIntervalsWrapperPass>();
        MachineFunctionPass::getAnalysisUsage(usage);
    }

    bool runOnMachineFunction(llvm::MachineFunction &function) override
    {
        const llvm::TargetRegisterInfo &info = *function.getSubtarget().getRegisterInfo();
        llvm::LiveIntervals &intervals = getAnalysis<llvm::LiveIntervalsWrapperPass>().getLIS();
        uint64_t spared = geo_native_registers_spared(profile_.target, profile_.features);
        for (const auto &[bit, reg] : registersOf(info, profile_.target)) {
            for (llvm::MCRegUnit unit : info.regunits(reg)) {
                if (spared >> bit & 1) {
                    keep(intervals, function, unit);
                }
            }
        }
        return false;
    }

  private:
    /* Makes a part of a register live in the whole function, if nothing uses it yet. */
    static void keep(llvm::LiveIntervals &intervals, const llvm::MachineFunction &function,
                     llvm::MCRegUnit unit)
    {
        llvm::LiveRange &range = intervals.getRegUnit(unit);
        if (range.empty()) {
            llvm::SlotIndex start = intervals.getMBBStartIdx(&function.front());
            llvm::SlotIndex end = intervals.getMBBEndIdx(&function.back());
            llvm::VNInfo *value = range.getNextValue(start, intervals.getVNInfoAllocator());
            range.addSegment(llvm::LiveRange::Segment(start, end, value));
        }
    }

    const geo_emitter_profile &profile_;
};

/* The registers that a function uses, as bits, and those that its calls may use. */
struct Uses {
    uint64_t own;
    std::vector<std::string> callees; /* functions of the module, if their code is seen */
    std::vector<uint64_t> overwritten; /* by each callee, as its calling convention allows */
};

class Find final : public llvm::MachineFunctionPass
{
  public:
    static char ID;
    explicit Find(const geo_emitter_profile &profile) : MachineFunctionPass(ID), profile_(profile)
    {
    }

    llvm::StringRef getPassName() const override { return "Geoid: find free registers"; }

    void getAnalysisUsage(llvm::AnalysisUsage &usage) const override
    {
        usage.setPreservesAll();
        MachineFunctionPass::getAnalysisUsage(usage);
    }

    bool runOnMachineFunction(llvm::MachineFunction &function) override
    {
        const llvm::TargetRegisterInfo &info = *function.getSubtarget().getRegisterInfo();
        const Registers registers = registersOf(info, profile_.target);
        llvm::BitVector named(info.getNumRegs());
        Uses uses = {};
        for (const llvm::MachineBasicBlock &block : function) {
            for (const llvm::MachineInstr &inst : block.instrs()) {
                collect(inst, registers, named, uses);
            }
        }
        for (const auto &[bit, reg] : registers) {
            uses.own |= uint64_t(overlaps(info, reg, named)) << bit;
        }
        functions_[function.getName().str()] = std::move(uses);
        return false;
    }

    /* Tells the registers when all functions are known. */
    bool doFinalization(llvm::Module &) override
    {
        uint64_t scratch = geo_native_registers_scratch(profile_.target, profile_.features);
        for (const auto &[name, uses] : functions_) {
            std::set<std::string> reached;
            profile_.tell(profile_.data, name.c_str(), scratch & ~used(name, reached));
        }
        functions_.clear();
        return false;
    }

  private:
    /* Adds the registers that an instruction names, also without an effect, and what it calls. */
    static void collect(const llvm::MachineInstr &inst, const Registers &registers,
                        llvm::BitVector &named, Uses &uses)
    {
        std::string callee;
        for (const llvm::MachineOperand &operand : inst.operands()) {
            if (operand.isGlobal() && llvm::isa<llvm::Function>(operand.getGlobal())) {
                callee = operand.getGlobal()->getName().str();
            }
        }
        for (const llvm::MachineOperand &operand : inst.operands()) {
            if (operand.isRegMask()) {
                uint64_t overwritten = 0;
                for (const auto &[bit, reg] : registers) {
                    overwritten |= uint64_t(operand.clobbersPhysReg(reg)) << bit;
                }
                uses.callees.push_back(callee);
                uses.overwritten.push_back(overwritten);
            } else if (operand.isReg() && operand.getReg().isPhysical() && !inst.isDebugInstr()) {
                named.set(operand.getReg().id());
            }
        }
    }

    /* Returns the registers that a function and all that it reaches may use. */
    uint64_t used(const std::string &name, std::set<std::string> &reached) const
    {
        const Uses &uses = functions_.at(name);
        uint64_t all = uses.own;
        reached.insert(name);
        for (size_t i = 0; i < uses.callees.size(); i++) {
            if (functions_.count(uses.callees[i]) == 0) {
                all |= uses.overwritten[i];
            } else if (reached.count(uses.callees[i]) == 0) {
                all |= used(uses.callees[i], reached);
            }
        }
        return all;
    }

    const geo_emitter_profile &profile_;
    std::map<std::string, Uses> functions_;
};

char Spare::ID;
char Find::ID;

} // namespace

llvm::MachineFunctionPass *geo_codegen_registers_spare(const struct geo_emitter_profile *profile)
{
    return new Spare(*profile);
}

llvm::MachineFunctionPass *geo_codegen_registers_find(const struct geo_emitter_profile *profile)
{
    return new Find(*profile);
}
