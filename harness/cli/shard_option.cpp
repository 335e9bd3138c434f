#include "harness/cli/shard_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/text/bad_input.h"

namespace ablate {

namespace {

constexpr long max_shards = 100'000;

std::optional<long> number_in(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  long value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return value;
}

[[noreturn]] void refuse_shard(const std::string& what) { throw bad_input("--shard", "", what); }

/// A job's index within its array, as its scheduler reports it.
struct array_place {
  const char* scheduler;
  long id;                                    ///< of this job, as the scheduler counts
  std::optional<long> first = {}, step = {};  ///< of the array's ids; 1 each where not said
  std::optional<long> count = {};             ///< of the array's jobs
};

std::optional<array_place> slurm(const environment_lookup& look) {
  if (const auto id = number_in(look("SLURM_ARRAY_TASK_ID")))
    return array_place{"Slurm", *id, number_in(look("SLURM_ARRAY_TASK_MIN")),
                       number_in(look("SLURM_ARRAY_TASK_STEP")), number_in(look("SLURM_ARRAY_TASK_COUNT"))};
  const auto rank = number_in(look("SLURM_PROCID")), tasks = number_in(look("SLURM_NTASKS"));
  if (rank && tasks && *tasks > 1) return array_place{"Slurm", *rank, 0, 1, tasks};
  return std::nullopt;
}

std::optional<array_place> pbs(const environment_lookup& look) {
  for (const char* name : {"PBS_ARRAY_INDEX", "PBS_ARRAYID"})
    if (const auto id = number_in(look(name))) return array_place{"PBS", *id};
  return std::nullopt;
}

std::optional<array_place> lsf(const environment_lookup& look) {
  const auto id = number_in(look("LSB_JOBINDEX"));
  if (!id || *id == 0) return std::nullopt;  // 0: no array
  return array_place{"LSF", *id, 1, number_in(look("LSB_JOBINDEX_STEP")),
                     number_in(look("LSB_JOBINDEX_END"))};
}

std::optional<array_place> kubernetes(const environment_lookup& look) {
  if (const auto id = number_in(look("JOB_COMPLETION_INDEX"))) return array_place{"Kubernetes", *id, 0, 1};
  return std::nullopt;
}

std::optional<array_place> gitlab(const environment_lookup& look) {
  const auto id = number_in(look("CI_NODE_INDEX")), count = number_in(look("CI_NODE_TOTAL"));
  return id && count ? std::optional(array_place{"GitLab", *id, 1, 1, count}) : std::nullopt;
}

array_place find_place(const environment_lookup& look) {
  for (const auto ask : {slurm, pbs, lsf, kubernetes, gitlab})
    if (const auto place = ask(look)) return *place;
  refuse_shard(
      "auto: no scheduler gives this job's index in an array; expected SLURM_ARRAY_TASK_ID, PBS_ARRAY_INDEX, "
      "LSB_JOBINDEX, JOB_COMPLETION_INDEX or CI_NODE_INDEX in the environment, or i/n");
}

shard_place checked_place(long index, long count, const std::string& from) {
  if (count < 1 || count > max_shards || index < 1 || index > count)
    refuse_shard(fmt::format("{}; expected i/n, with i from 1 to n and n at most {}", from, max_shards));
  return {index, count};
}

shard_place of_scheduler(const std::optional<long>& wanted, const environment_lookup& look) {
  const array_place at = find_place(look);
  const auto count = wanted ? wanted : at.count;
  if (!count)
    refuse_shard(
        fmt::format("auto: {} says that this is job {} of an array, but not of how many; expected auto/n",
                    at.scheduler, at.id));
  // A part of the array, submitted again, keeps its ids: those from 1.
  const bool is_whole = !wanted || !at.count || *wanted == *at.count;
  const long first = at.first.value_or(1), step = std::max(1l, at.step.value_or(1));
  const long index = is_whole ? (at.id - first) / step + 1 : at.id;
  return checked_place(index, *count, fmt::format("auto: {} gives {} of {}", at.scheduler, index, *count));
}

}  // namespace

shard_place shard_of(const std::string& text, const environment_lookup& look) {
  const std::size_t slash = text.find('/');
  const std::string index = text.substr(0, slash);
  const auto count =
      slash == std::string::npos ? std::nullopt : number_in(std::optional(text.substr(slash + 1)));
  if (slash != std::string::npos && !count)
    refuse_shard(fmt::format("'{}' is no shard; expected i/n, auto or auto/n", text));
  if (index == "auto") return of_scheduler(count, look);
  const auto number = number_in(std::optional(index));
  if (!number || !count) refuse_shard(fmt::format("'{}' is no shard; expected i/n, auto or auto/n", text));
  return checked_place(*number, *count, fmt::format("'{}' is no shard", text));
}

shard_place shard_of(const std::string& text) {
  return shard_of(text, [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    return value ? std::optional<std::string>(value) : std::nullopt;
  });
}

}  // namespace ablate
