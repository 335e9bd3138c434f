#include "harness/wrapped/read_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/text/names.h"
#include "harness/inputs/files/npy_file.h"
#include "harness/inputs/input_errors.h"

namespace ablate::wrapped {

namespace fs = std::filesystem;

namespace {

std::vector<std::byte> elements_of_file(const fs::path& path, const element_type& type, std::int64_t count) {
  std::error_code error;
  if (!fs::exists(path, error)) throw input_missing(path.string() + ": there is no such file");
  return npy_elements(path, {type.npy, type.bytes, static_cast<std::uint64_t>(count)});
}

const element_type* type_at(const json_place& at) {
  const std::string name = at.text();
  const element_type* const type = find_element_type(name);
  if (!type) at.refuse(fmt::format("no type '{}'; expected one of {}", name, element_type_names()));
  return type;
}

array_fill fill_of(const std::optional<json_place>& at, const array_entry& of, const file_scope& in) {
  const element_type& type = *of.type;
  const std::string& name = of.name;
  const auto uniform = [&type, name](double low, double high) {
    return [&type, name, low, high](const axis_values&, std::int64_t count, std::uint64_t seed) {
      return uniform_elements(type, count, low, high, seed, name);
    };
  };
  if (!at) {
    if (type.is_real) return uniform(-1, 1);
    return [&type, name](const axis_values&, std::int64_t count, std::uint64_t seed) {
      return integer_elements(type, count, 0, 100, seed, name);
    };
  }
  at->expect_keys({"uniform", "integers", "value", "file"});
  if (at->json().size() != 1) at->refuse("expected one of the keys uniform, integers, value, file");
  if (const auto given = at->find("uniform")) {
    if (!type.is_real) given->refuse(fmt::format("expected 'integers' for elements of type {}", type.name));
    const auto [low, high] = interval_at(*given, [](const json_place& one) { return one.number(); });
    return uniform(low, high);
  }
  constexpr std::int64_t most = std::int64_t{1} << 53;
  const auto integer = [&type](const json_place& one) {
    const std::int64_t number = one.integer(-most, most);
    if (!can_hold(type, number)) one.refuse(fmt::format("{} is no number of type {}", number, type.name));
    return number;
  };
  if (const auto given = at->find("integers")) {
    const auto [low, high] = interval_at(*given, integer);
    if (high - low >= 0xffffffff) given->refuse("expected fewer than 2^32 different integers");
    return [&type, name, low = low, high = high](const axis_values&, std::int64_t count, std::uint64_t seed) {
      return integer_elements(type, count, low, high, seed, name);
    };
  }
  if (const auto given = at->find("value")) {
    std::vector<std::byte> element(type.bytes);
    if (type.is_real)
      put_number(type, given->number(), element.data());
    else
      put_integer(type, integer(*given), element.data());
    return [element](const axis_values&, std::int64_t count, std::uint64_t) {
      std::vector<std::byte> out;
      out.reserve(element.size() * static_cast<std::size_t>(count));
      for (std::int64_t i = 0; i < count; ++i) out.insert(out.end(), element.begin(), element.end());
      return out;
    };
  }
  return [&type, path = path_pattern(at->at("file"), in.folder, in.axes)](const axis_values& axes,
                                                                          std::int64_t count, std::uint64_t) {
    return elements_of_file(path.at(axes), type, count);
  };
}

}  // namespace

std::int64_t array_entry::count_at(const axis_values& at) const {
  const std::int64_t elements = count.at(at);
  if (elements < 0 || elements > (std::int64_t{1} << 40))
    throw expression_error(fmt::format("array '{}' of {} elements", name, elements));
  return elements;
}

kernel_array array_entry::at(const axis_values& axes) const {
  const std::int64_t elements = count_at(axes);
  if (role == buffer_role::output) return output_array(name, *type, elements, tolerance);
  if (role == buffer_role::scratch) return scratch_array(name, *type, elements);
  kernel_array input = input_array(name, *type, elements, [fill = fill, axes, elements](std::uint64_t seed) {
    return fill(axes, elements, seed);
  });
  input.may_change = may_change;
  return input;
}

void file_scope::add(axis made) {
  if (made.range) integer_axes.push_back(made.name);
  axes.push_back(std::move(made));
}

void file_scope::add(array_entry made) {
  array_places.emplace(made.name, arrays.size());
  arrays.push_back(std::move(made));
}

array_entry read_array(const json_place& at, const file_scope& in) {
  at.expect_keys({"name", "role", "type", "count", "fill", "change", "tolerance", "expected"});
  array_entry made;
  made.name = case_word(at.at("name"));
  if (in.array_places.contains(made.name))
    at.at("name").refuse(fmt::format("there are two arrays '{}'", made.name));
  const std::string role = at.at("role").text();
  if (role == "output")
    made.role = buffer_role::output;
  else if (role == "scratch")
    made.role = buffer_role::scratch;
  else if (role != "input")
    at.at("role").refuse(no_such("role", role, {"input", "output", "scratch"}));
  made.type = type_at(at.at("type"));
  made.count = expression_at(at.at("count"), in.integer_axes);
  const auto only_for = [&](const char* key, buffer_role of, const char* what) {
    const auto given = at.find(key);
    if (given && made.role != of) given->refuse(fmt::format("expected none: only {} has it", what));
    return given;
  };
  const auto fill = only_for("fill", buffer_role::input, "an input");
  if (made.role == buffer_role::input) made.fill = fill_of(fill, made, in);
  // Integers of a file may be places in other arrays, or ascend.
  const bool is_from_file = fill && fill->find("file");
  made.may_change = made.role == buffer_role::input && (made.type->is_real || !is_from_file);
  if (const auto change = only_for("change", buffer_role::input, "an input"))
    made.may_change = change->boolean();
  if (const auto tolerance = only_for("tolerance", buffer_role::output, "an output"))
    made.tolerance = tolerance->not_negative();
  if (const auto expected = only_for("expected", buffer_role::output, "an output"))
    made.expected = path_pattern(*expected, in.folder, in.axes);
  return made;
}

decltype(array_definition::answer) answer_of(const std::vector<array_entry>& entries, const json_place& at) {
  const auto is_expected = [](const array_entry& a) { return a.expected.has_value(); };
  if (std::ranges::none_of(entries, is_expected)) return {};
  for (const array_entry& a : entries)
    if (a.role == buffer_role::output && !a.expected)
      at.refuse(
          fmt::format("output '{}' has no 'expected', others have: expected it for all or none", a.name));
  return [arrays = entries](const axis_values& axes) {
    std::vector<std::vector<std::byte>> all;
    for (const array_entry& a : arrays)
      all.push_back(a.expected ? elements_of_file(a.expected->at(axes), *a.type, a.count_at(axes))
                               : std::vector<std::byte>());
    return all;
  };
}

}  // namespace ablate::wrapped
