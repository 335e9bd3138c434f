#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/record/record.h"
#include "reports/ablation/judged_ratio.h"
#include "reports/search/space.h"

namespace ablate::search {

/// The first launch is 1. It has every point, each checked by its oracle.
inline constexpr std::size_t first_launch = 1;

/// What became of a point in one launch.
struct answer {
  std::size_t point = 0;
  std::size_t launch = first_launch;
  std::string gpu = {};                    ///< that measured it
  std::string status = "ok", reason = {};  ///< as in a record
  std::optional<measured_case::timing> time = {};
  named_figures quality = {};  ///< of the output
};

/// All answers of a search, and what they say of its points. A point counts if every launch of it went right;
/// it is compared with those whose output has the same quality and that were timed by the same method.
class observations {
 public:
  /// `reference`: whose quality and method the others must have, the baseline; the first sound point where it
  /// cannot be measured.
  observations(reports::effect_limits limits, std::optional<std::size_t> reference)
      : limits_(limits), reference_(reference) {}

  void add(const answer&);

  const reports::effect_limits& limits() const { return limits_; }
  const std::vector<answer>& of(std::size_t point) const;
  bool was_asked(std::size_t point) const { return answers_.contains(point); }
  /// Why a point that was asked does not count; empty where it does.
  std::string why_out(std::size_t point) const;
  bool counts(std::size_t point) const { return was_asked(point) && why_out(point).empty(); }
  std::vector<std::size_t> counting() const;  ///< by number
  std::size_t launches() const;
  double first_us(std::size_t point) const;  ///< median of the first launch of a point that counts

  /// Of two points that count, the time of `to` over that of `from`, in the launches that measured both.
  reports::judged_ratio ratio(std::size_t from, std::size_t to) const;
  /// Of four that count: both changes over what each alone gives. Nothing where no launch has all of them.
  std::optional<reports::judged_ratio> excess(std::size_t neither, std::size_t first, std::size_t second,
                                              std::size_t both) const;
  /// Those of the given points that count, the fastest first, by their ratios to one of them.
  std::vector<std::size_t> ranked(std::vector<std::size_t>) const;

 private:
  const answer* reference() const;
  const answer* in(std::size_t point, std::size_t launch) const;
  std::uint64_t gpu_of(const answer&) const;

  reports::effect_limits limits_;
  std::optional<std::size_t> reference_;
  std::map<std::size_t, std::vector<answer>> answers_;
  mutable std::map<std::string, std::uint64_t> gpus_;  ///< numbered in order of appearance
};

/// The pairs of switches that interact beyond noise: in some square of points that count, both changes
/// together give more or less than the two alone.
std::vector<switch_pair> interacting_switches(const space&, const observations&);

}  // namespace ablate::search
