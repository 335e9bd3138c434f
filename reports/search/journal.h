#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/search/observations.h"
#include "reports/search/space.h"

namespace ablate::search {

/// Points measured together, as they ended.
struct journalled_batch {
  std::size_t launch;
  std::vector<answer> answers;
  double seconds;  ///< that it took
};

/// What a search measured, a line for each batch that ended: `search.jsonl` beside its record. A search that
/// is started again takes its answers from here.
class search_journal {
 public:
  /// Opens the file of a search with this identity, a JSON object. Of an earlier search it has the batches.
  /// Throws bad_input where there is one and `resume` is not set, where it has another identity, or where it
  /// is no such journal. A last line that a kill cut short is dropped.
  search_journal(std::filesystem::path, const nlohmann::ordered_json& identity, const space&, bool resume);
  ~search_journal();
  search_journal(const search_journal&) = delete;
  search_journal& operator=(const search_journal&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const std::vector<journalled_batch>& batches() const { return batches_; }
  /// On the disk when it returns.
  void add(const journalled_batch&);

 private:
  /// Whether it has a line.
  bool read(const nlohmann::ordered_json& identity, const space&);

  std::filesystem::path path_;
  const space& of_;
  std::vector<journalled_batch> batches_;
  int file_ = -1;
};

}  // namespace ablate::search
