#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace ablate {

/// What a journal holds: the newest context, and for each key the entry of a case that ended.
struct journal_contents {
  nlohmann::ordered_json context;
  std::map<std::string, nlohmann::ordered_json> entries;
};

/// The file of JSON Lines that a run appends every finished case to, so that a killed run loses one case at
/// most. One run at a time holds it.
class journal {
 public:
  /// Opens `path`; empties it unless `keep`. Throws bad_input when another run holds it, or it cannot be
  /// opened.
  journal(const std::filesystem::path&, bool keep);
  ~journal();
  journal(const journal&) = delete;
  journal& operator=(const journal&) = delete;

  void write_context(const nlohmann::ordered_json&);
  /// `entry` is a benchmarks entry, or an unmeasured one (the one has `time_us`).
  void write_case(const std::string& key, const nlohmann::ordered_json& entry);

  /// Everything written so far. A line that a kill cut short is passed over; JSON that is no line of a
  /// journal is bad_input.
  journal_contents read() const;

 private:
  void append(const nlohmann::ordered_json& line);

  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace ablate
