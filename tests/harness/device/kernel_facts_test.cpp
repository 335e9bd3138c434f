#include "harness/device/kernel_facts.h"
#include "kernels/common/kernel_launch.h"

#include <gtest/gtest.h>

#include <set>

#include "base/record/context_json.h"

// Outside of every anonymous namespace, so that the program exports its symbol.
extern "C" void ablate_test_symbol_of_a_function() {}

namespace ablate::kernel_facts_test {
namespace {

TEST(KernelFacts, AMangledNameReadsAsInTheSource) {
  EXPECT_EQ(demangled("_ZN6ablate8voxelize6directIiEEvPKfPT_"),
            "void ablate::voxelize::direct<int>(float const*, int*)");
  EXPECT_EQ(demangled("plain_c_name"), "plain_c_name");
  EXPECT_EQ(demangled(""), "");
}

TEST(KernelFacts, AFunctionIsKnownByItsExportedSymbolAlone) {
  const void* function = reinterpret_cast<const void*>(&ablate_test_symbol_of_a_function);
  EXPECT_EQ(kernel_symbol(function), "ablate_test_symbol_of_a_function");
  EXPECT_EQ(kernel_symbol(static_cast<const char*>(function) + 1), "")
      << "an address inside of a function is not it";
  EXPECT_EQ(kernel_symbol(nullptr), "");
}

TEST(KernelFacts, ADescribedLaunchHasTheRecordsKeys) {
  kernel_launch launch;
  launch.function = reinterpret_cast<const void*>(&ablate_test_symbol_of_a_function);
  launch.grid = {512, 2, 1};
  launch.block = {256, 1, 1};
  launch.dynamic_shared_bytes = 16384;
  EXPECT_EQ(describe(launch).dump(),
            R"({"name":"ablate_test_symbol_of_a_function","grid":[512,2,1],"block":[256,1,1],)"
            R"("dynamic_shared_bytes":16384,"theoretical_occupancy":{}})");
}

TEST(KernelFacts, EveryKernelOfTheProgramHasPlausibleFacts) {
  const nlohmann::ordered_json facts = kernels_json(static_facts());
  std::set<std::string_view> kernels;
  for (const kernel_resources& r : all_kernel_resources()) {
    kernels.insert(r.kernel);
    EXPECT_TRUE(r.registers > 0 && r.registers <= 255) << r.kernel;
    EXPECT_GE(r.static_shared_bytes, 0) << r.kernel;
    EXPECT_EQ(facts.at(demangled(std::string(r.kernel))).at(std::string(r.architecture)).at("registers"),
              r.registers);
  }
  EXPECT_EQ(facts.size(), kernels.size()) << "two kernels read alike";
}

}  // namespace
}  // namespace ablate::kernel_facts_test
