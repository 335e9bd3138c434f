#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/record/merge.h"

namespace ablate {

/// The entries of `benchmarks` and `unmeasured` of several records, one a case.
class merged_entries {
 public:
  /// Throws bad_input for a case already added with other contents, and for an unchecked one.
  void add(const merge_input&);

  /// Throws bad_input if the cases of one bundle were measured on several specimens. The record's suite and
  /// settings say what a bundle is.
  void expect_whole_bundles(const record&) const;
  /// Throws bad_input if one workload was made with several inputs.
  void expect_one_input_a_workload() const;

  /// Puts them into `benchmarks` and `unmeasured` of a record: those in `order` first, then the others as
  /// they were added.
  void write_to(record&, const std::vector<std::string>& order) const;

 private:
  struct placed_entry {
    case_entry entry;
    std::string file, pointer;
    std::string specimen = {};  ///< its own or its record's, as for a rival's; empty: unknown
  };
  void add(placed_entry);

  std::vector<std::string> names_;  ///< in the order of adding
  std::map<std::string, placed_entry> entries_;
};

}  // namespace ablate
