#include "reports/asked/checked_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/text/bad_input.h"
#include "base/text/names.h"
#include "reports/asked/parts.h"

namespace ablate::reports {
namespace {

using names = std::vector<std::string>;

bool holds(const names& known, const std::string& name) {
  return std::find(known.begin(), known.end(), name) != known.end();
}

void add_once(names& to, const std::string& name) {
  if (!holds(to, name)) to.push_back(name);
}

/// Checks that each name under an optional key is known.
void check_names(const json_place& of, std::string_view key, const std::string& kind, const names& known) {
  if (const auto at = of.find(key))
    at->one_or_more([&](const json_place& value) {
      const std::string name = value.json().is_number_integer() ? value.json().dump() : value.text();
      if (!holds(known, name)) value.refuse(no_such(kind, name, known));
      return name;
    });
}

/// What the suite runs of some operations.
class run_operations {
 public:
  run_operations(const planned_suite& from, const names& chosen) {
    for (const planned_block& block : from.blocks)
      if (holds(chosen, block.operation->name)) blocks_.push_back(&block);
  }

  names variants() const {
    names out;
    for (const planned_block* block : blocks_)
      for (const planned_variant& v : block->variants) add_once(out, v.name);
    return out;
  }

  /// Switch names, or the values of one switch.
  names switches() const {
    names out;
    for_each_switch([&](const auto& s) { add_once(out, s.first); });
    return out;
  }
  names values_of_switch(const std::string& name) const {
    names out;
    for_each_switch([&](const auto& s) {
      if (s.first == name) add_once(out, s.second);
    });
    return out;
  }

  /// Axes of all of the operations, or of any.
  names axes(bool of_all) const {
    names out;
    for (const planned_block* block : blocks_)
      for (const planned_axis& a : block->operation->axes)
        if (!of_all || std::all_of(blocks_.begin(), blocks_.end(), [&](const planned_block* other) {
              return other->operation->find_axis(a.name);
            }))
          add_once(out, a.name);
    return out;
  }

  /// A value as records spell it, legal on the axis of one of the operations.
  std::string axis_value(const json_place& at, const std::string& name) const {
    std::optional<bad_input> refused;
    for (const planned_block* block : blocks_) {
      const planned_axis* const axis = block->operation->find_axis(name);
      if (!axis) continue;
      try {
        return axis->value(at);
      } catch (const bad_input& why) {
        refused = why;
      }
    }
    throw refused.value();
  }

  bool runs_some_of(const question_family& family) const {
    return std::any_of(blocks_.begin(), blocks_.end(), [&](const planned_block* block) {
      return (family.operations.empty() || holds(family.operations, block->operation->name)) &&
             std::any_of(block->variants.begin(), block->variants.end(), [&](const planned_variant& v) {
               return (family.variants.empty() || holds(family.variants, v.name)) &&
                      std::all_of(family.switches.begin(), family.switches.end(), [&](const auto& wanted) {
                        const std::string* value = find_word(v.switches, wanted.first);
                        return value && holds(wanted.second, *value);
                      });
             });
    });
  }

 private:
  template <class Use>
  void for_each_switch(const Use& use) const {
    for (const planned_block* block : blocks_)
      for (const planned_variant& v : block->variants)
        for (const auto& s : v.switches) use(s);
  }

  std::vector<const planned_block*> blocks_;
};

accepted_values checked_axes(const json_place& of, const run_operations& run, const names& known,
                             const std::string& kind) {
  accepted_values out;
  if (const auto axes = of.find("axes"))
    for (const auto& [name, values] : axes->members()) {
      if (!holds(known, name)) values.refuse(no_such(kind, name, known));
      out.emplace_back(name, values.one_or_more([&, &axis = name](const json_place& value) {
        return run.axis_value(value, axis);
      }));
    }
  return out;
}

void check_switches(const json_place& family, const run_operations& run) {
  const auto switches = family.find("switches");
  if (!switches) return;
  const names known = run.switches();
  for (const auto& [name, values] : switches->members()) {
    if (!holds(known, name)) values.refuse(no_such("switch of these variants", name, known));
    check_names(*switches, name, fmt::format("value of the switch '{}'", name), run.values_of_switch(name));
  }
}

std::vector<json_place> one_or_all(const json_place& at) {
  return at.json().is_array() ? at.elements() : std::vector{at};
}

suite_question checked_question(const json_place& at, const planned_suite& of) {
  at.expect_keys({"text", "families", "workloads", "ladder", "exhibits"});
  for (const char* key : {"text", "families", "workloads"}) at.at(key);
  suite_question out =
      question_of(at, {[&](const json_place& ladder) { return asked::checked_ladder(ladder, of); },
                       [&](const json_place& exhibits) { return asked::checked_exhibits(exhibits, of); }});
  names chosen;
  const std::vector<json_place> workloads = one_or_all(at.at("workloads"));
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    const json_place& part = workloads[i];
    question_workloads& to = out.workloads[i];
    check_names(part, "operations", "operation that the suite runs", of.operations_run());
    for (const std::string& operation : to.operations) add_once(chosen, operation);
    const run_operations here(of, to.operations);
    const names known = here.axes(true);
    const std::string kind = fmt::format("axis of '{}'", fmt::join(to.operations, "' and '"));
    check_names(part, "along", kind, known);
    check_names(part, "by", kind, known);
    check_names(part, "cache", "cache state", asked::cache_states);
    to.axes = checked_axes(part, here, known, kind);
  }
  const run_operations all(of, chosen);
  const std::vector<json_place> families = at.at("families").elements();
  for (std::size_t i = 0; i < families.size(); ++i) {
    check_names(families[i], "operations", "operation that the question is asked of", chosen);
    check_names(families[i], "variants", "variant that the suite runs", all.variants());
    check_switches(families[i], all);
    out.families[i].axes = checked_axes(families[i], all, all.axes(false), "axis of these operations");
    if (!all.runs_some_of(out.families[i]))
      families[i].refuse("expected a family of which the suite runs a variant, found none");
  }
  out.scans = of.point_files;
  return out;
}

}  // namespace

suite_report checked_report(const json_place& at, const planned_suite& of) {
  for (const char* part : {"ladder", "exhibits"})
    if (const auto stray = at.find(part))
      stray->refuse(fmt::format("expected it in 'question', of which '{}' is a part", part));
  at.expect_keys({"comparisons", "question"});
  suite_report out;
  if (const auto comparisons = at.find("comparisons"))
    out.comparisons = asked::checked_comparisons(*comparisons, of);
  if (const auto question = at.find("question")) out.question = checked_question(*question, of);
  return out;
}

}  // namespace ablate::reports
