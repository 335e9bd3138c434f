#include "reports/gate/affected.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "tests/support/temporary_directory.h"

namespace ablate::gate::affected_test {
namespace {

using test_support::temporary_directory;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

requested_launch launch_of(const std::string& kernel) {
  requested_launch out;
  out.kernel = kernel;
  out.code = "code of " + kernel;
  out.grid = {132, 1, 1};
  out.block = {256, 1, 1};
  out.arguments = "0123";
  return out;
}

requested_case case_of(const std::string& operation, int number, const std::string& kernel) {
  requested_case out;
  out.id = operation + "/" + std::to_string(number);
  out.operation = operation;
  out.variant = "plain";
  out.input = "input";
  out.launches = {launch_of("clear"), launch_of(kernel)};
  return out;
}

program_launches program() {
  return {"c0ffee",
          "sources",
          "13.0.88",
          "h100",
          "suite",
          {case_of("count", 1, "count_points"), case_of("count", 2, "count_points"),
           case_of("sort", 1, "sort_keys"), case_of("pool", 1, "pool_rows")}};
}

affected after(const std::function<void(program_launches&)>& change, std::size_t most_controls = 3) {
  program_launches candidate = program();
  candidate.source_hash = "later sources";
  change(candidate);
  return affected_by(program(), candidate, most_controls);
}

std::vector<std::string> affected_ids(const affected& of) {
  std::vector<std::string> out;
  for (const affected_case& c : of.cases)
    if (c.is_in) out.push_back(c.id);
  return out;
}

TEST(Affected, NothingChangedLeavesNothingToTime) {
  const affected same = after([](program_launches&) {});
  EXPECT_THAT(same.to_time(), IsEmpty());
  EXPECT_THAT(same.kernels, IsEmpty());
  EXPECT_THAT(summary(same), HasSubstr("Nothing that runs changed"));
}

TEST(Affected, OfTheSameSourcesArgumentsAreNotCompared) {
  const affected same = after([](program_launches& p) {
    p.source_hash = program().source_hash;
    p.cases[1].launches[1].arguments = "0124";
  });
  EXPECT_THAT(same.to_time(), IsEmpty());
}

TEST(Affected, EveryKindOfChangeIsFoundInTheCaseThatHasItAlone) {
  using change = std::function<void(requested_case&)>;
  const std::vector<std::pair<std::string, change>> faults = {
      {"machine code", [](requested_case& c) { c.launches[1].code = "another"; }},
      {"not in the program", [](requested_case& c) { c.launches[1].code = ""; }},
      {"grid", [](requested_case& c) { c.launches[1].grid[0] = 131; }},
      {"block", [](requested_case& c) { c.launches[0].block[2] = 2; }},
      {"dynamic shared memory", [](requested_case& c) { c.launches[1].dynamic_shared_bytes = 1; }},
      {"arguments", [](requested_case& c) { c.launches[1].arguments = "0124"; }},
      {"cluster", [](requested_case& c) { c.launches[1].cluster_blocks = 2; }},
      {"cluster", [](requested_case& c) { c.launches[1].is_cooperative = true; }},
      {"cluster", [](requested_case& c) { c.launches[1].overlaps_previous = true; }},
      {"launches", [](requested_case& c) { c.launches.push_back(launch_of("clear")); }},
      {"launches", [](requested_case& c) { c.launches.pop_back(); }},
      {"instead of", [](requested_case& c) { std::swap(c.launches[0], c.launches[1]); }},
      {"input", [](requested_case& c) { c.input = "another"; }},
      {"cannot be described", [](requested_case& c) { c.why_unknown = "no file"; }},
      {"no longer applicable", [](requested_case& c) { c.why_not_applicable = "too large"; }}};
  for (const auto& [why, fault] : faults) {
    const affected found = after([&f = fault](program_launches& p) { f(p.cases[1]); });
    EXPECT_THAT(affected_ids(found), ElementsAre("count/2")) << why;
    EXPECT_THAT(found.cases[1].why, HasSubstr(why));
  }
}

TEST(Affected, BytesOfArgumentsThatNobodySetsSayNothing) {
  program_launches first = program(), second = program();
  second.cases[1].launches[1].arguments = "01ff";
  mark_unset_bytes(first, second);
  EXPECT_EQ(first.cases[1].launches[1].arguments, "01..");
  EXPECT_EQ(first.cases[0].launches[1].arguments, "0123");

  program_launches candidate = program();
  candidate.source_hash = "later sources";
  candidate.cases[1].launches[1].arguments = "0177";
  EXPECT_THAT(affected_by(first, candidate).to_time(), IsEmpty());
  candidate.cases[1].launches[1].arguments = "0223";
  EXPECT_THAT(affected_ids(affected_by(first, candidate)), ElementsAre("count/2"));
  candidate.cases[1].launches[1].arguments = "012345";
  EXPECT_THAT(affected_ids(affected_by(first, candidate)), ElementsAre("count/2"));
}

TEST(Affected, TwoDescriptionsOfOneProgramMayDifferInUnsetBytesAlone) {
  using change = std::function<void(program_launches&)>;
  const change faults[] = {[](program_launches& p) { p.cases.pop_back(); },
                           [](program_launches& p) { p.cases[0].launches.pop_back(); },
                           [](program_launches& p) { p.cases[0].launches[0].grid[0] = 1; },
                           [](program_launches& p) { p.cases[0].input = "another"; },
                           [](program_launches& p) { p.cases[0].launches[0].arguments = "01"; }};
  for (const change& fault : faults) {
    program_launches first = program(), second = program();
    fault(second);
    EXPECT_THROW(mark_unset_bytes(first, second), std::runtime_error);
  }
}

TEST(Affected, ACaseTimedByTheHostCountsItsHostCode) {
  const auto timed_by_host = [](program_launches& p) { p.cases[2].is_timed_by_host = true; };
  EXPECT_THAT(affected_ids(after(timed_by_host)), ElementsAre("sort/1"));
  const affected same = after([&](program_launches& p) {
    timed_by_host(p);
    p.source_hash = program().source_hash;
  });
  EXPECT_THAT(affected_ids(same), IsEmpty());
}

TEST(Affected, CasesOfOneSideAreNamed) {
  const affected found = after([](program_launches& p) {
    p.cases.erase(p.cases.begin());
    p.cases.push_back(case_of("new", 1, "new_kernel"));
  });
  EXPECT_THAT(found.gone(), ElementsAre("count/1"));
  EXPECT_THAT(affected_ids(found), ElementsAre("new/1", "count/1"));
  EXPECT_THAT(found.to_time(), IsEmpty()) << "neither can be timed against the other program";
}

TEST(Affected, AnotherCompilerAffectsEverything) {
  EXPECT_EQ(after([](program_launches& p) { p.cuda_compiler = "13.1.0"; }).affected_count(), 4u);
}

TEST(Affected, ControlsAreOfAsManyOperationsAsPossible) {
  const affected found = after([](program_launches& p) { p.cases[2].launches[1].code = "another"; }, 2);
  EXPECT_THAT(found.controls(), ElementsAre("count/1", "pool/1"));
  EXPECT_THAT(found.to_time(), ElementsAre("sort/1", "count/1", "pool/1"));
}

TEST(Affected, ChangedKernelsNameTheirCases) {
  const affected found = after([](program_launches& p) {
    for (requested_case& c : p.cases) c.launches[0].code = "another";
    p.cases[3].launches[1] = launch_of("pool_columns");
  });
  ASSERT_EQ(found.kernels.size(), 3u);
  EXPECT_EQ(found.kernels[0].kernel + found.kernels[0].what, "clearchanged");
  EXPECT_EQ(found.kernels[0].cases.size(), 4u);
  EXPECT_EQ(found.kernels[1].kernel + found.kernels[1].what, "pool_columnsnew");
  EXPECT_EQ(found.kernels[2].kernel + found.kernels[2].what, "pool_rowsgone");
}

TEST(Affected, LaunchesOfTwoChipsOrSuitesAreNotCompared) {
  EXPECT_THROW(after([](program_launches& p) { p.chip = "a100"; }), bad_input);
  EXPECT_THROW(after([](program_launches& p) { p.suite_hash = "another"; }), bad_input);
}

TEST(Affected, BothFilesReadAsTheyWereWritten) {
  const temporary_directory folder;
  program_launches written = program();
  written.cases[0].is_timed_by_host = true;
  written.cases[1].why_unknown = "no file";
  written.cases[2].why_not_applicable = "too large";
  written.cases[3].launches[0].cluster_blocks = 4;
  written.cases[3].launches[0].is_cooperative = written.cases[3].launches[0].overlaps_previous = true;
  const auto file = folder.write("launches.json", to_json(written).dump());
  EXPECT_EQ(to_json(read_program_launches(file)).dump(), to_json(written).dump());
  const affected found = after([](program_launches& p) { p.cases.pop_back(); });
  const auto list = folder.write("affected.json", to_json(found).dump());
  EXPECT_EQ(to_json(read_affected(list)).dump(), to_json(found).dump());
  EXPECT_THROW(read_affected(folder.write("bad.json", R"({"schema_version": "2.0.0"})")), bad_input);
  EXPECT_THROW(read_program_launches(folder.write("worse.json", R"({"schema_version": "2.0.0"})")),
               bad_input);
}

}  // namespace
}  // namespace ablate::gate::affected_test
