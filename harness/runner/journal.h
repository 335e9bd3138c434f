#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/record/record.h"

namespace ablate {

/// A case of a run, for the record of a run that does not reach it.
struct planned_entry {
  std::string key;
  nlohmann::ordered_json is;         ///< an entry of `unmeasured`, as in journal_contents
  std::optional<long> replica = {};  ///< from 2
};

/// The contents of a journal, as far as it was written. Contexts and cases are JSON, since an older version
/// of this program may have written them: finish_run upgrades them as a whole, and reads them then.
struct journal_contents {
  nlohmann::ordered_json identity;  ///< of the newest run (run_identity.h); null in journals before 1.9
  nlohmann::ordered_json context;   ///< the newest; null if no run got as far as its device
  /// The newest of each specimen (run_identity.h); under "" in journals before 1.12.
  std::map<std::string, nlohmann::ordered_json> contexts;
  std::vector<planned_entry> planned;                     ///< of the newest run
  std::map<std::string, nlohmann::ordered_json> entries;  ///< finished cases, by key
  /// The newest measurement of their influence (neighbors.h), with that at the end of its run.
  std::optional<neighbor_facts> neighbors;

  /// In the newest run; journals before 1.9 do not say what was planned.
  std::size_t ended_cases() const;
  bool is_unfinished() const {
    return !entries.empty() && (planned.empty() || ended_cases() < planned.size());
  }
};

/// The specimen on which a journalled case ended; `otherwise` for one that none has reached, and in journals
/// before 1.12.
std::string specimen_in(const nlohmann::ordered_json& entry, const std::string& otherwise);

/// Reads a journal, and after it those of workers beside it, even while a run is writing them. Skips a line
/// truncated by a kill; throws bad_input for JSON that is not a journal line and for a file that cannot be
/// read.
journal_contents read_journal(const std::filesystem::path&);

/// Where the worker of a specimen journals in a run on several devices: beside the run's `journal`, which
/// holds what earlier runs left, and into which it is taken at the end. So each file has one writer, on
/// network file systems, too, and a kill of any process leaves whole lines.
std::filesystem::path worker_journal(const std::filesystem::path& journal, const std::string& specimen);

/// A JSON Lines file to which a run appends every finished case, so that a killed run loses at most one; each
/// is on disk before the next case begins. Only one run at a time holds it.
class journal {
 public:
  /// Opens `path` for appending and creates it if needed. Throws bad_input if another run holds it or it
  /// cannot be opened.
  explicit journal(const std::filesystem::path&);
  ~journal();
  journal(const journal&) = delete;
  journal& operator=(const journal&) = delete;

  void clear();

  /// Begins a run. Earlier entries for the keys in `again` no longer count.
  void write_begin(const nlohmann::ordered_json& identity, const std::vector<planned_entry>&,
                   const std::set<std::string>& again);
  /// A record's context, with the specimen that it names.
  void write_context(const record&);
  void write_neighbors(const neighbor_facts&);
  void write_neighbors_at_end(const neighbor_facts::ending&);
  /// Throws std::invalid_argument for a non-finite number.
  void write_case(const std::string& key, const case_entry&);

  /// Moves the lines of workers' journals to the end of this one. Throws bad_input if a worker is still
  /// writing.
  void take_in_workers();
  /// The same of one worker whose device is gone; its entries for the keys in `again` no longer count.
  void take_in_worker(const std::string& specimen, const std::set<std::string>& again);

  journal_contents read() const { return read_journal(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  void take_in(const std::filesystem::path& worker, const std::set<std::string>& again);
  void write_whole(const std::string& text);

  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace ablate
