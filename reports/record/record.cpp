#include "reports/record/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "reports/record/compact_counters.h"
#include "reports/text/bad_input.h"
#include "reports/text/json_place.h"

namespace ablate {
namespace {

using reports::json_place;

constexpr std::string_view understood_major = "1.";
constexpr std::size_t most_picture_points = 8192;

std::string one_of(const json_place& at, std::initializer_list<std::string_view> words) {
  const std::string word = at.text();
  if (std::find(words.begin(), words.end(), word) == words.end())
    at.refuse(fmt::format("expected one of {}, found '{}'", fmt::join(words, ", "), word));
  return word;
}

/// A hash, which is shown cut to its first digits; empty where it is not known.
void hexadecimal(const json_place& at) {
  if (const std::string text = at.text(); text.find_first_not_of("0123456789abcdef") != text.npos)
    at.refuse(fmt::format("expected hexadecimal digits, found '{}'", text));
}

named_words words_of(const json_place& at) {
  named_words out;
  for (const auto& [name, value] : at.members()) out.emplace_back(name, value.text());
  return out;
}

std::optional<double> number_or_null(const json_place& at) {
  return at.is_null() ? std::nullopt : std::optional(at.not_negative());
}

const nlohmann::ordered_json& object_at(const json_place& at) {
  if (!at.json().is_object()) at.refuse_value("an object");
  return at.json();
}

const nlohmann::ordered_json& object_or_null(const json_place& at) {
  if (!at.is_null() && !at.json().is_object()) at.refuse_value("an object or null");
  return at.json();
}

std::vector<std::string> texts_of(const json_place& at) {
  std::vector<std::string> out;
  for (const json_place& element : at.elements()) out.push_back(element.text());
  return out;
}

/// `figure` reads the clock and the power.
template <class Figure>
clock_under_load clock_of(const json_place& at, Figure figure) {
  clock_under_load out{figure(at.at("sm_mhz")), figure(at.at("power_w")), {}, at.at("steady").boolean()};
  if (const json_place reasons = at.at("event_reasons"); !reasons.is_null())
    out.event_reasons = texts_of(reasons);
  return out;
}

std::map<std::string, measured_case::turn> round_of(const json_place& at) {
  std::map<std::string, measured_case::turn> out;
  for (const auto& [variant, turn] : at.members())
    out.emplace(variant,
                measured_case::turn{turn.at("median_us").positive(), clock_of(turn, number_or_null)});
  return out;
}

measured_case::timing timing_of(const json_place& at) {
  measured_case::timing out{};
  out.median_us = at.at("median").positive();
  out.min_us = at.at("min").positive();
  out.mad_us = at.at("mad").not_negative();
  out.ci95_low_us = at.at("ci95_low").positive();
  out.ci95_high_us = at.at("ci95_high").positive();
  if (!(out.ci95_low_us <= out.median_us && out.median_us <= out.ci95_high_us))
    at.refuse(fmt::format("expected ci95_low <= median <= ci95_high, found {}, {}, {}", out.ci95_low_us,
                          out.median_us, out.ci95_high_us));
  out.method = one_of(at.at("method"), {"events", "graph", "host_clock", "host_clock_graph"});
  out.launches_per_sample = at.at("launches_per_sample").count();
  out.warmup_launches = at.at("warmup_launches").count();
  out.stopped_by = one_of(at.at("stopped_by"), {"precision", "time", "samples"});
  for (const json_place& sample : at.at("samples").elements()) out.samples_us.push_back(sample.positive());
  if (const auto clock = at.find("clock"))
    out.clock = clock_of(*clock, [](const json_place& spread) {
      return spread.is_null() ? std::nullopt : std::optional(spread.at("median").not_negative());
    });
  return out;
}

measured_case::work_amounts work_of(const json_place& at) {
  measured_case::work_amounts out{at.at("bytes").not_negative(), at.at("flops").not_negative(),
                                  at.at("atomics").not_negative()};
  if (const auto pipe = at.find("flop_pipe")) out.flop_pipe = pipe->text();
  if (const auto random = at.find("random"))
    for (const json_place& access : random->elements())
      out.random.push_back({access.at("resource").text(), access.at("count").not_negative(),
                            access.at("footprint_bytes").not_negative()});
  return out;
}

measured_case::device_memory_use memory_of(const json_place& at) {
  measured_case::device_memory_use out{static_cast<double>(at.at("bytes").count()), {}};
  for (const auto& [name, bytes] : at.at("buffers").members())
    out.by_buffer.emplace_back(name, static_cast<double>(bytes.count()));
  double sum = 0;
  for (const auto& [name, bytes] : out.by_buffer) sum += bytes;
  if (sum != out.bytes)
    at.refuse(fmt::format("expected buffers of {} bytes together, found {}", out.bytes, sum));
  return out;
}

std::optional<measured_case::floor_times> floors_of(const json_place& at) {
  if (at.is_null()) return std::nullopt;
  measured_case::floor_times out;
  out.launch_us = number_or_null(at.at("launch_us"));
  out.bytes_us = number_or_null(at.at("bytes_us"));
  out.atomics_us = number_or_null(at.at("atomics_us"));
  out.flops_us = number_or_null(at.at("flops_us"));
  if (const auto random = at.find("random_us")) out.random_us = number_or_null(*random);
  if (const json_place binding = at.at("binding"); !binding.is_null())
    out.binding = one_of(binding, {"launch", "bytes", "atomics", "flops", "random"});
  out.time_over_floor = number_or_null(at.at("time_over_floor"));
  return out;
}

std::array<long, 3> extent_of(const json_place& at) {
  const auto elements = at.elements();
  if (elements.size() != 3) at.refuse(fmt::format("expected three counts, found {}", elements.size()));
  return {elements[0].count(), elements[1].count(), elements[2].count()};
}

measured_case::kernel_launch kernel_of(const json_place& at) {
  measured_case::kernel_launch out{at.at("name").text(),
                                   extent_of(at.at("grid")),
                                   extent_of(at.at("block")),
                                   at.at("dynamic_shared_bytes").count(),
                                   {}};
  for (const auto& [architecture, value] : at.at("theoretical_occupancy").members())
    out.theoretical_occupancy.emplace_back(architecture, number_or_null(value));
  return out;
}

named_figures figures_of(const json_place& at) {
  named_figures out;
  for (const auto& [name, value] : at.members())
    out.emplace_back(name, value.is_null() ? std::nullopt : std::optional(value.number()));
  return out;
}

measured_case::output_picture picture_of(const json_place& at) {
  using coloring = measured_case::output_picture::coloring;
  measured_case::output_picture out{at.at("title").text(), at.at("x").text(), at.at("y").text(), {}, {}};
  for (const json_place& panel : at.at("panels").elements())
    out.panels.push_back(
        {panel.at("title").text(), one_of(panel.at("kind"), {"category", "members"}) == "category"
                                       ? coloring::category
                                       : coloring::members});
  if (out.panels.empty()) at.at("panels").refuse("expected at least one panel, found none");
  const auto points = at.at("points").elements();
  if (points.empty() || points.size() > most_picture_points)
    at.at("points").refuse(
        fmt::format("expected 1 to {} points, found {}", most_picture_points, points.size()));
  for (const json_place& point : points) {
    const auto numbers = point.elements();
    if (numbers.size() != 2 + out.panels.size())
      point.refuse(fmt::format("expected {} numbers: x, y and one for each of {} panels, found {}",
                               2 + out.panels.size(), out.panels.size(), numbers.size()));
    auto& to = out.points.emplace_back(
        measured_case::output_picture::point{numbers[0].number(), numbers[1].number(), {}});
    for (std::size_t i = 0; i < out.panels.size(); ++i) {
      const json_place& color = numbers[2 + i];
      if (!color.json().is_number_integer())
        color.refuse(fmt::format("expected an integer, found {}", color.json().dump()));
      to.colors.push_back(color.json().get<long>());
      if (out.panels[i].kind == coloring::members && to.colors.back() != 0 && to.colors.back() != 1)
        color.refuse(fmt::format("expected 0 or 1 in a panel of members, found {}", to.colors.back()));
    }
  }
  return out;
}

measured_case case_of(const json_place& at) {
  measured_case out{};
  out.name = at.at("name").text();
  out.operation = at.at("operation").text();
  out.variant = at.at("variant").text();
  out.cache_state = at.at("cache_state").text();
  one_of(at.at("status"), {"ok"});
  out.switches = words_of(at.at("switches"));
  out.axes = words_of(at.at("axes"));
  if (const auto ceiling = at.find("ceiling")) out.ceiling = ceiling->text();
  out.time = timing_of(at.at("time_us"));
  out.work = work_of(at.at("work"));
  if (const auto memory = at.find("memory")) out.memory = memory_of(*memory);
  out.floors = floors_of(at.at("floors"));
  for (const json_place& kernel : at.at("kernels").elements()) out.kernels.push_back(kernel_of(kernel));
  out.counters = reports::counters_of(at.at("counters"));
  if (const auto timeline = at.find("timeline"); timeline && !timeline->is_null())
    out.timeline = reports::timeline_of(*timeline);
  out.instrumented = object_or_null(at.at("instrumented"));
  out.input = object_at(at.at("input"));
  if (const auto hash = at.at("input").find("hash")) hash->text();
  if (const auto points = at.at("input").find("points")) points->count();
  if (const auto dispatch = at.at("input").find("dispatch")) out.dispatch = words_of(*dispatch);
  if (const auto per_atomic =
          out.instrumented.is_null() ? std::nullopt : at.at("instrumented").find("points_per_atomic"))
    number_or_null(*per_atomic);
  else if (!out.instrumented.is_null())
    out.counted = figures_of(at.at("instrumented"));
  if (const auto quality = at.find("quality"); quality && !quality->is_null())
    out.quality = figures_of(*quality);
  if (const auto picture = at.find("picture"); picture && !picture->is_null())
    out.picture = picture_of(*picture);
  const json_place check = at.at("check");
  one_of(check.at("before"), {"ok", "not_checked"});
  one_of(check.at("after"), {"ok", "not_checked"});
  out.is_checked = check.at("before").text() == "ok" && check.at("after").text() == "ok";
  if (const auto timed = check.find("timed")) one_of(*timed, {"ok", "accumulated", "not_checked"});
  out.max_error = check.at("max_error").not_negative();
  if (const auto accepted = check.find("accepted_error")) out.accepted_error = accepted->not_negative();
  out.device_state = object_or_null(at.at("device_state"));
  if (const auto rounds = at.find("in_turns"))
    for (const json_place& round : rounds->elements()) {
      out.in_turns.push_back(round_of(round));
      if (!out.in_turns.back().contains(out.variant))
        round.refuse(fmt::format("expected a turn of '{}', the entry's own variant", out.variant));
    }
  return out;
}

unmeasured_case unmeasured_of(const json_place& at) {
  unmeasured_case out;
  out.name = at.at("name").text();
  out.operation = at.at("operation").text();
  out.variant = at.at("variant").text();
  out.axes = words_of(at.at("axes"));
  out.cache_state = at.at("cache_state").text();
  out.status = one_of(at.at("status"), {"wrong", "failed", "out_of_memory", "timeout", "not_applicable",
                                        "input_missing", "interrupted"});
  out.reason = at.at("reason").text();
  return out;
}

void check_ceilings(const json_place& at) {
  for (const auto& [name, value] : at.members()) {
    value.at(name.starts_with("launch") ? "us" : "rate_per_s").positive();
    for (const char* figure : {"us", "rate_per_s"})
      if (const auto other = value.find(figure)) other->positive();
    value.at("case").text();
  }
}

std::vector<std::pair<std::string, record::kernel_builds>> kernels_of(const json_place& at) {
  std::vector<std::pair<std::string, record::kernel_builds>> out;
  for (const auto& [name, builds] : at.members()) {
    out.emplace_back(name, record::kernel_builds{});
    for (const auto& [architecture, facts] : builds.members())
      out.back().second.emplace_back(
          architecture, compiled_kernel{facts.at("registers").count(), facts.at("spill_store_bytes").count(),
                                        facts.at("spill_load_bytes").count(), facts.at("stack_bytes").count(),
                                        facts.at("static_shared_bytes").count()});
  }
  return out;
}

void read_context(const json_place& context, record& out) {
  out.date = context.at("date").text();
  const json_place ablate = context.at("ablate");
  const json_place schema = ablate.at("record_schema");
  out.schema = schema.text();
  if (!out.schema.starts_with(understood_major))
    schema.refuse(fmt::format("expected version {}x.y of the record's schema, found '{}'", understood_major,
                              out.schema));
  const json_place suite = ablate.at("suite");
  out.suite_name = suite.at("name").text();
  out.suite_description = suite.at("description").text();
  out.suite_hash = suite.at("hash").text();
  if (const auto comparisons = suite.find("comparisons"))
    for (const json_place& at : comparisons->elements())
      out.comparisons.push_back(
          {texts_of(at.at("operations")), texts_of(at.at("across")), texts_of(at.at("draw"))});
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
    for (const auto& [name, facts] : operations->members())
      out.operations.push_back({name, facts.at("description").text(), facts.at("baseline").text(),
                                words_of(facts.at("axes")), words_of(facts.at("variants"))});
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

record read_record(const std::filesystem::path& path) {
  const nlohmann::ordered_json json = reports::parse_record_file(path);
  const std::string file = path.string();
  const json_place root(json, file);
  record out{};
  out.path = path;
  read_context(root.at("context"), out);
  for (const json_place& entry : root.at("benchmarks").elements()) out.cases.push_back(case_of(entry));
  for (const json_place& entry : root.at("unmeasured").elements())
    out.unmeasured.push_back(unmeasured_of(entry));
  expect_own_names(root);
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
