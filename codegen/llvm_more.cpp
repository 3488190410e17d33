/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What LLVM's C interface lacks: llvm_more.h. Nothing here knows anything of sonde.
 */
#include "llvm_more.h"
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;

LLVMModuleRef more_module(LLVMContextRef llvm, const char *bytes, size_t len)
{
	MemoryBufferRef buffer(StringRef(bytes, len), "bpf_helpers");
	auto module = getLazyBitcodeModule(buffer, *unwrap(llvm));

	if (!module) {
		consumeError(module.takeError());
		return nullptr;
	}
	return wrap(module->release());
}

void more_set_no_dwarf(LLVMModuleRef module)
{
	Module *m = unwrap(module);

	m->setModuleFlag(Module::Warning, "Dwarf Version", uint32_t{0});
	m->setModuleFlag(Module::Warning, "CodeView", uint32_t{1});
}

/* Read a function's body, when that has not been done. False when it cannot be read. */
static bool read_body(Function &f)
{
	Error e = f.materialize();
	bool failed = static_cast<bool>(e);

	consumeError(std::move(e));
	return !failed;
}

/* From the caller inwards: each body is copied once to each place where it ends. */
static bool inline_into(Function &f)
{
	SmallVector<CallBase *, 32> calls;

	for (Instruction &i : instructions(f))
		if (auto *call = dyn_cast<CallBase>(&i))
			calls.push_back(call);
	while (!calls.empty()) {
		CallBase *call = calls.pop_back_val();
		Function *callee = call->getCalledFunction();
		InlineFunctionInfo info;

		if (!callee || !callee->hasFnAttribute(Attribute::AlwaysInline))
			continue;
		if (!read_body(*callee) || !InlineFunction(*call, info, true).isSuccess())
			return false;
		calls.append(info.InlinedCallSites.begin(), info.InlinedCallSites.end());
	}
	return true;
}

/* A function that stays one: with a body, or with one to be read because it is pointed at. */
static bool stays(const Function &f)
{
	if (f.hasFnAttribute(Attribute::AlwaysInline))
		return false;
	return f.isMaterializable() ? !f.use_empty() : !f.isDeclaration();
}

int more_inline(LLVMModuleRef module)
{
	SmallPtrSet<Function *, 16> done;
	bool found;

	do {
		found = false;
		for (Function &f : *unwrap(module)) {
			if (!stays(f) || !done.insert(&f).second)
				continue;
			found = true;
			if (!read_body(f) || !inline_into(f))
				return -1;
		}
	} while (found);
	return 0;
}

void more_simplify(LLVMModuleRef module, LLVMTargetMachineRef tm)
{
	Module &m = *unwrap(module);
	auto *target = reinterpret_cast<TargetMachine *>(tm);
	TargetLibraryInfoImpl library(target->getTargetTriple());
	FunctionAnalysisManager analyses;
	FunctionPassManager passes;

	analyses.registerPass([] { return PassInstrumentationAnalysis(); });
	analyses.registerPass([&] { return target->getTargetIRAnalysis(); });
	analyses.registerPass([&] { return TargetLibraryAnalysis(library); });
	analyses.registerPass([] { return AssumptionAnalysis(); });
	analyses.registerPass([] { return DominatorTreeAnalysis(); });
	analyses.registerPass([] { return PostDominatorTreeAnalysis(); });
	analyses.registerPass([] { return OptimizationRemarkEmitterAnalysis(); });
	passes.addPass(SROAPass(SROAOptions::ModifyCFG));
	passes.addPass(EarlyCSEPass());
	passes.addPass(SimplifyCFGPass());
	passes.addPass(InstSimplifyPass());
	passes.addPass(SimplifyCFGPass());
	passes.addPass(ADCEPass());
	for (Function &f : m)
		if (!f.isDeclaration())
			passes.run(f, analyses);
}

static void set(const char *option)
{
	StringMap<cl::Option *> &options = cl::getRegisteredOptions();
	auto found = options.find(option);

	if (found != options.end())
		static_cast<cl::opt<bool> *>(found->second)->setValue(true);
}

void more_set_options(void)
{
	set("disable-lsr");
	set("disable-constant-hoisting");
	set("disable-copyprop");
	set("disable-postra-machine-licm");
}
