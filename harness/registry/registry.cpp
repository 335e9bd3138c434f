#include "harness/registry/registry.h"

#include <algorithm>
#include <stdexcept>

#include "harness/registry/case_id.h"

namespace ABLATE_ABI {

namespace {

std::vector<std::unique_ptr<operation>>& registered_operations() {
  static std::vector<std::unique_ptr<operation>> operations;
  return operations;
}

void require_name(const std::string& name) {
  if (!is_case_id_word(name))
    throw std::logic_error("'" + name + "' is not allowed in a case id: use letters, digits and _.=+-");
}

bool has_same_switches(const variant_facts& a, const variant_facts& b) {
  const auto holds = [](const switches& all, const switches& of) {
    return std::all_of(of.begin(), of.end(),
                       [&](const switch_entry& entry) { return value_of(all, entry.first) == entry.second; });
  };
  return holds(a.switches, b.switches) && holds(b.switches, a.switches);
}

/// Conditions on an axis of numbers, in the spelling of its values: 0.5 where the definition has 0.50.
void spell(axis_conditions& conditions, const std::vector<axis>& axes) {
  for (auto& [name, words] : conditions) {
    const auto of = std::ranges::find(axes, name, &axis::name);
    if (of == axes.end() || !of->numbers) continue;
    for (std::string& word : words) word = of->canonical(word);
  }
}

/// The point's value of every switch that it or the variant states.
switch_values values_at(const variant_facts& point, const variant_facts& v) {
  switch_values out(point.switches.begin(), point.switches.end());
  for (const switch_entry& entry : v.switches)
    if (!point.switches.has(entry.first)) out.emplace_back(entry.first, "off");
  return out;
}

}  // namespace

bool register_operation(std::unique_ptr<operation> added) {
  require_name(added->name);
  for (const axis& a : added->axes) require_name(a.name);
  for (variant_facts& v : added->variants) {
    require_name(v.name);
    spell(v.only_where, added->axes);
    for (switch_range& range : v.takes) spell(range.only_where, added->axes);
  }
  auto& all = registered_operations();
  const auto place =
      std::lower_bound(all.begin(), all.end(), added->name,
                       [](const auto& entry, const std::string& name) { return entry->name < name; });
  if (place != all.end() && (*place)->name == added->name)
    throw std::logic_error("operation '" + added->name + "' is registered twice");
  all.insert(place, std::move(added));
  return true;
}

const std::vector<std::unique_ptr<operation>>& operations() { return registered_operations(); }

const operation* find_operation(std::string_view name) {
  for (const auto& entry : registered_operations())
    if (entry->name == name) return entry.get();
  return nullptr;
}

std::vector<buffer> operation::buffers_of(const variant_facts* which, const axis_values& at,
                                          const input_library& inputs) const {
  std::vector<buffer> all = buffers(at, inputs);
  if (which)
    for (const std::string& unneeded : which->without) {
      const auto found = std::ranges::find(all, unneeded, &buffer::name);
      if (found == all.end())
        throw std::logic_error("variant '" + which->name + "' does without '" + unneeded +
                               "', which is no buffer of '" + name + "'");
      found->bytes = 0;
    }
  return all;
}

const variant_facts* operation::find_variant(std::string_view wanted) const {
  for (const variant_facts& v : variants)
    if (v.name == wanted) return &v;
  const spelled_point spelled = read_point(wanted);
  if (spelled.changes.empty()) return nullptr;
  const variant_facts* around = find_variant(spelled.variant);
  return around ? point(*around, spelled.changes) : nullptr;
}

std::vector<const variant_facts*> operation::preset(std::string_view wanted) const {
  std::vector<const variant_facts*> out;
  if (std::ranges::find(variants, wanted, &variant_facts::name) != variants.end()) return out;
  std::vector<std::string> names;
  if (wanted == "baseline") names = {baseline};
  if (wanted == "published") names = presets.published;
  if (wanted == "best") names = presets.best;
  for (const std::string& one : names)
    if (const variant_facts* found = find_variant(one)) out.push_back(found);
  return out;
}

const variant_facts* operation::point(const variant_facts& around, const switch_values& wanted) const {
  if (!takes(around, wanted)) return nullptr;
  const switch_values changes = changes_of(around, wanted);
  if (changes.empty()) return &around;
  variant_facts made = changed(around, changes);
  for (const variant_facts& v : variants)
    if (has_same_switches(v, made)) return &v;
  // Several variants may be a few changes away: the nearest one names the point.
  const variant_facts wanted_point = made;
  std::size_t fewest = changes.size();
  for (const variant_facts& v : variants) {
    const switch_values values = values_at(wanted_point, v);
    const switch_values from_there = changes_of(v, values);
    if (!takes(v, values) || from_there.size() >= fewest) continue;
    fewest = from_there.size();
    made = changed(v, from_there);
  }
  const std::lock_guard lock(making_points_);
  return &points_.try_emplace(made.name, std::move(made)).first->second;
}

}  // namespace ABLATE_ABI
