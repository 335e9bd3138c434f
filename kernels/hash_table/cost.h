#pragma once

#include <cmath>

namespace ablate::hash_table {

/// Expected slots per search in a table of random keys (Knuth, TAOCP vol. 3, §6.4). Inserting all its keys
/// costs as much as finding them.
struct expected_probes {
  double hit = 1, miss = 1;
};

/// Knuth's formulas for 0 ≤ load < 1.
inline expected_probes expected_linear(double load) {
  const double free = 1 - load;
  return {(1 + 1 / free) / 2, (1 + 1 / (free * free)) / 2};
}

inline expected_probes expected_double_hash(double load) {
  return {load > 0 ? -std::log1p(-load) / load : 1, 1 / (1 - load)};
}

/// Expected buckets per search, with buckets of `slots` slots and double hashing past full ones;
/// `marked_miss`: if a miss also ends at a full bucket that no key has gone past. Keys are thrown at random
/// buckets until they hit one with room, so the number t of throws at a bucket is Poisson distributed, with
/// the mean for which the throws that found room make up the load; a miss ends at a bucket with the
/// probability of t < slots (marked: t ≤ slots). 0 ≤ load < 1.
struct expected_buckets {
  double hit = 1, miss = 1, marked_miss = 1;
};
inline expected_buckets expected_double_hash_buckets(double load, int slots) {
  if (!(load > 0)) return {};
  double with_room = 0, none_past = 0;
  const auto keys_of = [&](double throws) {
    double keys = slots, probability = std::exp(-throws);
    with_room = 0;
    for (int t = 0; t < slots; ++t, probability *= throws / t) {
      keys -= (slots - t) * probability;
      with_room += probability;
    }
    none_past = with_room + probability;
    return keys;
  };
  double low = 0, high = 2 * slots;
  while (keys_of(high) < load * slots && high < 500) high *= 2;
  for (int halvings = 0; halvings < 60; ++halvings) {
    const double middle = (low + high) / 2;
    (keys_of(middle) < load * slots ? low : high) = middle;
  }
  keys_of(low);
  return {low / (load * slots), 1 / with_room, 1 / none_past};
}

}  // namespace ablate::hash_table
