#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ablate {

/// What a suite's jobs under Slurm need to know.
struct slurm_request {
  std::filesystem::path program;       ///< absolute, as are all paths
  std::filesystem::path out;           ///< of scripts, logs and records
  std::vector<std::string> run_words;  ///< what follows `ablate run`: the suite and its options
  std::string name;                    ///< of the jobs
  long shards = 1;
  long gpus_per_node = 1;
  std::string constraint;  ///< of nodes; may be empty
  long shard_minutes = 30;
  std::vector<std::string> site_options;  ///< of sbatch, for both jobs
};

/// One task of an array: runs its shard, resumes after a requeue, and requests one when told to stop, at most
/// three times.
std::string shard_script(const slurm_request&);

/// Runs when all tasks have ended, however they did: merges the records and reports on them.
std::string merge_script(const slurm_request&);

/// Submits both.
std::string submit_script(const slurm_request&);

}  // namespace ablate
