#include "base/record/todays_names.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/record/case_name.h"
#include "base/record/record_file.h"
#include "base/record/todays_suite.h"
#include "base/text/json_text.h"

namespace ablate {
namespace {

using nlohmann::ordered_json;

bool is_object_under(const ordered_json& in, const char* key) {
  return in.contains(key) && in[key].is_object();
}
bool is_text(const ordered_json& in, const char* key) { return in.contains(key) && in[key].is_string(); }

/// Of an entry of a record; nothing where it does not say what it is.
std::optional<case_names> names_of(const ordered_json& entry) {
  if (!entry.is_object() || !is_text(entry, "operation") || !is_text(entry, "variant") ||
      !is_text(entry, "name") || !entry.contains("axes") || !entry["axes"].is_object())
    return std::nullopt;
  case_names out{entry["operation"], entry["variant"], {}};
  for (const auto& [axis, value] : entry["axes"].items()) {
    if (!value.is_string()) return std::nullopt;
    out.axes.emplace_back(axis, value.get<std::string>());
  }
  return out;
}

ordered_json object_of(const named_words& words) {
  ordered_json out = ordered_json::object();
  for (const auto& [name, value] : words) out[name] = value;
  return out;
}

/// An entry, and its place in the record.
struct old_entry {
  ordered_json* at;
  std::string place;
  case_names before, today;
  std::string id;  ///< of today
};

class renamed_record {
 public:
  renamed_record(ordered_json& record, const old_names& table, const std::string& file)
      : record_(record), table_(table), file_(file) {}

  std::map<std::string, std::string> run() {
    for (const char* list : {"benchmarks", "unmeasured"})
      if (record_.contains(list) && record_[list].is_array())
        for (std::size_t i = 0; i < record_[list].size(); ++i)
          add(record_[list][i], "/" + std::string(list) + "/" + std::to_string(i));
    tell_apart();
    find_families_of_switches_gone();
    for (old_entry& entry : entries_) rename(entry);
    gather_parts();
    if (is_object_under(record_, "context") && is_object_under(record_["context"], "ablate"))
      rename_facts(record_["context"]["ablate"]);
    std::map<std::string, std::string> written;
    for (const auto& [before, today] : ids_) written[today] = before;
    return written;
  }

 private:
  void add(ordered_json& entry, std::string place) {
    const auto before = names_of(entry);
    if (!before) return;
    entries_.push_back({&entry, std::move(place), *before, {}, ""});
    name(entries_.back(), {});
  }

  /// The id has the axes that it had before: those that were silent stay so.
  void name(old_entry& to, const old_names::kept_axes& keep) const {
    to.today = table_.todays(to.before, keep);
    to.id = (*to.at)["name"].get<std::string>();
    if (to.today == to.before) return;
    const case_name_parts parts = parts_of_case_name(to.id);
    to.id = case_name({to.today.operation, to.today.variant, parts.cache_state,
                       table_.todays_axes(to.today.operation, parts.axes, keep)});
  }

  void tell_apart() {
    std::map<std::string, std::vector<old_entry*>> by_id;
    for (old_entry& entry : entries_) by_id[entry.id].push_back(&entry);
    for (const auto& [id, same] : by_id) {
      if (same.size() < 2) continue;
      std::map<std::string, std::set<std::string>> values;
      for (const old_entry* entry : same)
        for (const auto& [axis, value] : entry->before.axes) values[axis].insert(value);
      old_names::kept_axes differing;
      for (const auto& [axis, different] : values)
        if (different.size() > 1) differing.push_back(axis);
      for (old_entry* entry : same) name(*entry, differing);
    }
  }

  void rename(const old_entry& of) {
    rename_switches(of);
    rename_other_variants(of);
    if (of.today == of.before) return;
    ordered_json& entry = *of.at;
    ids_[entry["name"].get<std::string>()] = of.id;
    for (const char* key : {"name", "run_name"})
      if (is_text(entry, key)) entry[key] = of.id;
    entry["operation"] = of.today.operation;
    entry["variant"] = of.today.variant;
    entry["axes"] = object_of(of.today.axes);
  }

  /// The families of the record's question; none where it has no such list.
  ordered_json families() const {
    const ordered_json::json_pointer at("/context/ablate/suite/report/question/families");
    return record_.contains(at) && record_.at(at).is_array() ? record_.at(at) : ordered_json::array();
  }

  static bool has_one_of(const ordered_json& words, const ordered_json& value) {
    return words.is_array() ? std::find(words.begin(), words.end(), value) != words.end() : words == value;
  }

  /// Whether a family chooses its cases by a switch that the entry's operation has no more.
  bool chooses_by_switch_gone(const ordered_json& family, const old_entry& entry) const {
    if (!is_object_under(*entry.at, "switches")) return false;
    const ordered_json& switches = (*entry.at)["switches"];
    for (const auto& [name, values] : family["switches"].items())
      if (is_text(switches, name.c_str()) &&
          !table_.todays_switch(entry.today.operation, {name, switches[name].get<std::string>()}))
        return true;
    return false;
  }

  static bool is_of(const ordered_json& family, const old_entry& entry) {
    if (family.contains("operations") && !has_one_of(family["operations"], entry.before.operation))
      return false;
    if (family.contains("variants") && !has_one_of(family["variants"], entry.before.variant)) return false;
    if (!is_object_under(*entry.at, "switches")) return false;
    const ordered_json& switches = (*entry.at)["switches"];
    for (const auto& [name, values] : family["switches"].items())
      if (!switches.contains(name) || !has_one_of(values, switches[name])) return false;
    return true;
  }

  /// A family whose switch is no more in one of the operations asked of is told by its variants, as long as
  /// entries still say what they had.
  void find_families_of_switches_gone() {
    const ordered_json all = families();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const ordered_json& family = all[i];
      if (!family.is_object() || !is_object_under(family, "switches")) continue;
      if (std::none_of(entries_.begin(), entries_.end(),
                       [&](const old_entry& entry) { return chooses_by_switch_gone(family, entry); }))
        continue;
      std::vector<std::string>& variants = variants_of_families_[i];
      for (const old_entry& entry : entries_)
        if (is_of(family, entry) &&
            std::find(variants.begin(), variants.end(), entry.today.variant) == variants.end())
          variants.push_back(entry.today.variant);
    }
  }

  void name_variants_of_families(ordered_json& report) const {
    for (const auto& [i, variants] : variants_of_families_) {
      if (variants.empty()) continue;
      ordered_json& family = report["question"]["families"][i];
      family.erase("switches");
      family["variants"] = variants;
    }
  }

  void rename_switches(const old_entry& of) const {
    if (!is_object_under(*of.at, "switches")) return;
    ordered_json& switches = (*of.at)["switches"];
    named_words before;
    for (const auto& [name, value] : switches.items()) {
      if (!value.is_string()) return;
      before.emplace_back(name, value.get<std::string>());
    }
    const named_words today =
        table_.todays_switches(of.today.operation, before, file_, of.place + "/switches");
    if (today != before) switches = object_of(today);
  }

  /// Those that an entry names beside its own.
  void rename_other_variants(const old_entry& of) const {
    ordered_json& entry = *of.at;
    const auto variant = [&](const std::string& name) {
      return table_.todays_variant(of.today.operation, name, of.before.axes);
    };
    if (entry.contains("in_turns") && entry["in_turns"].is_array())
      for (ordered_json& round : entry["in_turns"]) rename_keys(round, variant);
    if (entry.contains("check") && is_text(entry["check"], "against"))
      entry["check"]["against"] = variant(entry["check"]["against"]);
    if (entry.contains("input") && entry["input"].is_object() && entry["input"].contains("dispatch") &&
        entry["input"]["dispatch"].is_object())
      for (auto& [policy, picked] : entry["input"]["dispatch"].items())
        if (picked.is_string()) picked = variant(picked.get<std::string>());
  }

  static void rename_keys(ordered_json& object, const std::function<std::string(const std::string&)>& of) {
    if (!object.is_object()) return;
    bool is_old = false;
    for (const auto& [key, value] : object.items()) is_old = is_old || of(key) != key;
    if (!is_old) return;
    ordered_json out = ordered_json::object();
    for (auto& [key, value] : object.items()) reports::add_member(out, of(key), std::move(value));
    object = std::move(out);
  }

  /// What became of each operation, by its name of before, in the cases' order.
  void gather_parts() {
    for (const old_entry& entry : entries_) {
      of_part(parts_[entry.before.operation], entry.today.operation).variants.insert(entry.before.variant);
      variants_[{entry.before.operation, entry.before.variant}].emplace(entry.today.operation,
                                                                        entry.today.variant);
    }
    for (const old_names::rule& r : table_.rules().variants) ruled_.insert(r.variant);
  }

  std::vector<std::string> parts_of(const std::string& operation) const {
    const auto found = parts_.find(operation);
    if (found == parts_.end()) return {table_.todays_operation(operation)};
    std::vector<std::string> out;
    for (const suite_part& part : found->second) out.push_back(part.operation);
    return out;
  }

  /// What a variant of before is in a part of its operation; nothing where it is in others alone.
  std::optional<std::string> variant_in(const std::string& part, const std::string& operation,
                                        const std::string& variant, bool is_divided) const {
    if (const auto measured = variants_.find({operation, variant}); measured != variants_.end()) {
      const auto here = measured->second.find(part);
      return here == measured->second.end() ? std::nullopt : std::optional(here->second);
    }
    const std::string today = table_.todays_variant(part, variant, {});
    if (today != variant) return today;
    // Not measured, and of another part by its rule.
    if (is_divided && ruled_.contains(variant)) return std::nullopt;
    return part == operation || !is_divided ? std::optional(variant) : std::nullopt;
  }

  void rename_facts(ordered_json& facts) const {
    if (is_object_under(facts, "operations")) rename_operations(facts["operations"]);
    rename_references(facts);
    if (!is_object_under(facts, "suite") || !is_object_under(facts["suite"], "report")) return;
    ordered_json& report = facts["suite"]["report"];
    rename_suite_report(report, parts_, table_);
    name_variants_of_families(report);
  }

  void rename_operations(ordered_json& all) const {
    ordered_json out = ordered_json::object();
    std::set<std::string> seen;
    for (auto& [operation, facts] : all.items()) {
      const std::vector<std::string> parts = parts_of(operation);
      const bool is_old = parts.size() > 1 || parts.front() != operation || table_.speak_of(operation) ||
                          table_.speak_of_switches(operation);
      for (const std::string& part : parts)
        if (seen.insert(part).second)
          reports::add_member(
              out, part,
              facts.is_object() && is_old ? facts_of(part, operation, facts, parts.size() > 1) : facts);
    }
    all = std::move(out);
  }

  ordered_json facts_of(const std::string& part, const std::string& operation, const ordered_json& facts,
                        bool is_divided) const {
    ordered_json out = facts;
    const auto axes_of = [&](const ordered_json& axes) {
      named_words kept;
      for (const auto& [axis, value] : axes.items()) {
        const auto today = table_.todays_axis(part, axis);
        const bool is_divided_by_it =
            std::any_of(table_.rules().dropped.begin(), table_.rules().dropped.end(),
                        [&, &name = axis](const auto& r) { return r.operation == part && r.axis == name; });
        if (today && !is_divided_by_it) kept.emplace_back(*today, axis);
      }
      table_.put_in_order(part, kept);
      ordered_json out = ordered_json::object();
      for (const auto& [today, axis] : kept) out[today] = axes[axis];
      return out;
    };
    for (const char* key : {"axes", "silent_axes"})
      if (facts.contains(key) && facts[key].is_object()) out[key] = axes_of(facts[key]);
    if (facts.contains("variants") && facts["variants"].is_object()) {
      out["variants"] = ordered_json::object();
      for (const auto& [variant, description] : facts["variants"].items())
        if (const auto today = variant_in(part, operation, variant, is_divided))
          out["variants"][*today] = description;
    }
    if (const std::string baseline = table_.baseline_of(part); part != operation && !baseline.empty())
      out["baseline"] = baseline;
    else if (is_text(facts, "baseline"))
      out["baseline"] = table_.todays_variant(part, facts["baseline"].get<std::string>(), {});
    return out;
  }

  std::string todays_id(const std::string& id) const {
    const auto found = ids_.find(id);
    return found == ids_.end() ? table_.todays_id(id) : found->second;
  }

  void rename_references(ordered_json& facts) const {
    if (facts.contains("ceilings") && facts["ceilings"].is_object())
      for (auto& [name, ceiling] : facts["ceilings"].items())
        if (ceiling.is_object() && is_text(ceiling, "case"))
          ceiling["case"] = todays_id(ceiling["case"].get<std::string>());
    const auto id = [&](const std::string& name) { return todays_id(name); };
    if (facts.contains("parts") && facts["parts"].is_array())
      for (ordered_json& part : facts["parts"])
        if (part.is_object() && part.contains("calibrations")) rename_keys(part["calibrations"], id);
    if (facts.contains("rivals") && facts["rivals"].is_array())
      for (ordered_json& rival : facts["rivals"])
        if (rival.is_object() && rival.contains("operations") && rival["operations"].is_array())
          rival["operations"] = parts_of_all(rival["operations"]);
  }

  ordered_json parts_of_all(const ordered_json& operations) const {
    ordered_json out = ordered_json::array();
    for (const ordered_json& operation : operations) {
      if (!operation.is_string()) return operations;
      for (const std::string& part : parts_of(operation.get<std::string>()))
        if (std::find(out.begin(), out.end(), part) == out.end()) out.push_back(part);
    }
    return out;
  }

  ordered_json& record_;
  const old_names& table_;
  const std::string& file_;
  std::vector<old_entry> entries_;
  std::map<std::string, std::string> ids_;  ///< today's, by those of before
  suite_runs parts_;
  std::map<std::pair<std::string, std::string>, std::map<std::string, std::string>> variants_;
  std::set<std::string> ruled_;  ///< variants of before that rules name
  /// By today's names, of families that a switch told that is no more; by their places in the question.
  std::map<std::size_t, std::vector<std::string>> variants_of_families_;
};

}  // namespace

std::map<std::string, std::string> give_todays_names(ordered_json& record, const old_names& table,
                                                     const std::string& file) {
  if (!record.is_object()) return {};
  return renamed_record(record, table, file).run();
}

ordered_json parse_todays_record(const std::filesystem::path& path) {
  ordered_json record = reports::parse_record_file(path);
  give_todays_names(record, old_names::known(), path.string());
  return record;
}

}  // namespace ablate
