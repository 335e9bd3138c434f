#include "reports/gate/static_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reports/gate/made_static_facts.h"

namespace ablate::gate::static_gate_test {
namespace {

using ::testing::HasSubstr;

struct static_gate : ::testing::Test {
  static_facts_file baseline = made_static_facts(), candidate = made_static_facts();
  std::vector<accepted_change> accepted;
  static_gate_options options;
  static_gate() {
    options.today = "2026-12-01";
    options.command = "ablate static check";
  }

  kernel_static_facts& direct() { return candidate.kernels.at(made_kernel); }
  gate_report compare() const { return compare_static_facts(baseline, candidate, accepted, options); }
  void accept(const std::string& quantity) {
    accepted_change a;
    a.kernel = "direct";
    a.quantity = quantity;
    a.reason = "for a reason";
    a.pattern = std::regex(a.kernel);
    a.where = "accepted.json: /accepted/0";
    accepted.push_back(a);
  }
};

const finding& only(const gate_report& report, weight w) {
  const auto found = findings_of(report, w);
  EXPECT_EQ(found.size(), 1u);
  static const finding none{};
  return found.empty() ? none : *found.front();
}

TEST_F(static_gate, TheSameFactsPass) {
  const gate_report report = compare();
  EXPECT_EQ(report.verdict, "PASS");
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(findings_of(report, weight::passed).size(), 2u);
  EXPECT_EQ(report.findings.size(), 2u);
}

TEST_F(static_gate, OneMoreRegisterFails) {
  direct().code["sm_80"].resources["registers"] = 33;
  const gate_report report = compare();
  EXPECT_EQ(report.verdict, "FAIL");
  EXPECT_EQ(report.exit_code, 1);
  const finding& f = only(report, weight::failed);
  EXPECT_EQ(f.subject, "voxelize::direct<int>");
  EXPECT_EQ(f.place, "sm_80");
  EXPECT_EQ(f.quantity, "registers");
  EXPECT_EQ(f.baseline, "32");
  EXPECT_EQ(f.candidate, "33");
  EXPECT_EQ(f.command, "ablate static check --filter 'ablate::voxelize::direct'");
}

TEST_F(static_gate, EveryResourceMayFallAndNoneMayRise) {
  for (const static_quantity& q : resource_quantities()) {
    candidate = made_static_facts();
    direct().code["sm_90a"].resources[q.name] += 1;
    EXPECT_EQ(compare().exit_code, 1) << q.name;
    std::swap(baseline, candidate);
    EXPECT_EQ(compare().exit_code, 0) << q.name;
    std::swap(baseline, candidate);
  }
}

TEST_F(static_gate, SpillsFromNothingFail) {
  direct().code["sm_90a"].resources["spill_bytes"] = 4;
  EXPECT_EQ(only(compare(), weight::failed).quantity, "spill_bytes");
}

TEST_F(static_gate, LocalMemoryInstructionsHaveNoTolerance) {
  direct().code["sm_90a"].sass->operator[]("local_memory_instructions") = 1;
  EXPECT_EQ(only(compare(), weight::failed).quantity, "local_memory_instructions");
}

TEST_F(static_gate, AtomicsMayChangeByTheToleranceEitherWay) {
  counts& sass = *direct().code["sm_90a"].sass;
  for (const long within : {38, 42}) {
    sass["atomic_instructions"] = within;
    EXPECT_EQ(only(compare(), weight::noted).verdict, "WITHIN");
  }
  for (const long beyond : {37, 43}) {
    sass["atomic_instructions"] = beyond;
    EXPECT_EQ(compare().exit_code, 1) << beyond;
  }
}

TEST_F(static_gate, TensorInstructionsFromNothingAreAChange) {
  direct().code["sm_90a"].sass->operator[]("tensor_instructions") = 1;
  EXPECT_EQ(compare().exit_code, 1);
}

TEST_F(static_gate, NarrowerLoadsOfTheSameBytesFailAndWiderOnesPass) {
  counts& sass = *direct().code["sm_90a"].sass;
  sass["vector_loads_128"] = 5;  // the other five became ten of 64 bits
  EXPECT_EQ(only(compare(), weight::failed).quantity, "vector_loads_128");
  sass["vector_loads_128"] = 12;
  EXPECT_EQ(compare().exit_code, 0);
}

TEST_F(static_gate, LowerOccupancyIsToldOnceForAllThatLaunchAlike) {
  for (auto& [by, launch] : direct().launched_by)
    if (by.second != "a100") launch.occupancy = 0.5;
  const gate_report report = compare();
  const finding& f = only(report, weight::failed);
  EXPECT_EQ(f.quantity, "occupancy");
  EXPECT_EQ(f.place, "voxelize/global_atomic, voxelize/smem (h100, h200)");
  EXPECT_EQ(f.baseline, "0.75");
}

TEST_F(static_gate, MoreDynamicSharedMemoryFails) {
  direct().launched_by.at({"voxelize/smem", "h200"}).dynamic_shared_bytes = 4096;
  EXPECT_EQ(only(compare(), weight::failed).quantity, "dynamic_shared_bytes");
}

TEST_F(static_gate, AnAcceptedChangePassesWithItsReason) {
  direct().code["sm_80"].resources["registers"] = 40;
  accept("registers");
  const gate_report report = compare();
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(only(report, weight::noted).verdict, "ACCEPTED");
  EXPECT_THAT(only(report, weight::noted).message, HasSubstr("for a reason"));
}

TEST_F(static_gate, AnAcceptedChangeHoldsForItsPlaceUpToItsValueAndUntilItsDay) {
  direct().code["sm_80"].resources["registers"] = 40;
  accept("registers");
  accepted[0].place = "sm_80";
  accepted[0].up_to = 40;
  accepted[0].until = "2026-12-01";
  EXPECT_EQ(compare().exit_code, 0);
  accepted[0].up_to = 39;
  EXPECT_EQ(compare().exit_code, 1);
  accepted[0].up_to = 40;
  accepted[0].place = "sm_90a";
  EXPECT_EQ(compare().exit_code, 1);
  accepted[0].place = "sm_80";
  options.today = "2026-12-02";
  const gate_report late = compare();
  EXPECT_EQ(late.exit_code, 1);
  EXPECT_THAT(only(late, weight::noted).message, HasSubstr("has ended"));
}

TEST_F(static_gate, AnAcceptedOccupancyOfOneVariantIsNotTheOthers) {
  for (auto& [by, launch] : direct().launched_by) launch.occupancy = 0.5;
  accept("occupancy");
  accepted[0].place = "voxelize/smem";
  accepted[0].up_to = 0.5;
  const gate_report report = compare();
  EXPECT_EQ(only(report, weight::noted).place, "voxelize/smem (a100, h100, h200)");
  EXPECT_EQ(only(report, weight::failed).place, "voxelize/global_atomic (a100, h100, h200)");
}

TEST_F(static_gate, AnAcceptedChangeThatNothingNeedsIsTold) {
  accept("registers");
  const gate_report report = compare();
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(only(report, weight::noted).verdict, "UNUSED");
  options.notes_unused = false;
  EXPECT_TRUE(findings_of(compare(), weight::noted).empty());
}

TEST_F(static_gate, NewKernelsAreNotedAndVanishedOnesNeverPass) {
  candidate.kernels["ablate::other::k()"].code["sm_80"] = {};
  candidate.kernels.erase(made_kernel);
  gate_report report = compare();
  EXPECT_EQ(report.exit_code, 4);
  EXPECT_EQ(report.verdict, "INCONCLUSIVE");
  EXPECT_THAT(report_junit(report), HasSubstr("failures=\"1\""));
  options.strict = true;
  report = compare();
  EXPECT_EQ(report.exit_code, 1);
  EXPECT_EQ(only(report, weight::failed).verdict, "GONE");
  EXPECT_EQ(only(report, weight::noted).verdict, "NEW");
}

TEST_F(static_gate, AVanishedLaunchDoesNotPass) {
  direct().launched_by.erase({"voxelize/smem", "a100"});
  EXPECT_EQ(compare().exit_code, 4);
  EXPECT_EQ(only(compare(), weight::failed).place, "voxelize/smem (a100)");
}

TEST_F(static_gate, AnotherCompilerIsInconclusive) {
  candidate.cuda_compiler = "13.1.0";
  direct().code["sm_80"].resources["registers"] = 40;
  gate_report report = compare();
  EXPECT_EQ(report.verdict, "INCONCLUSIVE");
  EXPECT_EQ(report.exit_code, 4);
  EXPECT_EQ(only(report, weight::inconclusive).verdict, "INCONCLUSIVE");
  EXPECT_EQ(only(report, weight::failed).subject, "the gate") << "JUnit must not show a pass";
}

TEST_F(static_gate, AnArchitectureThatTheCandidateLacksIsToldOnce) {
  for (auto& [name, kernel] : candidate.kernels) kernel.code.erase("sm_80");
  gate_report report = compare();
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(report.findings.size(), findings_of(report, weight::passed).size());
  EXPECT_THAT(report_text(report), HasSubstr("not compared: sm_80"));
  options.strict = true;
  EXPECT_EQ(compare().exit_code, 4);
}

TEST_F(static_gate, WhereNoMachineCodeMeetsNothingWasJudged) {
  for (auto& [name, kernel] : candidate.kernels) kernel.code.clear();
  gate_report report = compare();
  EXPECT_EQ(report.verdict, "INCONCLUSIVE");
  EXPECT_EQ(report.exit_code, 4);
  EXPECT_TRUE(findings_of(report, weight::passed).empty());
  candidate.kernels.clear();
  report = compare();
  EXPECT_EQ(report.exit_code, 4);
  EXPECT_EQ(findings_of(report, weight::failed).size(), 2u) << "every kernel that vanished is told";
  baseline.kernels.clear();
  EXPECT_EQ(compare().exit_code, 4);
}

TEST_F(static_gate, AKernelWhoseSassIsNotCountedAnyMoreIsTold) {
  direct().code["sm_90a"].sass.reset();
  EXPECT_EQ(only(compare(), weight::failed).verdict, "GONE");
  EXPECT_EQ(compare().exit_code, 4);
  options.strict = true;
  EXPECT_EQ(compare().exit_code, 1);
}

TEST_F(static_gate, SassIsComparedOnlyWhereBothSidesHaveIt) {
  candidate.has_sass = false;
  for (auto& [name, kernel] : candidate.kernels)
    for (auto& [architecture, code] : kernel.code) code.sass.reset();
  const gate_report report = compare();
  EXPECT_EQ(report.verdict, "PASS");
  EXPECT_THAT(report_text(report), HasSubstr("not compared: SASS: the candidate did not count it"));
  options.strict = true;
  EXPECT_EQ(compare().exit_code, 4);
  for (auto& [name, kernel] : baseline.kernels)
    for (auto& [architecture, code] : kernel.code) code.sass.reset();
  baseline.has_sass = false;
  EXPECT_EQ(compare().exit_code, 0) << "the baseline asks for none";
}

TEST(KernelLabel, LeavesOutReturnTypeParametersAndTheCommonNamespace) {
  EXPECT_EQ(kernel_label("void ablate::a::f<ablate::a::t<(ablate::a::e)1>, 4>(ablate::a::view, int*)"),
            "a::f<a::t<(a::e)1>, 4>");
  EXPECT_EQ(kernel_label("ablate::a::f(int)"), "a::f");
  EXPECT_EQ(kernel_label("_Zbroken"), "_Zbroken");
  EXPECT_EQ(kernel_label("ablate::(anonymous namespace)::f(int)"), "(anonymous namespace)::f");
}

}  // namespace
}  // namespace ablate::gate::static_gate_test
