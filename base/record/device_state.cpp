#include "base/record/device_state.h"

#include <type_traits>
#include <utility>

#include "base/record/fields.h"

namespace ablate {
namespace {

/// What a driver says of a device is no reason to refuse a record: anything but what is expected is unknown.
template <class Rule>
struct if_expected {
  static void read(const reports::json_place& at, auto& to) {
    to = std::nullopt;
    if (!at.json().is_number()) return;
    typename std::remove_cvref_t<decltype(to)>::value_type value{};
    fields::number::read(at, value);
    to = value;
  }
  static void read(const reports::json_place& at, stated<std::vector<std::string>>& to) {
    to = std::nullopt;
    if (!at.json().is_array()) return;
    std::vector<std::string> words;
    for (const reports::json_place& word : at.elements())
      if (word.json().is_string()) words.push_back(word.text());
    to = std::move(words);
  }
  static nlohmann::ordered_json write(const auto& of) { return fields::or_null(Rule()).write(of); }
  template <class Value>
  static nlohmann::ordered_json schema_for() {
    return fields::schema_of_rule<Value>(fields::or_null(Rule()));
  }
};

}  // namespace

template <class Rule>
constexpr bool fields::takes_null<if_expected<Rule>> = true;

template <class List, fields::part_of<device_state> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.optional("sm_clock_mhz", of.sm_clock_mhz, if_expected<not_negative>());
  list.optional("memory_clock_mhz", of.memory_clock_mhz, if_expected<not_negative>());
  list.optional("event_reasons", of.event_reasons, if_expected<list_of<text>>());
  list.optional("temperature_c", of.temperature_c, if_expected<number>());
  list.optional("power_w", of.power_w, if_expected<not_negative>());
  list.optional("other_processes", of.other_processes, if_expected<not_negative>());
  list.optional("ecc_errors", of.ecc_errors, if_expected<not_negative>());
}

template <class List, fields::part_of<states_of_device> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.written("before", of.before, or_null(object()));
  list.written("after", of.after, or_null(object()));
  list.optional("timed_sm_clock_mhz", of.timed_sm_clock_mhz, if_expected<not_negative>());
}

const std::vector<std::string>& device_state::reasons() const {
  static const std::vector<std::string> none;
  return event_reasons ? *event_reasons : none;
}

void from_json(const reports::json_place& at, device_state& to) { fields::object::read(at, to); }
void from_json(const reports::json_place& at, states_of_device& to) { fields::object::read(at, to); }
nlohmann::ordered_json to_json(const device_state& of) { return fields::object::write(of); }
nlohmann::ordered_json to_json(const states_of_device& of) { return fields::object::write(of); }
nlohmann::ordered_json fields_schema(const states_of_device&) {
  return fields::object::schema_of<states_of_device>();
}

}  // namespace ablate
