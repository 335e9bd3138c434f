#include "harness/cli/catalog.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/record/context_json.h"
#include "base/text/bad_input.h"
#include "base/text/names.h"
#include "base/text/text.h"
#include "harness/build_facts.h"
#include "harness/cli/committed_kernels.h"
#include "harness/device/chip.h"
#include "harness/device/kernel_facts.h"
#include "harness/registry/needs.h"
#include "harness/registry/outside_code.h"
#include "harness/registry/pairs.h"
#include "harness/registry/registry.h"
#include "harness/suite/plan.h"

namespace ablate {

namespace {

using nlohmann::ordered_json;

ordered_json axis_json(const axis& a) {
  return {{"name", a.name},
          {"description", a.description},
          {"default", a.default_value},
          {"words", a.words},
          {"range", a.range ? ordered_json{a.range->first, a.range->second} : ordered_json()},
          {"numbers", a.numbers ? ordered_json{a.numbers->first, a.numbers->second} : ordered_json()},
          {"all", a.all ? ordered_json(*a.all) : ordered_json()},
          {"takes_point_files", a.takes_point_files}};
}

template <class Pairs>
ordered_json object_of(const Pairs& pairs) {
  ordered_json result = ordered_json::object();
  for (const auto& [name, value] : pairs) result[name] = value;
  return result;
}

/// Moves the axes that `conditions` name, from the one at `next` on, to the first of their words with which
/// the operation makes a case; a value that is one of the words is tried first. False where none makes one.
bool move_to(const axis_conditions& conditions, const operation& of, axis_values& axes,
             std::size_t next = 0) {
  if (next == conditions.size()) return !of.refuses(axes);
  const std::string& name = conditions[next].first;  // clang 14 lets no lambda capture a structured binding
  std::vector<std::string> candidates = conditions[next].second;
  std::stable_partition(candidates.begin(), candidates.end(),
                        [&](const std::string& word) { return word == axes.word(name); });
  return std::any_of(candidates.begin(), candidates.end(), [&](const std::string& word) {
    axis_values moved = axes;
    moved.set(name, word);
    if (!move_to(conditions, of, moved, next + 1)) return false;
    axes = moved;
    return true;
  });
}

/// The default axes, moved to where the variant applies, and one other axis too where its default makes no
/// case there.
axis_values axes_for(const operation& of, const variant_facts& v) {
  axis_values axes;
  for (const axis& a : of.axes) axes.set(a.name, a.default_value);
  if (move_to(v.only_where, of, axes)) return axes;
  for (const axis& a : of.axes) {
    axis_conditions further = v.only_where;
    further.emplace_back(a.name, a.words);
    if (!a.words.empty() && move_to(further, of, axes)) return axes;
  }
  throw std::logic_error("no case at the defaults of the other axes: the operation refuses those");
}

/// The kernels that a variant launches, as a chip would see them; null with a reason where that cannot be
/// known here.
void describe_kernels(ordered_json& entry, const operation& of, const variant_facts& v,
                      const committed_kernels& committed) {
  entry["kernels"] = nullptr;
  if (!v.has_launch) {
    const auto launches = committed.launches.find(of.name + "/" + v.name);
    if (launches != committed.launches.end())
      entry["kernels"] = launches->second;
    else
      entry["why_no_kernels"] = committed.file.empty() || is_own_program() || find_outside_code(of.name)
                                    ? "this program was built without CUDA"
                                    : fmt::format("{} names no launch of it", committed.file);
    return;
  }
  try {
    const std::vector<kernel_launch> launches = described_launches(of, v, *find_chip("h200"));
    entry["kernels"] = ordered_json::array();
    for (const kernel_launch& launch : launches) entry["kernels"].push_back(describe(launch));
  } catch (const std::exception& e) {
    entry["why_no_kernels"] = e.what();
  }
}

/// Values of switches that the variant's launch function takes beside its own.
ordered_json ranges_of(const variant_facts& v) {
  auto ranges = ordered_json::object();
  for (const switch_range& range : v.takes)
    for (const std::string& value : range.values) ranges[range.name].push_back(value);
  return ranges;
}

ordered_json variant_json(const operation& of, const variant_facts& v, const committed_kernels& committed) {
  ordered_json entry{{"name", v.name},
                     {"description", v.description},
                     {"switches", object_of(v.switches)},
                     {"takes", ranges_of(v)},
                     {"only_where", object_of(v.only_where)},
                     {"minimum_compute_capability", v.minimum_compute_capability}};
  describe_kernels(entry, of, v, committed);
  return entry;
}

/// How many pairs of points differ in each switch alone.
std::map<std::string, int> pairs_by_switch(const operation& of) {
  std::map<std::string, int> counts;
  for (const point_pair& pair : pairs_of(of)) ++counts[pair.differs_in];
  return counts;
}

ordered_json switch_json(const operation& of, const switch_facts& s, int pairs) {
  auto values = ordered_json::object(), needs = ordered_json::object();
  for (const auto& [word, meaning] : s.values) {
    values[word] = meaning;
    const value_needs its = needs_of(of, s.name, word);
    if (its.minimum_compute_capability > 80 || !its.only_where.empty())
      needs[word] = {{"minimum_compute_capability", its.minimum_compute_capability},
                     {"only_where", object_of(its.only_where)}};
  }
  return {{"name", s.name},
          {"description", s.description},
          {"values", values},
          {"needs", needs},
          {"only_with", object_of(s.only_with)},
          {"pairs", pairs},
          {"counter", s.counter},
          {"source", s.source}};
}

ordered_json operation_json(const operation& of, const committed_kernels& committed) {
  ordered_json entry{{"name", of.name},
                     {"description", of.description},
                     {"calibration", !of.calibrations.empty()},
                     {"baseline", of.baseline},
                     {"presets", {{"published", of.presets.published}, {"best", of.presets.best}}},
                     {"axes", ordered_json::array()},
                     {"variants", ordered_json::array()}};
  for (const axis& a : of.axes) entry["axes"].push_back(axis_json(a));
  entry["switches"] = ordered_json::array();
  std::map<std::string, int> pairs = pairs_by_switch(of);
  for (const switch_facts& s : of.switches) entry["switches"].push_back(switch_json(of, s, pairs[s.name]));
  for (const variant_facts& v : of.variants) entry["variants"].push_back(variant_json(of, v, committed));
  return entry;
}

ordered_json chip_json(const chip& c) {
  return {{"name", c.name},
          {"silicon", c.silicon},
          {"compute_capability", c.compute_capability},
          {"architecture", c.architecture},
          {"multiprocessors", c.multiprocessors},
          {"memory_bytes", c.memory_bytes},
          {"l2_bytes", c.l2_bytes},
          {"dram_bytes_per_s", c.dram_bytes_per_s},
          {"shared_bytes_per_multiprocessor", c.shared_bytes_per_multiprocessor},
          {"shared_bytes_per_block", c.shared_bytes_per_block},
          {"shared_bytes_reserved_per_block", c.shared_bytes_reserved_per_block},
          {"warps_per_multiprocessor", c.warps_per_multiprocessor},
          {"blocks_per_multiprocessor", c.blocks_per_multiprocessor},
          {"registers_per_multiprocessor", c.registers_per_multiprocessor}};
}

using table_rows = std::vector<std::vector<reports::terminal_cell>>;

std::vector<reports::terminal_cell> headings(std::initializer_list<const char*> names) {
  std::vector<reports::terminal_cell> out;
  for (const char* name : names) out.push_back({name, reports::ink::faint});
  return out;
}

std::string legal_values(const axis& a) {
  std::vector<std::string> parts = a.words;
  if (a.range) parts.push_back(fmt::format("{}..{}", a.range->first, a.range->second));
  if (a.numbers) parts.push_back(fmt::format("numbers from {} to {}", a.numbers->first, a.numbers->second));
  if (a.all) parts.push_back("all");
  if (a.takes_point_files) parts.push_back("a point file of the suite");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string joined(const ordered_json& object, const char* nothing) {
  std::string text;
  for (const auto& [name, value] : object.items())
    text += (text.empty() ? "" : " ") + name + "=" + value.template get<std::string>();
  return text.empty() ? nothing : text;
}

/// region=insert|rebalance mode=strict
std::string conditions_text(const axis_conditions& conditions) {
  std::vector<std::string> parts;
  for (const auto& [name, words] : conditions)
    parts.push_back(fmt::format("{}={}", name, fmt::join(words, "|")));
  return fmt::format("{}", fmt::join(parts, " "));
}

/// "; takes entries=4096 threads=128|512"
std::string takes_text(const variant_facts& v) {
  const ordered_json values_by_switch = ranges_of(v);
  std::vector<std::string> ranges;
  for (const auto& [name, values] : values_by_switch.items())
    ranges.push_back(fmt::format("{}={}", name, fmt::join(values.get<std::vector<std::string>>(), "|")));
  return ranges.empty() ? "" : fmt::format("; takes {}", fmt::join(ranges, " "));
}

/// smem=on entries=2048; takes entries=4096 threads=128|512
std::string switches_text(const variant_facts& v) {
  return joined(object_of(v.switches), "-") + takes_text(v);
}

std::string remarks(const operation& of, const variant_facts& v) {
  std::string text = v.description;
  const auto add = [&](const std::string& remark) { text += (text.empty() ? "[" : " [") + remark + "]"; };
  if (v.name == of.baseline) add("baseline");
  if (!v.only_where.empty()) add("only " + conditions_text(v.only_where));
  if (v.minimum_compute_capability > 80)
    add(fmt::format("compute capability {} and later", v.minimum_compute_capability));
  return text;
}

std::string words_of(const switch_facts& s) {
  std::vector<std::string> words;
  for (const switch_value& value : s.values) words.push_back(value.word);
  return fmt::format("{}", fmt::join(words, ", "));
}

/// "threads of a block", or "counting: warp: lanes of a cell first; off: each lane by itself. Moves: …"
std::string meaning_of(const switch_facts& s) {
  std::string text = s.description;
  for (const auto& [word, meaning] : s.values)
    if (!meaning.empty()) text += fmt::format("; {}: {}", word, meaning);
  if (!s.counter.empty()) text += fmt::format(". Moves {}", s.counter);
  return s.source.empty() ? text : fmt::format("{} ({})", text, s.source);
}

std::string title_of(const operation& of, const reports::terminal& on) {
  const std::string note = of.calibrations.empty() ? "" : " [measured first in every run on a GPU]";
  const std::string text = reports::wrapped(of.name + ": " + of.description + note, on, "  ");
  return reports::painted(of.name, reports::ink::strong, on) + text.substr(of.name.size());
}

/// "on (sm_90; width=16|32)": what the value needs and the baseline does not.
std::string value_text(const operation& of, const std::string& name, const std::string& word) {
  value_needs needs = needs_of(of, name, word);
  if (const variant_facts* baseline = of.find_variant(of.baseline))
    std::erase_if(needs.only_where, [&](const auto& condition) {
      return std::ranges::find(baseline->only_where, condition) != baseline->only_where.end();
    });
  std::vector<std::string> parts;
  if (needs.minimum_compute_capability > 80)
    parts.push_back(fmt::format("sm_{}", needs.minimum_compute_capability));
  if (!needs.only_where.empty()) parts.push_back(conditions_text(needs.only_where));
  return parts.empty() ? word : fmt::format("{} ({})", word, fmt::join(parts, "; "));
}

std::string values_text(const operation& of, const switch_facts& s) {
  std::vector<std::string> values;
  for (const switch_value& value : s.values) values.push_back(value_text(of, s.name, value.word));
  std::vector<std::string> conditions;
  for (const auto& condition : s.only_with) conditions.push_back(conditions_text({condition}));
  const std::string with = conditions.empty() ? "" : fmt::format("; with {}", fmt::join(conditions, " or "));
  return fmt::format("{}{}", fmt::join(values, ", "), with);
}

/// A variant's position in the space: its switches that differ from the baseline's.
std::string differences_text(const operation& of, const variant_facts& v) {
  const variant_facts* baseline = of.find_variant(of.baseline);
  if (!baseline || baseline == &v) return switches_text(v);
  std::vector<std::string> parts;
  for (const switch_entry& entry : v.switches)
    if (value_of(baseline->switches, entry.first) != entry.second)
      parts.push_back(entry.first + "=" + entry.second);
  for (const switch_entry& entry : baseline->switches)
    if (!v.switches.has(entry.first)) parts.push_back(entry.first + "=off");
  return fmt::format("{}", fmt::join(parts, " ")) + takes_text(v);
}

/// "baseline flat; published flat, hierarchical; best cells, flat"
std::string presets_text(const operation& of, const reports::terminal& on) {
  table_rows rows = {headings({"PRESET", "VARIANTS"})};
  for (const char* preset : {"baseline", "published", "best"}) {
    std::vector<std::string> names;
    for (const variant_facts* v : of.preset(preset)) names.push_back(v->name);
    if (!names.empty()) rows.push_back({{preset}, {fmt::format("{}", fmt::join(names, ", "))}});
  }
  return reports::laid_out(rows, {.wrap = {1}, .indent = "  "}, on) + "\n";
}

/// The space on one screen: axes and switches with their values, and the variants' positions.
std::string space_text(const operation& of, const reports::terminal& on) {
  table_rows axes = {headings({"AXIS", "DEFAULT", "VALUES"})};
  for (const axis& a : of.axes) axes.push_back({{a.name}, {a.default_value}, {legal_values(a)}});
  table_rows switches = {headings({"SWITCH", "PAIRS", "VALUES"})};
  std::map<std::string, int> pairs = pairs_by_switch(of);
  for (const switch_facts& s : of.switches)
    switches.push_back({{s.name}, {std::to_string(pairs[s.name])}, {values_text(of, s)}});
  table_rows variants = {headings({"VARIANT", "SWITCHES THAT DIFFER FROM THE BASELINE'S"})};
  for (const variant_facts& v : of.variants) {
    const bool is_baseline = v.name == of.baseline;
    variants.push_back({{v.name + (is_baseline ? " (baseline)" : "")}, {differences_text(of, v)}});
  }
  const auto laid_out = [&](const table_rows& rows, std::vector<std::size_t> right, std::size_t wrapped) {
    return reports::laid_out(rows, {.right = std::move(right), .wrap = {wrapped}, .indent = "  "}, on) + "\n";
  };
  return title_of(of, on) + laid_out(axes, {}, 2) + (of.switches.empty() ? "" : laid_out(switches, {1}, 2)) +
         laid_out(variants, {}, 1) + presets_text(of, on);
}

std::string operation_text(const operation& of, const reports::terminal& on) {
  table_rows axes = {headings({"AXIS", "DEFAULT", "VALUES", "MEANING"})};
  for (const axis& a : of.axes)
    axes.push_back({{a.name}, {a.default_value}, {legal_values(a)}, {a.description}});
  table_rows switches = {headings({"SWITCH", "VALUES", "MEANING"})};
  for (const switch_facts& s : of.switches) switches.push_back({{s.name}, {words_of(s)}, {meaning_of(s)}});
  table_rows variants = {headings({"VARIANT", "SWITCHES", "MEANING"})};
  for (const variant_facts& v : of.variants)
    variants.push_back({{v.name}, {switches_text(v)}, {remarks(of, v)}});
  return title_of(of, on) + reports::laid_out(axes, {.wrap = {2, 3}, .indent = "  "}, on) + "\n" +
         (of.switches.empty() ? ""
                              : reports::laid_out(switches, {.wrap = {1, 2}, .indent = "  "}, on) + "\n") +
         reports::laid_out(variants, {.wrap = {1, 2}, .indent = "  "}, on) + "\n";
}

/// As short as it stays telling: without the namespaces that every kernel of the operation has.
std::string short_kernel(std::string name, const operation& of) {
  name = reports::short_kernel_name(name);
  for (const std::string& space : {"ablate::" + of.name + "::", std::string("ablate::")})
    for (std::size_t at = name.find(space); at != std::string::npos; at = name.find(space))
      name.erase(at, space.size());
  return name;
}

/// What the compiler said of a kernel for an H200, under one of these names; empty where it said nothing, "?"
/// where machine code does not tell.
std::string compiled_fact(const ordered_json& facts, const std::string& kernel,
                          std::initializer_list<const char*> names) {
  const auto known = facts.find(kernel);
  if (known == facts.end() || !known->contains("sm_90a")) return "";
  long sum = 0;
  for (const char* name : names) {
    const auto fact = known->at("sm_90a").find(name);
    if (fact == known->at("sm_90a").end()) continue;
    if (fact->is_null()) return "?";
    sum += fact->get<long>();
  }
  return std::to_string(sum);
}

std::vector<reports::terminal_cell> kernel_row(const std::string& variant, const ordered_json& launch,
                                               const operation& of, const ordered_json& facts) {
  const std::string name = launch.at("name");
  if (launch.contains("library")) return {{variant}, {name + ", a library"}};
  const std::string fixed = compiled_fact(facts, name, {"static_shared_bytes"});
  const long shared = launch.at("dynamic_shared_bytes").get<long>() + (fixed.empty() ? 0 : std::stol(fixed));
  std::string occupancy;
  if (const auto all = launch.find("theoretical_occupancy"); all != launch.end() && all->is_object())
    if (const auto here = all->find("sm_90a"); here != all->end() && here->is_number())
      occupancy = fmt::format("{:.0f} %", 100 * here->get<double>());
  return {{variant},
          {short_kernel(name, of)},
          {compiled_fact(facts, name, {"registers"})},
          // One number in the committed facts, two in those of a build.
          {compiled_fact(facts, name, {"spill_bytes", "spill_store_bytes", "spill_load_bytes"})},
          {std::to_string(shared)},
          {occupancy}};
}

/// Kernels by variant, with what the compiler said of each for sm_90a.
std::string kernels_text(const operation& of, const reports::terminal& on) {
  const committed_kernels committed = ABLATE_HAS_CUDA ? committed_kernels() : read_committed_kernels();
  const ordered_json facts = ABLATE_HAS_CUDA ? kernels_json(static_facts()) : committed.facts;
  table_rows rows = {headings({"VARIANT", "KERNEL", "REGISTERS", "SPILLS", "SHARED", "OCCUPANCY"})};
  bool any_known = false;
  for (const variant_facts& v : of.variants) {
    const ordered_json entry = variant_json(of, v, committed);
    std::string variant = v.name;
    if (entry["kernels"].is_null()) {
      rows.push_back({{variant}, {entry["why_no_kernels"].get<std::string>(), reports::ink::faint}});
      continue;
    }
    any_known = true;
    for (const ordered_json& kernel : entry["kernels"]) {
      rows.push_back(kernel_row(variant, kernel, of, facts));
      variant.clear();
    }
  }
  std::string text = reports::laid_out(rows, {.right = {2, 3, 4, 5}, .wrap = {0, 1}, .indent = "  "}, on);
  if (!any_known) return text;
  text += reports::wrapped(
      "Registers per thread, bytes spilled, bytes of shared memory per block and theoretical occupancy, on "
      "an H200 at the default axes or where the variant applies" +
          (committed.file.empty() ? "." : ", from " + committed.file + "."),
      on);
  return text;
}

std::string chips_text(const reports::terminal& on) {
  table_rows rows = {
      headings({"CHIP", "SILICON", "MULTIPROCESSORS", "MEMORY", "L2", "BANDWIDTH", "MACHINE CODE"})};
  for (const std::vector<chip>* all : {&chips(), &other_boards()})
    for (const chip& c : *all)
      rows.push_back({{c.name},
                      {c.silicon},
                      {std::to_string(c.multiprocessors)},
                      {bytes_text(c.memory_bytes)},
                      {fmt::format("{} MiB", c.l2_bytes >> 20)},
                      {fmt::format("{:.2f} TB/s", c.dram_bytes_per_s / 1e12)},
                      {c.architecture}});
  return reports::painted("chips", reports::ink::strong, on) + "\n" +
         reports::laid_out(rows, {.right = {2, 3, 4, 5}, .indent = "  "}, on);
}

}  // namespace

std::vector<kernel_launch> described_launches(const operation& of, const variant_facts& v, const chip& on) {
  const input_library inputs(1, {}, {});
  const axis_values axes = axes_for(of, v);
  const std::vector<void*> addresses(of.buffers(axes, inputs).size(), nullptr);
  launcher to = launcher::describing(on.limits());
  of.bind(v, axes, inputs, addresses)(to);
  return to.described();
}

ordered_json catalog_json() {
  ordered_json result{{"operations", ordered_json::array()}, {"chips", ordered_json::array()}};
  const committed_kernels committed = ABLATE_HAS_CUDA ? committed_kernels() : read_committed_kernels();
  for (const auto& of : operations()) result["operations"].push_back(operation_json(*of, committed));
  for (const chip& c : chips()) result["chips"].push_back(chip_json(c));
  result["kernels"] = ABLATE_HAS_CUDA ? kernels_json(static_facts()) : committed.facts;
  result["kernels_from"] = committed.file.empty() ? ordered_json() : ordered_json(committed.file);
  return result;
}

ordered_json catalog_json(const operation& of) {
  const committed_kernels committed = ABLATE_HAS_CUDA ? committed_kernels() : read_committed_kernels();
  const ordered_json facts = ABLATE_HAS_CUDA ? kernels_json(static_facts()) : committed.facts;
  ordered_json result = operation_json(of, committed);
  result["kernels"] = ordered_json::object();
  for (const ordered_json& variant : result["variants"])
    if (variant["kernels"].is_array())
      for (const ordered_json& kernel : variant["kernels"])
        if (const auto known = facts.find(kernel["name"].get<std::string>()); known != facts.end())
          result["kernels"][known.key()] = *known;
  result["kernels_from"] = committed.file.empty() ? ordered_json() : ordered_json(committed.file);
  return result;
}

std::string catalog_text(const reports::terminal& on) {
  table_rows rows = {headings({"OPERATION", "AXES", "VARIANTS", "MEANING"})};
  for (const auto& of : operations())
    rows.push_back({{of->name},
                    {std::to_string(of->axes.size())},
                    {std::to_string(of->variants.size())},
                    {of->description + (of->calibrations.empty() ? "" : " [measured first in every run]")}});
  return reports::laid_out(rows, {.right = {1, 2}, .wrap = {3}}, on) + "\n" + chips_text(on);
}

std::string catalog_text(const operation& of, const reports::terminal& on) {
  return operation_text(of, on) + kernels_text(of, on);
}

std::string space_catalog_text(const operation& of, const reports::terminal& on) {
  const std::string hint = fmt::format(
      "PAIRS: points that differ only in the switch; `{0} list {1} --pairs SWITCH` lists them. `{0} list {1} "
      "--meanings` says what each variant does and which kernels it launches",
      this_build().program, of.name);
  return space_text(of, on) + reports::wrapped(hint, on) + "\n";
}

std::string pairs_text(const operation& of, const std::string& name, const reports::terminal& on) {
  std::vector<std::string> known;
  for (const switch_facts& s : of.switches) known.push_back(s.name);
  if (std::ranges::find(known, name) == known.end())
    throw bad_input("list", "--pairs", no_such(fmt::format("switch of '{}'", of.name), name, known));
  table_rows rows = {headings({"FROM", "POINT", "TO", "POINT"})};
  for (const point_pair& pair : pairs_of(of))
    if (pair.differs_in == name)
      rows.push_back({{value_of(pair.one->switches, name)},
                      {pair.one->name},
                      {value_of(pair.other->switches, name)},
                      {pair.other->name}});
  if (rows.size() == 1) return fmt::format("No two points of {} differ only in `{}`\n", of.name, name);
  return reports::laid_out(rows, {.wrap = {1, 3}}, on);
}

std::string whole_catalog_text(const reports::terminal& on) {
  std::string text;
  for (const auto& of : operations()) text += operation_text(*of, on);
  return text + chips_text(on);
}

}  // namespace ablate
