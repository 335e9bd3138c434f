#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/record/record.h"

namespace ablate::search {

/// A point of an operation's switches, on one workload.
struct point {
  std::string name;          ///< as cases spell it
  named_words values;        ///< without switches that are off
  std::string why_not = {};  ///< why it cannot run there; empty: it can
};

/// A point one switch away.
struct neighbor {
  std::size_t point;
  std::string differs_in;
};

using switch_pair = std::pair<std::string, std::string>;  ///< in alphabetical order

/// The one switch in which two points differ; nothing where several do.
using difference = std::function<std::optional<std::string>(std::size_t, std::size_t)>;

/// All points among which a search chooses.
class space {
 public:
  space(std::vector<point>, difference);

  const std::vector<point>& points() const { return points_; }
  bool can_run(std::size_t p) const { return points_[p].why_not.empty(); }
  std::size_t runnable() const;
  std::optional<std::size_t> find(const std::string& name) const;

  /// In the points' order, those that cannot run among them.
  const std::vector<neighbor>& neighbors(std::size_t) const;
  /// The points two steps away, one in each switch of the pair, and in no other.
  std::vector<std::size_t> across(std::size_t, const switch_pair&) const;

 private:
  std::vector<point> points_;
  difference differs_in_;
  mutable std::map<std::size_t, std::vector<neighbor>> neighbors_;  ///< that were asked for
};

/// By the values alone, where no switch depends on another.
difference difference_of(const std::vector<point>&);

}  // namespace ablate::search
