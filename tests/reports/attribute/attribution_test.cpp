#include "reports/attribute/attribution.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <random>

#include "base/statistics/launch_ratio.h"
#include "base/text/bad_input.h"
#include "reports/attribute/outputs.h"
#include "reports/attribute/points_to_run.h"
#include "reports/attribute/share_section.h"
#include "reports/attribute/words.h"
#include "tests/reports/ablation/made_ablation.h"

namespace ablate::attribute {
namespace {

using reports::ablation_test::made_of;
using reports::ablation_test::made_variant;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using ordered_json = nlohmann::ordered_json;

const std::vector<std::string> letters = {"a", "b", "c", "d", "e", "f"};

/// "v" of no player, "v_ac" of two.
std::string name_of(coalition s) {
  std::string out = s == 0 ? "v" : "v_";
  for (std::size_t i = 0; i < letters.size(); ++i)
    if (s >> i & 1) out += letters[i];
  return out;
}

/// A variant for each coalition that is kept, with the time that it has.
std::vector<made_variant> lattice_of_variants(
    std::size_t players, const std::function<double(coalition)>& us,
    const std::function<bool(coalition)>& kept = [](coalition) { return true; }) {
  std::vector<made_variant> out;
  for (coalition s = 0; s < 1u << players; ++s) {
    if (!kept(s)) continue;
    made_variant v{name_of(s), {}, {{1024, us(s)}}};
    for (std::size_t i = 0; i < players; ++i)
      if (s >> i & 1) v.switches.emplace_back(letters[i], "on");
    out.push_back(v);
  }
  return out;
}

/// What a test says of the switches.
struct made_space : switch_space {
  std::function<bool(const std::string&, const named_words&)> meaning = [](auto&, auto&) { return true; };
  std::function<point(const named_words&)> at = [](const named_words&) { return point{"point", ""}; };

  std::map<std::string, named_words> known = {};

  std::optional<named_words> values_of(const std::string& point) const override {
    const auto found = known.find(point);
    return found == known.end() ? std::nullopt : std::optional(found->second);
  }
  bool has_meaning(const std::string& name, const named_words& values) const override {
    return meaning(name, values);
  }
  point point_at(const named_words& values, const reports::comparable_cases&) const override {
    return at(values);
  }
  std::string should_move(const std::string& name) const override {
    return name == "a" ? "L2 hit rate, up" : "";
  }
};

/// Keeps alive what an attribution refers to.
struct attributed {
  explicit attributed(const std::vector<ordered_json>& launches, const std::string& to,
                      const switch_space* space = nullptr) {
    records.reserve(launches.size());
    for (const ordered_json& made : launches)
      records.push_back(
          read_record(reports::ablation_test::file_of(made, fmt::format("record{}.json", records.size()))));
    view.emplace(records.front(), "scatter");
    for (std::size_t i = 1; i < records.size(); ++i) more.push_back(&records[i]);
    over.emplace(records.front(), more);
    std::vector<const reports::comparable_cases*> rows;
    for (const reports::comparable_cases& row : view->rows)
      if (row.of(view->baseline) && row.value("items") == "1024") rows.push_back(&row);
    made.emplace(attribution_of(records.front(), *view, rows, view->baseline, to, space, *over, limits()));
  }
  explicit attributed(const std::vector<made_variant>& variants, const switch_space* space = nullptr)
      : attributed({made_of(variants)}, variants.back().name, space) {}

  static reports::effect_limits limits() { return reports::limits_of(reports::shipped_policy()); }
  const workload_shares& only() const { return made->workloads.at(0); }
  const attribution* operator->() const { return &*made; }

  std::vector<record> records;
  std::vector<const record*> more;
  std::optional<reports::operation_view> view;
  std::optional<reports::case_launches> over;
  std::optional<attribution> made;
};

TEST(Attribution, SharesAreThoseOfTheLogarithmAndMultiplyToTheWhole) {
  // a alone 2x, b alone nothing, both 8x: the interaction of 4x is shared.
  const std::map<coalition, double> us = {{0, 800}, {1, 400}, {2, 800}, {3, 100}};
  const attributed found(lattice_of_variants(2, [&](coalition s) { return us.at(s); }));
  const workload_shares& w = found.only();
  EXPECT_EQ(w.rests_on, evidence::exact);
  EXPECT_NEAR(w.whole->factor(), 8, 1e-12);
  ASSERT_EQ(w.shares.size(), 2u);
  EXPECT_NEAR(w.shares[0].share->factor(), 4, 1e-12);
  EXPECT_NEAR(w.shares[1].share->factor(), 2, 1e-12);
  EXPECT_NEAR(w.shares[0].first_in->factor(), 2, 1e-12);
  EXPECT_NEAR(w.shares[0].leave_one_out->factor(), 8, 1e-12);
  EXPECT_NEAR(w.shares[1].first_in->factor(), 1, 1e-12);
  EXPECT_NEAR(w.shares[1].leave_one_out->factor(), 4, 1e-12);
  EXPECT_EQ(w.shares[1].share->verdict.word, gate::verdict::faster);
  ASSERT_EQ(w.pairs.size(), 1u);
  EXPECT_NEAR(w.pairs[0].interaction.factor(), 4, 1e-12);
  EXPECT_THAT(sentences_of(*found.made), Contains(HasSubstr("`b=on` pays only with `a=on`")));
}

TEST(Attribution, AnIntervalWithinALaunchCarriesTheErrorsOfAllItsMedians) {
  const attributed found(lattice_of_variants(3, [](coalition s) { return 1000.0 - 100 * std::popcount(s); }));
  const workload_shares& w = found.only();
  // The medians' intervals are from 1 % below to 1 % above, so all logarithms have one error.
  const double error = std::log(1.01 / 0.99) / 2 / 1.96;
  double squares = 0;
  for (const auto& [s, factor] : w.orders.share(0)) squares += factor * factor;
  EXPECT_NEAR(squares, 2 * (2.0 / 9 + 2.0 / 36), 1e-12) << "1/3 for none and two others, 1/6 for one of two";
  const worth& share = *w.shares[0].share;
  EXPECT_NEAR((share.gain.high - share.gain.low) / 2, 1.96 * error * std::sqrt(squares), 1e-6);
  EXPECT_EQ(share.launches, 1u);
}

TEST(Attribution, OverLaunchesEachHasSharesOfItsOwn) {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 0.02);
  std::vector<ordered_json> launches;
  std::vector<gate::launched_ratio> expected;
  for (int launch = 0; launch < 5; ++launch) {
    std::map<coalition, double> us;
    for (coalition s = 0; s < 4; ++s)
      us[s] = 1000 / (1.0 + (s & 1) + 0.1 * (s >> 1)) * std::exp(noise(random));
    const auto log_us = [&](coalition s) { return std::log(us.at(s)); };
    launches.push_back(made_of(lattice_of_variants(2, [&](coalition s) { return us.at(s); })));
    const double error = std::log(1.01 / 0.99) / 2 / 1.96;
    expected.push_back({0, (log_us(1) - log_us(0) + log_us(3) - log_us(2)) / 2, error});
  }
  const attributed found(launches, "v_ab");
  const worth& share = *found.only().shares[0].share;
  const gate::launch_ratio over = gate::ratio_over_launches(expected, 0.95);
  EXPECT_EQ(share.launches, 5u);
  EXPECT_NEAR(share.gain.estimate, -over.estimate, 1e-9);
  EXPECT_NEAR(share.gain.low, -over.high, 1e-9);
  EXPECT_NEAR(share.gain.high, -over.low, 1e-9);
  EXPECT_THAT(about_shares(*found.made, attributed::limits()), HasSubstr("over launches"));
}

TEST(Attribution, ALaunchThatLacksAPointDoesNotCount) {
  const auto us = [](coalition s) { return 1000.0 / (1 + s); };
  const attributed found({made_of(lattice_of_variants(2, us)),
                          made_of(lattice_of_variants(2, us, [](coalition s) { return s != 1; }))},
                         "v_ab");
  EXPECT_EQ(found.only().shares[0].share->launches, 1u);
  EXPECT_EQ(found.only().whole->launches, 1u) << "shares and whole rest on the same launches";
}

// Medians with known errors around known times: intervals hold the true share as often as they say.
TEST(Attribution, IntervalsWithinALaunchHoldTheTruthAsOftenAsTheySay) {
  std::mt19937 random(23);
  std::normal_distribution<double> normal(0, 1);
  constexpr int trials = 2000, players = 3;
  int held = 0, held_pairs = 0;
  const auto truth = [](coalition s) { return 0.1 * s + 0.05 * std::popcount(s) * std::popcount(s); };
  const allowed_orders orders(players, std::vector<bool>(8, true));
  const reports::effect_limits limits = attributed::limits();
  record r{};
  r.device = ordered_json::object();
  r.cases.resize(8);
  for (coalition s = 0; s < 8; ++s) r.cases[s].name = name_of(s);
  const auto value_of = [&](const linear_form& form) {
    double out = 0;
    for (const auto& [s, factor] : form) out += factor * truth(s);
    return -out;
  };
  for (int trial = 0; trial < trials; ++trial) {
    lattice between{nullptr, &r.cases[0], &r.cases[7], {}, {}, {}, {}, std::vector<lattice_point>(8)};
    for (coalition s = 0; s < 8; ++s) {
      const double error = 0.005 * (1 + s % 3), log_us = truth(s) + error * normal(random);
      measured_case& c = r.cases[s];
      c.time.median_us = std::exp(log_us);
      c.time.ci95_low_us = std::exp(log_us - 1.96 * error);
      c.time.ci95_high_us = std::exp(log_us + 1.96 * error);
      between.points[s].measured = &c;
    }
    const reports::case_launches launches(r, {});
    const lattice_times times(between, launches, limits);
    const worth share = *times.of(orders.share(1));
    held += share.gain.low <= value_of(orders.share(1)) && value_of(orders.share(1)) <= share.gain.high;
    const linear_form pair = orders.together(0, 2)->interaction;
    const worth together = *times.of(pair);
    held_pairs += together.gain.low <= value_of(pair) && value_of(pair) <= together.gain.high;
  }
  // 95 % of 2000, within four of its own standard errors.
  EXPECT_NEAR(held, 0.95 * trials, 4 * std::sqrt(trials * 0.95 * 0.05));
  EXPECT_NEAR(held_pairs, 0.95 * trials, 4 * std::sqrt(trials * 0.95 * 0.05));
}

TEST(Attribution, MissingPointsAreNamedAndNothingIsMadeUpForThem) {
  made_space space;
  space.at = [](const named_words& values) {
    return switch_space::point{values.size() == 1 && values[0].first == "b" ? "v+b" : "other", ""};
  };
  const attributed found(
      lattice_of_variants(
          2, [](coalition s) { return 1000.0 / (1 + s); }, [](coalition s) { return s != 2; }),
      &space);
  const workload_shares& w = found.only();
  EXPECT_EQ(w.rests_on, evidence::missing);
  EXPECT_THAT(w.missing, ElementsAre(2u));
  EXPECT_FALSE(w.shares[0].share);
  EXPECT_FALSE(w.shares[1].share);
  EXPECT_TRUE(w.shares[0].first_in) << "a alone was measured";
  EXPECT_FALSE(w.shares[0].leave_one_out);
  EXPECT_TRUE(w.shares[1].leave_one_out);
  EXPECT_EQ(w.shares[1].measured_steps, 1u);
  EXPECT_EQ(w.shares[1].steps, 2u);
  EXPECT_THAT(w.pairs, IsEmpty());

  const std::vector<points_to_run> needed = points_to_run_for(*found.made);
  ASSERT_EQ(needed.size(), 1u);
  EXPECT_THAT(needed[0].points, ElementsAre("v", "v_a", "v+b", "v_ab"));
  EXPECT_EQ(needed[0].missing, 1u);
  EXPECT_EQ(needed[0].orders, 0u);
  ASSERT_EQ(needed[0].commands.size(), 1u);
  EXPECT_THAT(needed[0].commands[0],
              AllOf(HasSubstr("ablate run "), HasSubstr("items=1024"), HasSubstr("cache=cold-clean"),
                    HasSubstr("--variants v,v_a,v+b,v_ab"), HasSubstr("--out ")));
  EXPECT_THAT(attribution_text(*found.made, {}, attributed::limits(), {}),
              AllOf(HasSubstr("1 of them missing"), HasSubstr(needed[0].commands[0])));
}

TEST(Attribution, APointWithoutANameIsToldByItsSwitches) {
  const attributed found(lattice_of_variants(
      2, [](coalition s) { return 1000.0 / (1 + s); }, [](coalition s) { return s != 2; }));
  const std::vector<points_to_run> needed = points_to_run_for(*found.made);
  ASSERT_EQ(needed.size(), 1u);
  EXPECT_THAT(needed[0].unspelled, ElementsAre("b=on"));
  EXPECT_THAT(needed[0].commands, IsEmpty());
  EXPECT_THAT(text_of(*found.made, needed[0]), HasSubstr("no name for the point with b=on"));
}

TEST(Attribution, AForbiddenPointGivesNoOrderAndNoValue) {
  made_space space;  // b only with a
  space.at = [](const named_words& values) {
    return values.size() == 1 && values[0].first == "b"
               ? switch_space::point{"", "no launch function takes b"}
               : switch_space::point{"other", ""};
  };
  const std::map<coalition, double> us = {{0, 800}, {1, 400}, {3, 100}};
  const attributed found(lattice_of_variants(
                             2, [&](coalition s) { return us.at(s); }, [](coalition s) { return s != 2; }),
                         &space);
  const workload_shares& w = found.only();
  EXPECT_EQ(w.rests_on, evidence::exact);
  EXPECT_NEAR(w.shares[0].share->factor(), 2, 1e-12);
  EXPECT_NEAR(w.shares[1].share->factor(), 4, 1e-12);
  EXPECT_FALSE(w.shares[1].first_in);
  EXPECT_THAT(w.pairs, IsEmpty());
  EXPECT_THAT(sentences_of(*found.made),
              Contains(AllOf(HasSubstr("1 of 2 orders can run"), HasSubstr("no launch function takes b"))));
  EXPECT_THAT(about_shares(*found.made, attributed::limits()),
              HasSubstr("nothing is assumed about a point that cannot"));
}

TEST(Attribution, SwitchesThatChangeTogetherHaveOneShareAndAreRefusedAlone) {
  made_space space;
  space.at = [](const named_words&) { return switch_space::point{"", "there is none"}; };
  const attributed found(lattice_of_variants(
                             3, [](coalition s) { return 1000.0 / (1 + s); },
                             [](coalition s) { return (s & 3) == 0 || (s & 3) == 3; }),
                         &space);
  const workload_shares& w = found.only();
  ASSERT_EQ(w.shares.size(), 2u);
  EXPECT_EQ(w.name_of(w.shares[0]), "a=on with b=on");
  EXPECT_NEAR(w.shares[0].share->factor() * w.shares[1].share->factor(), 8, 1e-9);
  EXPECT_EQ(&w.share_of("c", "record"), &w.shares[1]);
  for (const char* name : {"a", "b"}) try {
      w.share_of(name, "record");
      FAIL() << name;
    } catch (const bad_input& why) {
      EXPECT_THAT(why.what(), AllOf(HasSubstr(fmt::format("`{}` has no share of its own", name)),
                                    HasSubstr("`a` and `b`")));
    }
  EXPECT_THROW(w.share_of("none", "record"), bad_input);
  EXPECT_THAT(sentences_of(*found.made), Contains(HasSubstr("`a` and `b` have one share together")));
}

TEST(Attribution, ASwitchThatMeansNothingInOneOfThemIsAPartOfAnother) {
  made_space space;  // b means something only where a is on
  space.meaning = [](const std::string& name, const named_words& values) {
    return name != "b" || find_word(values, "a");
  };
  std::vector<made_variant> variants = {{"v", {}, {{1024, 800}}},
                                        {"v_ab", {{"a", "on"}, {"b", "4"}}, {{1024, 400}}},
                                        {"v_c", {{"c", "on"}}, {{1024, 700}}},
                                        {"v_abc", {{"a", "on"}, {"b", "4"}, {"c", "on"}}, {{1024, 300}}}};
  const attributed found(variants, &space);
  const workload_shares& w = found.only();
  EXPECT_EQ(w.rests_on, evidence::exact);
  ASSERT_EQ(w.shares.size(), 2u);
  ASSERT_EQ(w.between.followers.size(), 1u);
  EXPECT_EQ(w.between.followers[0].change.name, "b");
  EXPECT_THAT(w.between.followers[0].of, ElementsAre("a"));
  EXPECT_THROW(w.share_of("b", "record"), bad_input);
  EXPECT_THAT(sentences_of(*found.made), Contains(HasSubstr("`b` off → 4 is part of the share of `a`")));
}

TEST(Attribution, ARecordOfBeforeIsReadByTodaysSwitches) {
  // The record has a switch that is no more and lacks one; names are the same.
  std::vector<made_variant> variants = {{"v", {}, {{1024, 800}}},
                                        {"v_a", {{"a", "on"}, {"gone", "x"}}, {{1024, 400}}},
                                        {"v_b", {{"b", "on"}}, {{1024, 700}}},
                                        {"v_ab", {{"a", "on"}, {"b", "on"}, {"gone", "x"}}, {{1024, 300}}}};
  made_space space;
  space.known = {{"v", {}}, {"v_ab", {{"a", "on"}, {"b", "on"}, {"c", "4"}}}};
  space.meaning = [](const std::string& name, const named_words& values) {
    return name != "c" || find_word(values, "a");
  };
  space.at = [](const named_words& values) {
    std::string name = "v";
    if (!values.empty()) name += "_";
    for (const char* letter : {"a", "b"})
      if (find_word(values, letter)) name += letter;
    return switch_space::point{name, ""};
  };
  const attributed found(variants, &space);
  const workload_shares& w = found.only();
  EXPECT_EQ(w.rests_on, evidence::exact);
  ASSERT_EQ(w.shares.size(), 2u);
  EXPECT_EQ(w.name_of(w.shares[0]), "a=on");
  EXPECT_EQ(w.between.points[1].measured->variant, "v_a");
}

TEST(Attribution, ManyMissingPointsAreSampledWithinFourTimesTheSwitches) {
  const auto log_us = [](coalition s) {
    return 5 - 0.3 * (s & 1) - 0.2 * (s >> 1 & 1) - 0.4 * ((s & 12) == 12);
  };
  made_space space;
  space.at = [](const named_words& values) {
    coalition s = 0;
    for (std::size_t i = 0; i < letters.size(); ++i)
      if (find_word(values, letters[i])) s |= 1u << i;
    return switch_space::point{name_of(s), ""};
  };
  constexpr std::size_t players = 6;
  const auto us = [&](coalition s) { return std::exp(log_us(s)); };
  const attributed first(lattice_of_variants(players, us, [](coalition s) { return s == 0 || s == 63; }),
                         &space);
  EXPECT_EQ(first.only().rests_on, evidence::missing);
  const std::vector<points_to_run> needed = points_to_run_for(*first.made);
  ASSERT_EQ(needed.size(), 1u);
  EXPECT_LE(needed[0].missing, most_points(players));
  EXPECT_LE(needed[0].points.size(), most_points(players));
  EXPECT_GE(needed[0].orders, 4u);
  EXPECT_THAT(text_of(*first.made, needed[0]), HasSubstr("drawn orders"));

  const attributed then(lattice_of_variants(players, us,
                                            [&](coalition s) {
                                              const auto& points = needed[0].points;
                                              return std::find(points.begin(), points.end(), name_of(s)) !=
                                                     points.end();
                                            }),
                        &space);
  const workload_shares& w = then.only();
  ASSERT_EQ(w.rests_on, evidence::sampled);
  double sum = 0;
  for (const switch_share& share : w.shares) sum += share.share->gain.estimate;
  EXPECT_NEAR(sum, w.whole->gain.estimate, 1e-9);
  EXPECT_NEAR(w.shares[0].share->gain.estimate, 0.3, 1e-9) << "the same in every order";
  EXPECT_GT(w.shares[2].share->gain.high, 0.2) << "what the orders that were not drawn may say";
  EXPECT_LT(w.shares[2].share->gain.low, 0.2);
  EXPECT_THAT(sentences_of(*then.made), Contains(HasSubstr("estimates from")));
  EXPECT_THAT(attribution_text(*then.made, {}, attributed::limits(), {}), HasSubstr("sampled"));
}

TEST(Attribution, TheFigureThatMovedIsAMeanOverTheSameOrders) {
  std::vector<made_variant> variants = lattice_of_variants(2, [](coalition s) { return 1000.0 / (1 + s); });
  const double hit[] = {20, 40, 20, 80};
  for (coalition s = 0; s < 4; ++s) variants[s].hit_pct = hit[s];
  made_space space;
  const attributed found(variants, &space);
  const switch_share& a = found.only().shares[0];
  ASSERT_EQ(a.moved.size(), 1u);
  EXPECT_EQ(a.moved[0].before, 20);
  EXPECT_EQ(a.moved[0].after, 60);
  EXPECT_THAT(attribution_text(*found.made, {}, attributed::limits(), {}),
              AllOf(HasSubstr("20 → 60 (+200 %)"), HasSubstr("Declared to move: `a`: L2 hit rate, up")));
}

TEST(Attribution, RefusesPointsThatCannotBeTakenApart) {
  std::vector<made_variant> same = {{"v", {{"a", "off"}}, {{1024, 100}}}, {"w", {}, {{1024, 90}}}};
  EXPECT_THROW(attributed{same}, bad_input);
  std::vector<made_variant> other_input = lattice_of_variants(1, [](coalition) { return 100.0; });
  other_input[1].input = "00000000000000bb";
  const attributed found(other_input);
  EXPECT_THAT(found->workloads, IsEmpty());
  ASSERT_EQ(found->without.size(), 1u);
  EXPECT_THAT(sentences_of(*found.made), Contains(HasSubstr("different inputs")));
}

TEST(Attribution, OfTwoPointsWithTheSameSwitchesNeitherCounts) {
  std::vector<made_variant> variants = lattice_of_variants(2, [](coalition s) { return 1000.0 / (1 + s); });
  variants.insert(variants.begin() + 1, {"twin", {{"a", "on"}}, {{1024, 1}}});
  const attributed found(variants);
  EXPECT_EQ(found.only().rests_on, evidence::missing);
  EXPECT_THAT(found.only().between.points[1].missing, HasSubstr("have the same switches"));
}

TEST(AttributionWords, SayWhatASwitchDoesWithAndWithoutAnother) {
  const auto said_of = [](double none, double a, double b, double both) {
    const std::map<coalition, double> us = {{0, none}, {1, a}, {2, b}, {3, both}};
    const attributed found(lattice_of_variants(2, [&](coalition s) { return us.at(s); }));
    return said(found.only(), found.only().pairs.at(0)).what;
  };
  EXPECT_EQ(said_of(1000, 1000, 500, 250), "`a=on` pays only with `b=on`");
  EXPECT_EQ(said_of(1000, 500, 1000, 250), "`b=on` pays only with `a=on`");
  EXPECT_EQ(said_of(1000, 2000, 500, 250), "`a=on` pays only with `b=on`, and costs without it");
  EXPECT_EQ(said_of(1000, 1000, 1000, 500), "`a=on` and `b=on` pay only together");
  EXPECT_EQ(said_of(1000, 500, 400, 400), "`a=on` pays only without `b=on`");
  EXPECT_EQ(said_of(1000, 500, 500, 100), "`a=on` pays more with `b=on`");
  EXPECT_EQ(said_of(1000, 500, 500, 400), "`a=on` pays less with `b=on`");
  EXPECT_EQ(said_of(1000, 1000, 1000, 2000), "`a=on` costs only with `b=on`");
  EXPECT_EQ(said_of(100, 200, 200, 800), "`a=on` costs more with `b=on`");
}

TEST(AttributionWords, LeaveOutInteractionsWithinTheNoise) {
  const std::map<coalition, double> us = {{0, 1000}, {1, 500}, {2, 500}, {3, 255}};
  const attributed found(lattice_of_variants(2, [&](coalition s) { return us.at(s); }));
  ASSERT_EQ(found.only().pairs.size(), 1u);
  EXPECT_FALSE(found.only().pairs[0].interaction.is_sure());
  EXPECT_THAT(sentences_of(*found.made), IsEmpty());
}

TEST(AttributionOutputs, SayTheSameInEveryForm) {
  const std::map<coalition, double> us = {{0, 800}, {1, 400}, {2, 800}, {3, 100}};
  const attributed found(lattice_of_variants(2, [&](coalition s) { return us.at(s); }));
  const ordered_json json = attribution_json(*found.made);
  EXPECT_EQ(json["from"], "v");
  EXPECT_EQ(json["to"], "v_ab");
  const ordered_json& w = json["workloads"][0];
  EXPECT_EQ(w["evidence"], "exact");
  EXPECT_NEAR(w["shares"][0]["share"]["factor"].get<double>(), 4, 1e-12);
  EXPECT_EQ(w["shares"][0]["switches"][0]["switch"], "a");
  EXPECT_EQ(w["interactions"][0]["words"], "`b=on` pays only with `a=on`");
  EXPECT_EQ(w["points"].size(), 4u);
  EXPECT_EQ(w["axes"]["items"], "1024");

  const auto file = reports::fresh_folder() / "attribution.csv";
  write_attribution_csv({*found.made}, file);
  const std::string csv = reports::text_of(file);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5) << "header, two shares, the whole, an interaction";
  EXPECT_THAT(csv, AllOf(HasSubstr("share,a,off,on,,exact,4,"), HasSubstr("whole,"),
                         HasSubstr("interaction,a,,,b,exact,4,")));

  const std::string text = attribution_text(*found.made, {}, attributed::limits(), {});
  EXPECT_THAT(text,
              AllOf(HasSubstr("`v` to `v_ab`, 8.00×"), HasSubstr("4.00× ("), HasSubstr("all together")));
  EXPECT_THAT(attribution_text(*found.made, {"b"}, attributed::limits(), {}), Not(HasSubstr("all together")));
  EXPECT_THAT(attribution_markdown(*found.made, {}, attributed::limits()),
              AllOf(HasSubstr("## scatter"), HasSubstr("| a | off → on | FASTER |")));
}

TEST(ShareSection, IsBetweenThePointsWithTheMostMeasuredAround) {
  const auto us = [](coalition s) { return 1000.0 / (1 + s); };
  const attributed whole(lattice_of_variants(3, us));
  const auto between = most_complete_points(whole.records.front(), *whole.view);
  ASSERT_TRUE(between);
  EXPECT_EQ(between->from, "v");
  EXPECT_EQ(between->to, "v_abc");
  const auto section =
      share_section_of(whole.records.front(), *whole.view, *whole.over, attributed::limits());
  ASSERT_TRUE(section);
  EXPECT_EQ(section->shares.lines.size(), 4u);
  EXPECT_EQ(section->heading, "`v` to `v_abc`, 8.00×");

  // Without the baseline's corner a square of two others is left.
  const attributed part(lattice_of_variants(3, us, [](coalition s) { return s != 1 && s != 2 && s != 4; }));
  EXPECT_FALSE(share_section_of(part.records.front(), *part.view, *part.over, attributed::limits()));
  const attributed square(lattice_of_variants(3, us, [](coalition s) { return s == 0 || (s & 1); }));
  const auto beside = most_complete_points(square.records.front(), *square.view);
  ASSERT_TRUE(beside);
  EXPECT_EQ(beside->from, "v_a");
  EXPECT_EQ(beside->to, "v_abc");
}

}  // namespace
}  // namespace ablate::attribute
