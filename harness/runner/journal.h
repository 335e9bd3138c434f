#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace ablate {

/// What a journal holds, as far as it was written.
struct journal_contents {
  nlohmann::ordered_json identity;  ///< of the newest run (run_identity.h); null in a journal of before 1.9
  nlohmann::ordered_json context;   ///< the newest; null where no run came as far as its device
  /// Of the newest run: {key, case}, the case as an unmeasured entry to stand where it was not reached.
  std::vector<nlohmann::ordered_json> planned;
  std::map<std::string, nlohmann::ordered_json> entries;  ///< by key, of the cases that ended

  /// Of the newest run; a journal of before 1.9 does not say what was planned.
  std::size_t ended_cases() const;
  bool is_unfinished() const {
    return !entries.empty() && (planned.empty() || ended_cases() < planned.size());
  }
};

/// Reads a journal, also one that a run is writing. A line that a kill cut short is passed over; JSON that is
/// no line of a journal is bad_input, as is a file that cannot be read.
journal_contents read_journal(const std::filesystem::path&);

/// The file of JSON Lines that a run appends every finished case to, so that a killed run loses one case at
/// most; each is on the disk before the next case begins. One run at a time holds it.
class journal {
 public:
  /// Opens `path` to go on with it; makes it where it is not there. Throws bad_input when another run holds
  /// it, or it cannot be opened.
  explicit journal(const std::filesystem::path&);
  ~journal();
  journal(const journal&) = delete;
  journal& operator=(const journal&) = delete;

  void clear();

  /// Begins a run. What earlier ones left of the keys `again` no longer counts.
  void write_begin(const nlohmann::ordered_json& identity, const nlohmann::ordered_json& planned,
                   const std::set<std::string>& again);
  void write_context(const nlohmann::ordered_json&);
  /// `entry` is a benchmarks entry, or an unmeasured one (the one has `time_us`). Throws
  /// std::invalid_argument for a number that is not finite.
  void write_case(const std::string& key, const nlohmann::ordered_json& entry);

  journal_contents read() const { return read_journal(path_); }

 private:
  void append(const nlohmann::ordered_json& line);
  void write_whole(const std::string& text);

  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace ablate
