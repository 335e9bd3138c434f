#include "reports/gate/static_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/text/bad_input.h"
#include "tests/reports/gate/made_static_facts.h"
#include "tests/support/temporary_directory.h"

namespace ablate::gate::static_facts_test {
namespace {

using ::testing::HasSubstr;

TEST(StaticFacts, AFileHasALineForEachKernelAndIsReadBackAsItWas) {
  const static_facts_file facts = made_static_facts();
  const std::string text = static_facts_text(facts);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5 + 2 + 2);
  EXPECT_THAT(text, HasSubstr("\"chips\":[\"a100\",\"h100\",\"h200\"]"));

  const test_support::temporary_directory folder;
  const static_facts_file read = read_static_facts(folder.write("facts.json", text));
  EXPECT_EQ(read.cuda_compiler, "13.0.88");
  EXPECT_TRUE(read.has_sass);
  ASSERT_EQ(read.kernels.size(), 2u);
  const kernel_static_facts& direct = read.kernels.at(made_kernel);
  EXPECT_EQ(direct.launched_by, facts.kernels.at(made_kernel).launched_by);
  EXPECT_EQ(direct.code.at("sm_80").resources, facts.kernels.at(made_kernel).code.at("sm_80").resources);
  EXPECT_EQ(direct.code.at("sm_90a").sass, facts.kernels.at(made_kernel).code.at("sm_90a").sass);
  EXPECT_EQ(static_facts_text(read), text);
}

TEST(StaticFacts, ChipsThatDifferStandApart) {
  static_facts_file facts = made_static_facts();
  facts.kernels[made_kernel].launched_by[{"voxelize/smem", "a100"}].occupancy = 0.5;
  const test_support::temporary_directory folder;
  const auto read = read_static_facts(folder.write("facts.json", static_facts_text(facts)));
  EXPECT_EQ(read.kernels.at(made_kernel).launched_by, facts.kernels.at(made_kernel).launched_by);
}

TEST(StaticFacts, ABrokenFileIsRefusedInOneLineThatNamesThePlace) {
  const test_support::temporary_directory folder;
  const auto expect_refused = [&](std::string from, const std::string& to, const std::string& saying) {
    std::string text = static_facts_text(made_static_facts());
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
    try {
      read_static_facts(folder.write("facts.json", text));
      ADD_FAILURE() << saying;
    } catch (const bad_input& e) {
      EXPECT_THAT(e.what(), HasSubstr(saying));
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    }
  };
  expect_refused("\"1.0.0\"", "\"2.0.0\"", "/static_facts: expected version 1.x.y");
  expect_refused("\"registers\":16", "\"register\":16", "no quantity 'register' (did you mean 'registers'?)");
  expect_refused("\"registers\":16", "\"registers\":-16", "registers");
  expect_refused("\"occupancy\":0.75", "\"occupancy\":75", "expected an occupancy from 0 to 1");
  expect_refused("\n}\n}\n", "", "facts.json");
}

/// The made facts of a machine without cuobjdump.
static_facts_file uncounted() {
  static_facts_file out = made_static_facts();
  out.has_sass = false;
  for (auto& [name, kernel] : out.kernels)
    for (auto& [architecture, code] : kernel.code) code.sass.reset();
  return out;
}

TEST(StaticFacts, CountsOfSassAreTakenOfTheSameMachineCodeAlone) {
  const static_facts_file counted = made_static_facts();
  static_facts_file facts = uncounted();
  facts.kernels["ablate::voxelize::added()"].code["sm_80"] = {{{"registers", 32}}, {}};
  facts.kernels.at(made_kernel).code.at("sm_80").resources["registers"] = 33;
  facts.kernels.at(made_kernel).code.at("sm_90a").resources["spill_bytes"] = 0;  // in a file it is left out
  EXPECT_EQ(take_sass(facts, counted), 2u);
  EXPECT_TRUE(facts.has_sass);
  const auto& code = facts.kernels.at(made_kernel).code;
  EXPECT_FALSE(code.at("sm_80").sass) << "of a kernel with a register less";
  EXPECT_EQ(code.at("sm_90a").sass, counted.kernels.at(made_kernel).code.at("sm_90a").sass);
  EXPECT_FALSE(facts.kernels.at("ablate::voxelize::added()").code.at("sm_80").sass);
}

TEST(StaticFacts, CountsOfThisBuildAreNotTakenFromAnother) {
  static_facts_file facts = made_static_facts();
  (*facts.kernels.at(made_kernel).code.at("sm_80").sass)["atomic_instructions"] = 41;
  EXPECT_EQ(take_sass(facts, made_static_facts()), 0u);
  EXPECT_EQ(facts.kernels.at(made_kernel).code.at("sm_80").sass->at("atomic_instructions"), 41);
}

TEST(StaticFacts, WithoutCountsThereIsNothingToTake) {
  static_facts_file facts = uncounted();
  EXPECT_EQ(take_sass(facts, uncounted()), 0u);
  EXPECT_FALSE(facts.has_sass);
}

}  // namespace
}  // namespace ablate::gate::static_facts_test
