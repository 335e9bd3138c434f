#include "reports/predict/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "base/text/text_file.h"
#include "reports/predict/check.h"
#include "reports/predict/registered.h"
#include "tests/reports/made_record.h"
#include "tests/reports/predict/made_world.h"

namespace ablate::predict {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

model_file model_of(const std::vector<seen_record>& world) {
  const auto path = reports::fresh_folder() / "prediction.json";
  reports::write_text_file(path, reports::json_text(check_json(checked(world, made_sheet)), 1));
  return read_model(path);
}

target on(const std::string& chip) {
  if (chip == "old") return {{*made_sheet(chip), std::nullopt, "data sheet"}};
  return {{*made_sheet(chip), made_rates(chip == "first" ? 1 : 0.7), chip}};
}

question asked(const std::string& operation, const std::vector<std::pair<std::string, std::string>>& axes,
               const std::string& chip = "second") {
  question out{operation, {}, on(chip), false};
  for (const auto& [name, value] : axes) out.terms.push_back({name, {value}});
  return out;
}

struct world {
  std::vector<seen_record> records = made_world();
  model_file model = model_of(records);
  answer of(const question& q) const { return answered(q, records, model, made_sheet); }
};

TEST(PredictAnswer, WhatTheChipMeasuredIsNotPredicted) {
  const world made;
  const answer found = made.of(asked("operation_0", {{"points", "400"}}));
  ASSERT_EQ(found.ranked.size(), 2u);
  for (const prediction& p : found.ranked) {
    EXPECT_EQ(p.on, basis::measured);
    EXPECT_EQ(p.folder, "second/made");
  }
}

TEST(PredictAnswer, WithoutTheMeasurementTheOtherChipSpeaks) {
  const world made;
  question q = asked("operation_0", {{"points", "400"}});
  const answer measured = made.of(q);
  q.ignore_measured = true;
  const answer found = made.of(q);
  ASSERT_EQ(found.ranked.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(found.ranked[i].on, basis::other_chip);
    EXPECT_EQ(found.ranked[i].variant, measured.ranked[i].variant);
    EXPECT_NEAR(*found.ranked[i].us / *measured.ranked[i].us, 1, 0.15);
    EXPECT_TRUE(found.ranked[i].is_tested);
  }
  EXPECT_THAT(answer_text(found, {}), HasSubstr("~ "));
  EXPECT_TRUE(answer_json(found)["variants"][0]["is_predicted"].get<bool>());
}

TEST(PredictAnswer, ASizeBetweenIsInterpolatedOnTheChipItself) {
  const world made;
  const answer found = made.of(asked("operation_2", {{"points", "300"}}));
  EXPECT_EQ(found.size_axis, "points");
  ASSERT_TRUE(found.ranked.front().us);
  EXPECT_EQ(found.ranked.front().on, basis::between_sizes);
  EXPECT_THAT(answer_text(found, {}), HasSubstr("was measured nowhere"));
}

TEST(PredictAnswer, AKernelWithoutMachineCodeForTheChipIsRefused) {
  const world made;
  const answer found = made.of(asked("operation_0", {{"points", "400"}}, "old"));
  EXPECT_FALSE(found.ranked.front().us);
  EXPECT_THAT(found.ranked.front().refused, HasSubstr("no machine code of it for old (sm_80)"));
}

TEST(PredictAnswer, AChipOfWhichOnlyTheDataSheetIsKnownHasNoTestedInterval) {
  world made;
  for (seen_record& r : made.records)
    for (seen_case& c : r.cases) c.runs_on.push_back("sm_80");
  const answer found = made.of(asked("operation_0", {{"points", "400"}}, "old"));
  const prediction& p = found.ranked.front();
  ASSERT_TRUE(p.us);
  EXPECT_FALSE(p.is_tested);
  // Memory at a quarter of the rate; nothing that it uses is slower than that.
  EXPECT_LE(p.low_us, *p.us);
  EXPECT_GE(p.high_us, *p.us);
  EXPECT_THAT(answer_text(found, {}),
              HasSubstr("no interval of this kind was ever held against a measurement"));
}

TEST(PredictAnswer, AnIntervalThatSaysNothingIsARefusal) {
  world made;
  made.model.chip_quantile = 30;
  question q = asked("operation_0", {{"points", "400"}});
  q.ignore_measured = true;
  const answer found = made.of(q);
  EXPECT_FALSE(found.ranked.front().us);
  EXPECT_THAT(found.ranked.front().refused, HasSubstr("its interval would be a factor of"));
}

TEST(PredictAnswer, WhatNobodyMeasuredIsRefusedByName) {
  const world made;
  EXPECT_THAT([&] { made.of(asked("operation_7", {})); },
              ThrowsMessage<bad_input>(HasSubstr("did you mean")));
  EXPECT_THAT(
      [&] {
        made.of(asked("operation_1", {{"input", "forest"}}));
      },
      ThrowsMessage<bad_input>(HasSubstr("expected one of 'street'")));
  EXPECT_THAT(
      [&] {
        made.of(asked("operation_1", {{"size", "3"}}));
      },
      ThrowsMessage<bad_input>(HasSubstr("no case of operation_1 has 'size'")));
}

TEST(PredictRegistered, IsReadAsWrittenAndJudgedByWhatComesLater) {
  world made;
  const std::vector<seen_record> second = {made.records[1]};
  made.records.pop_back();
  registration before = registered(made.records, on("second"), made.model, made_sheet);
  before.date = "2026-01-01T00:00:00+00:00";
  EXPECT_EQ(before.cases.size(), 40u);
  const auto path = reports::written("registered.json", reports::json_text(registration_json(before)));
  const registration read = read_registration(path);
  EXPECT_EQ(registration_json(read), registration_json(before));
  const judgement found = judged_by(read, second);
  EXPECT_EQ(found.cases.size(), 40u);
  EXPECT_EQ(found.workloads, 20u);
  EXPECT_LT(found.median, 0.1);

  // A planted fault: what was measured is half as long.
  std::vector<seen_record> other = second;
  for (seen_case& c : other[0].cases) c.us /= 2;
  const judgement missed = judged_by(read, other);
  EXPECT_GT(missed.median, 0.5);
  EXPECT_EQ(missed.tested_inside, 0u);
}

TEST(PredictRegistered, ARecordThatWasThereBeforeJudgesNothing) {
  const world made;
  registration late = registered({made.records[0]}, on("second"), made.model, made_sheet);
  late.date = "2026-01-03T00:00:00+00:00";
  EXPECT_THAT([&] { judged_by(late, {made.records[1]}); },
              ThrowsMessage<bad_input>(HasSubstr("before the predictions of 2026-01-03")));
  EXPECT_THAT([&] { judged_by(late, {made.records[0]}); },
              ThrowsMessage<bad_input>(HasSubstr("a record of second")));
}

TEST(PredictRegistered, WhatTheChipHasRunIsNotPredicted) {
  const world made;
  EXPECT_TRUE(registered(made.records, on("second"), made.model, made_sheet).cases.empty());
}

}  // namespace
}  // namespace ablate::predict
