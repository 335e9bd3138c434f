#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "reports/views/case_launches.h"

namespace ablate::reports {

/// A record with its further launches, read from their files. Not copyable: its parts refer to each other.
class launched_record {
 public:
  /// Throws bad_input for what is no record, for a first one whose outputs were not compared, and for a
  /// further one that is no launch of the same suite and build on the same model of device.
  launched_record(const std::filesystem::path& first, const std::vector<std::filesystem::path>& further);
  launched_record(const launched_record&) = delete;

  /// Over all launches (over_launches.h).
  const record& shown() const { return shown_ ? *shown_ : first_; }
  /// Null for one launch.
  std::shared_ptr<const case_launches> launches() const { return launches_; }

 private:
  record first_;
  std::vector<record> further_;
  std::shared_ptr<const case_launches> launches_;
  std::optional<record> shown_;  ///< of several launches
};

}  // namespace ablate::reports
