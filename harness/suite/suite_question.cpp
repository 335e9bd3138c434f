#include "harness/suite/suite_question.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text/names.h"
#include "base/text/number_spelling.h"
#include "harness/registry/registry.h"

namespace ablate {
namespace {

using reports::json_place;
using names = std::vector<std::string>;

bool holds(const names& known, const std::string& name) {
  return std::find(known.begin(), known.end(), name) != known.end();
}

void add_once(names& to, const std::string& name) {
  if (!holds(to, name)) to.push_back(name);
}

/// Names under an optional key, each of which has to be known.
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
  run_operations(const suite& from, const names& chosen) : suite_(from) {
    for (const suite_block& block : from.blocks)
      if (holds(chosen, block.operation->name)) blocks_.push_back(&block);
  }

  names variants() const {
    names out;
    for (const suite_block* block : blocks_)
      for (const variant_facts* v : block->variants) add_once(out, v->name);
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
    for (const suite_block* block : blocks_)
      for (const axis& a : block->operation->axes)
        if (!of_all || std::all_of(blocks_.begin(), blocks_.end(), [&](const suite_block* other) {
              return std::any_of(other->operation->axes.begin(), other->operation->axes.end(),
                                 [&](const axis& b) { return b.name == a.name; });
            }))
          add_once(out, a.name);
    return out;
  }

  /// A value as records spell it, legal on the axis of one of the operations.
  std::string axis_value(const json_place& at, const std::string& name) const {
    const std::optional<std::string> given = axis_word(at.json());
    if (!given) at.refuse_value("a number or a word");
    names files;
    for (const auto& [file, facts] : suite_.point_files) files.push_back(file);
    std::string why;
    for (const suite_block* block : blocks_)
      for (const axis& a : block->operation->axes) {
        if (a.name != name) continue;
        const std::string value = a.canonical(*given);
        const auto refused = a.refuses(value, files);
        if (!refused) return value;
        why = *refused + did_you_mean(value, a.words);
      }
    at.refuse(why);
  }

  bool runs_some_of(const question_family& family) const {
    return std::any_of(blocks_.begin(), blocks_.end(), [&](const suite_block* block) {
      return (family.operations.empty() || holds(family.operations, block->operation->name)) &&
             std::any_of(block->variants.begin(), block->variants.end(), [&](const variant_facts* v) {
               return (family.variants.empty() || holds(family.variants, v->name)) &&
                      std::all_of(family.switches.begin(), family.switches.end(), [&](const auto& wanted) {
                        return std::any_of(v->switches.begin(), v->switches.end(), [&](const auto& s) {
                          return s.first == wanted.first && holds(wanted.second, s.second);
                        });
                      });
             });
    });
  }

 private:
  template <class Use>
  void for_each_switch(const Use& use) const {
    for (const suite_block* block : blocks_)
      for (const variant_facts* v : block->variants)
        for (const auto& s : v->switches) use(s);
  }

  const suite& suite_;
  std::vector<const suite_block*> blocks_;
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

}  // namespace

suite_question checked_question(const json_place& at, const suite& of) {
  at.expect_keys({"text", "families", "workloads"});
  suite_question out = question_of(at);
  names run, chosen;
  for (const suite_block& block : of.blocks) add_once(run, block.operation->name);
  const std::vector<json_place> workloads = one_or_all(at.at("workloads"));
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    const json_place& part = workloads[i];
    question_workloads& to = out.workloads[i];
    check_names(part, "operations", "operation that the suite runs", run);
    for (const std::string& operation : to.operations) add_once(chosen, operation);
    const run_operations here(of, to.operations);
    const names known = here.axes(true);
    const std::string kind = fmt::format("axis of '{}'", fmt::join(to.operations, "' and '"));
    check_names(part, "along", kind, known);
    check_names(part, "by", kind, known);
    check_names(part, "cache", "cache state", {"cold-clean", "hot", "rotating"});
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
  for (const auto& [name, file] : of.point_files) out.scans.push_back(name);
  return out;
}

}  // namespace ablate
