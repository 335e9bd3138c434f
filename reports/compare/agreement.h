#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "reports/compare/comparison.h"

namespace ablate::compare {

/// Collects the differences between two sides, so that one line can report them all.
class disagreements {
 public:
  explicit disagreements(const std::set<agreement>& allowed) : allowed_(allowed) {}

  /// `what` is one line that names both values.
  void add(agreement, const std::string& what);
  bool allows(agreement kind) const { return allowed_.contains(kind); }

  /// Throws bad_input for `file` if a difference was added that is not allowed.
  void refuse(const std::string& file) const;
  /// The allowed differences, one per line.
  std::vector<std::string> notes() const;

 private:
  struct found {
    std::string first;
    std::size_t count = 0;
  };
  std::set<agreement> allowed_;
  std::map<agreement, found> found_;
};

/// Throws bad_input unless all records of one side are of one build on one device with one seed.
void check_side(const std::vector<record>&);

/// Device, specimen and seed.
void compare_contexts(const record& baseline, const record& candidate, disagreements&);

/// Differences worth a line that forbid nothing: drivers, toolkits, compilers, suites, rivals.
std::vector<std::string> notes_of(const record& baseline, const record& candidate);

}  // namespace ablate::compare
