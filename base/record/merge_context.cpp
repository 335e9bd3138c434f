#include "base/record/merge_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/record/case_json.h"
#include "base/record/context_json.h"
#include "base/record/identity.h"
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
constexpr const char* build_keys[] = {
    "version", "source_hash", "compiler", "cuda_compiler", "cuda_architectures", "build_type", "ablate"};

struct difference {
  std::string pointer;
  ordered_json wanted, found;
};

/// The first place where something wanted is not found, in whatever order keys are; nothing if all is there.
std::optional<difference> first_missing(const ordered_json& wanted, const ordered_json& found,
                                        const std::string& pointer) {
  if (wanted.is_object() && found.is_object()) {
    for (const auto& [key, value] : wanted.items()) {
      const std::string place = child_pointer(pointer, key);
      if (!found.contains(key)) return difference{place, value, nullptr};
      if (auto inner = first_missing(value, found[key], place)) return inner;
    }
    return std::nullopt;
  }
  const bool are_lists = wanted.is_array() && found.is_array();
  if (are_lists)
    for (std::size_t i = 0; i < std::min(wanted.size(), found.size()); ++i)
      if (auto inner = first_missing(wanted[i], found[i], fmt::format("{}/{}", pointer, i))) return inner;
  if (are_lists ? wanted.size() == found.size() : wanted == found) return std::nullopt;
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
  if (const auto at = first_missing(in_a, in_b, pointer)) refuse(*at, b.file, a.file);
  if (const auto at = first_missing(in_b, in_a, pointer))
    refuse({at->pointer, at->found, at->wanted}, b.file, a.file);
}

/// Of a GPU that may be another one of its kind.
void merge_devices(merge_input& a, const merge_input& b, bool may_differ) {
  ordered_json& ours = a.record.device;
  const ordered_json& theirs = b.record.device;
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
void merge_evidence(std::vector<record::evidence_rung>& ours,
                    const std::vector<record::evidence_rung>& theirs) {
  for (record::evidence_rung& rung : ours)
    for (const record::evidence_rung& other : theirs) {
      if (rung.rung != other.rung || other.available) continue;
      if (rung.available || to_json(other).dump() < to_json(rung).dump()) rung = other;
    }
}

void merge_ceilings(measured_ceilings& ours, const measured_ceilings& theirs) {
  const auto is_better = [](const ceiling& a, const ceiling& b) {
    if (a.us != b.us) return a.us > 0 && (b.us == 0 || a.us < b.us);
    return a.rate_per_s != b.rate_per_s ? a.rate_per_s > b.rate_per_s : a.case_name < b.case_name;
  };
  for (const auto& [name, other] : theirs) {
    const auto [known, is_new] = ours.try_emplace(name, other);
    if (!is_new && is_better(other, known->second)) known->second = other;
  }
  std::size_t place = 0;
  for (auto& [name, best] : ours) best.place = place++;
}

}  // namespace

merge_input read_merge_input(const ordered_json& json, const std::string& file) {
  merge_input out{file, {}};
  const json_place root(json, file);
  from_json(root, out.record);
  if (const auto at = first_missing(json, to_json(out.record), ""))
    throw bad_input(file, at->pointer,
                    fmt::format("expected {}, found {}, which a merge would lose",
                                at->found.is_null() ? "no key that this version does not know"
                                                    : shown(at->found) + ", as follows from the rest",
                                shown(at->wanted)));
  return out;
}

void expect_mergeable(const merge_input& input) {
  const record& of = input.record;
  const auto refuse = [&](const char* key, const std::string& expected) {
    throw bad_input(input.file, child_pointer(facts_pointer, key), expected);
  };
  if (!of.settings || !of.shard)
    refuse(
        "record_schema",
        fmt::format(
            "expected 1.12.0 or later, which says how a run was set up and what it was a shard of, found {}",
            of.upgraded_from.empty() ? of.schema : of.upgraded_from));
  if (of.parts.empty() && !of.shard->index) refuse("shard", "expected a key 'index', found none");
  for (const record::part& part : of.parts)
    if (part.shard > of.shard->count)
      refuse("parts", fmt::format("expected a shard from 1 to {}, found {}", of.shard->count, part.shard));
}

void make_part(record& of) {
  if (of.parts.empty()) {
    record::part part{.hash = history::record_hash(to_json(of)),
                      .shard = of.shard->index.value(),
                      .specimen = specimen_of(of),
                      .host_name = of.benchmark.host_name,
                      .date = of.date,
                      .command = of.command,
                      .worker = of.worker,
                      .ceilings = of.ceilings,
                      .calibrations = {}};
    for (const measured_case& c : of.cases)
      if (c.ceiling) part.calibrations.emplace_back(c.name, c.time.median_us);
    of.parts.push_back(std::move(part));
  }
  of.specimen.clear();
  of.worker.reset();
  of.shard->index.reset();
}

void merge_contexts(merge_input& a, const merge_input& b, const std::set<merge_difference>& allowed) {
  const ordered_json ours = context_json(a.record).at("ablate"), theirs = context_json(b.record).at("ablate");
  const auto expect_alike_at = [&](const std::string& pointer) {
    const ordered_json::json_pointer at(pointer);
    const auto in = [&](const ordered_json& of) { return of.contains(at) ? of.at(at) : ordered_json(); };
    expect_alike(a, b, in(ours), in(theirs), facts_pointer + pointer);
  };
  for (const char* key : build_keys) expect_alike_at(std::string("/build/") + key);
  merge_devices(a, b, allowed.contains(merge_difference::device));
  for (const char* pointer : {"/record_schema", "/upgraded_from", "/suite", "/seed", "/settings",
                              "/operations", "/counters", "/rivals", "/shard/count", "/shard/plan"})
    expect_alike_at(pointer);
  for (const auto& [name, builds] : theirs.at("kernels").items())
    if (const auto known = ours.at("kernels").find(name); known != ours.at("kernels").end())
      expect_alike(a, b, *known, builds, child_pointer(facts_pointer + "/kernels", name));

  record& to = a.record;
  // The cases of the other shards are known to each shard, but not to a whole record.
  if (to.shard->cases.empty()) to.shard->cases = b.record.shard->cases;
  merge_evidence(to.evidence, b.record.evidence);
  std::map<std::string, record::kernel_builds> kernels(to.kernels.begin(), to.kernels.end());
  kernels.insert(b.record.kernels.begin(), b.record.kernels.end());
  to.kernels.assign(kernels.begin(), kernels.end());
  merge_ceilings(to.ceilings, b.record.ceilings);
}

}  // namespace ablate
