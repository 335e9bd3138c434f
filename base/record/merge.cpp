#include "base/record/merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/record/case_name.h"
#include "base/record/merge_context.h"
#include "base/record/merge_entries.h"
#include "base/text/bad_input.h"
#include "base/text/names.h"

namespace ablate {
namespace {

/// The place of a part in `context.ablate.parts`.
std::tuple<long, std::string> place_of(const record::part& part) { return {part.shard, part.hash}; }

/// Takes the parts of all, in order; a part that is in several counts once.
std::vector<record::part> all_parts(const std::vector<merge_input>& inputs) {
  std::map<std::tuple<long, std::string>, record::part> parts;
  for (const merge_input& input : inputs)
    for (const record::part& part : input.record.parts) parts.emplace(place_of(part), part);
  std::vector<record::part> out;
  for (auto& [place, part] : parts) out.push_back(std::move(part));
  return out;
}

/// What a context says of when and where, of all parts.
void describe_parts(record& of) {
  std::set<std::string> hosts, specimens, dates;
  for (const record::part& part : of.parts) {
    hosts.insert(part.host_name);
    specimens.insert(part.specimen);
    dates.insert(part.date);
  }
  of.date = *dates.begin();
  of.benchmark.host_name = fmt::format("{}", fmt::join(hosts, ", "));
  if (specimens.size() > 1 && of.device.contains("uuid")) of.device["uuid"] = nullptr;
}

std::vector<std::string> planned_order(const shard_facts& shard, std::vector<std::string> given) {
  for (const auto& [name, of] : shard.cases) given.push_back(name);
  return given;
}

/// The cases of these shards, which nobody measured.
std::vector<unmeasured_case> cases_of(const std::set<long>& missing, const shard_facts& shard) {
  std::vector<unmeasured_case> out;
  for (const auto& [name, of] : shard.cases) {
    if (!missing.contains(of)) continue;
    const case_name_parts parts = parts_of_case_name(name);
    unmeasured_case& absent = out.emplace_back();
    absent.name = name;
    absent.operation = parts.operation;
    absent.variant = parts.variant;
    absent.cache_state = parts.cache_state;
    absent.status = "interrupted";
    absent.reason = fmt::format("in shard {} of {}, whose record is not here", of, shard.count);
    absent.axes.assign(parts.axes.begin(), parts.axes.end());
  }
  return out;
}

constexpr const char* difference_words[] = {"device", "specimen", "workload"};

}  // namespace

const std::vector<std::string>& merge_difference_names() {
  static const std::vector<std::string> names(std::begin(difference_words), std::end(difference_words));
  return names;
}

merge_difference merge_difference_named(const std::string& word) {
  const auto& names = merge_difference_names();
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) throw bad_input("--allow", "", no_such("kind of difference", word, names));
  return static_cast<merge_difference>(found - names.begin());
}

std::string specimen_of(const record& of) {
  if (!of.specimen.empty()) return of.specimen;
  const auto uuid = of.device.find("uuid");
  return uuid != of.device.end() && uuid->is_string() ? uuid->get<std::string>() : of.benchmark.host_name;
}

record merged_record(std::vector<merge_input> inputs, const std::set<merge_difference>& allowed,
                     const std::vector<std::string>& order) {
  for (merge_input& input : inputs) {
    expect_mergeable(input);
    make_part(input.record);
  }
  // The first part of all gives what is free to differ: the host, its load, the command.
  std::stable_sort(inputs.begin(), inputs.end(), [](const merge_input& a, const merge_input& b) {
    return place_of(a.record.parts.front()) < place_of(b.record.parts.front());
  });
  merge_input merged = inputs.front();
  merged_entries entries;
  for (const merge_input& input : inputs) {
    merge_contexts(merged, input, allowed);
    entries.add(input);
  }
  record& out = merged.record;
  if (!allowed.contains(merge_difference::workload)) entries.expect_one_input_a_workload();
  if (!allowed.contains(merge_difference::specimen)) entries.expect_whole_bundles(out);
  out.parts = all_parts(inputs);
  describe_parts(out);
  entries.write_to(out, planned_order(*out.shard, order));
  return std::move(out);
}

record whole_record(record merged, bool partial, const std::string& file) {
  shard_facts& shard = *merged.shard;
  std::set<long> missing;
  for (long i = 1; i <= shard.count; ++i) missing.insert(i);
  for (const record::part& part : merged.parts) missing.erase(part.shard);
  if (missing.empty()) {
    shard.cases.clear();
    return merged;
  }
  if (!partial)
    throw bad_input(file, "/context/ablate/shard",
                    fmt::format("expected all of {} shards, missing {} (--partial enters their cases as "
                                "interrupted)",
                                shard.count, fmt::join(missing, ", ")));
  merged_entries entries;
  entries.add({file, merged});
  merge_input absent{file, {}};
  absent.record.unmeasured = cases_of(missing, shard);
  entries.add(absent);
  entries.write_to(merged, planned_order(shard, {}));
  return merged;
}

}  // namespace ablate
