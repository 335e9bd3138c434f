#include "base/record/merge_entries.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>

#include "base/record/bundles.h"
#include "base/record/case_json.h"
#include "base/record/facts.h"
#include "base/record/suite_report.h"
#include "base/text/bad_input.h"

namespace ablate {
namespace {

std::string name_of(const case_entry& entry) {
  return entry.visit([](const auto& of) { return of.name; });
}

bool is_calibration(const case_entry& entry) {
  return entry.visit([](const auto& of) { return of.ceiling.has_value(); });
}

/// Was never reached, so any other entry for the case says more.
bool is_interrupted(const case_entry& entry) {
  return entry.unmeasured() && entry.unmeasured()->status == "interrupted";
}

/// Which of two different entries for one case to keep; nothing if neither may give way. The choice is one of
/// a least element, so that it does not matter which two are compared first.
std::optional<bool> first_is_kept(const case_entry& a, const case_entry& b) {
  if (is_interrupted(a) != is_interrupted(b)) return is_interrupted(b);
  const bool either = is_interrupted(a) || (is_calibration(a) && is_calibration(b));
  if (!either) return std::nullopt;
  const measured_case *of_a = a.measured(), *of_b = b.measured();
  if (!of_a != !of_b) return of_a != nullptr;
  if (of_a && of_a->time.median_us != of_b->time.median_us)
    return of_a->time.median_us < of_b->time.median_us;
  return to_json(a).dump() < to_json(b).dump();
}

std::string workload_of(const measured_case& c) {
  std::string key = c.operation;
  for (const auto& [axis, value] : c.axes) key += "/" + axis + "=" + value;
  return key;
}

}  // namespace

void merged_entries::add(const merge_input& from) {
  const std::vector<measured_case>& cases = from.record.cases;
  const std::string own_specimen = reports::fact(from.record.device, "uuid").value_or("");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string pointer = fmt::format("/benchmarks/{}", i);
    if (!cases[i].check.is_made())
      throw bad_input(
          from.file, pointer + "/check",
          "expected a case whose output was compared with the oracle; this is a gate's launch, or a "
          "later one of a suite, whose cases no other record can take in");
    add({cases[i], from.file, pointer, cases[i].specimen.empty() ? own_specimen : cases[i].specimen});
  }
  for (std::size_t i = 0; i < from.record.unmeasured.size(); ++i)
    add({from.record.unmeasured[i], from.file, fmt::format("/unmeasured/{}", i)});
}

void merged_entries::add(placed_entry added) {
  const std::string name = name_of(added.entry);
  const auto [known, is_new] = entries_.try_emplace(name, added);
  if (is_new) {
    names_.push_back(name);
    return;
  }
  placed_entry& kept = known->second;
  if (to_json(kept.entry) == to_json(added.entry)) return;
  const auto keep = first_is_kept(kept.entry, added.entry);
  if (!keep)
    throw bad_input(added.file, added.pointer,
                    fmt::format("expected the case as it is at {} of {}, or not at all, found '{}' with "
                                "other contents",
                                kept.pointer, kept.file, name));
  if (!*keep) kept = std::move(added);
}

void merged_entries::expect_whole_bundles(const record& of) const {
  std::vector<bundle_member> members;
  for (const std::string& name : names_)
    members.push_back(entries_.at(name).entry.visit([](const auto& c) {
      return bundle_member{c.operation, c.axes, c.ceiling.has_value()};
    }));
  std::vector<bundle_join> joins = joins_of(of.report);
  if (!of.settings->together.empty())
    for (bundle_join& join : operation_joins(members)) joins.push_back(std::move(join));
  const std::vector<std::size_t> bundles = bundles_of(members, joins);
  std::map<std::size_t, const placed_entry*> first;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const placed_entry& at = entries_.at(names_[i]);
    if (!at.entry.measured()) continue;
    const placed_entry& other = *first.emplace(bundles[i], &at).first->second;
    const std::string &here = at.specimen, &there = other.specimen;
    if (here != there && !here.empty() && !there.empty())
      throw bad_input(at.file, at.pointer + "/specimen",
                      fmt::format("expected {}, which measured {} of {}, with which this case is compared, "
                                  "found {} (--allow specimen)",
                                  there, other.pointer, other.file, here));
  }
}

void merged_entries::expect_one_input_a_workload() const {
  std::map<std::string, std::pair<std::string, const placed_entry*>> hashes;
  for (const std::string& name : names_) {
    const placed_entry& at = entries_.at(name);
    if (!at.entry.measured()) continue;
    const auto hash = at.entry.measured()->input.value("hash", std::string());
    const auto& [known, other] =
        hashes.emplace(workload_of(*at.entry.measured()), std::pair(hash, &at)).first->second;
    if (known != hash)
      throw bad_input(at.file, at.pointer + "/input/hash",
                      fmt::format("expected {}, the input of this workload at {} of {}, found {} (--allow "
                                  "workload)",
                                  known, other->pointer, other->file, hash));
  }
}

void merged_entries::write_to(record& to, const std::vector<std::string>& order) const {
  to.cases.clear();
  to.unmeasured.clear();
  std::set<std::string> written;
  for (const std::vector<std::string>* names : {&order, &names_})
    for (const std::string& name : *names) {
      const auto found = entries_.find(name);
      if (found == entries_.end() || !written.insert(name).second) continue;
      const case_entry& entry = found->second.entry;
      if (entry.measured())
        to.cases.push_back(*entry.measured());
      else
        to.unmeasured.push_back(*entry.unmeasured());
    }
}

}  // namespace ablate
