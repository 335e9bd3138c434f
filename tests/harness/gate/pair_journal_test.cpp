#include "harness/gate/pair_journal.h"

#include <gtest/gtest.h>

#include "base/text/bad_input.h"
#include "tests/support/run_program.h"

namespace ablate::gate::pair_journal_test {
namespace {

using nlohmann::ordered_json;

const ordered_json generated_gate = {{"suite", "made"}};

launched_pair made_pair(std::size_t number) {
  launched_pair out;
  out.number = number;
  out.label = "0001-screen";
  out.seconds = 1.5;
  launch_environment seen;
  seen.other_processes = 0;
  seen.ecc_errors_during_it = -1;
  out.baseline.cases["a"] = out.candidate.cases["a"] = {6.0, seen, {}};
  out.candidate.failures["b"] = {"wrong", "element 17"};
  return out;
}

/// What reading says of a journal whose second line was changed, without the file's name.
std::string refusal_after(const std::string& from, const std::string& to) {
  const test_support::temporary_directory files;
  const auto path = files.path() / "gate.jsonl";
  pair_journal(path, generated_gate, false).add(made_pair(1));
  std::string text = test_support::slurp(path);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " in " << text;
  text.replace(at, from.size(), to);
  files.write("gate.jsonl", text);
  try {
    const pair_journal again(path, generated_gate, true);
  } catch (const bad_input& e) {
    const std::string what = e.what();
    EXPECT_TRUE(what.starts_with(path.string() + ": ")) << what;
    return what.substr(path.string().size() + 2);
  }
  return "accepted";
}

TEST(PairJournal, HoldsThePairsThatWereAdded) {
  const test_support::temporary_directory files;
  const auto path = files.path() / "gate.jsonl";
  for (std::size_t number : {1, 2}) pair_journal(path, generated_gate, number > 1).add(made_pair(number));
  const pair_journal again(path, generated_gate, true);
  EXPECT_EQ(again.seconds(), 3);
  ASSERT_TRUE(again.find(2));
  EXPECT_EQ(again.find(2)->baseline.cases.at("a").environment.ecc_errors_during_it, -1);
  EXPECT_EQ(again.find(2)->candidate.failures.at("b").reason, "element 17");
  EXPECT_FALSE(again.find(3));
}

TEST(PairJournal, NamesTheLineOfWhatItRefuses) {
  EXPECT_EQ(refusal_after("\"pair\":1", "\"pair\":-1"),
            "line 2: /pair: expected a number of at least 0, found -1");
  EXPECT_EQ(refusal_after("\"others\":0", "\"others\":1e300"),
            "line 2: /baseline/cases/a/others: expected a whole number, found 1e+300");
  EXPECT_EQ(refusal_after("\"ecc\":-1", "\"ecc\":0.5"),
            "line 2: /baseline/cases/a/ecc: expected a whole number, found 0.5");
}

TEST(PairJournal, PassesOverALineThatAKillCutShort) {
  EXPECT_EQ(refusal_after("\"label\"", "\"lab"), "accepted");
  EXPECT_EQ(refusal_after("\"label\"", std::string(200000, '[')), "accepted");
}

}  // namespace
}  // namespace ablate::gate::pair_journal_test
