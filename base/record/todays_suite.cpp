#include "base/record/todays_suite.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/record/suite_report.h"
#include "base/text/number_spelling.h"

namespace ablate {
namespace {

using nlohmann::ordered_json;
using names = std::vector<std::string>;

constexpr const char* any_variant = "*";

bool is_word_of(const names& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}
void append_once(names& to, const std::string& one) {
  if (!is_word_of(to, one)) to.push_back(one);
}

/// A word as records spell it; nothing for what is none.
std::optional<std::string> plain_word_of(const ordered_json& value) { return axis_word(value); }

/// Of one word or a list of them; others are left to the suite's reader.
names words_of(const ordered_json& value) {
  names out;
  for (const ordered_json& one : value.is_array() ? value : ordered_json::array({value}))
    if (const auto word = plain_word_of(one)) out.push_back(*word);
  return out;
}

const ordered_json* member(const ordered_json& of, const char* key) {
  const auto found = of.is_object() ? of.find(key) : of.end();
  return found == of.end() ? nullptr : &*found;
}
names words_at(const ordered_json& of, const char* key) {
  const ordered_json* value = member(of, key);
  return value ? words_of(*value) : names();
}

/// Replaced where its words are others; else as it was written.
void set_words(ordered_json& of, const char* key, const names& words) {
  if (words_at(of, key) != words) of[key] = words;
}

bool has_object(const ordered_json& of, const char* key) {
  const ordered_json* value = member(of, key);
  return value && value->is_object();
}

/// Values of axes by today's names; without those that the operation has no more.
ordered_json renamed_axes(const ordered_json& axes, const std::string& operation, const old_names& table) {
  ordered_json out = ordered_json::object();
  for (const auto& [name, values] : axes.items()) {
    const auto axis = table.todays_axis(operation, name);
    if (!axis) continue;
    names today;
    for (const std::string& word : words_of(values))
      append_once(today, table.todays_value(operation, *axis, word));
    if (today == words_of(values))
      out[*axis] = values;
    else if (values.is_array())
      out[*axis] = today;
    else
      out[*axis] = today.front();
  }
  return out;
}

void rename_axes_at(ordered_json& of, const std::string& operation, const old_names& table) {
  if (has_object(of, "axes")) of["axes"] = renamed_axes(of["axes"], operation, table);
}

/// Of several operations; as it was written where no one switch of today says it.
old_names::switch_choice todays_choice(const names& operations, const old_names::switch_choice& given,
                                       const old_names& table) {
  std::optional<old_names::switch_choice> out;
  bool is_todays_somewhere = false;
  for (const std::string& operation : operations) {
    const auto here = table.todays_choice(operation, given);
    if (!here || (out && *here != given && here->first != out->first)) return given;
    if (*here == given)
      is_todays_somewhere = true;
    else if (!out)
      out = here;
    else
      for (const std::string& value : here->second) append_once(out->second, value);
  }
  if (!out) return given;
  if (is_todays_somewhere && out->first == given.first)
    for (const std::string& value : given.second) append_once(out->second, value);
  return *out;
}

/// Values of switches by today's names. Where two choices would be of one switch, the reader refuses the one
/// that was renamed.
template <class Renamed>
void rename_switches_at(ordered_json& of, const names& operations, const old_names& table,
                        const Renamed& renamed) {
  if (!has_object(of, "switches")) return;
  const ordered_json& before = of["switches"];
  ordered_json out = ordered_json::object();
  for (const auto& [name, values] : before.items()) {
    const old_names::switch_choice given = {name, words_of(values)};
    const auto today = todays_choice(operations, given, table);
    const bool is_readable = given.second.size() == (values.is_array() ? values.size() : 1);
    if (!is_readable || today == given ||
        (today.first != name && (before.contains(today.first) || out.contains(today.first)))) {
      out[name] = values;
      continue;
    }
    if (values.is_array() || today.second.size() > 1)
      out[today.first] = today.second;
    else
      out[today.first] = today.second.front();
    renamed(given, today);
  }
  of["switches"] = std::move(out);
}

/// A choice, a step or a control: a variant and values of axes.
void rename_choice(ordered_json& of, const std::string& operation, const named_words& axes,
                   const old_names& table) {
  if (!of.is_object()) return;
  if (const ordered_json* variant = member(of, "variant"); variant && variant->is_string())
    of["variant"] = table.todays_variant(operation, variant->get<std::string>(), axes);
  rename_axes_at(of, operation, table);
}

named_words single_values(const ordered_json& of) {
  named_words out;
  if (has_object(of, "axes"))
    for (const auto& [name, value] : of["axes"].items())
      if (const auto word = plain_word_of(value)) out.emplace_back(name, *word);
  return out;
}

/// Without the axis by which the operation was divided.
void rename_operation(ordered_json& of, const named_words& axes, const old_names& table) {
  const std::string operation = of["operation"];
  of["operation"] = table.todays({operation, "", axes}).operation;
  const auto division = table.division_of(operation);
  if (division && has_object(of, "axes")) of["axes"].erase(division->axis);
}

void rename_ladder(ordered_json& ladder, const old_names& table) {
  if (!ladder.is_object() || !member(ladder, "operation") || !ladder["operation"].is_string() ||
      !member(ladder, "steps") || !ladder["steps"].is_array() || ladder["steps"].empty())
    return;
  const named_words axes = single_values(ladder["steps"].front());
  const auto division = table.division_of(ladder["operation"].get<std::string>());
  rename_operation(ladder, axes, table);
  const std::string operation = ladder["operation"];
  for (ordered_json& step : ladder["steps"]) {
    if (division && has_object(step, "axes")) step["axes"].erase(division->axis);
    rename_choice(step, operation, axes, table);
    if (step.is_object() && step.contains("control")) rename_choice(step["control"], operation, axes, table);
  }
}

void rename_exhibit(ordered_json& exhibit, const old_names& table) {
  if (!exhibit.is_object() || !member(exhibit, "operation") || !exhibit["operation"].is_string()) return;
  const named_words axes = single_values(exhibit);
  rename_operation(exhibit, axes, table);
  const std::string operation = exhibit["operation"];
  rename_axes_at(exhibit, operation, table);
  for (const char* list : {"curves", "rows", "columns", "quantities"})
    if (exhibit.contains(list) && exhibit[list].is_array())
      for (ordered_json& choice : exhibit[list]) rename_choice(choice, operation, axes, table);
}

/// Variants that are points; by the operations' rules where some have any.
void rename_points_at(ordered_json& of, const names& operations, const old_names& table) {
  names today;
  for (const std::string& variant : words_at(of, "variants")) {
    names renamed;
    if (variant.find('+') != std::string::npos)
      for (const std::string& operation : operations)
        if (std::string name = table.todays_variant(operation, variant, {}); name != variant)
          renamed.push_back(std::move(name));
    for (const std::string& name : renamed.empty() ? names{variant} : renamed) append_once(today, name);
  }
  set_words(of, "variants", today);
}

/// Of a question whose operations have their names of today: what its families say of switches.
void rename_switches_of_families(ordered_json& question, const old_names& table) {
  if (!question.is_object() || !member(question, "families") || !question["families"].is_array() ||
      !member(question, "workloads"))
    return;
  const ordered_json& workloads = question["workloads"];
  names asked;
  for (const ordered_json& part : workloads.is_array() ? workloads : ordered_json::array({workloads}))
    for (const std::string& operation : words_at(part, "operations")) append_once(asked, operation);
  for (ordered_json& family : question["families"]) {
    const names operations = member(family, "operations") ? words_at(family, "operations") : asked;
    rename_switches_at(family, operations, table, [](const auto&, const auto&) {});
    rename_points_at(family, operations, table);
  }
}

names parts_of(const std::string& operation, const suite_runs& runs, const old_names& table) {
  names out;
  if (const auto found = runs.find(operation); found != runs.end())
    for (const suite_part& part : found->second) append_once(out, part.operation);
  if (out.empty()) out.push_back(table.todays_operation(operation));
  return out;
}

void rename_comparison(ordered_json& comparison, const suite_runs& runs, const old_names& table) {
  if (!comparison.is_object()) return;
  const names before = words_at(comparison, "operations");
  names operations, across;
  for (const std::string& operation : before)
    for (const std::string& part : parts_of(operation, runs, table)) append_once(operations, part);
  for (const std::string& axis : words_at(comparison, "across")) {
    const bool divides = std::any_of(before.begin(), before.end(), [&](const std::string& operation) {
      const auto division = table.division_of(operation);
      return division && division->axis == axis;
    });
    if (divides) continue;
    for (const std::string& operation : operations)
      if (const auto today = table.todays_axis(operation, axis)) {
        append_once(across, *today);
        break;
      }
  }
  set_words(comparison, "operations", operations);
  if (across.empty())
    comparison.erase("across");
  else
    set_words(comparison, "across", across);
}

class renamed_question {
 public:
  renamed_question(ordered_json& question, const suite_runs& runs, const old_names& table)
      : question_(question), runs_(runs), table_(table) {}

  void run() {
    if (!question_.is_object() || !member(question_, "families") || !question_["families"].is_array() ||
        !member(question_, "workloads"))
      return;
    for (ordered_json* part : workloads())
      for (const std::string& operation : words_at(*part, "operations")) append_once(asked_of_, operation);
    if (std::none_of(asked_of_.begin(), asked_of_.end(),
                     [&](const std::string& o) { return table_.speak_of(o); }))
      return;
    for (ordered_json& family : question_["families"])
      if (family.is_object()) rename_family(family);
    for (ordered_json* part : workloads()) rename_workloads(*part);
  }

 private:
  std::vector<ordered_json*> workloads() const {
    std::vector<ordered_json*> out;
    ordered_json& all = question_["workloads"];
    if (!all.is_array()) return {&all};
    for (ordered_json& part : all) out.push_back(&part);
    return out;
  }

  /// The parts of an operation that the axes leave, where they name the axis by which it was divided.
  std::optional<names> chosen_parts(const std::string& operation, const ordered_json& of) const {
    const auto division = table_.division_of(operation);
    if (!division || !has_object(of, "axes") || !of["axes"].contains(division->axis)) return std::nullopt;
    names out;
    for (const std::string& value : words_of(of["axes"][division->axis])) {
      const auto part = division->operations.find(value);
      append_once(out, part == division->operations.end() ? operation : part->second);
    }
    return out;
  }

  void erase_division(const std::string& operation, ordered_json& of) const {
    const auto division = table_.division_of(operation);
    if (!division || !has_object(of, "axes")) return;
    of["axes"].erase(division->axis);
    if (of["axes"].empty()) of.erase("axes");
  }

  /// Those in which some of these variants of before run; any, where none is named.
  names parts_with(const std::string& operation, const names& variants) const {
    names out;
    if (const auto found = runs_.find(operation); found != runs_.end())
      for (const suite_part& part : found->second)
        if (variants.empty() || part.variants.contains(any_variant) ||
            std::any_of(variants.begin(), variants.end(),
                        [&](const std::string& v) { return part.variants.contains(v); }))
          append_once(out, part.operation);
    return out.empty() ? parts_of(operation, runs_, table_) : out;
  }

  void rename_family(ordered_json& family) {
    const names before = words_at(family, "variants");
    const bool names_operations = family.contains("operations");
    names parts, variants;
    bool is_a_choice = names_operations;
    for (const std::string& operation : names_operations ? words_at(family, "operations") : asked_of_) {
      names here = parts_with(operation, before);
      if (here != parts_of(operation, runs_, table_)) is_a_choice = true;
      for (ordered_json* part : workloads())
        if (const auto chosen = chosen_parts(operation, *part)) here = *chosen;
      if (const auto chosen = chosen_parts(operation, family)) {
        here = *chosen;
        is_a_choice = true;
      }
      erase_division(operation, family);
      for (const std::string& part : here) append_once(parts, part);
    }
    for (const std::string& variant : before)
      for (const std::string& part : parts) append_once(variants, table_.todays_variant(part, variant, {}));
    if (!before.empty()) set_words(family, "variants", variants);
    if (has_object(family, "axes") && !parts.empty()) {
      ordered_json axes = ordered_json::object();
      for (const std::string& part : parts) {
        const ordered_json here = renamed_axes(family["axes"], part, table_);
        for (const auto& [axis, values] : here.items()) axes[axis] = values;
      }
      family["axes"] = std::move(axes);
      if (family["axes"].empty()) family.erase("axes");
    }
    if (is_a_choice) set_words(family, "operations", parts);
    parts_of_families_.push_back(std::move(parts));
  }

  /// The parts that some family names; all if none does.
  names parts_asked(const std::string& operation, const ordered_json& workloads) const {
    const names all = chosen_parts(operation, workloads).value_or(parts_of(operation, runs_, table_));
    names out;
    for (const std::string& part : all)
      for (const names& of_family : parts_of_families_)
        if (is_word_of(of_family, part)) append_once(out, part);
    return out.empty() ? all : out;
  }

  void rename_workloads(ordered_json& part) {
    if (!part.is_object()) return;
    names operations;
    for (const std::string& operation : words_at(part, "operations")) {
      for (const std::string& today : parts_asked(operation, part)) append_once(operations, today);
    }
    for (const std::string& operation : words_at(part, "operations")) erase_division(operation, part);
    if (operations.empty()) return;
    const auto common_name = [&](const std::string& axis) {
      const auto first = table_.todays_axis(operations.front(), axis);
      for (const std::string& operation : operations)
        if (table_.todays_axis(operation, axis) != first) return std::optional<std::string>();
      return first;
    };
    if (has_object(part, "axes")) {
      ordered_json kept = ordered_json::object();
      for (const auto& [axis, values] : part["axes"].items())
        if (common_name(axis))
          kept.update(renamed_axes({{axis, values}}, operations.front(), table_));
        else
          leave_to_families(axis, values);
      part["axes"] = std::move(kept);
      if (part["axes"].empty()) part.erase("axes");
    }
    names by;
    for (const std::string& axis : words_at(part, "by"))
      if (const auto today = common_name(axis)) append_once(by, *today);
    if (!words_at(part, "by").empty()) set_words(part, "by", by);
    if (by.empty()) part.erase("by");
    if (const names along = words_at(part, "along"); along.size() == 1)
      if (const auto today = common_name(along.front()); today && *today != along.front())
        part["along"] = *today;
    set_words(part, "operations", operations);
  }

  void leave_to_families(const std::string& axis, const ordered_json& values) {
    std::size_t i = 0;
    for (ordered_json& family : question_["families"]) {
      if (!family.is_object()) continue;
      const names& parts = parts_of_families_[i++];
      const bool all_have_it = std::all_of(parts.begin(), parts.end(), [&](const std::string& part) {
        return table_.todays_axis(part, axis).has_value();
      });
      if (parts.empty() || !all_have_it) continue;
      const ordered_json here = renamed_axes({{axis, values}}, parts.front(), table_);
      for (const auto& [name, today] : here.items())
        if (!has_object(family, "axes") || !family["axes"].contains(name)) family["axes"][name] = today;
    }
  }

  ordered_json& question_;
  const suite_runs& runs_;
  const old_names& table_;
  names asked_of_;
  std::vector<names> parts_of_families_;
};

/// A suite's block, by today's names.
class renamed_block {
 public:
  using knows = std::function<bool(const std::string& operation, const std::string& variant)>;

  renamed_block(const ordered_json& block, const knows& has_variant, const old_names& table)
      : block_(block), has_variant_(has_variant), table_(table), before_(block.at("operation")) {}

  /// The parts of the operation, each with the values that made it one; none where nothing divides it here.
  ordered_json run(suite_runs& runs, std::vector<std::pair<std::string, std::string>>& renamed) const {
    std::vector<std::pair<std::string, names>> parts;
    const auto division = table_.division_of(before_);
    if (division && has_object(block_, "axes") && block_["axes"].contains(division->axis))
      for (const std::string& value : words_of(block_["axes"][division->axis])) {
        const auto known = division->operations.find(value);
        const std::string part = known == division->operations.end() ? before_ : known->second;
        const auto same =
            std::find_if(parts.begin(), parts.end(), [&](const auto& p) { return p.first == part; });
        (same == parts.end() ? parts.emplace_back(part, names()) : *same).second.push_back(value);
        renamed.emplace_back(before_ + "/" + division->axis + "=" + value, part);
      }
    if (parts.empty()) {
      parts.emplace_back(table_.todays_operation(before_), names());
      if (parts.front().first != before_) renamed.emplace_back(before_, parts.front().first);
    }
    ordered_json out = ordered_json::array();
    for (const auto& [operation, values] : parts) {
      ordered_json block = block_;
      block["operation"] = operation;
      if (division && !values.empty()) {
        block["axes"].erase(division->axis);
        // A value without a rule is left to the reader.
        names unknown = values;
        std::erase_if(unknown, [&](const auto& value) { return division->operations.contains(value); });
        if (!unknown.empty()) block["axes"][division->axis] = unknown;
      }
      rename_axes_at(block, operation, table_);
      rename_switches_at(block, {operation}, table_, [&](const auto& given, const auto& today) {
        renamed.emplace_back(operation + "/" + choice_text(given), choice_text(today));
      });
      suite_part& run = of_part(runs[before_], operation);
      for (const std::string& variant : words_at(block, "variants")) run.variants.insert(variant);
      if (!block.contains("variants")) run.variants.insert(any_variant);
      if (!rename_variants(block, operation, parts.size() > 1, renamed) ||
          !rename_exclusions(block, operation, division, values))
        continue;
      out.push_back(std::move(block));
    }
    return out;
  }

 private:
  bool rename_variants(ordered_json& block, const std::string& operation, bool is_divided,
                       std::vector<std::pair<std::string, std::string>>& renamed) const {
    const names before = words_at(block, "variants");
    names today;
    for (const std::string& variant : before) {
      const std::string name = table_.todays_variant(operation, variant, {});
      if (name != variant) renamed.emplace_back(operation + "/" + variant, name);
      if (!is_divided || !has_variant_ || name == "*" || has_variant_(operation, name))
        append_once(today, name);
    }
    if (!before.empty() && today != before) block["variants"] = today;
    return before.empty() || !today.empty();
  }

  /// False where they leave nothing of the block.
  bool rename_exclusions(ordered_json& block, const std::string& operation,
                         const std::optional<old_names::divided_by>& division, const names& values) const {
    if (!block.contains("exclude") || !block["exclude"].is_array()) return true;
    ordered_json kept = ordered_json::array();
    for (const ordered_json& excluded : block["exclude"]) {
      if (!excluded.is_object()) return true;
      ordered_json one = ordered_json::object();
      bool is_of_this = true;
      for (const auto& [name, given] : excluded.items()) {
        if (name == "variant") {
          names today;
          for (const std::string& variant : words_of(given))
            append_once(today, table_.todays_variant(operation, variant, {}));
          one[name] = today;
        } else if (division && division->axis == name && !values.empty()) {
          const names left_out = words_of(given);
          is_of_this &= std::all_of(values.begin(), values.end(),
                                    [&](const std::string& value) { return is_word_of(left_out, value); });
        } else if (table_.todays_axis(operation, name)) {
          one.update(renamed_axes({{name, given}}, operation, table_));
        } else {
          is_of_this = false;
        }
      }
      if (is_of_this && one.empty() && !excluded.empty()) return false;
      if (is_of_this) kept.push_back(std::move(one));
    }
    if (kept.empty())
      block.erase("exclude");
    else
      block["exclude"] = std::move(kept);
    return true;
  }

  const ordered_json& block_;
  const knows& has_variant_;
  const old_names& table_;
  std::string before_;
};

}  // namespace

suite_part& of_part(std::vector<suite_part>& parts, const std::string& operation) {
  for (suite_part& part : parts)
    if (part.operation == operation) return part;
  return parts.emplace_back(suite_part{operation, {}});
}

void rename_suite_report(ordered_json& report, const suite_runs& runs, const old_names& table) {
  if (!report.is_object()) return;
  if (has_object(report, "question")) {
    ordered_json& question = report["question"];
    renamed_question(question, runs, table).run();
    rename_switches_of_families(question, table);
    if (question.contains("ladder")) rename_ladder(question["ladder"], table);
    if (question.contains("exhibits") && question["exhibits"].is_array())
      for (ordered_json& exhibit : question["exhibits"]) rename_exhibit(exhibit, table);
  }
  if (report.contains("comparisons") && report["comparisons"].is_array())
    for (ordered_json& comparison : report["comparisons"]) rename_comparison(comparison, runs, table);
}

void rename_suite(ordered_json& suite, const std::string& file,
                  const std::function<bool(const std::string&, const std::string&)>& has_variant,
                  const old_names& table) {
  if (!suite.is_object() || !suite.contains("cases") || !suite["cases"].is_array()) return;
  suite_runs runs;
  std::vector<std::pair<std::string, std::string>> renamed = gather_report(suite);
  ordered_json blocks = ordered_json::array();
  for (const ordered_json& block : suite["cases"]) {
    if (!member(block, "operation") || !block["operation"].is_string()) {
      blocks.push_back(block);
      continue;
    }
    for (ordered_json& today : renamed_block(block, has_variant, table).run(runs, renamed))
      blocks.push_back(std::move(today));
  }
  suite["cases"] = std::move(blocks);
  if (suite.contains("report")) rename_suite_report(suite["report"], runs, table);
  std::vector<std::string> renamings;
  for (const auto& [before, today] : renamed) append_once(renamings, before + " is " + today);
  std::string all;
  for (const std::string& one : renamings) all += (all.empty() ? "" : ", ") + one;
  if (!all.empty()) print_todays_names(file, all);
}

}  // namespace ablate
