#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "base/text/text.h"
#include "tests/support/capability.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace ablate::best_command_test {
namespace {

using test_support::ablate_command;
using test_support::program_result;
using test_support::run_ablate;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string made_record = test_support::source_path("tests/reports/data/small_record.json");
const std::string voxelization = test_support::source_path("results/h200/voxelization");

/// The widest line, in characters.
std::size_t width_of(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) widest = std::max(widest, reports::characters(line));
  return widest;
}

/// What a program prints to a terminal of this width.
std::string on_a_terminal(std::vector<std::string> words, unsigned short columns,
                          std::vector<std::string> environment) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) return "";
  winsize size{};
  size.ws_col = columns;
  size.ws_row = 24;
  ioctl(master, TIOCSWINSZ, &size);
  const std::string terminal = ptsname(master);
  const int kept_open = open(terminal.c_str(), O_RDWR | O_NOCTTY);  // else the end of the program ends it
  std::string said;
  std::thread reader([&] {
    char part[4096];
    for (ssize_t got; (got = read(master, part, sizeof part)) > 0;)
      said.append(part, static_cast<std::size_t>(got));
  });
  process::child_process program(
      {.argv = std::move(words), .environment = std::move(environment), .out = terminal});
  program.wait();
  close(kept_open);
  reader.join();
  close(master);
  said.erase(std::remove(said.begin(), said.end(), '\r'), said.end());
  return said;
}

TEST(BestCommand, RanksVariantsAtASizeThatWasMeasured) {
  const program_result result = run_ablate({"best", made_record, "items=2048", "layout=rows"});
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(result.error, "");
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("* 1  merged"), HasSubstr("2.00× direct"), HasSubstr("95 % INTERVAL")));
}

TEST(BestCommand, AnswersForASizeOfACommittedRecordThatWasNotMeasured) {
  const program_result result = run_ablate({"best", voxelization, "points=300000", "distribution=lidar"});
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("points=300000 was not measured here"), HasSubstr("Nothing is interpolated"),
                    HasSubstr("--axes points=300000"), HasSubstr("* 1  ")));
  const auto json = nlohmann::ordered_json::parse(
      run_ablate({"best", voxelization, "points=300000", "distribution=lidar", "--json"}).out);
  ASSERT_FALSE(json["workloads"].empty());
  for (const auto& w : json["workloads"]) {
    EXPECT_EQ(w["axes"]["distribution"], "lidar");
    EXPECT_EQ(w["stands_in_for"][0]["asked"], "300000");
    double before = 0;
    for (const auto& v : w["variants"]) {
      EXPECT_GE(v["median_us"].get<double>(), before) << v["case"];
      before = v["median_us"].get<double>();
    }
  }
}

TEST(BestCommand, AnswersOfSeveralRecordsFollowEachOther) {
  const program_result result = run_ablate({"best", made_record, made_record, "items=2048", "layout=rows"});
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_LT(result.out.find("merged"), result.out.rfind("small_record.json"));
  EXPECT_EQ(
      nlohmann::ordered_json::parse(run_ablate({"best", made_record, made_record, "--json"}).out).size(), 2u);
}

TEST(BestCommand, AFolderStandsForTheRecordsInItsFolders) {
  const test_support::temporary_directory files;
  auto other = nlohmann::ordered_json::parse(test_support::slurp(made_record));
  for (auto& entry : other["benchmarks"])
    if (entry["operation"] == "scatter") entry["operation"] = "gather";
  other["unmeasured"] = nlohmann::ordered_json::array();
  for (const char* suite : {"a", "b"}) std::filesystem::create_directories(files.path() / "gpu" / suite);
  std::filesystem::copy_file(made_record, files.path() / "gpu" / "a" / "record.json");
  files.write("gpu/b/record.json", other.dump());
  const auto best = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"best", "gpu"});
    return run_ablate(words, {}, files.path());
  };
  const program_result both = best({"items=2048", "layout=rows"});
  EXPECT_EQ(both.exit_code, 0) << both.error;
  EXPECT_THAT(both.out, AllOf(HasSubstr("gpu/a/record.json"), HasSubstr("gpu/b/record.json")));
  const program_result one = best({"operation=scatter", "items=2048", "layout=rows"});
  EXPECT_EQ(one.exit_code, 0) << one.error;
  EXPECT_THAT(one.out, AllOf(HasSubstr("gpu/a/record.json"), Not(HasSubstr("gpu/b/record.json")),
                             HasSubstr("1 further records have no such case")));
  const program_result none = best({"operation=gathr", "items=2048"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.error, HasSubstr("no operation 'gathr' (did you mean 'gather'?); expected one of "));
  EXPECT_EQ(run_ablate({"compare", "--across", "gpu"}, {}, files.path()).exit_code, 0);
}

TEST(BestCommand, NamesAreWordsAndNeverExpressions) {
  const test_support::temporary_directory files;
  const std::string hostile = R"(d.r+(e)[c]* t|größer)";
  std::string text = test_support::slurp(made_record);
  for (std::size_t at = 0; (at = text.find("direct", at)) != std::string::npos; at += hostile.size())
    text.replace(at, 6, hostile);
  const std::string record = files.write("record.json", text).string();
  const program_result best = run_ablate({"best", record, "items=2048", "layout=rows", "variant=" + hostile});
  EXPECT_EQ(best.exit_code, 0) << best.error;
  EXPECT_THAT(best.out, AllOf(HasSubstr(hostile), Not(HasSubstr("* 1  merged"))));
  const program_result explained =
      run_ablate({"explain", record, "variant=" + hostile, "items=1024", "cache=hot"});
  EXPECT_EQ(explained.exit_code, 0) << explained.error;
  for (const char* other : {"variant=d.*", "variant=merged|", "variant=.*"}) {
    EXPECT_EQ(run_ablate({"best", record, other}).exit_code, 2) << other;
    EXPECT_EQ(run_ablate({"explain", record, other}).exit_code, 2) << other;
  }
}

TEST(BestCommand, HoldsToTheWidthGivenInTheEnvironment) {
  for (const char* columns : {"70", "100"}) {
    const program_result result = run_ablate({"best", voxelization, "points=300000", "distribution=lidar"},
                                             {std::string("COLUMNS=") + columns});
    EXPECT_LE(width_of(result.out), std::stoul(columns));
    EXPECT_THAT(result.out, Not(HasSubstr("\033")));
    EXPECT_LE(width_of(run_ablate({"list", "voxelize"}, {std::string("COLUMNS=") + columns}).out),
              std::stoul(columns));
  }
}

TEST(BestCommand, ColorsWhatATerminalShowsUnlessNoColorIsSet) {
  const std::vector<std::string> words = ablate_command({"best", made_record, "items=2048", "layout=rows"});
  const std::string colored = on_a_terminal(words, 72, {"NO_COLOR=", "TERM=xterm", "COLUMNS="});
  if (colored.empty()) ABLATE_LACKS("terminal", "no pseudo-terminal can be opened here");
  EXPECT_THAT(colored, HasSubstr("\033[1;32mmerged\033[0m"));
  const std::string plain = on_a_terminal(words, 72, {"NO_COLOR=1", "TERM=xterm", "COLUMNS="});
  EXPECT_THAT(plain, AllOf(HasSubstr("merged"), Not(HasSubstr("\033"))));
  EXPECT_LE(width_of(plain), 72u) << "the width is the terminal's";
  EXPECT_THAT(on_a_terminal(words, 72, {"NO_COLOR=", "TERM=dumb", "COLUMNS="}), Not(HasSubstr("\033")));
}

}  // namespace
}  // namespace ablate::best_command_test
