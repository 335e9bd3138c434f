#include "reports/explain/commands.h"

#include <gmock/gmock.h>

#include <regex>

namespace ablate::explain::commands_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string id = "scatter/direct/items=1024/offset=0.5/@hot";

record measured_by(const std::string& command) {
  record r{};
  r.suite_name = "made";
  r.command = command;
  r.on_gpu = true;
  return r;
}

case_commands commands(const std::string& command) {
  return commands_of(measured_by(command), id, "scatter", "direct");
}

TEST(ExplainCommands, RunOneCaseOfTheRecordsSuite) {
  const case_commands c = commands("ablate run suites/there.json --filter x.json --out out/there");
  EXPECT_EQ(c.run, "ablate run suites/there.json --only " + id + " --out out/one_case");
  EXPECT_EQ(c.ncu,
            "ncu --profile-from-start off --cache-control none --clock-control none --nvtx --set full ablate "
            "dev launch suites/there.json --filter '^scatter/direct/items=1024/offset=0\\.5/@hot$'");
  EXPECT_THAT(c.nsys, StartsWith("nsys profile --trace cuda,nvtx --capture-range cudaProfilerApi"));
  EXPECT_EQ(c.nvtx_range, id);
  EXPECT_THAT(commands("ablate run --timeline suites/b.json && script suites/c.json").run,
              StartsWith("ablate run suites/b.json "));
  EXPECT_THAT(commands("something else").run, StartsWith("ablate run suites/made.json "));
  EXPECT_THAT(commands("").run, StartsWith("ablate run suites/made.json "));
}

TEST(ExplainCommands, RepeatSeedAndDataOfTheRun) {
  const case_commands c =
      commands("ablate run --seed=12 --data 'my '\\''scans' --data /b '/my suites/a.json' --out out/a");
  EXPECT_THAT(c.run, HasSubstr("run '/my suites/a.json' --only"));
  EXPECT_THAT(c.run, HasSubstr(" --seed 12 --data 'my '\\''scans' --data /b "));
  EXPECT_THAT(c.ncu, HasSubstr(" --data 'my '\\''scans' --data /b"));
  EXPECT_THAT(c.ncu, Not(HasSubstr("--seed")));
  EXPECT_THAT(c.note, HasSubstr("not the record's 12"));
}

TEST(ExplainCommands, RepeatWhatStoodInThePlaceOfTheSuitesValues) {
  const case_commands c = commands(
      "ablate run suites/a.json --axes items=1024 'offset=0.5' --variants direct,merged --switch merge=* --out o");
  EXPECT_THAT(c.run,
              HasSubstr(" --axes items=1024 offset=0.5 --variants direct,merged --switch 'merge=*' --out "));
  EXPECT_THAT(c.ncu, HasSubstr(" --axes items=1024 offset=0.5 --variants direct,merged --switch 'merge=*'"));
  EXPECT_THAT(commands("ablate run suites/a.json --set items=1024 --set offset=0.5").run,
              HasSubstr(" --axes items=1024 --axes offset=0.5 --out "))
      << "as versions before said it";
}

TEST(ExplainCommands, OfARunWithoutAFileNameItsOperation) {
  record r = measured_by("ablate run scatter --axes items=2^10..2^20");
  r.suite_name = "adhoc_scatter";
  const case_commands c = commands_of(r, id, "scatter", "direct");
  EXPECT_EQ(c.run, "ablate run scatter --only " + id +
                       " --axes items=1024 offset=0.5 cache=hot --variants direct --out out/one_case");
  EXPECT_THAT(c.ncu, HasSubstr("ablate dev launch scatter --filter "));
  r.command = "ablate run suites/kept.json";
  EXPECT_THAT(commands_of(r, id, "scatter", "direct").run, StartsWith("ablate run suites/kept.json --only"));
}

TEST(ExplainCommands, OfTheHostHaveNoProfiler) {
  record r = measured_by("ablate run suites/a.json");
  r.on_gpu = false;
  const case_commands c = commands_of(r, id, "scatter", "reference");
  EXPECT_THAT(c.run, HasSubstr("--device host"));
  EXPECT_EQ(c.ncu + c.nsys + c.nvtx_range, "");
}

TEST(ExplainCommands, OfARivalNameItsScript) {
  record r = measured_by("ablate run suites/a.json");
  r.rivals.push_back({"scripts/rival.py", "", {}, {"scatter"}, {"other"}});
  const case_commands c = commands_of(r, id, "scatter", "other");
  EXPECT_EQ(c.run + c.ncu + c.nsys, "");
  EXPECT_THAT(c.note, HasSubstr("scripts/rival.py"));
  EXPECT_NE(commands_of(r, id, "scatter", "direct").run, "");
}

TEST(ExplainCommands, AnExpressionMatchesItsTextAlone) {
  const std::string text = "a.b+c(d)[e]{f}|g^h$i\\j*k?";
  const std::regex exact(exact_expression(text));
  EXPECT_TRUE(std::regex_search(text, exact));
  EXPECT_FALSE(std::regex_search("x" + text, exact));
  EXPECT_FALSE(std::regex_search("axb+c(d)[e]{f}|g^h$i\\j*k?", exact));
}

}  // namespace
}  // namespace ablate::explain::commands_test
