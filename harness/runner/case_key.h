#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/suite/suite.h"

namespace ablate {

/// The keys under which a journal has the cases of one suite: equal where a journalled case may stand for one
/// of this run. They tell the case, its input (the seed, and the bytes of the point files that it names) and
/// how it is sampled and profiled; what a whole run shares stands in the journal once (run_identity.h).
class case_keys {
 public:
  /// Reads the suite's point files, as far as they are there.
  case_keys(const suite&, const std::vector<std::filesystem::path>& data_directories);

  std::string of(const suite_case&) const;

 private:
  /// The point files that a case's axes name, with the hash of what they hold.
  std::string files_of(const suite_case&) const;

  const suite& suite_;
  std::map<std::string, std::string> hash_by_file_;
};

}  // namespace ablate
