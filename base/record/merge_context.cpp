#include "base/record/merge_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/record/identity.h"
#include "base/record/upgrade.h"
#include "base/text/bad_input.h"
#include "base/text/json_place.h"
#include "base/text/json_text.h"

namespace ablate {
namespace {

using nlohmann::ordered_json;
using reports::child_pointer;
using reports::json_place;

const std::string facts_pointer = "/context/ablate";

/// What all parts of a record have in common of how the program was built.
constexpr const char* build_keys[] = {"version",       "source_hash",        "compiler",
                                      "cuda_compiler", "cuda_architectures", "build_type"};

struct difference {
  std::string pointer;
  ordered_json wanted, found;
};

/// The first place where two values differ; nothing if they are alike.
std::optional<difference> first_difference(const ordered_json& wanted, const ordered_json& found,
                                           const std::string& pointer) {
  if (wanted == found) return std::nullopt;
  if (wanted.is_object() && found.is_object())
    for (const auto& [key, value] : wanted.items()) {
      const std::string place = child_pointer(pointer, key);
      if (!found.contains(key)) return difference{place, value, nullptr};
      if (auto inner = first_difference(value, found[key], place)) return inner;
    }
  if (wanted.is_array() && found.is_array())
    for (std::size_t i = 0; i < std::min(wanted.size(), found.size()); ++i)
      if (auto inner = first_difference(wanted[i], found[i], fmt::format("{}/{}", pointer, i))) return inner;
  return difference{pointer, wanted, found};
}

std::string shown(const ordered_json& value) {
  constexpr std::size_t longest = 80;
  std::string text = value.is_string() ? value.get<std::string>() : reports::json_text(value);
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  return text;
}

[[noreturn]] void refuse(const difference& at, const std::string& file, const std::string& like,
                         const char* allowing = "") {
  throw bad_input(
      file, at.pointer,
      fmt::format("expected {} as in {}, found {}{}", shown(at.wanted), like, shown(at.found), allowing));
}

void expect_alike(const merge_input& a, const merge_input& b, const ordered_json& in_a,
                  const ordered_json& in_b, const std::string& pointer) {
  if (const auto at = first_difference(in_a, in_b, pointer)) refuse(*at, b.file, a.file);
}

/// Of a GPU that may be another one of its kind.
void merge_devices(merge_input& a, const merge_input& b, bool may_differ) {
  ordered_json& ours = a.record["context"]["ablate"]["device"];
  const ordered_json& theirs = b.record["context"]["ablate"]["device"];
  const std::string pointer = facts_pointer + "/device";
  for (const char* key :
       {"kind", "name", "architecture", "compute_capability", "multiprocessors", "l2_bytes"})
    expect_alike(a, b, ours.value(key, ordered_json()), theirs.value(key, ordered_json()),
                 child_pointer(pointer, key));
  for (const auto& [key, value] : theirs.items())
    if (!ours.contains(key)) ours[key] = nullptr;
  for (auto& [key, value] : ours.items()) {
    const ordered_json other = theirs.value(key, ordered_json());
    if (value == other) continue;
    if (key != "uuid" && !may_differ)
      refuse({child_pointer(pointer, key), value, other}, b.file, a.file, " (--allow device)");
    value = nullptr;
  }
}

/// A rung is there if it is in all parts.
void merge_evidence(ordered_json& ours, const ordered_json& theirs) {
  for (ordered_json& rung : ours)
    for (const ordered_json& other : theirs) {
      if (rung["rung"] != other["rung"] || other["available"].get<bool>()) continue;
      if (rung["available"].get<bool>() || other.dump() < rung.dump()) rung = other;
    }
}

void merge_kernels(merge_input& a, const merge_input& b) {
  std::map<std::string, ordered_json> all;
  for (const merge_input* of : {static_cast<const merge_input*>(&a), &b})
    for (const auto& [name, builds] : of->record.at("context").at("ablate").at("kernels").items()) {
      const auto [known, is_new] = all.try_emplace(name, builds);
      if (!is_new) expect_alike(a, b, known->second, builds, child_pointer(facts_pointer + "/kernels", name));
    }
  ordered_json merged = ordered_json::object();
  for (auto& [name, builds] : all) reports::add_member(merged, name, std::move(builds));
  a.record["context"]["ablate"]["kernels"] = std::move(merged);
}

void merge_ceilings(ordered_json& ours, const ordered_json& theirs) {
  const auto is_better = [](const ordered_json& a, const ordered_json& b) {
    if (a.contains("us") != b.contains("us")) return a.contains("us");
    const char* quantity = a.contains("us") ? "us" : "rate_per_s";
    const auto of_a = a.at(quantity).get<double>(), of_b = b.at(quantity).get<double>();
    if (of_a != of_b) return a.contains("us") ? of_a < of_b : of_a > of_b;
    return a.dump() < b.dump();
  };
  std::map<std::string, ordered_json> best;
  for (const ordered_json* of : {static_cast<const ordered_json*>(&ours), &theirs})
    for (const auto& [name, ceiling] : of->items()) {
      const auto [known, is_new] = best.try_emplace(name, ceiling);
      if (!is_new && is_better(ceiling, known->second)) known->second = ceiling;
    }
  ours = ordered_json::object();
  for (auto& [name, ceiling] : best) reports::add_member(ours, name, std::move(ceiling));
}

/// The cases of the other shards are known to each shard, but not to a whole record.
void merge_shards(merge_input& a, const merge_input& b) {
  ordered_json& ours = a.record["context"]["ablate"]["shard"];
  const ordered_json& theirs = b.record.at("context").at("ablate").at("shard");
  for (const char* key : {"count", "plan"})
    expect_alike(a, b, ours.at(key), theirs.at(key), child_pointer(facts_pointer + "/shard", key));
  if (!ours.contains("cases") && theirs.contains("cases")) ours["cases"] = theirs["cases"];
}

}  // namespace

void expect_mergeable(const merge_input& input) {
  const json_place context = json_place(input.record, input.file).at("context");
  const json_place facts = context.at("ablate");
  const json_place schema = facts.at("record_schema");
  for (const char* key : {"settings", "shard"})
    if (!facts.find(key))
      schema.refuse(fmt::format(
          "expected 1.12.0 or later, which says how a run was set up and what it was a shard of, found {}",
          reports::written_schema(facts.json())));
  const json_place shard = facts.at("shard");
  const auto count = shard.at("count").integer(1, 1'000'000);
  if (const auto index = shard.find("index")) index->integer(1, count);
  shard.at("plan").text();
  if (const auto cases = shard.find("cases"))
    for (const auto& [name, of] : cases->members()) of.integer(1, count);
  if (const auto parts = facts.find("parts")) {
    for (const json_place& part : parts->at_least_one("part")) {
      part.at("shard").integer(1, count);
      for (const char* key : {"hash", "specimen", "host_name", "date"}) part.at(key).text();
    }
  } else {
    shard.at("index");
  }
  for (const char* key : {"host_name", "date"}) context.at(key).text();
  if (const auto specimen = facts.find("specimen")) specimen->text();
  for (const char* key : build_keys) facts.at("build").at(key);
  for (const char* key : {"device", "suite", "settings", "kernels"}) facts.at(key).members();
  for (const json_place& rung : facts.at("evidence").elements()) {
    rung.at("rung").text();
    rung.at("available").boolean();
  }
  for (const auto& [name, ceiling] : facts.at("ceilings").members())
    ceiling.find("us") ? ceiling.at("us").number() : ceiling.at("rate_per_s").number();
}

void make_part(ordered_json& record) {
  ordered_json& context = record["context"];
  ordered_json& facts = context["ablate"];
  if (!facts.contains("parts")) {
    ordered_json calibrations = ordered_json::object();
    for (const ordered_json& entry : record["benchmarks"])
      if (entry.contains("ceiling"))
        calibrations[entry["name"].get<std::string>()] = entry["time_us"]["median"];
    ordered_json part = {{"hash", history::record_hash(record)},
                         {"shard", facts["shard"]["index"]},
                         {"specimen", specimen_of(record)}};
    for (const char* key : {"host_name", "date"}) part[key] = context[key];
    part["command"] = facts["command"];
    if (facts.contains("worker")) part["worker"] = facts["worker"];
    part["ceilings"] = facts["ceilings"];
    part["calibrations"] = std::move(calibrations);
    facts["parts"] = ordered_json::array({std::move(part)});
  }
  facts.erase("specimen");
  facts.erase("worker");
  facts["shard"].erase("index");
}

void merge_contexts(merge_input& a, const merge_input& b, const std::set<merge_difference>& allowed) {
  ordered_json& ours = a.record["context"]["ablate"];
  const ordered_json& theirs = b.record.at("context").at("ablate");
  for (const char* key : build_keys)
    expect_alike(a, b, ours.at("build").at(key), theirs.at("build").at(key),
                 child_pointer(facts_pointer + "/build", key));
  expect_alike(a, b, ours.at("build").value("ablate", ordered_json()),
               theirs.at("build").value("ablate", ordered_json()), facts_pointer + "/build/ablate");
  merge_devices(a, b, allowed.contains(merge_difference::device));
  for (const char* key :
       {"record_schema", "upgraded_from", "suite", "seed", "settings", "operations", "counters", "rivals"})
    expect_alike(a, b, ours.value(key, ordered_json()), theirs.value(key, ordered_json()),
                 child_pointer(facts_pointer, key));
  merge_shards(a, b);
  merge_evidence(ours["evidence"], theirs.at("evidence"));
  merge_kernels(a, b);
  merge_ceilings(ours["ceilings"], theirs.at("ceilings"));
}

}  // namespace ablate
