#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ablate {

/// A group of metrics that a user names, for one silicon; how many passes it takes is not known yet.
struct named_metrics {
  std::string name;
  std::string purpose;
  std::vector<std::string> metrics;
};

/// Reads a user's file of groups (docs/counters.md): those that have metrics on this silicon. Throws
/// bad_input, with the place; also for a name that the program's own groups or sets have.
std::vector<named_metrics> read_metric_groups(const std::filesystem::path&, const std::string& silicon);

}  // namespace ablate
