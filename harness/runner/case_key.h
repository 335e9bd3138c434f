#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/suite/suite.h"

namespace ablate {

/// The keys of one suite's cases in a journal: equal if a journalled case can be reused for one of this run.
/// They cover the case, its input (the seed, and the bytes of the point files it names), what was set from
/// outside of the suite, and how the case is sampled and profiled; whatever a whole run shares is in the
/// journal once (run_identity.h).
class case_keys {
 public:
  /// Reads the suite's point files, those that exist.
  case_keys(const suite&, const std::vector<std::filesystem::path>& data_directories);

  /// A calibration is what one GPU reaches, so its key names the specimen.
  std::string of(const suite_case&, const std::string& specimen, long replica = 1) const;

  /// The point files' names with the hashes of their contents.
  std::string all_files() const;

 private:
  /// The point files named by a case's axes, with the hashes of their contents.
  std::string files_of(const suite_case&) const;

  const suite& suite_;
  std::map<std::string, std::string> hash_by_file_;
};

}  // namespace ablate
