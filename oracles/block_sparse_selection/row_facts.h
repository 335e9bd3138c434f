#pragma once

#include <climits>
#include <cmath>
#include <cstdint>

#include "kernels/common/on_both.h"

namespace ablate::block_sparse_selection {

// How a row of a choice is judged, the same by the oracle and by the check on the device: by what fp64 says
// of the key blocks that it keeps and of those that it leaves.

/// What a row can have wrong.
enum class row_fault {
  none,
  no_block,    ///< a bit past the last key block is set
  miscounted,  ///< the count is not the number of bits
  few,         ///< fewer key blocks, or less mass, than asked for
  many,        ///< without its last key block the row has all that is asked for
  worse,       ///< a key block that is left scores more than one that is kept
  tie          ///< of equal scores a later key block is kept, an earlier one left
};

/// What is asked of a row.
struct demand {
  int keys, least_kept;
  double mass;     ///< of P, from 0 to 1
  bool are_exact;  ///< the scores are exact in fp32
};

/// Masses are sums of fp32 exponentials of fp32 scores; fp64 takes a row for right within this much.
constexpr double accepted_mass_error = 0x1p-15;

struct row_facts {
  double total = 0, kept = 0;  ///< masses, as multiples of that of the greatest score
  double least_kept = INFINITY, greatest_left = -INFINITY;  ///< scores
  double bound = 0;                                         ///< the greatest Σ|q·k|
  int last_of_least = -1, first_of_greatest = INT_MAX;      ///< key blocks with these scores
  int count = 0;                                            ///< bits of key blocks
  int strays = 0;                                           ///< words with bits past the last key block

  /// Takes in one key block; `mass` is its exp((score − greatest score) / √64).
  ABLATE_ON_BOTH void add(int key, bool is_kept, double score, double bound_of_score, double mass) {
    total += mass;
    if (bound_of_score > bound) bound = bound_of_score;
    if (is_kept) {
      kept += mass;
      ++count;
      take_kept(score, key);
    } else {
      take_left(score, key);
    }
  }
  ABLATE_ON_BOTH void add(const row_facts& other) {
    total += other.total;
    kept += other.kept;
    count += other.count;
    strays += other.strays;
    if (other.bound > bound) bound = other.bound;
    take_kept(other.least_kept, other.last_of_least);
    take_left(other.greatest_left, other.first_of_greatest);
  }

 private:
  ABLATE_ON_BOTH void take_kept(double score, int key) {
    if (score < least_kept) {
      least_kept = score;
      last_of_least = key;
    } else if (score == least_kept && key > last_of_least) {
      last_of_least = key;
    }
  }
  ABLATE_ON_BOTH void take_left(double score, int key) {
    if (score > greatest_left) {
      greatest_left = score;
      first_of_greatest = key;
    } else if (score == greatest_left && key < first_of_greatest) {
      first_of_greatest = key;
    }
  }
};

/// What is wrong with a row that says it keeps `count` key blocks; `greatest` is its greatest score.
ABLATE_ON_BOTH inline row_fault fault_of(const row_facts& row, const demand& asked, std::int32_t count,
                                         double greatest) {
  if (row.strays != 0) return row_fault::no_block;
  if (row.count != count) return row_fault::miscounted;
  if (row.count < asked.least_kept) return row_fault::few;
  if (!(row.kept >= (asked.mass - accepted_mass_error) * row.total)) return row_fault::few;
  if (row.count > asked.least_kept) {
    const double without_last = row.kept - exp((row.least_kept - greatest) / 8);
    if (!(without_last < (asked.mass + accepted_mass_error) * row.total)) return row_fault::many;
  }
  if (row.count == asked.keys) return row_fault::none;
  const double doubt = asked.are_exact ? 0 : 64 * 0x1p-23 * row.bound;
  if (!(row.least_kept >= row.greatest_left - doubt)) return row_fault::worse;
  if (asked.are_exact && row.least_kept == row.greatest_left && row.last_of_least > row.first_of_greatest)
    return row_fault::tie;
  return row_fault::none;
}

}  // namespace ablate::block_sparse_selection
