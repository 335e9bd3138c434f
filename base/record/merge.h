#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/record/record.h"

namespace ablate {

/// A record to be merged with others, with the names that its file has; `file` is for messages.
struct merge_input {
  std::string file;
  ablate::record record;
};

/// From a record's JSON as parse_record_as_written (record_file.h) gives it. Throws bad_input for what is no
/// record, and naming its place for what a merge would lose: a key that this version does not know, or a
/// value other than follows from the rest.
merge_input read_merge_input(const nlohmann::ordered_json&, const std::string& file);

/// What records to be merged may differ in if that is asked for.
enum class merge_difference {
  device,    ///< power cap, ECC, MIG, driver, CUDA: null in the result where they differ
  specimen,  ///< the cases of one bundle were measured on several GPUs
  workload   ///< one workload was made with several inputs
};
const std::vector<std::string>& merge_difference_names();
/// Throws bad_input with the nearest name.
merge_difference merge_difference_named(const std::string&);

/// The GPU of a record of one, by its UUID; on the host, the host's name.
std::string specimen_of(const record&);

/// One record of all that the inputs measured, the same to the byte whatever their order and number of
/// mentions, and whichever of them were merged before. Each case is from the one input that has it; of each
/// calibration, which every shard repeats, the fastest counts, so the ceilings are the best of all GPUs,
/// while the floors of a case stay those of its own. `context.ablate.parts` names the runs. Cases are in the
/// order of the plan where an input knows it, else as `order` or the inputs have them.
///
/// Throws bad_input naming the file, the JSON pointer and what was expected: unless all inputs are of one
/// suite, seed, plan, build, kind of device and settings, if a case is in two of them with different
/// contents, if its outputs were not checked, or if a bundle or a workload is divided (see merge_difference).
record merged_record(std::vector<merge_input>, const std::set<merge_difference>& allowed = {},
                     const std::vector<std::string>& order = {});

/// What merged_record gave, as a record of a whole run. Where shards are missing: throws bad_input for
/// `file`, or if `partial`, enters their cases as interrupted.
record whole_record(record merged, bool partial, const std::string& file);

}  // namespace ablate
