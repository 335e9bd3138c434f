#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/text/bad_input.h"
#include "base/text/text.h"
#include "reports/best/outputs.h"
#include "tests/reports/made_record.h"
#include "tests/reports/metered_record.h"
#include "tests/support/capability.h"
#include "tests/support/refusal.h"

namespace ablate::best::best_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const record& made() {
  static const record from = read_record(reports::made_record_path());
  return from;
}

answer asked(const std::vector<std::string>& words) { return answer_of(made(), words); }

std::string text(const std::vector<std::string>& words) { return answer_text(asked(words), false, {}); }

std::string refusal(const std::vector<std::string>& words) {
  return test_support::refusal_from([&] { asked(words); });
}

std::vector<std::string> variants_by_rank(const ranked_workload& w) {
  std::vector<std::string> out;
  for (const reports::ranked_variant& v : w.ranked.variants) out.push_back(v.measured->variant);
  return out;
}

TEST(Best, RanksTheVariantsOfOneWorkload) {
  const answer found = asked({"items=2048", "layout=rows", "cache=cold-clean"});
  ASSERT_EQ(found.workloads.size(), 1u);
  const ranked_workload& w = found.workloads.front();
  EXPECT_THAT(variants_by_rank(w), ElementsAre("merged", "direct"));
  EXPECT_TRUE(w.stands_in_for.empty());
  EXPECT_EQ(w.ranked.reference, "direct");
  ASSERT_TRUE(w.ranked.variants[0].factor);
  EXPECT_DOUBLE_EQ(w.ranked.variants[0].factor->ratio, 2);
  EXPECT_FALSE(w.ranked.variants[1].factor) << "the baseline over itself";
  EXPECT_FALSE(w.ranked.variants[1].level_with_best);
  const std::string said = text({"items=2048", "layout=rows"});
  EXPECT_THAT(said, AllOf(HasSubstr("* 1  merged"), HasSubstr("2.00× direct"), HasSubstr("the baseline")));
  EXPECT_LT(said.find("merged"), said.find("the baseline"));
  EXPECT_THAT(said, Not(HasSubstr("was not measured"))) << "hot, there are other sizes only";
}

TEST(Best, TheOnesThatOneLaunchCannotTellApartAreMarked) {
  record near = made();
  for (measured_case& c : near.cases)
    if (c.name == "scatter/merged/items=1024/layout=rows/@cold-clean") c.time.ci95_low_us = 4.2;
  const answer found = answer_of(near, {"items=1024", "cache=cold-clean", "layout=rows"});
  EXPECT_TRUE(found.workloads.front().ranked.variants.at(1).level_with_best);
  EXPECT_THAT(answer_text(found, false, {}),
              AllOf(HasSubstr("≈ 2  merged"), HasSubstr("≈ the measurements cannot tell them apart.")));
}

TEST(Best, ASizeBetweenMeasuredOnesGetsItsNeighborsAndASentence) {
  const answer found = asked({"items=1500", "cache=cold-clean", "layout=rows"});
  ASSERT_EQ(found.workloads.size(), 2u);
  for (const ranked_workload& w : found.workloads) {
    ASSERT_EQ(w.stands_in_for.size(), 1u);
    EXPECT_EQ(w.stands_in_for[0].below, "1024");
    EXPECT_EQ(w.stands_in_for[0].above, "2048");
  }
  EXPECT_THAT(
      text({"items=1500", "cache=cold-clean", "layout=rows"}),
      AllOf(HasSubstr("items=1500 was not measured here; the nearest measured sizes below and above it "
                      "are 1024 and 2048. Nothing is interpolated: `ablate run SUITE --axes items=1500` "
                      "measures it."),
            HasSubstr("items=1024"), HasSubstr("items=2048"), Not(HasSubstr("items=4096"))));
}

TEST(Best, BeyondTheMeasuredSizesThereIsOneNeighbor) {
  EXPECT_THAT(text({"items=1", "cache=cold-clean", "layout=rows"}),
              HasSubstr("the nearest measured size is 1024, above it."));
  const answer found = asked({"items=1000000", "layout=rows"});
  EXPECT_EQ(found.workloads.front().stands_in_for.front().below, "4096");
  EXPECT_FALSE(found.workloads.front().stands_in_for.front().above);
}

TEST(Best, AZeroStandsForAllAndIsNoSizeNearAnother) {
  record with_all = made();
  for (measured_case& c : with_all.cases)
    for (auto& [axis, value] : c.axes)
      if (axis == "items" && value == "1024") value = "0";
  const answer found = answer_of(with_all, {"items=5", "layout=rows", "cache=cold-clean"});
  EXPECT_FALSE(found.workloads.front().stands_in_for.front().below);
  EXPECT_EQ(found.workloads.front().stands_in_for.front().above, "2048");
  EXPECT_EQ(answer_of(with_all, {"items=all", "layout=rows", "cache=cold-clean"}).workloads.size(), 1u);
  for (measured_case& c : with_all.cases)
    for (auto& [axis, value] : c.axes)
      if (axis == "items") value = "0";
  with_all.unmeasured.clear();
  try {
    answer_of(with_all, {"items=5"});
    FAIL();
  } catch (const bad_input& e) {
    EXPECT_THAT(e.what(), HasSubstr("no case has items=5; items is 0"));
  }
}

TEST(Best, WhatWentWrongIsListedWithItsReason) {
  EXPECT_THAT(text({"items=4096", "layout=rows"}),
              AllOf(HasSubstr("* 1  direct"), HasSubstr("not ranked:"),
                    HasSubstr("wrong  merged  element 17 is 3, expected 4")));
}

TEST(Best, WhereNothingWasMeasuredTheReasonIsTheAnswer) {
  EXPECT_THAT(refusal({"layout=columns"}),
              HasSubstr("nothing was measured there; scatter/merged/items=1024/layout=columns/@cold-clean is "
                        "out_of_memory: needs 1 TiB"));
}

TEST(Best, OfManyWorkloadsTheMostUsualOnesAreRanked) {
  const std::string said = text({"items=1024"});  // cold and hot, and a layout in which nothing was measured
  EXPECT_THAT(said, HasSubstr("items=1024"));
  EXPECT_THAT(answer_text(everything_in(made()), false, {}),
              AllOf(HasSubstr("WORKLOAD"), HasSubstr("name more of: items=1024|2048|4096")));
  EXPECT_THAT(answer_text(asked({"items=1024"}), true, {}), HasSubstr("WORKLOAD"));
}

TEST(Best, VariantsMayBeChosen) {
  for (const char* chosen : {"variants=direct", "variant=direct"}) {
    const answer found = asked({"items=2048", "layout=rows", chosen});
    EXPECT_THAT(variants_by_rank(found.workloads.front()), ElementsAre("direct"));
  }
}

TEST(Best, ASizeIsANumberAndNotItsDigits) {
  EXPECT_THAT(text({"items=02048", "layout=rows"}), Not(HasSubstr("was not measured")));
  EXPECT_THAT(text({"items=204", "layout=rows"}), HasSubstr("items=204 was not measured here"));
  EXPECT_THAT(refusal({"operation=scatter", "items=99999999999999999999"}),
              HasSubstr("expected an integer as value of axis 'items'"));
}

TEST(Best, WrongNamesAndValuesAreRefusedWithTheNearest) {
  EXPECT_THAT(refusal({"itms=3"}), HasSubstr("no axis 'itms' (did you mean 'items'?)"));
  EXPECT_THAT(refusal({"layout=row"}),
              HasSubstr("'row' (did you mean 'rows'?); expected one of 'rows', 'columns'"));
  EXPECT_THAT(refusal({"items=few"}), HasSubstr("expected an integer as value of axis 'items', found 'few'"));
  EXPECT_THAT(refusal({"operation=scater"}), HasSubstr("no operation 'scater' (did you mean 'scatter'?)"));
  EXPECT_THAT(refusal({"cache=warm"}),
              HasSubstr("no cache state 'warm'; expected one of 'cold-clean', 'hot'"));
  for (const char* mistyped : {"variants=mergd", "variant=mergd"})
    EXPECT_THAT(refusal({mistyped}), HasSubstr("no variant 'mergd' (did you mean 'merged'?)"));
  EXPECT_THAT(refusal({"layout=columns", "cache=hot"}),
              HasSubstr("no case has layout=columns and cache=hot; with the others, layout is rows"));
  EXPECT_THAT(refusal({"items"}), HasSubstr("expected AXIS=VALUE[,VALUE...], found 'items'"));
  EXPECT_THAT(refusal({"items=1", "items=2"}), HasSubstr("'items' is given twice"));
}

TEST(Best, ResultsAreALineAWorkloadWithWhatIsMissing) {
  const std::string said = results_text(made(), {});
  EXPECT_THAT(said, AllOf(HasSubstr("items 2048, cold-clean"), HasSubstr("2.00× direct"),
                          HasSubstr("1.25× merged (next best)"), HasSubstr("the only variant"),
                          HasSubstr("not measured: 2 out_of_memory, 1 wrong"), Not(HasSubstr("ceilings"))));
}

TEST(Best, TheJsonHoldsToItsSchema) {
  const std::filesystem::path folder = reports::fresh_folder();
  std::vector<std::filesystem::path> files;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{}, {"items=1500"}, {"items=1"}, {"items=4096", "layout=rows"}}) {
    files.push_back(folder / (std::to_string(files.size()) + ".json"));
    std::ofstream(files.back(), std::ios::binary) << answer_json(asked(words)).dump(1);
  }
  const auto json = answer_json(asked({"items=1", "layout=rows", "cache=hot"}));
  EXPECT_TRUE(json["workloads"][0]["stands_in_for"][0]["below"].is_null());
  EXPECT_EQ(json["workloads"][0]["stands_in_for"][0]["above"], "1024");
  EXPECT_TRUE(json["workloads"][0]["variants"][0]["factor"].is_null());
  if (const auto why = reports::why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  const std::string schema = (reports::renderer_directory() / "schema" / "best.schema.json").string();
  for (const auto& file : files) {
    const auto result = process::run(
        {"node", (reports::renderer_directory() / "validate.mjs").string(), schema, file.string()});
    EXPECT_EQ(result.exit_code, 0) << result.output;
  }
}

const std::string direct = "scatter/direct/items=2048/layout=rows/@cold-clean",
                  merged = "scatter/merged/items=2048/layout=rows/@cold-clean";
const std::vector<std::string> both_variants = {"items=2048", "layout=rows", "cache=cold-clean"};

/// Where merged takes half of direct's time at three times its power.
record metered_record(double error_pct = 1) {
  record out = made();
  measured_case &slow = reports::case_named(out, direct), &fast = reports::case_named(out, merged);
  slow.energy = reports::metered(200, slow.time.median_us, error_pct);
  fast.energy = reports::metered(600, fast.time.median_us, error_pct);
  return out;
}

TEST(Best, ByEnergyTheFastestNeedNotBeTheBest) {
  const record from = metered_record();
  const answer by_energy = answer_of(from, both_variants, reports::merit::energy);
  const ranked_workload& w = by_energy.workloads.front();
  EXPECT_THAT(variants_by_rank(w), ElementsAre("direct", "merged"));
  EXPECT_FALSE(w.ranked.variants[1].level_with_best);
  EXPECT_DOUBLE_EQ(w.ranked.variants[1].factor->ratio, 2) << "factors are of time";
  EXPECT_THAT(
      answer_text(by_energy, false, {}),
      AllOf(HasSubstr("ENERGY mJ"), HasSubstr("FACTOR IN TIME OVER"), HasSubstr("* 1  direct"),
            HasSubstr("2  merged"), Not(HasSubstr("ENERGY x TIME")), Not(HasSubstr("without energy"))));
  EXPECT_THAT(variants_by_rank(answer_of(from, both_variants).workloads.front()),
              ElementsAre("merged", "direct"));

  const answer by_product = answer_of(from, both_variants, reports::merit::energy_delay);
  EXPECT_THAT(variants_by_rank(by_product.workloads.front()), ElementsAre("merged", "direct"))
      << "1.5 times the energy in half of the time";
  EXPECT_THAT(answer_text(by_product, false, {}),
              AllOf(HasSubstr("ENERGY x TIME mJ us"), HasSubstr("* 1  merged")));
}

TEST(Best, EnergyStandsBesideTimeWhereItIsKnownAndNowhereElse) {
  record from = metered_record();
  const std::string said = answer_text(answer_of(from, both_variants), false, {});
  EXPECT_THAT(said, AllOf(HasSubstr("ENERGY mJ"), HasSubstr("FACTOR OVER"), HasSubstr("8.000 ± 0.250")));
  EXPECT_THAT(text(both_variants), Not(HasSubstr("ENERGY")));
  reports::case_named(from, merged).energy->launch_j = 0.0125;
  reports::case_named(from, merged).energy->error_pct = 4;
  EXPECT_THAT(answer_text(answer_of(from, both_variants), false, {}), HasSubstr("12.50 ± 0.50"));
}

TEST(Best, EnergiesWhoseIntervalsMeetAreLevel) {
  for (const auto& [error_pct, is_level] : {std::pair(15.0, false), {25.0, true}}) {
    const record from = metered_record(error_pct);  // 3 of power by 2 of time: half more
    const answer found = answer_of(from, both_variants, reports::merit::energy);
    EXPECT_EQ(found.workloads.front().ranked.variants.at(1).level_with_best, is_level) << error_pct;
    EXPECT_EQ(answer_text(found, false, {}).find("≈ 2  merged") != std::string::npos, is_level);
  }
  record from = metered_record(10);
  const auto product = reports::merit_of(reports::case_named(from, merged), reports::merit::energy_delay);
  ASSERT_TRUE(product);
  EXPECT_LT(product->low, 0.91 * product->value) << "both intervals count";
  EXPECT_GT(product->high, 1.09 * product->value);
}

TEST(Best, VariantsWithoutEnergyComeLastWithTheReason) {
  record from = metered_record();
  measured_case& fast = reports::case_named(from, merged);
  fast.energy = std::nullopt;
  fast.energy_reason = "NVML's energy counter moved too rarely while the case ran";
  const answer found = answer_of(from, both_variants, reports::merit::energy);
  const auto& ranked = found.workloads.front().ranked.variants;
  EXPECT_THAT(variants_by_rank(found.workloads.front()), ElementsAre("direct", "merged"));
  EXPECT_EQ(ranked.at(0).rank, 1u);
  EXPECT_FALSE(ranked.at(1).rank);
  EXPECT_FALSE(ranked.at(1).level_with_best);
  EXPECT_THAT(answer_text(found, false, {}),
              HasSubstr("1 variant is without energy, listed last by time (merged: NVML's energy counter "
                        "moved too rarely while the case ran)."));
  const auto json = answer_json(found);
  EXPECT_TRUE(json["workloads"][0]["variants"][1]["rank"].is_null());
  EXPECT_TRUE(json["workloads"][0]["variants"][1]["energy_mj"].is_null());
}

TEST(Best, ALineAWorkloadHasTheEnergyOfTheBestVariant) {
  const record from = metered_record();
  const answer found = answer_of(from, {}, reports::merit::energy);
  EXPECT_THAT(answer_text(found, true, {}),
              AllOf(HasSubstr("BEST"), HasSubstr("ENERGY mJ"), HasSubstr("none has energy")));
  EXPECT_THAT(answer_text(answer_of(from, {}), true, {}),
              AllOf(HasSubstr("FASTEST"), Not(HasSubstr("ENERGY"))));
}

TEST(Best, ByAnEnergyThatNoCaseHasItSaysWhatToDo) {
  const auto refusal_of = [](const record& from, const std::vector<std::string>& words) {
    return test_support::refusal_from([&] { answer_of(from, words, reports::merit::energy); });
  };
  EXPECT_THAT(refusal_of(made(), {}),
              AllOf(HasSubstr("no case there has energy"),
                    HasSubstr("\"energy\": true in the suite, or `ablate run --energy`")));
  EXPECT_THAT(refusal_of(metered_record(), {"items=1024"}), HasSubstr("no case there has energy"));
  record asked_in_vain = made();
  for (measured_case& c : asked_in_vain.cases) c.energy_reason = "NVML does not count this device's energy";
  EXPECT_THAT(refusal_of(asked_in_vain, {}),
              HasSubstr("no energy: NVML does not count this device's energy"));
}

TEST(Best, TheJsonHasEnergyWithItsUnits) {
  const record from = metered_record(2);
  const auto json = answer_json(answer_of(from, both_variants, reports::merit::energy));
  EXPECT_EQ(json["ranked_by"], "energy");
  const auto& best = json["workloads"][0]["variants"][0];
  const double mj = best["energy_mj"].get<double>();
  EXPECT_DOUBLE_EQ(mj, 0.2 * best["median_us"].get<double>()) << "200 W";
  EXPECT_DOUBLE_EQ(best["energy_low_mj"].get<double>(), 0.98 * mj);
  EXPECT_DOUBLE_EQ(best["energy_delay_mj_us"].get<double>(), mj * best["median_us"].get<double>());
  EXPECT_FALSE(answer_json(asked(both_variants))["workloads"][0]["variants"][0].contains("energy_mj"));
  record half = metered_record();
  reports::case_named(half, merged).energy = std::nullopt;
  if (const auto why = reports::why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  const std::string schema = (reports::renderer_directory() / "schema" / "best.schema.json").string();
  const std::filesystem::path file = reports::fresh_folder() / "best.json";
  for (const record* of : {&from, static_cast<const record*>(&half)}) {
    std::ofstream(file, std::ios::binary)
        << answer_json(answer_of(*of, {}, reports::merit::energy_delay)).dump(1);
    const auto result = process::run(
        {"node", (reports::renderer_directory() / "validate.mjs").string(), schema, file.string()});
    EXPECT_EQ(result.exit_code, 0) << result.output;
  }
}

TEST(Best, NoLineIsWiderThanTheTerminal) {
  record from = metered_record();
  reports::case_named(from, merged).energy = std::nullopt;
  for (const std::size_t width : {60u, 80u, 120u}) {
    const reports::terminal on{width, false};
    for (const std::string& said :
         {answer_text(asked({"items=1500"}), false, on), results_text(made(), on),
          answer_text(answer_of(from, both_variants, reports::merit::energy), false, on)}) {
      std::istringstream in(said);
      for (std::string line; std::getline(in, line);) EXPECT_LE(reports::characters(line), width) << line;
    }
  }
}

}  // namespace
}  // namespace ablate::best::best_test
