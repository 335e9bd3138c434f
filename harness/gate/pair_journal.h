#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/gate/launch.h"

namespace ablate::gate {

/// Two consecutive launches.
struct launched_pair {
  std::size_t number = 0;  ///< from 1, across all phases
  std::string label;       ///< "0007-confirm"
  bool baseline_first = true;
  double seconds = 0;
  launch baseline, candidate;
  /// Two-sided Mann-Whitney p-value on the samples of these two launches alone, by case: what a conventional
  /// gate would have used.
  std::map<std::string, double> single_launch_p;
};

/// A JSON Lines file that takes each pair as it ends, flushed to disk, so that killing the gate or the
/// machine loses only the pair in progress. The first line identifies the gate.
class pair_journal {
 public:
  /// Truncates the file unless `resume`. Throws bad_input if it belongs to another gate (`of` differs) or
  /// cannot be written.
  pair_journal(const std::filesystem::path&, const nlohmann::ordered_json& of, bool resume);
  pair_journal(const pair_journal&) = delete;
  ~pair_journal();

  /// Null if the journal has no such pair.
  const launched_pair* find(std::size_t number) const;
  void add(const launched_pair&);
  double seconds() const;  ///< total of the pairs it held when opened

 private:
  void append(const nlohmann::ordered_json& line);
  void read(const nlohmann::ordered_json& of);

  std::filesystem::path path_;
  int file_ = -1;
  bool is_empty_ = true;
  std::map<std::size_t, launched_pair> known_;
};

}  // namespace ablate::gate
