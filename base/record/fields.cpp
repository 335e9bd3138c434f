#include "base/record/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ablate::fields {

ordered_json or_null_schema(ordered_json schema) {
  if (schema.contains("enum"))
    schema["enum"].push_back(nullptr);
  else if (schema.contains("type"))
    schema["type"] = {schema["type"], "null"};
  return schema;
}

void seed_number::read(const json_place& at, std::uint64_t& to) {
  if (!at.json().is_number_unsigned())
    at.refuse(fmt::format("expected an integer from 0 to {}", std::numeric_limits<std::uint64_t>::max()));
  to = at.json().get<std::uint64_t>();
}

ordered_json json_of(const written_number& of) {
  if (const auto integer = of.integer()) return *integer;
  return static_cast<double>(of);
}

written_number number_as_written(const json_place& at) {
  const ordered_json& is = at.json();
  if (is.is_number_integer() && !(is.is_number_unsigned() && is.get<std::uint64_t>() > INT64_MAX))
    return is.get<std::int64_t>();
  return at.number();
}

void refuse_word(const json_place& at, const std::string& found, std::span<const char* const> known) {
  at.refuse(fmt::format("expected one of {}, found '{}'", fmt::join(known, ", "), found));
}

void extent::read(const json_place& at, std::array<long, 3>& to) {
  const auto elements = at.elements();
  if (elements.size() != 3) at.refuse(fmt::format("expected three counts, found {}", elements.size()));
  to = {elements[0].count(), elements[1].count(), elements[2].count()};
}

ordered_json describer::take() {
  ordered_json out = {{"type", "object"}};
  if (!required_.empty()) out["required"] = required_;
  out["properties"] = std::move(properties_);
  return out;
}

}  // namespace ablate::fields
