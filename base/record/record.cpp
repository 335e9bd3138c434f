#include "base/record/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/record/read_case.h"
#include "base/record/read_values.h"
#include "base/record/record_file.h"
#include "base/record/todays_names.h"
#include "base/text/bad_input.h"
#include "base/text/json_place.h"

namespace ablate {
namespace {

using reports::json_place;

/// A hash, which is shown cut to its first digits; empty where it is not known.
void hexadecimal(const json_place& at) {
  if (const std::string text = at.text(); text.find_first_not_of("0123456789abcdef") != text.npos)
    at.refuse(fmt::format("expected hexadecimal digits, found '{}'", text));
}

void check_ceilings(const json_place& at) {
  for (const auto& [name, value] : at.members()) {
    value.at(name.starts_with("launch") ? "us" : "rate_per_s").positive();
    for (const char* figure : {"us", "rate_per_s"})
      if (const auto other = value.find(figure)) other->positive();
    value.at("case").text();
  }
}

std::optional<long> known_count(const json_place& at) {
  return at.is_null() ? std::nullopt : std::optional(at.count());
}

std::vector<std::pair<std::string, record::kernel_builds>> kernels_of(const json_place& at) {
  std::vector<std::pair<std::string, record::kernel_builds>> out;
  for (const auto& [name, builds] : at.members()) {
    out.emplace_back(name, record::kernel_builds{});
    for (const auto& [architecture, facts] : builds.members())
      out.back().second.emplace_back(
          architecture,
          compiled_kernel{facts.at("registers").count(), known_count(facts.at("spill_store_bytes")),
                          known_count(facts.at("spill_load_bytes")), facts.at("stack_bytes").count(),
                          facts.at("static_shared_bytes").count()});
  }
  return out;
}

std::vector<record::part> parts_of(const json_place& at) {
  std::vector<record::part> out;
  for (const json_place& part : at.elements()) {
    out.push_back({part.at("specimen").text(), part.at("host_name").text(), part.at("date").text(), {}});
    for (const auto& [name, us] : part.at("calibrations").members())
      out.back().calibrations.emplace_back(name, us.positive());
    if (const auto worker = part.find("worker"))
      if (const auto neighbors = worker->find("neighbors")) out.back().neighbors = read_neighbors(*neighbors);
  }
  return out;
}

void read_context(const json_place& context, record& out) {
  out.date = context.at("date").text();
  const json_place ablate = context.at("ablate");
  const json_place schema = ablate.at("record_schema");
  out.schema = schema.text();
  if (!out.schema.starts_with("2."))
    schema.refuse(
        fmt::format("expected version 1.x.y or 2.x.y of the record's schema, found '{}'", out.schema));
  const json_place suite = ablate.at("suite");
  out.suite_name = suite.at("name").text();
  out.suite_description = suite.at("description").text();
  out.suite_hash = suite.at("hash").text();
  if (const auto overrides = suite.find("overrides"))
    for (const auto& [name, values] : overrides->members())
      out.overrides.emplace_back(name, texts_of(values));
  if (const auto comparisons = suite.find("comparisons"))
    for (const json_place& at : comparisons->elements())
      out.comparisons.push_back(
          {texts_of(at.at("operations")), texts_of(at.at("across")), texts_of(at.at("draw"))});
  if (const auto question = suite.find("question")) out.question = question_of(*question);
  if (const auto ladder = suite.find("ladder")) out.ladder = ladder_of(*ladder);
  if (const auto exhibits = suite.find("exhibits")) out.exhibits = exhibits_of(*exhibits);
  const json_place seed = ablate.at("seed");
  if (!seed.json().is_number_unsigned())
    seed.refuse(fmt::format("expected an integer from 0 to {}", std::numeric_limits<std::uint64_t>::max()));
  out.seed = seed.json().get<std::uint64_t>();
  out.command = ablate.at("command").text();

  const json_place build = ablate.at("build");
  for (const char* key : {"version", "compiler", "build_type"}) build.at(key).text();
  for (const char* key : {"commit", "source_hash"}) hexadecimal(build.at(key));
  build.at("dirty").boolean();
  for (const json_place& architecture : build.at("cuda_architectures").elements()) architecture.text();
  if (const json_place compiler = build.at("cuda_compiler"); !compiler.is_null()) compiler.text();
  out.build = build.json();
  out.host = object_at(ablate.at("host"));

  const json_place device = ablate.at("device");
  out.on_gpu = one_of(device.at("kind"), {"gpu", "host"}) == "gpu";
  out.device_name = device.at("name").text();
  if (const auto architecture = device.find("architecture")) architecture->text();
  for (const char* key : {"chip", "silicon", "uuid", "driver", "cuda_driver", "cuda_runtime"})
    if (const auto fact = device.find(key); fact && !fact->is_null()) fact->text();
  out.device = device.json();

  for (const json_place& rung : ablate.at("evidence").elements()) {
    const auto reason = rung.find("reason");
    out.evidence.push_back(
        {rung.at("rung").text(), rung.at("available").boolean(), reason ? reason->text() : ""});
  }
  check_ceilings(ablate.at("ceilings"));
  out.ceilings = parse_ceilings(ablate.at("ceilings").json());
  out.kernels = kernels_of(ablate.at("kernels"));
  if (const auto operations = ablate.find("operations"))
    for (const auto& [name, facts] : operations->members()) {
      const auto silent = facts.find("silent_axes");
      out.operations.push_back({name, facts.at("description").text(), facts.at("baseline").text(),
                                words_of(facts.at("axes")), words_of(facts.at("variants")),
                                silent ? words_of(*silent) : named_words()});
    }
  if (const auto parts = ablate.find("parts")) out.parts = parts_of(*parts);
  if (const auto rivals = ablate.find("rivals"))
    for (const json_place& added : rivals->elements())
      out.rivals.push_back({added.at("script").text(), added.at("date").text(),
                            words_of(added.at("software")), texts_of(added.at("operations")),
                            texts_of(added.at("variants"))});
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
  if (!instrumented.is_object()) return std::nullopt;
  const auto found = instrumented.find("points_per_atomic");
  if (found == instrumented.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::vector<std::vector<const measured_case::kernel_launch*>> measured_case::counted_launches() const {
  const bool by_name = std::any_of(counters.kernels.begin(), counters.kernels.end(),
                                   [](const auto& counted) { return counted.launches > 1; });
  std::vector<std::vector<const kernel_launch*>> out;
  std::size_t launches = 0;
  for (const counter_readings::kernel& counted : counters.kernels) {
    auto& of_this = out.emplace_back();
    for (std::size_t i = 0; i < kernels.size(); ++i)
      if (kernels[i].name == counted.name && (by_name || i == launches)) of_this.push_back(&kernels[i]);
    if (std::cmp_not_equal(of_this.size(), counted.launches)) return {};
    launches += of_this.size();
  }
  return launches == kernels.size() ? out : decltype(out){};
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
  read_context(root.at("context"), out);
  for (const json_place& entry : root.at("benchmarks").elements()) out.cases.push_back(case_of(entry));
  for (const json_place& entry : root.at("unmeasured").elements())
    out.unmeasured.push_back(unmeasured_of(entry));
  expect_own_names(root);
  if (const auto uuid = out.device.find("uuid"); uuid != out.device.end() && uuid->is_string())
    for (measured_case& c : out.cases)
      if (c.specimen.empty()) c.specimen = uuid->get<std::string>();
  return out;
}

record read_checked_record(const std::filesystem::path& path) {
  record out = read_record(path);
  for (std::size_t i = 0; i < out.cases.size(); ++i)
    if (!out.cases[i].is_checked)
      throw bad_input(path.string(), fmt::format("/benchmarks/{}/check", i),
                      "expected a case whose output was compared with the oracle; this is a gate's launch");
  return out;
}

}  // namespace ablate
