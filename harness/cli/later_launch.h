#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/runner/run.h"

namespace ablate {

using run_one_launch = std::function<int(const suite&, const run_options&)>;

/// Until the system's clock shows another second: records of launches on one GPU are told apart by the second
/// in which they began.
void wait_for_another_second();

/// The suite as a later launch times it: without counters, energy and pictures.
suite timed_only(suite);

/// A launch of a suite after its first one, which checked all cases: it only times them, in an order of its
/// own.
class later_launch {
 public:
  /// `first`: how the first launch was run. `launch` counts from 2.
  later_launch(const suite& timed, const run_options& first, long launch);

  const std::filesystem::path& record() const { return record_; }  ///< record-02.json beside the first one
  bool has_ended() const { return std::filesystem::exists(record_); }
  /// Runs the cases with these ids, all without any. Where the first launch was resumed, so is one of this
  /// number that did not end. Returns what `run` does, and leaves the record in a folder of its own.
  int run(const std::vector<std::string>& only, const std::string& notice, const run_one_launch& run,
          const std::function<void()>& wait) const;
  /// Puts the record beside that of the first launch.
  void keep_record() const;

 private:
  const suite& timed_;
  run_options options_;
  std::filesystem::path record_;
};

}  // namespace ablate
