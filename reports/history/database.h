#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/record/record.h"

namespace ablate::history {

/// A case's median in one record.
struct night {
  std::string date, commit;  ///< as in the record; commit is empty if the build did not know it
  bool dirty = false;        ///< the sources differed from the commit
  std::string suite, specimen, driver;
  double median_us = 0, ci95_low_us = 0, ci95_high_us = 0;
  std::int64_t record = 0;  ///< which one of the history's
};

/// A record of the history, whatever it measured.
struct recorded_night {
  std::int64_t record = 0;
  std::string fingerprint, suite;
  std::string date, commit;  ///< as in night
  bool dirty = false;
  std::set<std::string> kinds = {};  ///< of its specimens, as in series
};

/// "0123456789", with a plus if the sources differed from the commit; "unknown" for an empty one.
std::string commit_text(const std::string& commit, bool dirty);

/// One case on one kind of device, timed by one method with one input, by date.
struct series {
  std::string device, fingerprint;  ///< name, and everything that is constant in the series
  /// Equal devices may be of several kinds, which the calibrations in the history tell apart as `compare
  /// --across` does (A, B, …, or ? for a device without the calibration that tells); empty where there is one
  /// kind.
  std::string kind;
  std::string case_name, operation, variant, cache_state, method;
  std::string input_hash, seed;
  std::vector<night> nights;

  std::string device_text() const { return kind.empty() ? device : device + " of kind " + kind; }
};

/// Past records in an SQLite file. Several processes may add at once; one that is killed leaves the records
/// it had added, each whole or not at all.
///
/// Every member throws bad_input, one line, for a file that is not a database, belongs to another program or
/// is damaged, and in a build without SQLite; std::runtime_error if another writer holds it for half a minute
/// or the disk fails.
class database {
 public:
  /// Opens a history, creating it if necessary.
  static database open_for_adding(const std::filesystem::path&);
  /// Opens an existing history.
  static database open(const std::filesystem::path&);
  database(database&&) noexcept;
  database& operator=(database&&) noexcept;
  ~database();

  /// Adds a record of any schema that read_record understands. False if it was added before.
  bool add(const std::filesystem::path& record_file);

  std::size_t record_count();
  /// All records by date.
  std::vector<recorded_night> records();
  /// All series, by device, case, method and input.
  std::vector<series> all_series();
  /// The series of a record's device and cases, in the order of its cases. Its own calibrations help to tell
  /// the kinds.
  std::vector<series> series_of(const record&);

 private:
  struct connection;
  explicit database(std::unique_ptr<connection>);
  std::unique_ptr<connection> connection_;
};

}  // namespace ablate::history
