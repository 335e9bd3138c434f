// The patches of tests/mutants: each applies to this tree, and names cases of the suite beside it.
#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "harness/registry/registry.h"
#include "tests/support/made_operations.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace ablate::mutants_test {
namespace {

using test_support::program_result;
using test_support::run_program;
using test_support::slurp;
using test_support::temporary_directory;
using ::testing::HasSubstr;

const std::string root = test_support::source_path();

/// `--check` prints a line a mutant: its name, a space, the regular expression of its cases.
std::map<std::string, std::string> cases_by_mutant() {
  const program_result checked = run_program({root + "/scripts/mutants.sh", "--check"});
  EXPECT_EQ(checked.exit_code, 0) << checked.error;
  std::map<std::string, std::string> cases;
  std::istringstream lines(checked.out);
  for (std::string line; std::getline(lines, line);)
    cases[line.substr(0, line.find(' '))] = line.substr(line.find(' ') + 1);
  return cases;
}

/// Ids of the cases that the suite would measure on an H200, calibrations included, with so many options.
std::set<std::string> planned_cases(const std::vector<std::string>& options) {
  std::vector<std::string> command = {test_support::program_path(), "plan",
                                      root + "/tests/mutants/suite.json", "--json"};
  command.insert(command.end(), options.begin(), options.end());
  const program_result planned = run_program(command);
  EXPECT_EQ(planned.exit_code, 0) << planned.error;
  const auto plan = nlohmann::json::parse(planned.out);
  std::set<std::string> ids;
  for (const auto& one : plan.at("list"))
    if (one.at("status").get<std::string>() == "to_measure") ids.insert(one.at("name").get<std::string>());
  return ids;
}

/// Those of them that a mutant can name: its runs leave calibrations out, which a plan of any cases has.
std::set<std::string> cases_of_suite() {
  std::set<std::string> ids = planned_cases({});
  for (const std::string& id : planned_cases({"--filter", "^jacobian/"}))
    if (id.starts_with("ceilings/")) ids.erase(id);
  return ids;
}

TEST(Mutants, EachAppliesAndNamesCasesOfTheSuite) {
  const std::set<std::string> ids = cases_of_suite();
  for (const auto& [mutant, cases] : cases_by_mutant()) {
    const std::regex named(cases);
    EXPECT_TRUE(std::ranges::any_of(ids, [&](const auto& id) { return std::regex_search(id, named); }))
        << mutant << ": no case of tests/mutants/suite.json matches " << cases;
  }
}

TEST(Mutants, AreManyAndOfEveryOperation) {
  std::map<std::string, int> by_operation;
  int all = 0;
  for (const auto& [mutant, cases] : cases_by_mutant()) {
    ++by_operation[mutant.substr(0, mutant.find('/'))];
    ++all;
  }
  EXPECT_GE(all, 60);
  for (const auto& operation : operations()) {
    if (test_support::is_made_up(*operation)) continue;
    EXPECT_GE(by_operation[operation->name], 2) << operation->name;
  }
}

// What divides a pair, a warp, a tile or a block hides faults at its end, so each number of things has a case
// in which it is odd.
TEST(Mutants, CasesHaveOddNumbersOfAllThings) {
  const std::set<std::string> numbers = {"rows",     "points",  "samples",     "targets", "poses",
                                         "elements", "queries", "size",        "images",  "heads",
                                         "batch",    "batches", "multiplicity"};
  const std::set<std::string> exempt = {
      "block/rows",                               // whole windows
      "backbone/batch",                           // networks' parts have cases
      "dense_attention_backward/images",          // whole tiles of 128 tokens,
      "block_sparse_attention_backward/images"};  // an image is 1008 of these
  std::set<std::string> all, with_odd;
  const std::regex number("([a-z_]+)=([0-9]+)");
  for (const std::string& id : cases_of_suite()) {
    const std::string operation = id.substr(0, id.find('/'));
    for (std::sregex_iterator at(id.begin(), id.end(), number), end; at != end; ++at) {
      const long value = std::stol((*at)[2]);
      const std::string axis = (*at)[1];
      if (!numbers.contains(axis)) continue;
      all.insert(operation + "/" + axis);
      if (value > 1 && value % 2 == 1) with_odd.insert(operation + "/" + axis);
    }
  }
  ASSERT_GE(all.size(), 40u);
  for (const std::string& one : all)
    EXPECT_NE(with_odd.contains(one), exempt.contains(one))
        << one
        << ": tests/mutants/suite.json has no case in which it is odd and above 1, or has one and it is "
           "exempt";
}

TEST(Mutants, APatchThatDoesNotApplyIsNamed) {
  const temporary_directory made;
  std::filesystem::create_directory(made.path() / "matmul");
  std::ofstream(made.path() / "matmul" / "gone.patch")
      << "fault: none\ncases: matmul\n--- a/kernels/matmul/naive.cu\n+++ b/kernels/matmul/naive.cu\n"
         "@@ -1,1 +1,1 @@\n-no such line\n+another\n";
  const program_result checked =
      run_program({root + "/scripts/mutants.sh", "--check", "--mutants", made.path().string()});
  EXPECT_EQ(checked.exit_code, 1);
  EXPECT_THAT(checked.error, HasSubstr("gone.patch: kernels/matmul/naive.cu has 0 places like line 1"));
}

TEST(Mutants, AHeaderThatIsNotWholeIsNamed) {
  const temporary_directory made;
  std::filesystem::create_directory(made.path() / "matmul");
  std::ofstream(made.path() / "matmul" / "nameless.patch") << "fault: none\n--- a/x\n+++ b/x\n";
  const program_result checked =
      run_program({root + "/scripts/mutants.sh", "--check", "--mutants", made.path().string()});
  EXPECT_EQ(checked.exit_code, 1);
  EXPECT_THAT(checked.error, HasSubstr("nameless.patch: the header lacks 'cases:'"));
}

/// A fault in the host reference of trajectory_resample, so that no GPU takes part.
void write_mutant(const std::filesystem::path& folder, const std::string& name, const std::string& sum) {
  const std::string file = "oracles/trajectory_resample/reference.cpp";
  std::filesystem::create_directories(folder / "trajectory_resample");
  std::ofstream(folder / "trajectory_resample" / (name + ".patch"))
      << "fault: made\ncases: ^trajectory_resample/\n--- a/" << file << "\n+++ b/" << file
      << "\n@@ -1,1 +1,1 @@\n-    set_element(p.type, p.out, at, first + second);\n+    set_element(p.type, "
         "p.out, at, "
      << sum << ");\n";
}

TEST(Mutants, AreBuiltAndJudged) {
  const temporary_directory made;
  std::ofstream(made.path() / "suite.json")
      << R"({"name": "made", "description": "made", "cases": [{"operation": "trajectory_resample", )"
      << R"("axes": {"batch": 1, "samples": 8, "targets": 4, "channels": 2}}]})";
  write_mutant(made.path(), "killed", "first - second");
  write_mutant(made.path(), "survives", "second + first");
  write_mutant(made.path(), "has_no_meaning", "first + third");
  const std::string out = (made.path() / "out").string();
  const program_result judged =
      run_program({root + "/scripts/mutants.sh", "--build",
                   std::filesystem::path(test_support::program_path()).parent_path().string(), "--mutants",
                   made.path().string(), "--devices", "host", "--out", out});
  EXPECT_EQ(judged.exit_code, 1) << judged.out << judged.error;
  const std::string table = slurp(out + "/mutants.md");
  EXPECT_THAT(table, HasSubstr("1 of 3 killed, 1 not built, 1 survived, on the host"));
  EXPECT_THAT(table, HasSubstr("| killed | made | killed | reference/"));
  EXPECT_THAT(table, HasSubstr("before timing: trajectory 0, target "));
  EXPECT_THAT(table, HasSubstr("| survives | made | survived | reference/"));
  EXPECT_THAT(table, HasSubstr("| has_no_meaning | made | not built |"));
}

}  // namespace
}  // namespace ablate::mutants_test
