#include "base/record/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "base/record/case_json.h"
#include "base/record/context_json.h"
#include "base/record/fields.h"
#include "base/record/record_file.h"
#include "base/record/todays_names.h"
#include "base/text/bad_input.h"
#include "base/text/json_place.h"

namespace ablate {
namespace {

using nlohmann::ordered_json;
using reports::json_place;

constexpr const char* device_kinds[] = {"gpu", "host"};
constexpr const char* known_rungs[] = {"timing",          "device_state",   "static_facts",
                                       "kernel_activity", "range_counters", "pm_sampling"};
constexpr const char* library_builds[] = {"release", "debug"};
constexpr const char* together_words[] = {"operation"};

/// A hash, which is shown cut to its first digits; empty where it is not known.
struct hexadecimal : fields::text {
  static void read(const json_place& at, std::string& to) {
    to = at.text();
    if (to.find_first_not_of("0123456789abcdef") != to.npos)
      at.refuse(fmt::format("expected hexadecimal digits, found '{}'", to));
  }
};

/// A time of launches, by which a ceiling's name begins, or a rate.
struct ceiling_values {
  static void read(const json_place& at, measured_ceilings& to) {
    to.clear();
    for (const auto& [name, value] : at.members()) {
      ceiling& here = to[name];
      here.place = to.size() - 1;
      value.at(name.starts_with("launch") ? "us" : "rate_per_s");
      if (const auto us = value.find("us")) here.us = us->positive();
      if (const auto rate = value.find("rate_per_s")) here.rate_per_s = rate->positive();
      here.case_name = value.at("case").text();
    }
  }
  static ordered_json write(const measured_ceilings& of) {
    return fields::by_name_in_place(ceiling_values()).write(of);
  }
  static ordered_json write(const ceiling& of) {
    ordered_json out = ordered_json::object();
    if (of.us > 0) out["us"] = of.us;
    if (of.rate_per_s > 0) out["rate_per_s"] = of.rate_per_s;
    out["case"] = of.case_name;
    return out;
  }
  static ordered_json schema() {
    const auto of = [](const char* quantity) {
      return ordered_json{
          {"type", "object"},
          {"required", {quantity, "case"}},
          {"properties", {{quantity, fields::positive::schema()}, {"case", fields::text::schema()}}}};
    };
    return {{"type", "object"},
            {"patternProperties", {{"^launch", of("us")}}},
            {"additionalProperties", of("rate_per_s")}};
  }
};

/// Has a reader of its own, which suites have too. What a later version says to its reports is kept.
struct report_of_suite {
  static void read(const json_place& at, recorded_report& to) {
    static_cast<suite_report&>(to) = suite_report_of(at.with_unknown_keys());
    to.given = at.json();
  }
  static ordered_json write(const recorded_report& from) {
    return from.given.is_null() ? suite_report_json(from) : from.given;
  }
  static ordered_json schema() { return {{"$comment", "as the suite has it"}}; }
};

}  // namespace

template <class List, fields::part_of<run_settings::sampling_rule> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("minimum_samples", of.minimum_samples, count());
  list.required("maximum_samples", of.maximum_samples, count());
  list.required("half_width", of.half_width, not_negative());
  list.required("maximum_seconds", of.maximum_seconds, not_negative());
}

template <class List, fields::part_of<run_settings> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.written("sampling", of.sampling, object());
  list.written("filter", of.filter, text());
  list.written("counters", of.counters, or_null(text()));
  list.written("timeline", of.timeline, boolean());
  list.written("only", of.only, list_of(text()));
  list.written("ceilings", of.ceilings, list_of(text()));
  list.written("order_seed", of.order_seed, or_null(seed_number()));
  list.optional("together", of.together, known_words(together_words));
}

template <class List, fields::part_of<shard_facts> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.optional("index", of.index, count_from_1());
  list.required("count", of.count, count_from_1());
  list.required("plan", of.plan, text());
  list.optional("cases", of.cases, by_name(count()));
  list.check([&](const json_place& at) {
    const std::string expected = fmt::format("an integer from 1 to {}", of.count);
    if (of.index > of.count) at.at("index").refuse_value(expected);
    for (const auto& [name, shard] : of.cases)
      if (shard < 1 || shard > of.count) at.at("cases").at(name).refuse_value(expected);
  });
}

template <class List, fields::part_of<worker_facts::bound_cpus> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("numa_node", of.numa_node, count());
  list.required("list", of.list, text());
}

template <class List, fields::part_of<worker_facts> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.written("number", of.number, count_from_1());
  list.written("count", of.count, whole<2>());
  list.written("cpus", of.cpus, or_null(object()));
  list.optional("neighbors", of.neighbors, apart());
}

template <class List, fields::part_of<program_build::held_library> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.written("version", of.version, text());
  list.written("commit", of.commit, text());
  list.written("dirty", of.dirty, boolean());
  list.written("source_hash", of.source_hash, text());
}

template <class List, fields::part_of<program_build> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("version", of.version, text());
  list.required("commit", of.commit, hexadecimal());
  list.required("dirty", of.dirty, boolean());
  list.required("source_hash", of.source_hash, hexadecimal());
  list.required("compiler", of.compiler, text());
  list.required("cuda_compiler", of.cuda_compiler, or_null(text()));
  list.required("cuda_architectures", of.cuda_architectures, list_of(text()));
  list.required("build_type", of.build_type, text());
  list.optional("ablate", of.ablate, object());
}

template <class List, fields::part_of<record::evidence_rung> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("rung", of.rung, known_words(known_rungs));
  list.required("available", of.available, boolean());
  list.optional("reason", of.reason, text());
}

template <class List, fields::part_of<compiled_kernel> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("registers", of.registers, count());
  list.required("spill_store_bytes", of.spill_store_bytes, or_null(count()));
  list.required("spill_load_bytes", of.spill_load_bytes, or_null(count()));
  list.required("stack_bytes", of.stack_bytes, count());
  list.required("static_shared_bytes", of.static_shared_bytes, count());
}

template <class List, fields::part_of<asked_counters::meaning> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("display", of.display, text());
  list.required("unit", of.unit, text());
}

template <class List, fields::part_of<asked_counters> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.written("groups", of.groups, by_name(list_of(text())));
  list.written("metrics", of.metrics, by_name(object()));
}

template <class List, fields::part_of<record::outside_file> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.written("file", of.file, text());
  list.written("hash", of.hash, text());
}

template <class List, fields::part_of<record::operation_facts> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("description", of.description, text());
  list.required("baseline", of.baseline, text());
  list.required("axes", of.axes, by_name(text()));
  list.required("variants", of.variants, by_name(text()));
  list.optional("silent_axes", of.silent_axes, by_name(text()));
  list.optional("from", of.from, object());
}

template <class List, fields::part_of<record::rival_facts> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("script", of.script, text());
  list.required("date", of.date, text());
  list.required("software", of.software, by_name(text()));
  list.required("operations", of.operations, list_of(text()));
  list.required("variants", of.variants, list_of(text()));
}

template <class List, fields::part_of<record::part> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.written("hash", of.hash, text());
  list.written("shard", of.shard, count_from_1());
  list.required("specimen", of.specimen, text());
  list.required("host_name", of.host_name, text());
  list.required("date", of.date, text());
  list.written("command", of.command, text());
  list.optional("worker", of.worker, object());
  list.written("ceilings", of.ceilings, ceiling_values());
  list.required("calibrations", of.calibrations, by_name(positive()));
}

namespace {

/// Of a device the tools that know it say what they can.
template <class List>
void list_device(List& list) {
  using namespace fields;
  std::string kind, name, architecture, of_kind;
  std::optional<std::string> unknown;
  std::optional<double> amount;
  std::optional<bool> is_on;
  std::optional<double> of_model;
  list.required("kind", kind, one_of_words(device_kinds));
  list.required("name", name, text());
  list.optional("architecture", architecture, text());
  for (const char* key : {"chip", "silicon", "uuid", "driver", "cuda_driver", "cuda_runtime"})
    list.optional(key, unknown, or_null(text()));
  list.optional("compute_capability", of_kind, unread(text()));
  for (const char* key : {"multiprocessors", "l2_bytes", "memory_bytes"})
    list.optional(key, of_model, unread(count()));
  for (const char* key : {"ecc", "mig"}) list.optional(key, is_on, unread(or_null(boolean())));
  list.optional("power_cap_w", amount, unread(or_null(not_negative())));
}

template <class List>
void list_host(List& list) {
  using namespace fields;
  std::string system, cpu;
  double logical_cpus = 0;
  list.written("system", system, unread(text()));
  list.written("cpu", cpu, unread(text()));
  list.written("logical_cpus", logical_cpus, unread(count()));
}

template <class List>
void list_suite(List& list, fields::part_of<record> auto& of) {
  using namespace fields;
  list.required("name", of.suite_name, text());
  list.required("description", of.suite_description, text());
  list.required("hash", of.suite_hash, text());
  list.optional("overrides", of.overrides, by_name(list_of(text())));
  list.optional("report", of.report, report_of_suite());
}

template <class List>
void list_run(List& list, fields::part_of<record> auto& of) {
  using namespace fields;
  list.required("record_schema", of.schema, text());
  list.group("suite", [&](auto& suite) { list_suite(suite, of); });
  list.required("seed", of.seed, seed_number());
  list.optional("settings", of.settings, object());
  list.optional("shard", of.shard, object());
  list.required("command", of.command, text());
  list.required("build", of.build, object());
  list.facts("host", of.host, [](auto& host) { list_host(host); });
  list.facts("device", of.device, [](auto& device) { list_device(device); });
  list.required("evidence", of.evidence, list_of(object()));
  list.optional("operations", of.operations, by_own_name());
  list.required("kernels", of.kernels, by_name<by_name<object>>());
  list.optional("specimen", of.specimen, text());
  list.optional("worker", of.worker, object());
  list.optional("counters", of.counters, object());
  list.written("ceilings", of.ceilings, ceiling_values());
  list.optional("parts", of.parts, list_of(object()));
  list.optional("rivals", of.rivals, list_of(object()));
  list.optional("upgraded_from", of.upgraded_from, text());
}

template <class List>
void list_context(List& list, fields::part_of<record> auto& of) {
  using namespace fields;
  list.required("date", of.date, text());
  list.written("host_name", of.benchmark.host_name, text());
  list.written("executable", of.benchmark.executable, text());
  list.written("num_cpus", of.benchmark.num_cpus, count());
  list.written("mhz_per_cpu", of.benchmark.mhz_per_cpu, not_negative());
  list.written("cpu_scaling_enabled", of.benchmark.cpu_scaling_enabled, boolean());
  list.written("caches", of.benchmark.caches, foreign_array());
  list.written("load_avg", of.benchmark.load_avg, list_of(number()));
  list.written("library_build_type", of.benchmark.library_build_type, known_words(library_builds));
  list.group("ablate", [&](auto& run) { list_run(run, of); });
}

/// A case is known by its name: with a second one of that name nobody could tell which is meant.
void expect_own_names(const json_place& root) {
  std::map<std::string, std::string> places;
  for (const char* list : {"benchmarks", "unmeasured"}) {
    const auto entries = root.at(list).elements();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const json_place name = entries[i].at("name");
      const auto [first, is_new] = places.emplace(name.text(), fmt::format("/{}/{}", list, i));
      if (!is_new)
        name.refuse(
            fmt::format("expected a case of its own, found '{}' of {} again", first->first, first->second));
    }
  }
}

}  // namespace

const std::string* find_word(const named_words& words, std::string_view name) {
  const auto found =
      std::find_if(words.begin(), words.end(), [&](const auto& word) { return word.first == name; });
  return found == words.end() ? nullptr : &found->second;
}

double measured_case::work_amounts::random_accesses() const {
  double sum = 0;
  for (const random_access& access : random) sum += access.count;
  return sum;
}

std::optional<double> measured_case::items() const {
  const auto found = input.find("points");
  if (found == input.end()) return std::nullopt;
  return found->get<double>();
}

std::optional<double> measured_case::points_per_atomic() const {
  return find_counter(instrumented, "points_per_atomic");
}

std::vector<std::vector<const measured_case::kernel_launch*>> measured_case::counted_launches() const {
  const bool by_name = std::any_of(counters.kernels.begin(), counters.kernels.end(),
                                   [](const auto& counted) { return counted.launches() > 1; });
  std::vector<std::vector<const kernel_launch*>> out;
  std::size_t launches = 0;
  for (const counter_readings::kernel& counted : counters.kernels) {
    auto& of_this = out.emplace_back();
    for (std::size_t i = 0; i < kernels.size(); ++i)
      if (kernels[i].name == counted.name && (by_name || i == launches)) of_this.push_back(&kernels[i]);
    if (std::cmp_not_equal(of_this.size(), counted.launches())) return {};
    launches += of_this.size();
  }
  return launches == kernels.size() ? out : decltype(out){};
}

void context_from_json(const json_place& context, record& to) {
  const json_place schema = context.at("ablate").at("record_schema");
  if (!schema.text().starts_with("2."))
    schema.refuse(
        fmt::format("expected version 1.x.y or 2.x.y of the record's schema, found '{}'", schema.text()));
  fields::reader list(context);
  list_context(list, to);
  to.device_name = to.device.at("name").get<std::string>();
  to.on_gpu = to.device.at("kind") == "gpu";
}

ordered_json context_json(const record& of) {
  fields::writer list;
  list_context(list, of);
  return list.take();
}

void from_json(const json_place& root, record& to) {
  context_from_json(root.at("context"), to);
  for (const json_place& entry : root.at("benchmarks").elements()) from_json(entry, to.cases.emplace_back());
  for (const json_place& entry : root.at("unmeasured").elements())
    from_json(entry, to.unmeasured.emplace_back());
  expect_own_names(root);
}

ordered_json to_json(const record& of) {
  ordered_json out = {{"context", context_json(of)},
                      {"benchmarks", ordered_json::array()},
                      {"unmeasured", ordered_json::array()}};
  for (const measured_case& c : of.cases) out["benchmarks"].push_back(to_json(c));
  for (const unmeasured_case& c : of.unmeasured) out["unmeasured"].push_back(to_json(c));
  return out;
}

ordered_json to_json(const program_build& of) { return fields::object::write(of); }
ordered_json to_json(const record::evidence_rung& of) { return fields::object::write(of); }
ordered_json kernels_json(const std::vector<std::pair<std::string, record::kernel_builds>>& of) {
  return fields::by_name<fields::by_name<fields::object>>().write(of);
}

ordered_json record_fields() {
  fields::describer list;
  list_context(list, std::as_const(*std::make_unique<record>()));
  const auto array_of = [](ordered_json items) {
    return ordered_json{{"type", "array"}, {"items", std::move(items)}};
  };
  return {{"type", "object"},
          {"required", {"context", "benchmarks", "unmeasured"}},
          {"properties",
           {{"context", list.take()},
            {"benchmarks", array_of(fields_schema(measured_case()))},
            {"unmeasured", array_of(fields_schema(unmeasured_case()))}}}};
}

record read_record(const std::filesystem::path& given) {
  const std::filesystem::path path = reports::file_of_record(given);
  nlohmann::ordered_json json = reports::parse_record_file(path);
  const std::string file = path.string();
  std::map<std::string, std::string> written_names = give_todays_names(json, old_names::known(), file);
  const json_place root(json, file);
  record out{};
  out.path = path;
  out.written_names = std::move(written_names);
  from_json(root, out);
  if (const auto uuid = out.device.find("uuid"); uuid != out.device.end() && uuid->is_string())
    for (measured_case& c : out.cases)
      if (c.specimen.empty()) c.specimen = uuid->get<std::string>();
  return out;
}

void require_checked(const record& of) {
  for (std::size_t i = 0; i < of.cases.size(); ++i)
    if (!of.cases[i].check.is_made())
      throw bad_input(
          of.path.string(), fmt::format("/benchmarks/{}/check", i),
          "expected a case whose output was compared with the oracle; this is a gate's launch, or a "
          "later one of a suite, which is read with the first: name their directory");
}

record read_checked_record(const std::filesystem::path& path) {
  record out = read_record(path);
  require_checked(out);
  return out;
}

}  // namespace ablate
