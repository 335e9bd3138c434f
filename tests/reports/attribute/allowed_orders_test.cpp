#include "reports/attribute/allowed_orders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>

namespace ablate::attribute {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

using values = std::vector<double>;  ///< by coalition
using shares = std::vector<double>;

std::vector<bool> all_allowed(std::size_t players) {
  return std::vector<bool>(std::size_t{1} << players, true);
}

double value_of(const linear_form& form, const values& game) {
  double out = 0;
  for (const auto& [s, factor] : form) out += factor * game[s];
  return out;
}

shares shares_of(const allowed_orders& orders, const values& game) {
  shares out;
  for (std::size_t b = 0; b < orders.blocks().size(); ++b) out.push_back(value_of(orders.share(b), game));
  return out;
}

shares shares_of(const values& game) {
  const auto players = static_cast<std::size_t>(std::countr_zero(game.size()));
  return shares_of(allowed_orders(players, all_allowed(players)), game);
}

/// By their definition: the mean step over all permutations on which every coalition is allowed.
shares by_permutations(const std::vector<bool>& allowed, const values& game) {
  const auto players = static_cast<std::size_t>(std::countr_zero(game.size()));
  std::vector<std::size_t> order(players);
  std::iota(order.begin(), order.end(), 0);
  shares out(players, 0);
  double orders = 0;
  do {
    shares steps(players, 0);
    coalition s = 0;
    bool counts = true;
    for (const std::size_t p : order) {
      steps[p] = game[s | 1u << p] - game[s];
      s |= 1u << p;
      counts = counts && allowed[s];
    }
    if (!counts) continue;
    ++orders;
    for (std::size_t p = 0; p < players; ++p) out[p] += steps[p];
  } while (std::next_permutation(order.begin(), order.end()));
  for (double& share : out) share /= orders;
  return out;
}

values random_game(std::size_t players, std::mt19937& random) {
  std::uniform_real_distribution<double> some(-1, 1);
  values out(std::size_t{1} << players);
  for (double& value : out) value = some(random);
  return out;
}

/// With at least one order, which is put in.
std::vector<bool> random_family(std::size_t players, std::mt19937& random) {
  std::vector<bool> out(std::size_t{1} << players);
  for (std::size_t s = 0; s < out.size(); ++s) out[s] = random() % 3 != 0;
  std::vector<std::size_t> order(players);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  coalition s = 0;
  out[0] = true;
  for (const std::size_t p : order) out[s |= 1u << p] = true;
  return out;
}

TEST(AllowedOrders, AnAdditiveGameGivesEachPlayerItsOwn) {
  values game(16);
  const values own = {0.5, -2, 3, 0};
  for (coalition s = 0; s < 16; ++s)
    for (std::size_t p = 0; p < 4; ++p)
      if (s >> p & 1) game[s] += own[p];
  EXPECT_THAT(shares_of(game), Pointwise(DoubleNear(1e-12), own));
  const allowed_orders orders(4, all_allowed(4));
  EXPECT_EQ(orders.count(), 24);
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t b = a + 1; b < 4; ++b)
      EXPECT_NEAR(value_of(orders.together(a, b)->interaction, game), 0, 1e-12);
}

TEST(AllowedOrders, APureInteractionIsHalved) {
  const values game = {0, 0, 0, 1};
  EXPECT_THAT(shares_of(game), ElementsAre(0.5, 0.5));
  const allowed_orders orders(2, all_allowed(2));
  const pair_forms pair = *orders.together(0, 1);
  EXPECT_EQ(value_of(pair.interaction, game), 1);
  EXPECT_EQ(value_of(pair.first_without_second, game), 0);
  EXPECT_EQ(value_of(pair.first_with_second, game), 1);
  EXPECT_EQ(value_of(*orders.first_in(0), game), 0);
  EXPECT_EQ(value_of(*orders.leave_one_out(0), game), 1);
}

// One has a left glove, two have a right one, and a pair is worth 1 (Shapley and Shubik).
TEST(AllowedOrders, TheGloveGameHasItsKnownShares) {
  values game(8);
  for (coalition s = 0; s < 8; ++s) game[s] = (s & 1) && (s & 6);
  EXPECT_THAT(shares_of(game), Pointwise(DoubleNear(1e-12), values{2.0 / 3, 1.0 / 6, 1.0 / 6}));
  const allowed_orders orders(3, all_allowed(3));
  EXPECT_NEAR(value_of(orders.together(0, 1)->interaction, game), 0.5, 1e-12);
  EXPECT_NEAR(value_of(orders.together(1, 2)->interaction, game), -0.5, 1e-12);
}

TEST(AllowedOrders, SharesAreThoseOfTheDefinitionOnRandomFamilies) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t players = 1 + random() % 5;
    const std::vector<bool> allowed = random_family(players, random);
    const values game = random_game(players, random);
    const allowed_orders orders(players, allowed);
    ASSERT_EQ(orders.blocks().size(), players);
    EXPECT_THAT(shares_of(orders, game), Pointwise(DoubleNear(1e-12), by_permutations(allowed, game)));
  }
}

/// What shares have to be, whatever the game. Each says whether it holds.
bool are_efficient(const shares& of, const values& game) {
  return std::fabs(std::accumulate(of.begin(), of.end(), 0.0) - (game.back() - game.front())) < 1e-9;
}

coalition exchanged(coalition s) { return (s & ~3u) | (s & 1) << 1 | (s >> 1 & 1); }

/// Of the game in which the first two players have exchanged their places.
bool are_symmetric(const shares& of, const shares& of_exchanged) {
  shares back = of_exchanged;
  std::swap(back[0], back[1]);
  return std::equal(of.begin(), of.end(), back.begin(),
                    [](double a, double b) { return std::fabs(a - b) < 1e-9; });
}

/// Of a game in which the first player adds nothing.
bool is_null(const shares& of) { return std::fabs(of[0]) < 1e-9; }

struct tried_games {
  values any, exchanged_players, with_null;

  explicit tried_games(std::size_t players, std::mt19937& random) : any(random_game(players, random)) {
    exchanged_players = with_null = any;
    for (coalition s = 0; s < any.size(); ++s) {
      exchanged_players[s] = any[exchanged(s)];
      with_null[s] = any[s & ~1u];
    }
  }
};

/// Whether the shares that these forms give have all three properties.
bool hold_properties(const std::vector<linear_form>& forms, std::mt19937& random) {
  const auto given = [&](const values& game) {
    shares out;
    for (const linear_form& form : forms) out.push_back(value_of(form, game));
    return out;
  };
  const tried_games games(forms.size(), random);
  return are_efficient(given(games.any), games.any) &&
         are_symmetric(given(games.any), given(games.exchanged_players)) && is_null(given(games.with_null));
}

std::vector<linear_form> forms_of(std::size_t players) {
  const allowed_orders orders(players, all_allowed(players));
  std::vector<linear_form> out;
  for (std::size_t p = 0; p < players; ++p) out.push_back(orders.share(p));
  return out;
}

TEST(AllowedOrders, SharesAreEfficientAndSymmetricAndNothingForANullPlayer) {
  std::mt19937 random(11);
  for (std::size_t players = 2; players <= 8; ++players)
    for (int trial = 0; trial < 5; ++trial)
      EXPECT_TRUE(hold_properties(forms_of(players), random)) << players;
}

TEST(AllowedOrders, SharesOnFamiliesAreEfficient) {
  std::mt19937 random(13);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t players = 2 + random() % 6;
    std::vector<bool> allowed(std::size_t{1} << players);
    for (std::size_t s = 0; s < allowed.size(); ++s) allowed[s] = random() % 4 == 0;
    allowed.front() = allowed.back() = true;
    const allowed_orders orders(players, allowed);
    const values game = random_game(players, random);
    EXPECT_TRUE(are_efficient(shares_of(orders, game), game));
    coalition all = 0;
    for (const coalition block : orders.blocks()) {
      EXPECT_EQ(all & block, 0u) << "a player in two blocks";
      all |= block;
    }
    EXPECT_EQ(all, game.size() - 1);
  }
}

// Mutants of the weights: each of the three properties, or the definition, finds them.
TEST(AllowedOrders, PlantedFaultsBreakTheProperties) {
  std::mt19937 random(17);
  constexpr std::size_t players = 4;
  const std::vector<linear_form> right = forms_of(players);
  ASSERT_TRUE(hold_properties(right, random));

  std::vector<linear_form> sign = right;
  for (auto& term : sign[1]) term.second = -term.second;
  EXPECT_FALSE(hold_properties(sign, random));

  std::vector<linear_form> one_sign = right;
  one_sign[0].front().second = -one_sign[0].front().second;
  EXPECT_FALSE(hold_properties(one_sign, random));

  std::vector<linear_form> omitted = right;
  omitted[2].pop_back();
  EXPECT_FALSE(hold_properties(omitted, random));

  // s! (n - s)! / n! for s! (n - s - 1)! / n!, s the players before.
  std::vector<linear_form> off_by_one;
  for (std::size_t p = 0; p < players; ++p) {
    linear_form& form = off_by_one.emplace_back();
    for (coalition s = 0; s < 1u << players; ++s) {
      const bool has = s >> p & 1;
      const double before = std::popcount(s & ~(1u << p));
      form.emplace_back(s, (has ? 1 : -1) * std::tgamma(before + 1) * std::tgamma(players - before + 1) /
                               std::tgamma(players + 1.0));
    }
  }
  EXPECT_FALSE(hold_properties(off_by_one, random));
}

TEST(AllowedOrders, APlayerThatNeedsAnotherComesBehindIt) {
  // The second only with the first: two of the six orders of three players have it before.
  std::vector<bool> allowed = all_allowed(3);
  for (coalition s = 0; s < 8; ++s) allowed[s] = !(s & 2) || (s & 1);
  const allowed_orders orders(3, allowed);
  EXPECT_EQ(orders.count(), 3);
  values game(8);
  for (coalition s = 0; s < 8; ++s)
    game[s] = allowed[s] ? 10.0 * (s & 1) + 5.0 * (s >> 1 & 1) + (s >> 2 & 1) : 1e9;
  EXPECT_THAT(shares_of(orders, game), Pointwise(DoubleNear(1e-12), values{10, 5, 1}))
      << "a forbidden coalition has no value that counts";
  EXPECT_FALSE(orders.first_in(1));
  EXPECT_TRUE(orders.leave_one_out(1));
  EXPECT_FALSE(orders.leave_one_out(0));
  EXPECT_FALSE(orders.together(0, 1)) << "they cannot be exchanged";
  EXPECT_TRUE(orders.together(0, 2));
  EXPECT_THAT(orders.coalitions(), ElementsAre(0u, 1u, 4u, 3u, 5u, 7u));
}

TEST(AllowedOrders, PlayersThatNoOrderTellsApartAreOneBlock) {
  std::vector<bool> allowed(8, false);
  for (const coalition s : {0u, 3u, 4u, 7u}) allowed[s] = true;
  const allowed_orders orders(3, allowed);
  EXPECT_THAT(orders.blocks(), ElementsAre(3u, 4u));
  EXPECT_EQ(orders.count(), 2);
  values game(8);
  game[3] = 4;
  game[4] = 1;
  game[7] = 7;
  EXPECT_THAT(shares_of(orders, game), ElementsAre(5, 2));

  // Only none and all.
  std::vector<bool> ends(8, false);
  ends.front() = ends.back() = true;
  EXPECT_THAT(allowed_orders(3, ends).blocks(), ElementsAre(7u));

  // Two ways to pair them, neither better than the other.
  std::vector<bool> overlapping(8, false);
  for (const coalition s : {0u, 3u, 6u, 7u}) overlapping[s] = true;
  EXPECT_THAT(allowed_orders(3, overlapping).blocks(), ElementsAre(7u));

  // A hole through which one order goes round is no reason to join.
  std::vector<bool> hole = all_allowed(3);
  hole[1] = hole[2] = false;
  EXPECT_EQ(allowed_orders(3, hole).blocks().size(), 3u);
}

TEST(AllowedOrders, RefusesWhatIsNoGame) {
  EXPECT_THROW(allowed_orders(0, {true}), std::invalid_argument);
  EXPECT_THROW(allowed_orders(2, {true, true, true}), std::invalid_argument);
  EXPECT_THROW(allowed_orders(1, {false, true}), std::invalid_argument);
  EXPECT_THROW(allowed_orders(1, {true, false}), std::invalid_argument);
  EXPECT_THROW(allowed_orders(17, all_allowed(17)), std::invalid_argument);
}

TEST(AllowedOrders, DrawnOrdersAreAllowedTurnedAroundAndTheSameForASeed) {
  const allowed_orders orders(5, all_allowed(5));
  const std::vector<block_order> drawn = orders.drawn(3, 4);
  ASSERT_EQ(drawn.size(), 8u);
  EXPECT_EQ(drawn, orders.drawn(3, 4));
  EXPECT_NE(drawn, orders.drawn(4, 4));
  const std::vector<block_order> longer = orders.drawn(3, 5);
  EXPECT_TRUE(std::equal(drawn.begin(), drawn.end(), longer.begin())) << "more pairs go on from fewer";
  for (std::size_t i = 0; i < drawn.size(); i += 2)
    EXPECT_EQ(block_order(drawn[i].rbegin(), drawn[i].rend()), drawn[i + 1]);
  EXPECT_EQ(orders.coalitions_on({1, 0, 2, 3, 4}), (std::vector<coalition>{0, 2, 3, 7, 15, 31}));

  std::vector<bool> allowed = all_allowed(3);
  for (coalition s = 0; s < 8; ++s) allowed[s] = !(s & 2) || (s & 1);
  for (const block_order& order : allowed_orders(3, allowed).drawn(5, 50))
    EXPECT_LT(std::find(order.begin(), order.end(), 0), std::find(order.begin(), order.end(), 1));
}

TEST(AllowedOrders, SharesOverDrawnOrdersAreRightOnAverage) {
  std::mt19937 random(19);
  for (const bool restricted : {false, true}) {
    std::vector<bool> allowed = all_allowed(5);
    if (restricted)
      for (coalition s = 0; s < 32; ++s) allowed[s] = !(s & 2) || (s & 1);
    const allowed_orders orders(5, allowed);
    const values game = random_game(5, random);
    const shares exact = shares_of(orders, game);
    for (std::size_t b = 0; b < 5; ++b) {
      constexpr int trials = 4000;
      double sum = 0, squares = 0;
      for (std::uint64_t seed = 0; seed < trials; ++seed) {
        const double one = value_of(orders.share_over(orders.drawn(seed, 1), b), game);
        sum += one;
        squares += one * one;
      }
      const double mean = sum / trials, error = std::sqrt((squares / trials - mean * mean) / trials);
      EXPECT_LT(std::fabs(mean - exact[b]), 4 * error) << b;
    }
  }
}

}  // namespace
}  // namespace ablate::attribute
