#include "reports/search/strategy.h"

#include <gmock/gmock.h>

#include "tests/reports/search/made_world.h"

namespace ablate::search::strategy_test {
namespace {

using made::at;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::vector<made::values_of_switch> four_switches = {
    {"threads", {"128", "256", "512"}}, {"smem", {"on"}}, {"merge", {"warp", "pair"}}, {"pdl", {"on"}}};

double product_us(const named_words& v) {
  double us = 100;
  if (at(v, "threads") == "128") us *= 0.9;
  if (at(v, "threads") == "256") us *= 0.8;
  if (at(v, "threads") == "512") us *= 0.85;
  if (at(v, "smem") == "on") us *= 1.2;
  if (at(v, "merge") == "warp") us *= 0.7;
  if (at(v, "merge") == "pair") us *= 0.75;
  if (at(v, "pdl") == "on") us *= 0.95;
  return us;
}

std::size_t number(const space& of, const std::string& name) {
  const auto found = of.find(name);
  EXPECT_TRUE(found) << name;
  return found.value_or(0);
}

TEST(SearchStrategy, FindsTheBestWithFewPointsAndProvesIt) {
  const space of = made::space_of(made::product_of(four_switches));
  made::gpu gpu(of, product_us);
  const outcome found = by_halving(of, {{0}, 0}, made::how(), gpu);
  ASSERT_TRUE(found.found);
  EXPECT_EQ(of.points()[found.found->winner].name, "threads=256+merge=warp+pdl=on");
  EXPECT_TRUE(found.found->holds());
  EXPECT_FALSE(found.ran_out);
  EXPECT_THAT(made::falsehoods(found, of, gpu), IsEmpty());
  EXPECT_LT(gpu.checked.size(), of.points().size());
  std::vector<std::size_t> once = gpu.checked;
  std::ranges::sort(once);
  EXPECT_EQ(std::ranges::adjacent_find(once), once.end()) << "each point is checked once";
}

TEST(SearchStrategy, HoldsUnderNoise) {
  const space of = made::space_of(made::product_of(four_switches));
  std::size_t false_words = 0, far = 0;
  constexpr std::size_t searches = 60;
  for (std::uint64_t seed = 1; seed <= searches; ++seed) {
    made::gpu gpu(of, product_us, 0.01, seed);
    const outcome found = by_halving(of, {{0}, 0}, made::how(), gpu);
    ASSERT_TRUE(found.found);
    false_words += made::falsehoods(found, of, gpu).empty() ? 0 : 1;
    far += gpu.us(found.found->winner) > 1.03 * gpu.us(gpu.fastest()) ? 1 : 0;
  }
  EXPECT_LE(false_words, searches / 10);
  EXPECT_LE(far, searches / 20);
}

TEST(SearchStrategy, ATieIsNoWin) {
  const space of = made::space_of(made::product_of({{"a", {"on"}}, {"b", {"on"}}}));
  std::size_t wins = 0;
  constexpr std::size_t searches = 60;
  for (std::uint64_t seed = 1; seed <= searches; ++seed) {
    made::gpu gpu(
        of, [](const named_words&) { return 100; }, 0.01, seed);
    const outcome found = by_halving(of, {{0}, 0}, made::how(), gpu);
    ASSERT_TRUE(found.found);
    wins += found.found->count(neighbor_state::slower) + found.found->count(neighbor_state::faster);
  }
  EXPECT_LE(wins, 2 * searches / 10) << "two neighbors a search";
}

TEST(SearchStrategy, OnlySeveralLaunchesMakeATie) {
  const space of = made::space_of(made::product_of({{"a", {"on"}}}));
  made::gpu gpu(of, [](const named_words& v) { return at(v, "a") == "on" ? 100.1 : 100; });
  gpu.most_launches = 0;
  const outcome found = by_halving(of, {{0}, 0}, made::how(), gpu);
  ASSERT_TRUE(found.found);
  EXPECT_TRUE(found.ran_out);
  EXPECT_EQ(found.found->open(), 1u);
  EXPECT_FALSE(found.found->holds());
}

TEST(SearchStrategy, CrossesTwoSwitchesThatInteract) {
  // Each of `a` and `b` loses alone and both win. At c=on, far from the best, variants show that they
  // interact.
  const space of = made::space_of(made::product_of({{"a", {"on"}}, {"b", {"on"}}, {"c", {"on"}}}));
  const auto us = [](const named_words& v) {
    const bool a = at(v, "a") == "on", b = at(v, "b") == "on";
    return (a && b ? 50 : a || b ? 120 : 100) * (at(v, "c") == "on" ? 3.0 : 1.0);
  };
  const beginning only_base = {{0}, 0};
  made::gpu blind(of, us);
  EXPECT_EQ(by_halving(of, only_base, made::how(), blind).found->winner, 0u);
  beginning with_variants = only_base;
  for (const char* name : {"c=on", "a=on+c=on", "b=on+c=on", "a=on+b=on+c=on"})
    with_variants.points.push_back(number(of, name));
  made::gpu gpu(of, us);
  const outcome found = by_halving(of, with_variants, made::how(), gpu);
  EXPECT_THAT(found.pairs, Contains(switch_pair("a", "b")));
  EXPECT_EQ(of.points()[found.found->winner].name, "a=on+b=on");
  EXPECT_TRUE(found.found->holds());
}

TEST(SearchStrategy, APointThatCannotRunIsNeitherMeasuredNorForgotten) {
  const space of = made::space_of(made::product_of(four_switches, [](const named_words& v) {
    return at(v, "merge") == "warp" && at(v, "pdl") == "on" ? "needs compute capability 10.0" : "";
  }));
  made::gpu gpu(of, product_us);
  const outcome found = by_halving(of, {{0}, 0}, made::how(), gpu);
  EXPECT_EQ(found.found->winner, gpu.fastest());
  EXPECT_THAT(made::falsehoods(found, of, gpu), IsEmpty());
  for (const std::size_t p : gpu.checked) EXPECT_TRUE(of.can_run(p));
  const auto left =
      std::ranges::find(found.found->neighbors, neighbor_state::not_measured, &compared_neighbor::state);
  ASSERT_NE(left, found.found->neighbors.end());
  EXPECT_EQ(left->reason, "needs compute capability 10.0");
  EXPECT_FALSE(left->is_open);
  EXPECT_TRUE(found.found->holds()) << "what cannot run leaves nothing open";
}

TEST(SearchStrategy, AFaultyPointNeverWins) {
  const space of = made::space_of(made::product_of(four_switches));
  const std::size_t best = number(of, "threads=256+merge=warp+pdl=on");
  for (const auto& [launch, status] : {std::pair<std::size_t, std::string>(1, "wrong"),
                                       {1, "out_of_memory"},
                                       {1, "failed"},
                                       {2, "failed"},
                                       {2, "timeout"}}) {
    // As fast as without `pdl`, so both are timed again.
    made::gpu gpu(of, [](const named_words& v) { return product_us(v) * (at(v, "pdl") == "on" ? 1.05 : 1); });
    gpu.faults[best] = {launch, status, "said so"};
    const outcome found = by_halving(of, {{0}, 0}, made::how(), gpu);
    EXPECT_THAT(made::falsehoods(found, of, gpu), IsEmpty()) << status << launch;
    EXPECT_EQ(found.found->winner, gpu.fastest());
    if (!found.seen.was_asked(best)) continue;
    EXPECT_FALSE(found.seen.counts(best));
    EXPECT_THAT(found.seen.why_out(best), HasSubstr(status));
  }
}

TEST(SearchStrategy, AnOutputOfAnotherQualityIsNoRival) {
  const space of = made::space_of(made::product_of({{"a", {"on"}}}));
  made::gpu gpu(of, [](const named_words& v) { return at(v, "a") == "on" ? 50 : 100; });
  gpu.quality = {{0, 1.0}, {1, 2.0}};
  const outcome found = by_halving(of, {{0}, 0}, made::how(), gpu);
  EXPECT_EQ(found.found->winner, 0u);
  EXPECT_THAT(found.found->neighbors.front().reason, HasSubstr("quality"));
}

TEST(SearchStrategy, AllPointsMayFail) {
  const space of = made::space_of(made::product_of({{"a", {"on"}}}));
  made::gpu gpu(of, product_us);
  for (const std::size_t p : {0u, 1u}) gpu.faults[p] = {1, "wrong", ""};
  EXPECT_FALSE(by_halving(of, {{0, 1}, 0}, made::how(), gpu).found);
  made::gpu other(of, product_us);
  other.faults = gpu.faults;
  EXPECT_FALSE(at_random(of, {{0, 1}, 0}, made::how(), other).found);
}

TEST(SearchStrategy, EveryBudgetEndsWithAnHonestAnswer) {
  const space of = made::space_of(made::product_of(four_switches));
  made::gpu unlimited(of, product_us, 0.005);
  by_halving(of, {{0}, 0}, made::how(), unlimited);
  std::size_t false_words = 0, answers = 0;
  for (std::size_t checks = 1; checks <= unlimited.checked.size(); ++checks)
    for (std::size_t launches = 0; launches <= unlimited.launches; launches += 3) {
      made::gpu gpu(of, product_us, 0.005);
      gpu.most_checks = checks;
      gpu.most_launches = launches;
      const outcome found = by_halving(of, {{0}, 0}, made::how(), gpu);
      ASSERT_TRUE(found.found);
      ++answers;
      false_words += made::falsehoods(found, of, gpu).empty() ? 0 : 1;
      if (found.ran_out && found.found->holds()) {
        EXPECT_EQ(found.found->open(), 0u);
      }
      if (checks < unlimited.checked.size()) {
        EXPECT_TRUE(found.ran_out);
      }
    }
  EXPECT_LE(false_words, answers / 10);
}

TEST(SearchStrategy, WhatJustCameDoesNotWinByNoise) {
  // The budget ends while the neighbors of the baseline come, which are as fast as it.
  const space of = made::space_of(made::product_of(four_switches));
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    made::gpu gpu(
        of, [](const named_words&) { return 100; }, 0.01, seed);
    gpu.most_checks = 4;
    EXPECT_EQ(by_halving(of, {{0}, 0}, made::how(), gpu).found->winner, 0u) << seed;
  }
}

TEST(SearchStrategy, HintsOrderPointsAndDecideNothing) {
  const space of = made::space_of(made::product_of(four_switches));
  beginning lied = {{0}, 0};
  const std::size_t worst = number(of, "smem=on"), good = number(of, "threads=256");
  lied.hints_us = {{worst, 0.001}, {good, 1e9}};
  made::gpu gpu(of, product_us);
  const outcome found = by_halving(of, lied, made::how(), gpu);
  EXPECT_EQ(gpu.checked[1], worst) << "the first of the baseline's neighbors";
  EXPECT_EQ(found.found->winner, gpu.fastest());
  EXPECT_THAT(made::falsehoods(found, of, gpu), IsEmpty());
  EXPECT_DOUBLE_EQ(found.seen.first_us(worst), gpu.us(worst));
}

TEST(SearchStrategy, ASingularSpaceIsProven) {
  const space of = made::space_of({{"base", {}}});
  made::gpu gpu(of, product_us);
  const outcome found = by_halving(of, {{0}, 0}, made::how(), gpu);
  EXPECT_TRUE(found.found->holds());
  EXPECT_THAT(found.found->neighbors, IsEmpty());
}

TEST(SearchStrategy, RandomOrderDependsOnTheSeedAndMeasuresTheWholeSpace) {
  const space of = made::space_of(made::product_of(four_switches));
  std::vector<std::vector<std::size_t>> orders;
  for (const std::uint64_t seed : {1, 1, 2}) {
    made::gpu gpu(of, product_us);
    settings how = made::how();
    how.seed = seed;
    const outcome found = at_random(of, {{0}, 0}, how, gpu);
    EXPECT_EQ(found.found->winner, gpu.fastest());
    EXPECT_TRUE(found.found->holds());
    EXPECT_EQ(gpu.checked.size(), of.points().size());
    orders.push_back(gpu.checked);
  }
  EXPECT_EQ(orders[0], orders[1]);
  EXPECT_NE(orders[0], orders[2]);
}

// Strategies with a fault, by what they tell. Each has to be seen.

outcome honest(const space& of, made::gpu& gpu, const beginning& from = {{0}, 0}) {
  return by_halving(of, from, made::how(), gpu);
}

TEST(SearchFaults, ASkippedNeighborIsSeen) {
  const space of = made::space_of(made::product_of(four_switches));
  made::gpu gpu(of, product_us);
  outcome found = honest(of, gpu);
  found.found->neighbors.pop_back();
  EXPECT_THAT(made::falsehoods(found, of, gpu), Not(IsEmpty()));
}

TEST(SearchFaults, ANeighborThatWasNeverAskedIsSeen) {
  const space of = made::space_of(made::product_of(four_switches));
  made::gpu gpu(of, product_us);
  gpu.most_checks = 5;
  outcome found = honest(of, gpu);
  EXPECT_FALSE(found.found->holds());
  for (compared_neighbor& n : found.found->neighbors) n.is_open = false;
  EXPECT_THAT(made::falsehoods(found, of, gpu), Not(IsEmpty()));
}

TEST(SearchFaults, AnIgnoredFailureIsSeen) {
  const space of = made::space_of(made::product_of(four_switches));
  made::gpu gpu(of, product_us);
  const outcome found = honest(of, gpu);
  made::gpu truth(of, product_us);
  truth.faults[found.found->winner] = {1, "wrong", "cell 3 differs"};
  EXPECT_THAT(made::falsehoods(found, of, truth), Contains(HasSubstr("faulty")));
}

TEST(SearchFaults, TrustInAnImportIsSeen) {
  const space of = made::space_of(made::product_of(four_switches));
  // As if imported times were measured ones: the slowest point is told to be the fastest.
  made::gpu imported(of, [](const named_words& v) { return at(v, "smem") == "on" ? 1 : product_us(v); });
  const outcome found = honest(of, imported);
  made::gpu truth(of, product_us);
  EXPECT_THAT(made::falsehoods(found, of, truth), Not(IsEmpty()));
}

TEST(SearchFaults, ATieThatIsCalledAWinIsSeen) {
  const space of = made::space_of(made::product_of({{"a", {"on"}}}));
  made::gpu gpu(
      of, [](const named_words&) { return 100; }, 0.01);
  outcome found = honest(of, gpu);
  ASSERT_EQ(found.found->neighbors.front().state, neighbor_state::tied);
  found.found->neighbors.front().state = neighbor_state::slower;
  EXPECT_THAT(made::falsehoods(found, of, gpu), Contains(HasSubstr("told slower")));
}

}  // namespace
}  // namespace ablate::search::strategy_test
