#include "harness/runner/turns.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/text/bad_input.h"
#include "tests/harness/runner/scripted.h"

namespace ablate::turns_test {
namespace {

using test_support::fate;

/// Remembers how it was asked.
class asked_executor final : public executor {
 public:
  nlohmann::ordered_json device_facts() override { return {}; }
  std::vector<record::evidence_rung> evidence() override { return {}; }
  measurement run(const suite_case& c, const workload& w, const input_library& inputs,
                  const sampling& rule) override {
    asked.push_back(c);
    return scripted_.run(c, w, inputs, rule);
  }
  std::vector<suite_case> asked;

 private:
  test_support::scripted_executor scripted_{{{2, fate::wrong}, {3, fate::failed}}};
};

std::string id_of(long n) { return "scripted/only/n=" + std::to_string(n) + "/@cold-clean"; }

TEST(Turns, AnswerEachIdAndCheckACaseTheFirstTimeOnly) {
  const test_support::scripted_operation op;
  const input_library inputs(1, {}, {});
  std::vector<suite_case> cases =
      expand(test_support::scripted_suite(op, {1, 2, 3, 500, 600}), {.compute_capability = 90}, inputs);
  for (suite_case& c : cases) c.protocol.observed->counters = "core";
  asked_executor on;
  std::istringstream ids(id_of(1) + "\n" + id_of(2) + "\n" + id_of(1) + "\n" + id_of(3) + "\n" + id_of(500) +
                         "\n" + id_of(600) + "\nnobody\n");
  std::ostringstream answers;
  take_turns(cases, {}, inputs, on, ids, answers);

  std::vector<nlohmann::json> said;
  std::istringstream lines(answers.str());
  for (std::string line; std::getline(lines, line);) said.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(said.size(), 7u);
  EXPECT_EQ(said[0]["name"], id_of(1));
  EXPECT_EQ(said[0]["status"], "ok");
  EXPECT_EQ(said[0]["time_us"]["median"], 2);
  EXPECT_EQ(said[1]["status"], "wrong");
  EXPECT_EQ(said[1]["reason"], "cell 3 differs");
  EXPECT_EQ(said[3]["status"], "failed");
  EXPECT_EQ(said[4]["reason"], "there is no such file");
  EXPECT_EQ(said[5]["status"], "not_applicable");
  EXPECT_EQ(said[6]["status"], "unknown");

  ASSERT_EQ(on.asked.size(), 4u);
  EXPECT_FALSE(on.asked[0].protocol.takes_times_alone());
  EXPECT_TRUE(on.asked[2].protocol.takes_times_alone());
  EXPECT_EQ(on.asked[0].protocol.observed->counters, "none") << "turns are short";
}

}  // namespace
}  // namespace ablate::turns_test
