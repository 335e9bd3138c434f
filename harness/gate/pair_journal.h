#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/gate/launch.h"

namespace ablate::gate {

/// Two launches that followed each other.
struct launched_pair {
  std::size_t number = 0;  ///< from 1, over all phases
  std::string label;       ///< "0007-confirm"
  bool baseline_first = true;
  double seconds = 0;
  launch baseline, candidate;
  /// The two-sided p of the Mann-Whitney test on the samples of these two launches alone, by case: what the
  /// usual gate would have said.
  std::map<std::string, double> single_launch_p;
};

/// The JSON Lines that a gate writes every pair to as it ends, and onto the disk, so that a killed gate, or
/// machine, loses the pair under way and no more. The first line says of which gate they are.
class pair_journal {
 public:
  /// Empties the file unless `resume`. Throws bad_input when it is of another gate (`of` differs), or it
  /// cannot be written.
  pair_journal(const std::filesystem::path&, const nlohmann::ordered_json& of, bool resume);
  pair_journal(const pair_journal&) = delete;
  ~pair_journal();

  /// Null where the journal has no such pair.
  const launched_pair* find(std::size_t number) const;
  void add(const launched_pair&);
  double seconds() const;  ///< of what it held when it was opened

 private:
  void append(const nlohmann::ordered_json& line);
  void read(const nlohmann::ordered_json& of);

  std::filesystem::path path_;
  int file_ = -1;
  bool is_empty_ = true;
  std::map<std::size_t, launched_pair> known_;
};

}  // namespace ablate::gate
