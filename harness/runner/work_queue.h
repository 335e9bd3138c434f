#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/runner/keyed_case.h"

namespace ablate {

/// What one device runs without interruption: a bundle, the calibrations of a device, or a whole run.
struct work_package {
  std::vector<std::size_t> cases;    ///< all of it, numbers of cases of the run, in order
  std::vector<std::size_t> pending;  ///< of those, the ones to run
  std::string specimen;              ///< the only one that may run it; empty: any
  bool moves = true;                 ///< whether another may run it, from its first case, if that one is lost
  std::size_t bundle = 0;
  double seconds = 0;  ///< as planned, of the pending cases
};

/// The packages of a run on several devices: the calibrations of each, and the bundles.
std::vector<work_package> bundle_packages(const std::vector<keyed_case>&);
/// The same of a run on one: all that is to be run, in order.
std::vector<work_package> one_package(const std::vector<keyed_case>&);

/// Hands out packages: first those that only the asking device may run, in order, then the longest one. Of
/// the replicas of a bundle, no device gets two.
class work_queue {
 public:
  explicit work_queue(std::vector<work_package>);

  /// The number of the next package for this device; nothing if there is none now.
  std::optional<std::size_t> next(const std::string& specimen);
  /// Whether `next` would give one.
  bool has_next(const std::string& specimen) const;
  /// Whether it would be one that no other device may run.
  bool has_own_next(const std::string& specimen) const;
  const work_package& at(std::size_t package) const { return packages_.at(package); }

  /// A device is gone: the package that it had begun, if any, and those that wait for it go to others, from
  /// their first cases. Gives the cases that must begin again.
  std::vector<std::size_t> lose(const std::string& specimen, std::optional<std::size_t> begun);

  bool is_empty() const { return waiting_.empty(); }

 private:
  std::optional<std::size_t> find(const std::string& specimen) const;

  std::vector<work_package> packages_;
  std::vector<std::size_t> waiting_;  ///< longest first
  std::map<std::size_t, std::set<std::string>> specimens_of_bundle_;
};

}  // namespace ablate
