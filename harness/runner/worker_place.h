#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/record/record.h"
#include "harness/runner/device_turns.h"
#include "harness/runner/keyed_case.h"
#include "harness/runner/worker_progress.h"
#include "harness/suite/suite.h"

namespace ablate {

/// What all workers of a run have in common.
struct run_facts {
  const std::vector<keyed_case>& cases;  ///< of the run: orders name their numbers
  std::size_t total = 0;                 ///< cases of the run, for the progress line
  const suite& from;
  const input_library& inputs;
  const record& context;                    ///< a record without cases and what the device knows
  std::set<std::string> counter_sets;       ///< of all the plan's cases
  std::vector<std::string> specimens = {};  ///< of all workers
  double planned_seconds = 0;               ///< of the cases to run
  double long_bundle_seconds = 0;           ///< run.h
  long long began_ns = 0;                   ///< steady clock
};

/// One worker among those of its run.
struct worker_place {
  std::size_t number = 0;
  std::span<worker_progress> all;
  std::string specimen;                          ///< run_identity.h
  std::string name;                              ///< of its device in messages; empty in a run on one
  std::optional<worker_facts::bound_cpus> cpus;  ///< to which it is bound
  neighbor_board* neighbors = nullptr;           ///< null in a run on one device, as the turns
  const device_turns* turns = nullptr;

  worker_progress& progress() const { return all[number]; }
};

}  // namespace ablate
