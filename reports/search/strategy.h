#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "reports/search/measurer.h"
#include "reports/search/observations.h"
#include "reports/search/proof.h"
#include "reports/search/space.h"

namespace ablate::search {

/// Where a search begins.
struct beginning {
  std::vector<std::size_t> points = {};         ///< measured first, in this order
  std::optional<std::size_t> baseline = {};     ///< what others are compared with in quality and method
  std::map<std::size_t, double> hints_us = {};  ///< times by another program: they order points, nothing else
};

struct settings {
  reports::effect_limits limits;
  std::size_t survivors = 4;       ///< whose neighbors are measured
  std::size_t most_launches = 12;  ///< after which a neighbor that is not told apart is a tie
  std::uint64_t seed = 1;          ///< of the order of a random search
};

struct outcome {
  observations seen;
  std::optional<proof> found;      ///< nothing where no point could be measured
  bool ran_out;                    ///< of the budget
  std::vector<switch_pair> pairs;  ///< of switches that interact beyond noise
};

/// Successive halving over neighbors. All points of the beginning are measured once; the faster half is timed
/// in one further launch, its faster half in two more, and so on, down to the survivors. Points that are
/// slower than the fastest by more than noise leave at once. The survivors' neighbors in one switch come
/// next, and in two where these interact beyond noise, until the survivors have no neighbor that was not
/// measured. Then the fastest and its neighbors are timed in further launches until each neighbor is slower,
/// the same, or a tie by `most_launches`. If a neighbor is faster by more than noise, the search continues
/// from it.
outcome by_halving(const space&, const beginning&, const settings&, measurer&);

/// Points in random order, each measured once; the fastest wins. Only where all of the space was measured
/// does its proof follow. What by_halving has to beat.
outcome at_random(const space&, const beginning&, const settings&, measurer&);

}  // namespace ablate::search
