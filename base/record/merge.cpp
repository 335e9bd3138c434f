#include "base/record/merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "base/record/case_json.h"
#include "base/record/case_name.h"
#include "base/record/merge_context.h"
#include "base/record/merge_entries.h"
#include "base/text/bad_input.h"
#include "base/text/names.h"

namespace ablate {
namespace {

using nlohmann::ordered_json;

/// The place of a part in `context.ablate.parts`.
std::tuple<long, std::string> place_of(const ordered_json& part) {
  return {part.at("shard").get<long>(), part.at("hash").get<std::string>()};
}

const ordered_json& parts_of(const ordered_json& record) {
  return record.at("context").at("ablate").at("parts");
}

/// Takes the parts of all, in order; a part that is in several counts once.
ordered_json all_parts(const std::vector<merge_input>& inputs) {
  std::map<std::tuple<long, std::string>, ordered_json> parts;
  for (const merge_input& input : inputs)
    for (const ordered_json& part : parts_of(input.record)) parts.emplace(place_of(part), part);
  ordered_json out = ordered_json::array();
  for (auto& [place, part] : parts) out.push_back(std::move(part));
  return out;
}

/// What a context says of when and where, of all parts.
void describe_parts(ordered_json& context) {
  std::set<std::string> hosts, specimens;
  std::optional<std::string> date;
  for (const ordered_json& part : context["ablate"]["parts"]) {
    hosts.insert(part.at("host_name").get<std::string>());
    specimens.insert(part.at("specimen").get<std::string>());
    const auto begun = part.at("date").get<std::string>();
    date = std::min(date.value_or(begun), begun);
  }
  context["date"] = date.value_or("");
  context["host_name"] = fmt::format("{}", fmt::join(hosts, ", "));
  ordered_json& device = context["ablate"]["device"];
  if (specimens.size() > 1 && device.contains("uuid")) device["uuid"] = nullptr;
}

std::vector<std::string> planned_order(const ordered_json& shard, const std::vector<std::string>& given) {
  std::vector<std::string> out = given;
  if (const auto cases = shard.find("cases"); cases != shard.end())
    for (const auto& [name, of] : cases->items()) out.push_back(name);
  return out;
}

/// The cases of these shards, which nobody measured.
ordered_json cases_of(const std::set<long>& missing, const ordered_json& shard) {
  ordered_json out = ordered_json::array();
  if (!shard.contains("cases")) return out;
  for (const auto& [name, of] : shard["cases"].items()) {
    if (!missing.contains(of.get<long>())) continue;
    const case_name_parts parts = parts_of_case_name(name);
    unmeasured_case absent;
    absent.name = name;
    absent.operation = parts.operation;
    absent.variant = parts.variant;
    absent.cache_state = parts.cache_state;
    absent.status = "interrupted";
    absent.reason = fmt::format("in shard {} of {}, whose record is not here", of.get<long>(),
                                shard.at("count").get<long>());
    absent.axes.assign(parts.axes.begin(), parts.axes.end());
    out.push_back(to_json(absent));
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

std::string specimen_of(const ordered_json& record) {
  const ordered_json& context = record.at("context");
  const ordered_json& facts = context.at("ablate");
  if (facts.contains("specimen")) return facts["specimen"].get<std::string>();
  const auto uuid = facts.at("device").find("uuid");
  if (uuid != facts.at("device").end() && uuid->is_string()) return uuid->get<std::string>();
  return context.at("host_name").get<std::string>();
}

ordered_json merged_record(std::vector<merge_input> inputs, const std::set<merge_difference>& allowed,
                           const std::vector<std::string>& order) {
  for (merge_input& input : inputs) {
    expect_mergeable(input);
    make_part(input.record);
  }
  // The first part of all gives what is free to differ: the host, its load, the command.
  std::stable_sort(inputs.begin(), inputs.end(), [](const merge_input& a, const merge_input& b) {
    return place_of(parts_of(a.record).at(0)) < place_of(parts_of(b.record).at(0));
  });
  merge_input merged = inputs.front();
  merged_entries entries;
  for (const merge_input& input : inputs) {
    merge_contexts(merged, input, allowed);
    entries.add(input);
  }
  ordered_json& context = merged.record["context"];
  if (!allowed.contains(merge_difference::workload)) entries.expect_one_input_a_workload();
  if (!allowed.contains(merge_difference::specimen)) entries.expect_whole_bundles(context["ablate"]);
  context["ablate"]["parts"] = all_parts(inputs);
  describe_parts(context);
  entries.write_to(merged.record, planned_order(context["ablate"]["shard"], order));
  return merged.record;
}

ordered_json whole_record(ordered_json merged, bool partial, const std::string& file) {
  ordered_json& shard = merged["context"]["ablate"]["shard"];
  const long count = shard.at("count").get<long>();
  std::set<long> missing;
  for (long i = 1; i <= count; ++i) missing.insert(i);
  for (const ordered_json& part : parts_of(merged)) missing.erase(part.at("shard").get<long>());
  if (missing.empty()) {
    shard.erase("cases");
    return merged;
  }
  if (!partial)
    throw bad_input(file, "/context/ablate/shard",
                    fmt::format("expected all of {} shards, missing {} (--partial enters their cases as "
                                "interrupted)",
                                count, fmt::join(missing, ", ")));
  merged_entries entries;
  entries.add(merge_input{file, merged});
  const ordered_json absent = {{"benchmarks", ordered_json::array()},
                               {"unmeasured", cases_of(missing, shard)}};
  entries.add(merge_input{file, absent});
  entries.write_to(merged, planned_order(shard, {}));
  return merged;
}

}  // namespace ablate
