#include "base/record/counters.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/record/fields.h"

namespace ablate {

std::optional<double> find_counter(const counter_values& values, std::string_view counter) {
  const auto found =
      std::find_if(values.begin(), values.end(), [&](const auto& value) { return value.first == counter; });
  return found == values.end() ? std::nullopt : found->second;
}

bool counter_readings::any() const {
  return std::any_of(values.begin(), values.end(),
                     [](const auto& value) { return value.second.has_value(); });
}

std::optional<double> counter_readings::value(std::string_view counter) const {
  return find_counter(values, counter);
}

namespace {

constexpr const char* outputs_of_passes[] = {"ok", "differs"};

}  // namespace

template <class List, fields::part_of<counter_readings::kernel> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("name", of.name, text());
  list.optional("launches", of.by_name, count());
  list.required("values", of.values, by_name(or_null(number())));
}

template <class List, fields::part_of<counter_readings> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("set", of.set, text());
  list.added("reason", of.reason, or_null(text()));
  list.required("values", of.values, by_name(or_null(number())));
  list.optional("missing", of.missing, by_name(text()));
  list.optional("kernels", of.kernels, list_of(object()));
  list.optional("coherent", of.coherent, or_null(boolean()));
  list.optional("output", of.output, or_null(one_of_words(outputs_of_passes)));
  list.optional("host_ms", of.host_ms, not_negative());
  list.optional("open_ms", of.open_ms, not_negative());
}

template <class List, fields::part_of<activity_timeline::kernel> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("name", of.name, text());
  list.required("start_us", of.start_us, number());
  list.required("end_us", of.end_us, number());
}

template <class List, fields::part_of<activity_timeline> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("interval_ns", of.interval_ns, positive());
  list.required("loops", of.loops, count());
  list.required("metrics", of.metrics, by_name(list_of(or_null(number()))));
  list.required("time_us", of.time_us, list_of(number()));
  list.required("kernels", of.kernels, list_of(object()));
  list.check([&](const json_place& at) {
    for (const auto& [name, samples] : of.metrics)
      if (samples.size() != of.time_us.size())
        at.at("metrics").at(name).refuse(
            fmt::format("expected {} samples as in time_us, found {}", of.time_us.size(), samples.size()));
  });
}

void from_json(const reports::json_place& at, counter_readings& to) { fields::object::read(at, to); }
void from_json(const reports::json_place& at, activity_timeline& to) { fields::object::read(at, to); }
nlohmann::ordered_json to_json(const counter_readings& of) { return fields::object::write(of); }
nlohmann::ordered_json to_json(const activity_timeline& of) { return fields::object::write(of); }
nlohmann::ordered_json fields_schema(const counter_readings&) {
  return fields::object::schema_of<counter_readings>();
}
nlohmann::ordered_json fields_schema(const activity_timeline&) {
  return fields::object::schema_of<activity_timeline>();
}

}  // namespace ablate
