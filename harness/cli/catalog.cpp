#include "harness/cli/catalog.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/cli/committed_kernels.h"
#include "harness/device/chip.h"
#include "harness/device/kernel_facts.h"
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
  throw std::logic_error(
      "no case with the other axes at their defaults: the operation refuses where it applies");
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
      entry["why_no_kernels"] = committed.file.empty()
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

ordered_json variant_json(const operation& of, const variant_facts& v, const committed_kernels& committed) {
  ordered_json entry{{"name", v.name},
                     {"description", v.description},
                     {"switches", object_of(v.switches)},
                     {"only_where", object_of(v.only_where)},
                     {"minimum_compute_capability", v.minimum_compute_capability}};
  describe_kernels(entry, of, v, committed);
  return entry;
}

ordered_json operation_json(const operation& of, const committed_kernels& committed) {
  ordered_json entry{
      {"name", of.name},         {"description", of.description}, {"calibration", !of.calibrations.empty()},
      {"baseline", of.baseline}, {"axes", ordered_json::array()}, {"variants", ordered_json::array()}};
  for (const axis& a : of.axes) entry["axes"].push_back(axis_json(a));
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

using row = std::vector<std::string>;

/// Columns two spaces apart, as wide as their widest entry; the last one ragged.
std::string table(const std::vector<row>& rows) {
  std::vector<std::size_t> widths;
  for (const row& r : rows) {
    widths.resize(std::max(widths.size(), r.size()));
    for (std::size_t i = 0; i < r.size(); ++i) widths[i] = std::max(widths[i], r[i].size());
  }
  std::string text;
  for (const row& r : rows) {
    std::string line = "  ";
    for (std::size_t i = 0; i < r.size(); ++i) line += fmt::format("{:<{}}  ", r[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string legal_values(const axis& a) {
  std::vector<std::string> parts = a.words;
  if (a.range) parts.push_back(fmt::format("{}..{}", a.range->first, a.range->second));
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

std::string remarks(const operation& of, const variant_facts& v) {
  std::string text = v.description;
  const auto add = [&](const std::string& remark) { text += (text.empty() ? "[" : " [") + remark + "]"; };
  if (v.name == of.baseline) add("baseline");
  if (!v.only_where.empty()) add("only " + conditions_text(v.only_where));
  if (v.minimum_compute_capability > 80)
    add(fmt::format("compute capability {} and later", v.minimum_compute_capability));
  return text;
}

std::string operation_text(const operation& of) {
  std::string text = fmt::format("{}: {}{}\n", of.name, of.description,
                                 of.calibrations.empty() ? "" : " [measured first in every run on a GPU]");
  std::vector<row> axes = {{"AXIS", "DEFAULT", "VALUES", "MEANING"}};
  for (const axis& a : of.axes) axes.push_back({a.name, a.default_value, legal_values(a), a.description});
  std::vector<row> variants = {{"VARIANT", "SWITCHES", "MEANING"}};
  for (const variant_facts& v : of.variants)
    variants.push_back({v.name, joined(object_of(v.switches), "-"), remarks(of, v)});
  return text + table(axes) + "\n" + table(variants) + "\n";
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
  result["kernels"] = ABLATE_HAS_CUDA ? static_facts() : committed.facts;
  result["kernels_from"] = committed.file.empty() ? ordered_json() : ordered_json(committed.file);
  return result;
}

std::string catalog_text() {
  std::string text;
  for (const auto& of : operations()) text += operation_text(*of);
  std::vector<row> rows = {
      {"CHIP", "SILICON", "MULTIPROCESSORS", "MEMORY", "L2", "BANDWIDTH", "MACHINE CODE"}};
  for (const std::vector<chip>* all : {&chips(), &other_boards()})
    for (const chip& c : *all)
      rows.push_back({c.name, c.silicon, std::to_string(c.multiprocessors), bytes_text(c.memory_bytes),
                      fmt::format("{} MiB", c.l2_bytes >> 20),
                      fmt::format("{:.2f} TB/s", c.dram_bytes_per_s / 1e12), c.architecture});
  return text + "chips\n" + table(rows);
}

}  // namespace ablate
