#include "harness/runner/case_key.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <vector>

#include "harness/counters/metric_groups.h"
#include "harness/inputs/clouds.h"
#include "harness/registry/outside_code.h"
#include "harness/suite/override.h"

namespace ablate {
namespace {

std::string hash_of_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> part(1 << 20);
  std::string hashes;
  while (file.read(part.data(), static_cast<std::streamsize>(part.size())) || file.gcount() > 0)
    hashes += hash_hex(part.data(), static_cast<std::size_t>(file.gcount()));
  return hash_hex(hashes.data(), hashes.size());
}

std::string hash_of(const std::string& name, const point_file& file,
                    const std::vector<std::filesystem::path>& data_directories) {
  try {
    return hash_of_bytes(locate_point_file(name, file, data_directories));
  } catch (const input_missing&) {
    return "missing";
  }
}

/// A cloud is named after the file; a scene of its voxels, after the file and the cell size: NAME_10cm.
bool names_file(const std::string& word, const std::string& file) {
  return word == file || word.starts_with(file + "_");
}

}  // namespace

case_keys::case_keys(const suite& from, const std::vector<std::filesystem::path>& data_directories)
    : suite_(from) {
  for (const auto& [name, file] : from.point_files)
    hash_by_file_[name] =
        fmt::format("{}:{}:{}", hash_of(name, file, data_directories), file.floats_per_point, file.sweeps);
}

std::string case_keys::files_of(const suite_case& c) const {
  std::string out;
  for (const auto& [name, hash] : hash_by_file_)
    if (std::any_of(c.axes.begin(), c.axes.end(),
                    [&file = name](const auto& value) { return names_file(value.second, file); }))
      out += fmt::format("{}={},", name, hash);
  return out;
}

std::string case_keys::all_files() const {
  std::string out;
  for (const auto& [name, hash] : hash_by_file_) out += fmt::format("{}={},", name, hash);
  return out;
}

std::string case_keys::of(const suite_case& c, const std::string& specimen, long replica) const {
  const sampling& s = suite_.sampling;
  const observations wanted = c.protocol.wanted();
  std::string all = fmt::format(
      "{}|{}|{}|{},{},{},{}|{}|{}|{}|{}|{}|{}", c.id, suite_.seed, files_of(c), s.minimum_samples,
      s.maximum_samples, s.half_width, s.maximum_seconds, wanted.counters, wanted.timeline, wanted.picture,
      c.protocol.takes_times_alone(), c.protocol.injected_delay_pct, c.protocol.steady_clock_s);
  if (wanted.sampled) all += "|sampled";
  if (wanted.energy) all += "|energy";
  if (!suite_.overrides.empty()) all += "|" + override_text(suite_.overrides);
  // What the program's own groups hold is settled by its sources.
  for (const counter_group* group : chosen_groups(wanted.counters))
    if (group->asked_for)
      for (const auto& [silicon, metrics] : group->metrics)
        all += fmt::format("|{}:{}", group->name, fmt::join(metrics, ","));
  // What was not built into the program is not settled by its sources.
  if (const outside_code* code = find_outside_code(c.operation->name)) all += "|" + code->hash;
  if (!c.ceiling.empty()) all += "|" + specimen;
  if (replica > 1) all += fmt::format("|replica {}", replica);
  return hash_hex(all.data(), all.size());
}

}  // namespace ablate
