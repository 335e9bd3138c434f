#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/text/bad_input.h"
#include "harness/cli/program_facts.h"
#include "harness/device/kernel_facts.h"
#include "reports/plots/render.h"
#include "tests/reports/gate/made_static_facts.h"
#include "tests/support/capability.h"
#include "tests/support/run_program.h"

namespace ablate::static_gate_test {
namespace {

using gate::made_static_facts;
using test_support::program_result;
using test_support::run_ablate;
using test_support::slurp;
using test_support::temporary_directory;
using ::testing::HasSubstr;

struct static_command : ::testing::Test {
  temporary_directory folder;
  std::string baseline = folder.write("baseline.json", gate::static_facts_text(made_static_facts())).string();
  std::string accepted = folder.write("accepted.json", "{\"accepted\": []}").string();

  std::string write_candidate(const gate::static_facts_file& facts) const {
    return folder.write("candidate.json", gate::static_facts_text(facts)).string();
  }
  program_result check(const std::string& candidate, std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"static",      "check",   "--baseline", baseline,
                                      "--candidate", candidate, "--accepted", accepted};
    words.insert(words.end(), more.begin(), more.end());
    return run_ablate(words);
  }
};

TEST_F(static_command, TheSameFactsPass) {
  const program_result result = check(baseline);
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.out, HasSubstr("static gate: PASS"));
}

TEST_F(static_command, AChangeForTheWorseExitsOneAndStandsInEveryOutput) {
  gate::static_facts_file worse = made_static_facts();
  worse.kernels.at(gate::made_kernel).code["sm_80"].resources["registers"] = 40;
  const auto file = [&](const char* name) { return (folder.path() / name).string(); };
  const program_result result = check(
      write_candidate(worse),
      {"--json", file("a.json"), "--junit", file("a.xml"), "--markdown", file("a.md"), "--annotations"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("static gate: FAIL: 1 change for the worse"));
  EXPECT_THAT(result.out, HasSubstr("--filter 'ablate::voxelize::direct'"));
  EXPECT_THAT(result.out, HasSubstr("::error title=static gate"));
  EXPECT_EQ(nlohmann::json::parse(slurp(file("a.json")))["verdict"], "FAIL");
  EXPECT_THAT(slurp(file("a.xml")), HasSubstr("failures=\"1\""));
  EXPECT_THAT(slurp(file("a.md")), HasSubstr("**WORSE**"));
  EXPECT_EQ(check(folder.path() / "candidate.json", {"--filter", "psh_bucket"}).exit_code, 0);
}

TEST_F(static_command, AnotherCompilerExitsFour) {
  gate::static_facts_file other = made_static_facts();
  other.cuda_compiler = "13.1.0";
  EXPECT_EQ(check(write_candidate(other)).exit_code, 4);
  EXPECT_EQ(check(folder.path() / "candidate.json", {"--strict"}).exit_code, 4);
}

TEST_F(static_command, BadInputIsOneLineAndExitsTwo) {
  for (const auto& [more, saying] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--filter", "("}, "not a regular expression"},
           {{"--filter", "no_such_kernel"}, "no kernel's name"},
           {{"--sass-tolerance", "-1"}, "--sass-tolerance"}}) {
    const program_result result = check(baseline, more);
    EXPECT_EQ(result.exit_code, 2) << saying;
    EXPECT_THAT(result.error, HasSubstr(saying));
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
  }
  EXPECT_EQ(check("/no/such/facts.json").exit_code, 2);
  EXPECT_EQ(run_ablate({"static"}).exit_code, 2);
}

TEST_F(static_command, ABuildWithoutKernelsSaysThatItHasNone) {
  if (!all_kernel_resources().empty()) ABLATE_LACKS("no_cuda", "this build has kernels");
  const program_result result = run_ablate({"static", "write", "--out", (folder.path() / "x.json").string()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error, HasSubstr("has no machine code"));
}

TEST_F(static_command, AProgramIsNoWorseThanItself) {
  if (all_kernel_resources().empty()) ABLATE_LACKS("cuda", "this build has no machine code of kernels");
  const std::string own = (folder.path() / "own.json").string();
  ASSERT_EQ(run_ablate({"static", "write", "--sass", "none", "--out", own}).exit_code, 0);
  const program_result result = run_ablate(
      {"static", "check", "--sass", "none", "--strict", "--baseline", own, "--accepted", accepted});
  EXPECT_EQ(result.exit_code, 0) << result.out;
}

TEST_F(static_command, OwnKernelsHaveResourcesAndLaunches) {
  if (all_kernel_resources().empty()) ABLATE_LACKS("cuda", "this build has no machine code of kernels");
  const gate::static_facts_file facts = program_facts();
  std::size_t launched = 0;
  for (const auto& [name, kernel] : facts.kernels) {
    EXPECT_THAT(name, HasSubstr("ablate::"));
    EXPECT_FALSE(kernel.code.empty()) << name;
    launched += !kernel.launched_by.empty();
    for (const auto& [by, launch] : kernel.launched_by)
      EXPECT_GT(launch.occupancy, 0) << name << ' ' << by.first;
  }
  EXPECT_GT(launched, 100u);
}

TEST_F(static_command, AListingOfAnotherProgramIsRefused) {
  if (all_kernel_resources().empty()) ABLATE_LACKS("cuda", "this build has no machine code of kernels");
  gate::static_facts_file facts = program_facts();
  EXPECT_THROW(count_sass(facts, folder.write("other.sass", "arch = sm_80\nFunction : other\n")), bad_input);
}

TEST_F(static_command, AListingGivesEveryKernelItsCounts) {
  if (all_kernel_resources().empty()) ABLATE_LACKS("cuda", "this build has no machine code of kernels");
  const kernel_resources& one = [] {
    for (const kernel_resources& r : all_kernel_resources())
      if (demangled(std::string(r.kernel)).find("ablate::voxelize::") != std::string::npos) return r;
    throw std::logic_error("there are no kernels of voxelize");
  }();
  gate::static_facts_file facts = program_facts();
  count_sass(facts, folder.write("own.sass", "arch = " + std::string(one.architecture) + "\n\t\tFunction : " +
                                                 std::string(one.kernel) + "\n  /*0000*/ LDL R0, [R1] ;\n"));
  EXPECT_TRUE(facts.has_sass);
  const auto& code =
      facts.kernels.at(demangled(std::string(one.kernel))).code.at(std::string(one.architecture));
  EXPECT_EQ(code.sass->at("local_memory_instructions"), 1);
}

TEST_F(static_command, CountsOfOtherBuildsAreTaken) {
  if (all_kernel_resources().empty()) ABLATE_LACKS("cuda", "this build has no machine code of kernels");
  gate::static_facts_file other = program_facts();
  const std::string kernel = other.kernels.begin()->first;
  other.kernels.begin()->second.code.begin()->second.sass = {{"exponentials", 7}};
  const std::string facts = folder.write("other.json", gate::static_facts_text(other)).string();
  const std::string own = (folder.path() / "own.json").string();
  const program_result written =
      run_ablate({"static", "write", "--sass", "none", "--sass-of", facts, "--out", own});
  EXPECT_EQ(written.exit_code, 0) << written.error;
  EXPECT_THAT(written.out, HasSubstr("SASS of 0 counted, 1 of them from other facts"));
  const gate::static_facts_file read = gate::read_static_facts(own);
  EXPECT_TRUE(read.has_sass);
  EXPECT_EQ(read.kernels.at(kernel).code.begin()->second.sass->at("exponentials"), 7);

  other.cuda_compiler = "1.2.3";
  folder.write("other.json", gate::static_facts_text(other));
  const program_result refused =
      run_ablate({"static", "write", "--sass", "none", "--sass-of", facts, "--out", own});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.error, HasSubstr("other.json: /cuda_compiler: expected facts of the CUDA compiler"));
}

}  // namespace
}  // namespace ablate::static_gate_test
