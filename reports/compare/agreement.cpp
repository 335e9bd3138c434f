#include "reports/compare/agreement.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/record/facts.h"
#include "base/text/bad_input.h"
#include "base/text/names.h"

namespace ablate::compare {
namespace {

using nlohmann::ordered_json;
using reports::fact;

/// Both values, if both sides know it and they differ.
std::optional<std::string> differing(const std::optional<std::string>& first,
                                     const std::optional<std::string>& second) {
  if (!first || !second || *first == *second) return std::nullopt;
  return fmt::format("{} and {}", *first, *second);
}

std::optional<std::string> differing(const ordered_json& a, const ordered_json& b, const char* key) {
  return differing(fact(a, key), fact(b, key));
}

std::string facts_of_rivals(const record& r) {
  std::string out;
  for (const record::rival_facts& rival : r.rivals)
    for (const auto& [name, version] : rival.software) out += fmt::format(" {} {}", name, version);
  return out;
}

}  // namespace

std::string_view name_of(agreement kind) {
  switch (kind) {
    case agreement::device:
      return "device";
    case agreement::specimen:
      return "specimen";
    case agreement::seed:
      return "seed";
    case agreement::cache_state:
      return "cache-state";
    case agreement::method:
      return "method";
    case agreement::workload:
      return "workload";
    case agreement::environment:
      break;
  }
  return "environment";
}

const std::vector<std::string>& agreement_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (auto kind : {agreement::device, agreement::specimen, agreement::seed, agreement::cache_state,
                      agreement::method, agreement::workload, agreement::environment})
      out.emplace_back(name_of(kind));
    return out;
  }();
  return names;
}

agreement agreement_named(const std::string& word) {
  const auto& names = agreement_names();
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) throw bad_input("--allow", "", no_such("kind of difference", word, names));
  return static_cast<agreement>(found - names.begin());
}

void disagreements::add(agreement kind, const std::string& what) {
  found& of = found_[kind];
  if (of.count++ == 0) of.first = what;
}

void disagreements::refuse(const std::string& file) const {
  std::string differences, with_flags;
  for (const auto& [kind, of] : found_) {
    if (allows(kind)) continue;
    const std::string here =
        of.first + (of.count > 1 ? fmt::format(" and {} more like it", of.count - 1) : "");
    differences += (differences.empty() ? "" : "; ") + here;
    with_flags += fmt::format("{}{} (--allow {})", with_flags.empty() ? "" : "; ", here, name_of(kind));
  }
  if (!differences.empty()) throw unlike_records(file, differences, with_flags);
}

std::vector<std::string> disagreements::notes() const {
  std::vector<std::string> out;
  for (const auto& [kind, of] : found_)
    if (allows(kind))
      out.push_back(fmt::format("Allowed: {}{}.", of.first,
                                of.count > 1 ? fmt::format(" and {} more like it", of.count - 1) : ""));
  return out;
}

void check_side(const std::vector<record>& side) {
  const record& first = side.front();
  for (const record& r : side) {
    const auto expect_same = [&](const std::string& place, const std::optional<std::string>& wanted,
                                 const std::optional<std::string>& found) {
      if (wanted && found && *wanted != *found)
        throw bad_input(r.path.string(), "/context/ablate/" + place,
                        fmt::format("expected {} as in {}, found {}", *wanted, first.path.string(), *found));
    };
    expect_same("build/source_hash", first.build.sources(), r.build.sources());
    expect_same("build/build_type", first.build.build_type, r.build.build_type);
    for (const char* key : {"name", "uuid"})
      expect_same(fmt::format("device/{}", key), fact(first.device, key), fact(r.device, key));
    expect_same("seed", fmt::format("{}", first.seed), fmt::format("{}", r.seed));
  }
}

void compare_contexts(const record& baseline, const record& candidate, disagreements& found) {
  for (const char* key :
       {"kind", "name", "compute_capability", "multiprocessors", "mig", "ecc", "power_cap_w"})
    if (const auto both = differing(baseline.device, candidate.device, key))
      found.add(agreement::device, fmt::format("the devices differ in {}: {}", key, *both));
  if (const auto both = differing(baseline.device, candidate.device, "uuid"))
    found.add(agreement::specimen, fmt::format("these are two specimens of the device: {}", *both));
  if (baseline.seed != candidate.seed)
    found.add(agreement::seed, fmt::format("the seeds are {} and {}", baseline.seed, candidate.seed));
}

std::vector<std::string> notes_of(const record& baseline, const record& candidate) {
  std::vector<std::string> out;
  const auto note = [&](const char* what, const std::optional<std::string>& both) {
    if (both) out.push_back(fmt::format("The {} differ: {}.", what, *both));
  };
  note("drivers", differing(baseline.device, candidate.device, "driver"));
  note("CUDA runtimes", differing(baseline.device, candidate.device, "cuda_runtime"));
  note("host compilers", differing(baseline.build.compiler, candidate.build.compiler));
  note("CUDA compilers", differing(baseline.build.cuda_compiler, candidate.build.cuda_compiler));
  note("build types", differing(baseline.build.build_type, candidate.build.build_type));
  if (baseline.suite_hash != candidate.suite_hash)
    out.push_back(fmt::format("The suites differ: {} and {}.", reports::suite_text(baseline),
                              reports::suite_text(candidate)));
  if (const auto a = facts_of_rivals(baseline), b = facts_of_rivals(candidate);
      a != b && !a.empty() && !b.empty())
    out.push_back(fmt::format("The software of rivals differs:{} and{}.", a, b));
  if (baseline.build.sources() == candidate.build.sources())
    out.push_back("Both sides were built from the same sources.");
  return out;
}

}  // namespace ablate::compare
