#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/counters/metric_groups.h"
#include "harness/inputs/input_library.h"
#include "harness/registry/case_id.h"
#include "harness/registry/registry.h"
#include "harness/suite/json_file.h"
#include "harness/suite/suite.h"
#include "harness/suite/written_values.h"
#include "reports/text/names.h"
#include "reports/text/text_file.h"

namespace ablate {
namespace {

using nlohmann::ordered_json;

class suite_reader : private written_values {
 public:
  explicit suite_reader(const std::filesystem::path& path) : written_values(path.string()), path_(path) {}

  suite read() {
    const std::string text = reports::read_text_file(path_);
    const ordered_json document = parse_written_json(text, file());
    const node root{document, ""};
    require_object(root,
                   {"$schema", "name", "description", "seed", "point_files", "sampling", "case_limit_seconds",
                    "maximum_cases", "counters", "steady_clock", "comparisons", "cases"},
                   {"name", "description", "cases"});

    suite result;
    result.path = path_;
    result.hash = hash_hex(text.data(), text.size());
    if (root.has("$schema")) string(root.child("$schema"));
    result.name = id_word(root.child("name"));
    result.description = string(root.child("description"));
    if (root.has("seed")) result.seed = seed(root.child("seed"));
    if (root.has("point_files")) result.point_files = point_files(root.child("point_files"));
    if (root.has("sampling")) result.sampling = read_sampling(root.child("sampling"));
    if (root.has("case_limit_seconds"))
      result.case_limit_seconds = positive(root.child("case_limit_seconds"), 86400, "seconds");
    if (root.has("maximum_cases"))
      result.maximum_cases = static_cast<std::size_t>(integer(root.child("maximum_cases"), 1, 100000));
    if (root.has("counters")) result.counters = counter_choice(root.child("counters"));
    if (root.has("steady_clock")) result.steady_clock = boolean(root.child("steady_clock"));
    for (const auto& [name, file] : result.point_files) point_file_names_.push_back(name);

    const node cases = root.child("cases");
    require_filled_array(cases, "blocks of cases");
    for (std::size_t i = 0; i < cases.value.size(); ++i) result.blocks.push_back(block(cases.child(i)));
    if (root.has("comparisons")) result.comparisons = comparisons(root.child("comparisons"));
    return result;
  }

 private:
  std::uint64_t seed(const node& at) const {
    if (!at.value.is_number_unsigned()) refuse_type(at, "an integer from 0 to 18446744073709551615");
    return at.value.get<std::uint64_t>();
  }

  std::map<std::string, point_file> point_files(const node& at) const {
    if (!at.value.is_object()) refuse_type(at, "an object of point files by name");
    std::map<std::string, point_file> files;
    for (const auto& entry : at.value.items()) {
      const node child = at.child(entry.key());
      require_id_word(child, entry.key());
      require_new_word(child, entry.key());
      require_object(child, {"path", "floats_per_point", "sweeps"}, {"path"});
      point_file file;
      file.path = point_file_path(child.child("path"));
      if (child.has("floats_per_point") && format_of(file.path) != point_file_format::raw)
        refuse(child.child("floats_per_point"),
               "expected none: a .ply or .npy file says itself what it holds");
      if (child.has("floats_per_point"))
        file.floats_per_point = static_cast<int>(integer(child.child("floats_per_point"), 3, 64));
      if (child.has("sweeps")) file.sweeps = static_cast<int>(integer(child.child("sweeps"), 1, 1000));
      files.emplace(entry.key(), file);
    }
    return files;
  }

  /// A point file that is named like a generator would never be read.
  void require_new_word(const node& at, const std::string& name) const {
    for (const auto& operation : operations())
      for (const axis& a : operation->axes)
        if (a.takes_point_files && std::find(a.words.begin(), a.words.end(), name) != a.words.end())
          refuse(at, fmt::format("'{}' is a word of axis '{}' already; expected a new name", name, a.name));
  }

  std::string point_file_path(const node& at) const {
    const std::string text = string(at);
    constexpr std::string_view prefix = "data:";
    if (text.empty() || text == prefix) refuse_type(at, "'data:NAME' or a path");
    if (text.starts_with(prefix) || std::filesystem::path(text).is_absolute()) return text;
    return (path_.parent_path() / text).lexically_normal().string();
  }

  sampling read_sampling(const node& at) const {
    require_object(at, {"minimum_samples", "maximum_samples", "half_width", "maximum_seconds"}, {});
    sampling result;
    constexpr std::int64_t most = 1000000;
    if (at.has("minimum_samples"))
      result.minimum_samples = static_cast<int>(integer(at.child("minimum_samples"), 1, most));
    if (at.has("maximum_samples"))
      result.maximum_samples = static_cast<int>(integer(at.child("maximum_samples"), 1, most));
    if (at.has("half_width"))
      result.half_width = positive(at.child("half_width"), 1, "(1 is the median itself)");
    if (at.has("maximum_seconds"))
      result.maximum_seconds = positive(at.child("maximum_seconds"), 3600, "seconds");
    if (result.minimum_samples > result.maximum_samples)
      refuse(
          at,
          fmt::format(
              "minimum_samples is {} and maximum_samples {}; expected the minimum to be at most the maximum",
              result.minimum_samples, result.maximum_samples));
    return result;
  }

  std::string counter_choice(const node& at) const {
    const std::string choice = string(at);
    try {
      chosen_groups(choice);
    } catch (const std::invalid_argument& e) {
      refuse(at, e.what());
    }
    return choice;
  }

  const operation& operation_named(const node& at) const {
    const std::string name = string(at);
    if (const operation* found = find_operation(name)) return *found;
    std::vector<std::string> known;
    for (const auto& operation : operations()) known.push_back(operation->name);
    refuse(at, no_such("operation", name, known));
  }

  suite_block block(const node& at) const {
    require_object(
        at, {"operation", "variants", "axes", "cache", "exclude", "counters", "picture", "steady_clock"},
        {"operation"});
    suite_block result;
    result.operation = &operation_named(at.child("operation"));
    result.variants = variants(at, *result.operation);
    result.axes = axes(at, *result.operation);
    result.cache_states = cache_states(at);
    if (at.has("counters")) result.counters = counter_choice(at.child("counters"));
    if (at.has("picture")) result.picture = boolean(at.child("picture"));
    if (at.has("steady_clock")) result.steady_clock = boolean(at.child("steady_clock"));
    if (at.has("exclude")) result.exclusions = exclusions(at.child("exclude"), *result.operation);
    return result;
  }

  std::vector<comparison> comparisons(const node& list) const {
    require_filled_array(list, "comparisons");
    std::vector<comparison> result;
    for (std::size_t i = 0; i < list.value.size(); ++i) result.push_back(comparison_of(list.child(i)));
    return result;
  }

  comparison comparison_of(const node& at) const {
    require_object(at, {"operations", "across", "draw"}, {"operations"});
    comparison result;
    result.operations =
        one_or_more(at.child("operations"), [&](const node& value) { return operation_named(value).name; });
    if (at.has("across"))
      result.across = one_or_more(at.child("across"),
                                  [&](const node& value) { return axis_of_any(value, result.operations); });
    if (result.operations.size() == 1 && result.across.empty())
      refuse(at, "one operation without 'across'; expected axes, or operations, that differ");
    const auto& kinds = comparison_kinds();
    result.draw = kinds;
    if (at.has("draw"))
      result.draw = one_or_more(at.child("draw"), [&](const node& value) {
        const std::string kind = string(value);
        if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
          refuse(value, no_such("kind of figure", kind, kinds));
        return kind;
      });
    return result;
  }

  std::string axis_of_any(const node& at, const std::vector<std::string>& of) const {
    const std::string name = string(at);
    std::vector<std::string> known;
    for (const std::string& operation : of)
      for (const axis& a : find_operation(operation)->axes)
        if (std::find(known.begin(), known.end(), a.name) == known.end()) known.push_back(a.name);
    if (std::find(known.begin(), known.end(), name) == known.end())
      refuse(at, no_such(fmt::format("axis of '{}'", fmt::join(of, "' or '")), name, known));
    return name;
  }

  static std::vector<std::string> variant_names(const operation& of) {
    std::vector<std::string> names;
    for (const variant_facts& v : of.variants) names.push_back(v.name);
    return names;
  }

  const variant_facts& variant(const node& at, const operation& of) const {
    const std::string name = string(at);
    const variant_facts* found = of.find_variant(name);
    if (!found) refuse(at, no_such(fmt::format("variant of '{}'", of.name), name, variant_names(of)));
    return *found;
  }

  std::vector<const variant_facts*> variants(const node& at, const operation& of) const {
    std::vector<const variant_facts*> result;
    const auto add = [&](const variant_facts& v) {
      if (std::find(result.begin(), result.end(), &v) == result.end()) result.push_back(&v);
    };
    const auto add_all = [&] { std::for_each(of.variants.begin(), of.variants.end(), add); };
    if (!at.has("variants")) {
      add_all();
      return result;
    }
    const node list = at.child("variants");
    require_filled_array(list, "variant names, or [\"*\"] for all");
    for (std::size_t i = 0; i < list.value.size(); ++i) {
      if (list.child(i).value == "*")
        add_all();
      else
        add(variant(list.child(i), of));
    }
    return result;
  }

  const axis& axis_named(const node& at, const std::string& name, const operation& of,
                         std::vector<std::string> also_known = {}) const {
    for (const axis& a : of.axes)
      if (a.name == name) return a;
    for (const axis& a : of.axes) also_known.push_back(a.name);
    refuse(at, no_such(fmt::format("axis of '{}'", of.name), name, also_known));
  }

  std::string axis_value(const node& at, const axis& a) const {
    if (!at.value.is_string() && !at.value.is_number_integer()) refuse_type(at, "an integer or a word");
    const std::string value =
        a.canonical(at.value.is_string() ? at.value.get<std::string>() : at.value.dump());
    if (const auto reason = a.refuses(value, point_file_names_)) {
      std::vector<std::string> known = a.words;
      if (a.takes_point_files) known.insert(known.end(), point_file_names_.begin(), point_file_names_.end());
      refuse(at, *reason + did_you_mean(value, known));
    }
    return value;
  }

  std::vector<std::pair<std::string, std::vector<std::string>>> axes(const node& at,
                                                                     const operation& of) const {
    if (at.has("axes")) {
      const node named = at.child("axes");
      if (!named.value.is_object()) refuse_type(named, "an object of values by axis");
      for (const auto& entry : named.value.items()) axis_named(named.child(entry.key()), entry.key(), of);
    }
    std::vector<std::pair<std::string, std::vector<std::string>>> result;
    for (const axis& a : of.axes) {
      const bool named = at.has("axes") && at.child("axes").has(a.name);
      result.emplace_back(a.name, named ? one_or_more(at.child("axes").child(a.name),
                                                      [&](const node& value) { return axis_value(value, a); })
                                        : std::vector<std::string>{a.default_value});
    }
    return result;
  }

  std::vector<cache_state> cache_states(const node& at) const {
    if (!at.has("cache")) return {cache_state::cold_clean};
    const std::vector<std::string> known = {"cold-clean", "hot", "rotating"};
    const std::vector<std::string> names = one_or_more(at.child("cache"), [&](const node& value) {
      const std::string name = string(value);
      if (std::find(known.begin(), known.end(), name) == known.end())
        refuse(value, no_such("cache state", name, known));
      return name;
    });
    std::vector<cache_state> states;
    for (const std::string& name : names) states.push_back(*parse_cache_state(name));
    return states;
  }

  std::vector<exclusion> exclusions(const node& list, const operation& of) const {
    require_filled_array(list, "objects of values by axis");
    std::vector<exclusion> result;
    for (std::size_t i = 0; i < list.value.size(); ++i) {
      const node at = list.child(i);
      if (!at.value.is_object() || at.value.empty())
        refuse_type(at, "an object with a value for at least one axis");
      exclusion left_out;
      for (const auto& entry : at.value.items()) {
        const node values = at.child(entry.key());
        if (entry.key() == "variant") {
          left_out.emplace_back("variant",
                                one_or_more(values, [&](const node& v) { return variant(v, of).name; }));
          continue;
        }
        const axis& a = axis_named(values, entry.key(), of, {"variant"});
        left_out.emplace_back(a.name, one_or_more(values, [&](const node& v) { return axis_value(v, a); }));
      }
      result.push_back(std::move(left_out));
    }
    return result;
  }

  std::filesystem::path path_;
  std::vector<std::string> point_file_names_;
};

}  // namespace

suite read_suite(const std::filesystem::path& path) { return suite_reader(path).read(); }

}  // namespace ablate
