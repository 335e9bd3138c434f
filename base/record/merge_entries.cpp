#include "base/record/merge_entries.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/record/bundles.h"
#include "base/record/suite_report.h"
#include "base/text/bad_input.h"
#include "base/text/json_place.h"

namespace ablate {
namespace {

using nlohmann::ordered_json;
using reports::json_place;

bool is_measured(const ordered_json& entry) { return entry.contains("time_us"); }

std::string text_at(const ordered_json& entry, const char* key) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Was never reached, so any other entry for the case says more.
bool is_interrupted(const ordered_json& entry) { return text_at(entry, "status") == "interrupted"; }

/// Which of two different entries for one case to keep; nothing if neither may give way. The choice is one of
/// a least element, so that it does not matter which two are compared first.
std::optional<bool> first_is_kept(const ordered_json& a, const ordered_json& b) {
  if (is_interrupted(a) != is_interrupted(b)) return is_interrupted(b);
  const bool either = is_interrupted(a) || (a.contains("ceiling") && b.contains("ceiling"));
  if (!either) return std::nullopt;
  if (is_measured(a) != is_measured(b)) return is_measured(a);
  if (is_measured(a)) {
    const auto a_us = a["time_us"]["median"].get<double>(), b_us = b["time_us"]["median"].get<double>();
    if (a_us != b_us) return a_us < b_us;
  }
  return a.dump() < b.dump();
}

named_words axes_of(const ordered_json& entry) {
  named_words out;
  for (const auto& [axis, value] : entry.at("axes").items()) out.emplace_back(axis, value.get<std::string>());
  return out;
}

std::string workload_of(const ordered_json& entry) {
  std::string key = text_at(entry, "operation");
  for (const auto& [axis, value] : axes_of(entry)) key += "/" + axis + "=" + value;
  return key;
}

std::vector<bundle_join> joins_of_suite(const ordered_json& suite) {
  const auto report = json_place(suite, "", "/context/ablate/suite").find("report");
  return report ? joins_of(suite_report_of(*report)) : std::vector<bundle_join>();
}

}  // namespace

void merged_entries::add(const merge_input& from) {
  for (const char* list : {"benchmarks", "unmeasured"}) {
    const ordered_json& entries = from.record.at(list);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::string pointer = fmt::format("/{}/{}", list, i);
      const auto check = entries[i].find("check");
      if (check != entries[i].end() && text_at(*check, "before") != "ok")
        throw bad_input(from.file, pointer + "/check",
                        "expected a case whose output was compared with the oracle; this is a gate's launch");
      add({entries[i], from.file, pointer});
    }
  }
}

void merged_entries::add(placed_entry added) {
  const auto name = added.entry.at("name").get<std::string>();
  const auto [known, is_new] = entries_.try_emplace(name, added);
  if (is_new) {
    names_.push_back(name);
    return;
  }
  placed_entry& kept = known->second;
  if (kept.entry == added.entry) return;
  const auto keep = first_is_kept(kept.entry, added.entry);
  if (!keep)
    throw bad_input(added.file, added.pointer,
                    fmt::format("expected the case as it is at {} of {}, or not at all, found '{}' with "
                                "other contents",
                                kept.pointer, kept.file, name));
  if (!*keep) kept = std::move(added);
}

void merged_entries::expect_whole_bundles(const ordered_json& facts) const {
  std::vector<bundle_member> members;
  for (const std::string& name : names_) {
    const ordered_json& entry = entries_.at(name).entry;
    members.push_back({text_at(entry, "operation"), axes_of(entry), entry.contains("ceiling")});
  }
  std::vector<bundle_join> joins = joins_of_suite(facts.at("suite"));
  if (facts.at("settings").contains("together"))
    for (bundle_join& join : operation_joins(members)) joins.push_back(std::move(join));
  const std::vector<std::size_t> bundles = bundles_of(members, joins);
  std::map<std::size_t, const placed_entry*> first;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const placed_entry& at = entries_.at(names_[i]);
    if (!is_measured(at.entry)) continue;
    const placed_entry& other = *first.emplace(bundles[i], &at).first->second;
    const std::string here = text_at(at.entry, "specimen"), there = text_at(other.entry, "specimen");
    if (here != there)
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
    if (!is_measured(at.entry)) continue;
    const std::string hash = text_at(at.entry.at("input"), "hash");
    const auto& [known, other] = hashes.emplace(workload_of(at.entry), std::pair(hash, &at)).first->second;
    if (known != hash)
      throw bad_input(at.file, at.pointer + "/input/hash",
                      fmt::format("expected {}, the input of this workload at {} of {}, found {} (--allow "
                                  "workload)",
                                  known, other->pointer, other->file, hash));
  }
}

void merged_entries::write_to(ordered_json& record, const std::vector<std::string>& order) const {
  ordered_json benchmarks = ordered_json::array(), unmeasured = ordered_json::array();
  std::set<std::string> written;
  for (const std::vector<std::string>* names : {&order, &names_})
    for (const std::string& name : *names) {
      const auto found = entries_.find(name);
      if (found == entries_.end() || !written.insert(name).second) continue;
      (is_measured(found->second.entry) ? benchmarks : unmeasured).push_back(found->second.entry);
    }
  record["benchmarks"] = std::move(benchmarks);
  record["unmeasured"] = std::move(unmeasured);
}

}  // namespace ablate
