#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/record/todays_suite.h"
#include "base/text/json_place.h"
#include "base/text/json_text.h"
#include "base/text/names.h"
#include "base/text/text_file.h"
#include "harness/counters/metric_groups.h"
#include "harness/inputs/clouds.h"
#include "harness/inputs/files/raw_file.h"
#include "harness/registry/case_id.h"
#include "harness/registry/registry.h"
#include "harness/suite/axis_value.h"
#include "harness/suite/points_around.h"
#include "harness/suite/suite.h"
#include "harness/suite/variant_at.h"

namespace ablate {
namespace {

using reports::json_place;

std::string id_word(const json_place& at, const std::string& word) {
  if (!is_case_id_word(word))
    at.refuse(fmt::format("'{}' is not allowed in a case id; expected letters, digits and _.=+-", word));
  return word;
}

/// The folder of a run is named after its suite.
std::string folder_word(const json_place& at) {
  const std::string word = id_word(at, at.text());
  if (word == "." || word == "..") at.refuse(fmt::format("'{}' cannot name a folder; expected a name", word));
  return word;
}

double positive(const json_place& at, double most, std::string_view unit) {
  const std::string expected = fmt::format("a number above 0 and at most {} {}", most, unit);
  if (!at.json().is_number()) at.refuse_value(expected);
  const double value = at.number();
  if (!(value > 0 && value <= most)) at.refuse_value(expected);
  return value;
}

std::uint64_t seed_of(const json_place& at) {
  if (!at.json().is_number_unsigned()) at.refuse_value("an integer from 0 to 18446744073709551615");
  return at.json().get<std::uint64_t>();
}

std::string one_of(const json_place& at, std::string_view kind, const std::vector<std::string>& known) {
  const std::string name = at.text();
  if (std::find(known.begin(), known.end(), name) == known.end()) at.refuse(no_such(kind, name, known));
  return name;
}

launch_rule launch_rule_at(const json_place& at) {
  at.expect_keys({"least", "most", "until"});
  launch_rule out;
  out.least = static_cast<long>(at.at("least").integer(1, most_launches));
  out.most = out.least;
  if (const auto most = at.find("most"))
    out.most = static_cast<long>(most->integer(out.least, most_launches));
  if (const auto until = at.find("until")) {
    one_of(*until, "rule for further launches", {"every question decided"});
    out.until_decided = true;
  }
  return out;
}

class suite_reader {
 public:
  explicit suite_reader(const std::filesystem::path& path) : path_(path) {}

  suite read(const std::string& text) {
    const std::string file = path_.string();
    nlohmann::ordered_json document = reports::parse_json(text, file);
    rename_suite(document, file, [](const std::string& operation, const std::string& variant) {
      const auto* known = find_operation(operation);
      return !known || known->find_variant(variant);
    });
    const json_place root(document, file);
    root.expect_keys({"$schema", "name", "description", "seed", "point_files", "sampling",
                      "case_limit_seconds", "maximum_cases", "counters", "energy", "steady_clock", "launches",
                      "report", "cases"});

    suite result;
    result.path = path_;
    result.hash = hash_hex(text.data(), text.size());
    if (const auto schema = root.find("$schema")) schema->text();
    result.name = folder_word(root.at("name"));
    result.description = root.at("description").text();
    if (const auto seed = root.find("seed")) result.seed = seed_of(*seed);
    if (const auto files = root.find("point_files")) result.point_files = point_files(*files);
    if (const auto sampling = root.find("sampling")) result.sampling = read_sampling(*sampling);
    if (const auto limit = root.find("case_limit_seconds"))
      result.case_limit_seconds = positive(*limit, 86400, "seconds");
    if (const auto most = root.find("maximum_cases"))
      result.maximum_cases = static_cast<std::size_t>(most->integer(1, 100000));
    if (const auto counters = root.find("counters")) result.counters = counter_choice(*counters);
    if (const auto energy = root.find("energy")) result.energy = energy->boolean();
    if (const auto steady = root.find("steady_clock")) result.steady_clock = steady->boolean();
    if (const auto launches = root.find("launches")) result.launches = launch_rule_at(*launches);
    if (const auto report = root.find("report")) result.report = report->json();
    for (const auto& [name, file] : result.point_files) point_file_names_.push_back(name);

    for (const json_place& at : root.at("cases").at_least_one("block of cases"))
      result.blocks.push_back(block(at));
    return result;
  }

 private:
  std::map<std::string, point_file> point_files(const json_place& at) const {
    std::map<std::string, point_file> files;
    for (const auto& [name, given] : at.members()) {
      id_word(given, name);
      require_new_word(given, name);
      given.expect_keys({"path", "floats_per_point", "sweeps"});
      point_file file;
      file.path = point_file_path(given.at("path"));
      const auto by_name = raw_floats_by_name(file.path);
      file.floats_per_point = by_name.value_or(file.floats_per_point);
      if (const auto floats = given.find("floats_per_point")) {
        if (!by_name)
          floats->refuse("expected none: only raw records (.bin) have it, other files describe themselves");
        file.floats_per_point = static_cast<int>(floats->integer(3, 64));
        if (has_fixed_floats(file.path) && file.floats_per_point != *by_name)
          floats->refuse_value(fmt::format("{}, as every .pcd.bin has", *by_name));
      }
      if (const auto sweeps = given.find("sweeps")) file.sweeps = static_cast<int>(sweeps->integer(1, 1000));
      files.emplace(name, file);
    }
    return files;
  }

  /// A point file that is named like a generator would never be read.
  void require_new_word(const json_place& at, const std::string& name) const {
    for (const auto& operation : operations())
      for (const axis& a : operation->axes)
        if (a.takes_point_files && std::find(a.words.begin(), a.words.end(), name) != a.words.end())
          at.refuse(fmt::format("'{}' is a word of axis '{}' already; expected a new name", name, a.name));
  }

  std::string point_file_path(const json_place& at) const {
    const std::string text = at.text();
    constexpr std::string_view prefix = "data:";
    if (text.empty() || text == prefix) at.refuse_value("'data:NAME' or a path");
    if (text.starts_with(prefix) || std::filesystem::path(text).is_absolute()) return text;
    return (path_.parent_path() / text).lexically_normal().string();
  }

  sampling read_sampling(const json_place& at) const {
    at.expect_keys({"minimum_samples", "maximum_samples", "half_width", "maximum_seconds"});
    sampling result;
    constexpr std::int64_t most = 1000000;
    if (const auto least = at.find("minimum_samples"))
      result.minimum_samples = static_cast<int>(least->integer(1, most));
    if (const auto samples = at.find("maximum_samples"))
      result.maximum_samples = static_cast<int>(samples->integer(1, most));
    if (const auto half_width = at.find("half_width"))
      result.half_width = positive(*half_width, 1, "(1 is the median itself)");
    if (const auto seconds = at.find("maximum_seconds"))
      result.maximum_seconds = positive(*seconds, 3600, "seconds");
    if (result.minimum_samples > result.maximum_samples)
      at.refuse(fmt::format(
          "minimum_samples is {} and maximum_samples {}; expected the minimum to be at most the maximum",
          result.minimum_samples, result.maximum_samples));
    return result;
  }

  std::string counter_choice(const json_place& at) const {
    const std::string choice = at.text();
    try {
      chosen_groups(choice);
    } catch (const std::invalid_argument& e) {
      at.refuse(e.what());
    }
    return choice;
  }

  const operation& operation_named(const json_place& at) const {
    std::vector<std::string> known;
    for (const auto& operation : operations()) known.push_back(operation->name);
    return *find_operation(one_of(at, "operation", known));
  }

  suite_block block(const json_place& at) const {
    at.expect_keys({"operation", "variants", "switches", "axes", "cache", "exclude", "counters", "picture",
                    "sampled", "energy", "steady_clock"});
    suite_block result;
    result.operation = &operation_named(at.at("operation"));
    result.variants = variants(at, *result.operation);
    if (const auto given = at.find("switches"))
      result.variants =
          points_around(*result.operation, result.variants, switches(*given, *result.operation));
    if (result.variants.empty())
      at.at("switches").refuse("no variant of the block has or accepts these values");
    result.axes = axes(at, *result.operation);
    result.cache_states = cache_states(at);
    if (const auto counters = at.find("counters")) result.counters = counter_choice(*counters);
    if (const auto picture = at.find("picture")) result.picture = picture->boolean();
    if (const auto sampled = at.find("sampled")) result.sampled = sampled->boolean();
    if (const auto energy = at.find("energy")) result.energy = energy->boolean();
    if (const auto steady = at.find("steady_clock")) result.steady_clock = steady->boolean();
    if (const auto exclude = at.find("exclude")) result.exclusions = exclusions(*exclude, *result.operation);
    return result;
  }

  std::vector<const variant_facts*> variants(const json_place& at, const operation& of) const {
    std::vector<const variant_facts*> result;
    const auto add = [&](const variant_facts& v) {
      if (std::find(result.begin(), result.end(), &v) == result.end()) result.push_back(&v);
    };
    const auto add_all = [&] { std::for_each(of.variants.begin(), of.variants.end(), add); };
    const auto list = at.find("variants");
    if (!list) {
      add_all();
      return result;
    }
    for (const json_place& name : list->at_least_one("variant's name, or [\"*\"] for all")) {
      if (name.json() == "*") {
        add_all();
      } else if (const auto preset = of.preset(name.text()); !preset.empty()) {
        for (const variant_facts* v : preset) add(*v);
      } else {
        add(variant_at(name, of));
      }
    }
    return result;
  }

  values_by_switch switches(const json_place& at, const operation& of) const {
    values_by_switch result;
    for (const auto& [name, given] : at.members()) {
      if (const auto reason = refuses_switch(of, name, {})) given.refuse(*reason);
      result.emplace_back(name, given.one_or_more([&](const json_place& value) {
        const std::string word = value.json().is_number_integer() ? value.json().dump() : value.text();
        if (const auto reason = refuses_switch(of, name, {word})) value.refuse(*reason);
        return word;
      }));
    }
    return result;
  }

  const axis& axis_named(const json_place& at, const std::string& name, const operation& of,
                         std::vector<std::string> also_known = {}) const {
    for (const axis& a : of.axes)
      if (a.name == name) return a;
    for (const axis& a : of.axes) also_known.push_back(a.name);
    at.refuse(no_such(fmt::format("axis of '{}'", of.name), name, also_known));
  }

  std::string axis_value(const json_place& at, const axis& a) const {
    return axis_value_at(at, a, point_file_names_);
  }

  std::vector<std::pair<std::string, std::vector<std::string>>> axes(const json_place& at,
                                                                     const operation& of) const {
    const auto named = at.find("axes");
    if (named)
      for (const auto& [name, value] : named->members()) axis_named(value, name, of);
    std::vector<std::pair<std::string, std::vector<std::string>>> result;
    for (const axis& a : of.axes) {
      const auto given = named ? named->find(a.name) : std::nullopt;
      result.emplace_back(
          a.name, given ? given->one_or_more([&](const json_place& value) { return axis_value(value, a); })
                        : std::vector<std::string>{a.default_value});
    }
    return result;
  }

  std::vector<cache_state> cache_states(const json_place& at) const {
    const auto given = at.find("cache");
    if (!given) return {cache_state::cold_clean};
    const std::vector<std::string> known = {"cold-clean", "hot", "rotating"};
    std::vector<cache_state> states;
    for (const std::string& name :
         given->one_or_more([&](const json_place& value) { return one_of(value, "cache state", known); }))
      states.push_back(*parse_cache_state(name));
    return states;
  }

  std::vector<exclusion> exclusions(const json_place& list, const operation& of) const {
    std::vector<exclusion> result;
    for (const json_place& at : list.at_least_one("object of values by axis")) {
      if (at.members().empty()) at.refuse_value("an object with a value for at least one axis");
      exclusion left_out;
      for (const auto& [name, values] : at.members()) {
        if (name == "variant") {
          left_out.emplace_back(
              "variant", values.one_or_more([&](const json_place& v) { return variant_at(v, of).name; }));
          continue;
        }
        const axis& a = axis_named(values, name, of, {"variant"});
        left_out.emplace_back(a.name,
                              values.one_or_more([&](const json_place& v) { return axis_value(v, a); }));
      }
      result.push_back(std::move(left_out));
    }
    return result;
  }

  std::filesystem::path path_;
  std::vector<std::string> point_file_names_;
};

}  // namespace

suite read_suite(const std::filesystem::path& path) {
  return read_suite_text(reports::read_text_file(path), path);
}

suite read_suite_text(const std::string& text, const std::filesystem::path& path) {
  return suite_reader(path).read(text);
}

}  // namespace ablate
