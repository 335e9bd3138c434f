#include "harness/runner/plan_shards.h"

#include "harness/inputs/input_library.h"
#include "harness/runner/case_key.h"

namespace ablate {

shard_plan plan_shards(const suite& from, const target& on, const chip& planned_for,
                       const shard_request& wanted) {
  const input_library inputs(from.seed, from.point_files, wanted.data_directories);
  const std::vector<suite_case> cases = expand(from, on, inputs, wanted.filter);
  return divided(cases, from, shard_seconds(cases, inputs, planned_for, from.sampling, wanted.durations),
                 wanted.count, from.hash + "|" + case_keys(from, wanted.data_directories).all_files());
}

}  // namespace ablate
