#include "reports/gate/machine_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "reports/gate/cubin.h"
#include "tests/reports/gate/made_cubin.h"

namespace ablate::gate::machine_code_test {
namespace {

using test_support::made_cubin;
using test_support::made_program;

struct hashes {
  std::string first, second;
};

hashes of(const made_cubin& cubin) {
  auto kernels = kernels_in(cubin.bytes());
  EXPECT_EQ(kernels.size(), 2u);
  return {kernels["first"].hash, kernels["second"].hash};
}

hashes with(const std::function<void(made_cubin&)>& change, made_cubin cubin = {}) {
  change(cubin);
  return of(cubin);
}

TEST(MachineCode, WhatRunsOfAKernelChangesItsHashAndNoOther) {
  const hashes before = of({});
  const std::function<void(made_cubin&)> faults[] = {
      [](made_cubin& c) { c.code.back() ^= 1; },
      [](made_cubin& c) { c.code += "!"; },
      [](made_cubin& c) { ++c.registers; },
      [](made_cubin& c) { c.stack_bytes += 8; },
      [](made_cubin& c) { c.max_threads = 128; },
      [](made_cubin& c) { c.constants = "1.6"; },
      [](made_cubin& c) { c.static_shared_bytes += 128; },
  };
  for (std::size_t i = 0; i < std::size(faults); ++i) {
    const hashes after = with(faults[i]);
    EXPECT_NE(after.first, before.first) << i;
    EXPECT_EQ(after.second, before.second) << i;
  }
}

TEST(MachineCode, LineTablesToolsAndNumbersOfSymbolsDoNotCount) {
  const hashes before = of({});
  for (const hashes& after : {with([](made_cubin& c) { c.debug = "line 8, of another folder"; }),
                              with([](made_cubin& c) { c.tool = "ptxas -lineinfo"; }),
                              with([](made_cubin& c) { c.extra_symbol = "$first$helper"; })}) {
    EXPECT_EQ(after.first, before.first);
    EXPECT_EQ(after.second, before.second);
  }
}

TEST(MachineCode, WhatEveryKernelOfACubinMayReachCountsForAll) {
  made_cubin shared;
  shared.shared_constants = "a table";
  const hashes before = of(shared);
  EXPECT_NE(before.second, of({}).second);
  const hashes content = with([](made_cubin& c) { c.shared_constants = "a Table"; }, shared);
  EXPECT_NE(content.first, before.first);
  EXPECT_NE(content.second, before.second);
  const hashes target = with([](made_cubin& c) { c.constant_of = "another_table"; }, shared);
  EXPECT_NE(target.first, before.first) << "the same bytes, but the address of another symbol";
  const hashes moved = with([](made_cubin& c) { c.extra_symbol = "unused"; }, shared);
  EXPECT_EQ(moved.first, before.first);
}

TEST(MachineCode, ParametersAreReadInOrderWithTheirBytes) {
  EXPECT_EQ(kernels_in(made_cubin{}.bytes()).at("first").parameter_bytes, (std::vector<std::size_t>{8, 5}));
}

TEST(MachineCode, OfAProgramIsByKernelAndArchitecture) {
  made_cubin other;
  other.code = "for a later chip";
  const machine_code all = machine_code_of(made_program({made_cubin{}.bytes(), other.bytes()}));
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all.at({"first", "sm_80"}).hash, of({}).first);
  EXPECT_EQ(all.at({"first", "sm_81"}).hash, of(other).first);
}

TEST(MachineCode, AKernelOfTwoCubinsHasTheCodeOfBoth) {
  made_cubin other;
  other.code = "compiled with another flag";
  const auto two = [](const made_cubin& a, const made_cubin& b) {
    const std::string one = made_program({a.bytes()}), second = made_program({b.bytes()});
    return std::pair{machine_code_of(one), machine_code_of(second)};
  };
  const auto [a, b] = two({}, other);
  EXPECT_NE(a.at({"first", "sm_80"}).hash, b.at({"first", "sm_80"}).hash);
}

TEST(MachineCode, ANameLocalToAFileIsWithoutTheFile) {
  EXPECT_EQ(without_file("_ZN33_GLOBAL__N__9a5ab678_4_a_cu_table6hiddenEPfi"),
            without_file("_ZN37_GLOBAL__N__00c0ffee_8_other_cu_table6hiddenEPfi"));
  EXPECT_EQ(without_file("_ZN34_INTERNAL_a7e2852f_4_a_cu_b49428586ablate6spreadE"),
            without_file("_ZN38_INTERNAL_00c0ffee_8_other_cu_9a5ab6786ablate6spreadE"));
  EXPECT_NE(without_file("_ZN34_INTERNAL_a7e2852f_4_a_cu_b49428586ablate6spreadE"),
            without_file("_ZN34_INTERNAL_a7e2852f_4_a_cu_b49428586ablate6gatherE"));
  EXPECT_EQ(without_file("_Z4seenPf4int2"), "_Z4seenPf4int2");
  EXPECT_EQ(without_file("_ZN12_GLOBAL__N_16hiddenEv"), "_ZN12_GLOBAL__N_16hiddenEv");
  EXPECT_EQ(without_file("_ZN99_GLOBAL__N__short"), "_ZN99_GLOBAL__N__short") << "ends before its 99 letters";
}

TEST(MachineCode, TheFileIsFoundBehindDigitsOfAnotherName) {
  const auto ignored = [](const std::string& hash) {
    return "_ZN34_INTERNAL_" + hash + "_4_a_cu_b49428584cuda3std3__436_GLOBAL__N__" + hash +
           "_4_a_cu_b49428586ignoreE";
  };
  EXPECT_EQ(without_file(ignored("a7e2852f")), without_file(ignored("00c0ffee")));
  EXPECT_THAT(without_file(ignored("a7e2852f")), testing::HasSubstr("4cuda3std3__4"));
  EXPECT_THAT(without_file(ignored("a7e2852f")), testing::Not(testing::HasSubstr("a7e2852f")));
}

TEST(MachineCode, WhatEndsEarlyIsRefusedOrHasNoKernels) {
  const std::string whole = made_cubin{}.bytes();
  for (std::size_t size = 0; size < whole.size(); size += 7)
    EXPECT_THROW(kernels_in(whole.substr(0, size)), std::runtime_error);
}

}  // namespace
}  // namespace ablate::gate::machine_code_test
