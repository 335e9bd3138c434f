#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/record/counter_definitions.h"

namespace ablate {

/// The counters collected in one pass, per silicon (metric_groups.json).
struct counter_group {
  enum class profiler { range, pm_sampling };

  std::string name;
  std::string purpose;
  profiler how = profiler::range;
  std::map<std::string, std::vector<std::string>>
      metrics;             ///< by silicon; none if the group does not exist there
  bool asked_for = false;  ///< by the user of this run, not of the data file

  /// Empty if the group does not exist on that silicon.
  const std::vector<std::string>& metrics_on(const std::string& silicon) const;
};

/// Groups that are chosen together; a case's set is collected one group at a time, one launch each.
struct counter_set {
  std::string name;
  std::string purpose;
  std::vector<const counter_group*> groups;
};

/// The data file, embedded in the program, and what was added to it.
struct counter_catalog {
  std::vector<std::string> silicon;
  std::deque<counter_group> groups;  ///< sets point into it
  std::vector<counter_set> sets;
  counter_definitions metrics;
  std::vector<std::pair<std::string, std::string>> timeline;  ///< key of a record's timeline, metric
  std::vector<std::pair<std::string, std::string>>
      sampled;  ///< key of a record's `sampled`, metric; SM active first
};

/// Throws std::logic_error when the data file contradicts itself.
counter_catalog parse_counter_catalog(std::string_view json);
const counter_catalog& counters();

/// Groups beyond those of the data file, for this process and those that it forks: from now on they are
/// chosen by their names. A metric that the data file does not define is shown by its name. Throws
/// std::invalid_argument if a name is taken.
void add_counter_groups(const std::vector<counter_group>&);

/// The name for no counters.
inline constexpr std::string_view no_counters = "none";

/// "none" and the names of all sets.
std::vector<std::string> counter_set_names();

/// The groups that `choice` names: none, a set, a group, or several of these separated by commas; each
/// group once. Throws std::invalid_argument saying what was expected.
std::vector<const counter_group*> chosen_groups(std::string_view choice);

/// Those that exist on this silicon.
std::vector<const counter_group*> chosen_groups(std::string_view choice, const std::string& silicon);

}  // namespace ablate
