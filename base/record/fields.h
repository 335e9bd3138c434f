#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/record/stated.h"
#include "base/text/json_place.h"
#include "base/text/json_text.h"

/// How a struct of the record and its JSON belong together: each struct has one function
///
///     template <class List, fields::part_of<timing> T>
///     void list_fields(List& list, T& of) {
///       list.required("median", of.median_us, positive());
///       …
///     }
///
/// that names its keys in the order of the file, each with its member and, where the type does not say it,
/// with the rule for its values. `reader`, `writer` and `describer` are such lists: they read the struct,
/// write it, and make the part of a JSON Schema that describes it.
///
/// - `required`: the key is there, and the reader insists.
/// - `written`: it is there in each record; the reader does without.
/// - `added`: as written, but older records lack it.
/// - `optional`: where the member has no value the key is absent.
/// - `fixed`, `derived`: written, and no member.
/// - `group`: an object whose keys are members of the same struct.
/// - `facts`: an object that is kept as JSON, for who made it says what it holds; some keys are known.
/// - `check`: what the reader expects beyond single values.
namespace ablate::fields {

using nlohmann::ordered_json;
using reports::json_place;

template <class Given, class Of>
concept part_of = std::same_as<std::remove_const_t<Given>, Of>;

template <class T>
concept may_lack = requires(const T& of) {
  of.has_value();
};

/// `schema`, or null.
ordered_json or_null_schema(ordered_json schema);

/// What a rule says of values of this type, as a JSON Schema.
template <class Value, class Rule>
ordered_json schema_of_rule(const Rule&);

// Rules of values.

struct text {
  static void read(const json_place& at, std::string& to) { to = at.text(); }
  static ordered_json write(const std::string& of) { return of; }
  static ordered_json schema() { return {{"type", "string"}}; }
};

struct boolean {
  static void read(const json_place& at, bool& to) { to = at.boolean(); }
  static ordered_json write(bool of) { return of; }
  static ordered_json schema() { return {{"type", "boolean"}}; }
};

/// An integer from 0; also in a double.
template <int least = 0>
struct whole {
  template <class Number>
  static void read(const json_place& at, Number& to) {
    const long count = at.count();
    if (count < least) at.refuse_value("a number from " + std::to_string(least));
    to = static_cast<Number>(count);
  }
  static ordered_json write(auto of) { return static_cast<std::int64_t>(of); }
  static ordered_json schema() { return {{"type", "integer"}, {"minimum", least}}; }
};
using count = whole<0>;
using count_from_1 = whole<1>;

/// Any integer that is not negative.
struct seed_number {
  static void read(const json_place& at, std::uint64_t& to);
  static ordered_json write(std::uint64_t of) { return of; }
  static ordered_json schema() { return {{"type", "integer"}, {"minimum", 0}}; }
};

ordered_json json_of(const written_number&);
inline ordered_json json_of(double of) { return of; }
/// As spelled in the file.
written_number number_as_written(const json_place&);

enum class range { any, not_negative, positive };

template <range within>
struct number_within {
  static double checked(const json_place& at) {
    return within == range::positive       ? at.positive()
           : within == range::not_negative ? at.not_negative()
                                           : at.number();
  }
  static void read(const json_place& at, double& to) { to = checked(at); }
  static void read(const json_place& at, written_number& to) {
    checked(at);
    to = number_as_written(at);
  }
  static ordered_json write(const auto& of) { return json_of(of); }
  static ordered_json schema() {
    ordered_json out = {{"type", "number"}};
    if (within != range::any) out[within == range::positive ? "exclusiveMinimum" : "minimum"] = 0;
    return out;
  }
};
using number = number_within<range::any>;
using not_negative = number_within<range::not_negative>;
using positive = number_within<range::positive>;

[[noreturn]] void refuse_word(const json_place& at, const std::string& found,
                              std::span<const char* const> known);

/// One of these words. If they are only the known ones, the reader accepts any.
template <std::size_t size, bool is_known_only = false>
struct word {
  const char* const (&words)[size];

  void read(const json_place& at, std::string& to) const {
    to = at.text();
    if constexpr (!is_known_only)
      if (std::find(std::begin(words), std::end(words), to) == std::end(words)) refuse_word(at, to, words);
  }
  static ordered_json write(const std::string& of) { return of; }
  ordered_json schema() const { return {{"enum", words}}; }
};
template <std::size_t size>
word<size> one_of_words(const char* const (&words)[size]) {
  return {words};
}
template <std::size_t size>
word<size, true> known_words(const char* const (&words)[size]) {
  return {words};
}

/// Three counts: x, y, z.
struct extent {
  static void read(const json_place& at, std::array<long, 3>& to);
  static ordered_json write(const std::array<long, 3>& of) { return of; }
  static ordered_json schema() { return {{"type", "array"}, {"items", count::schema()}}; }
};

/// JSON of whatever kind, kept as it is.
struct foreign {
  static void read(const json_place& at, ordered_json& to) { to = at.json(); }
  static const ordered_json& write(const ordered_json& of) { return of; }
  static ordered_json schema() { return ordered_json::object(); }
};

/// A list of JSON of whatever kind.
struct foreign_array : foreign {
  static ordered_json schema() { return {{"type", "array"}}; }
};

/// A value that the schema describes and the reader passes over.
template <class Rule>
struct unread {
  Rule rule;
  static void read(const json_place&, auto&) {}
  template <class Value>
  ordered_json schema_for() const {
    return schema_of_rule<Value>(rule);
  }
};
template <class Rule>
unread(Rule) -> unread<Rule>;

/// Nothing where there is null. Empty texts and lists are nothing, too.
template <class Rule>
struct or_null {
  Rule rule;

  template <class Maybe>
  void read(const json_place& at, Maybe& to) const {
    if constexpr (may_lack<Maybe>) {
      if (at.is_null()) {
        to = std::nullopt;
        return;
      }
      typename Maybe::value_type value{};
      rule.read(at, value);
      to = std::move(value);
    } else {
      to = {};
      if (!at.is_null()) rule.read(at, to);
    }
  }
  template <class Maybe>
  ordered_json write(const Maybe& of) const {
    if constexpr (may_lack<Maybe>)
      return of.has_value() ? rule.write(*of) : ordered_json();
    else
      return of.empty() ? ordered_json() : rule.write(of);
  }
  template <class Maybe>
  ordered_json schema_for() const {
    if constexpr (may_lack<Maybe>)
      return or_null_schema(schema_of_rule<typename Maybe::value_type>(rule));
    else
      return or_null_schema(schema_of_rule<Maybe>(rule));
  }
};
template <class Rule>
or_null(Rule) -> or_null<Rule>;

template <class Rule>
struct list_of {
  Rule rule;

  template <class List>
  void read(const json_place& at, List& to) const {
    to.clear();
    for (const json_place& element : at.elements()) rule.read(element, to.emplace_back());
  }
  ordered_json write(const auto& of) const {
    ordered_json out = ordered_json::array();
    for (const auto& element : of) out.push_back(rule.write(element));
    return out;
  }
  template <class List>
  ordered_json schema_for() const {
    return {{"type", "array"}, {"items", schema_of_rule<typename List::value_type>(rule)}};
  }
};
template <class Rule>
list_of(Rule) -> list_of<Rule>;

/// An object of values of one kind.
template <class Rule>
struct by_name {
  Rule rule;

  template <class Value>
  void read(const json_place& at, std::vector<std::pair<std::string, Value>>& to) const {
    to.clear();
    for (const auto& [name, value] : at.members()) rule.read(value, to.emplace_back(name, Value{}).second);
  }
  template <class Value>
  void read(const json_place& at, std::map<std::string, Value>& to) const {
    to.clear();
    for (const auto& [name, value] : at.members()) rule.read(value, to[name]);
  }
  ordered_json write(const auto& of) const {
    ordered_json out = ordered_json::object();
    for (const auto& [name, value] : of) reports::add_member(out, name, rule.write(value));
    return out;
  }
  template <class Named>
  ordered_json schema_for() const {
    using value = typename Named::value_type::second_type;
    return {{"type", "object"}, {"additionalProperties", schema_of_rule<value>(rule)}};
  }
};
template <class Rule>
by_name(Rule) -> by_name<Rule>;

/// An object whose structs have their place among its keys as `place`, while the map is sorted by them.
template <class Rule>
struct by_name_in_place {
  Rule rule;

  template <class Value>
  void read(const json_place& at, std::map<std::string, Value>& to) const {
    to.clear();
    for (const auto& [name, value] : at.members()) {
      Value& here = to[name];
      rule.read(value, here);
      here.place = to.size() - 1;
    }
  }
  template <class Value>
  ordered_json write(const std::map<std::string, Value>& of) const {
    std::vector<const std::pair<const std::string, Value>*> in_place;
    for (const auto& named : of) in_place.push_back(&named);
    std::stable_sort(in_place.begin(), in_place.end(),
                     [](const auto* a, const auto* b) { return a->second.place < b->second.place; });
    ordered_json out = ordered_json::object();
    for (const auto* named : in_place) reports::add_member(out, named->first, rule.write(named->second));
    return out;
  }
  template <class Named>
  ordered_json schema_for() const {
    return by_name<Rule>{rule}.template schema_for<Named>();
  }
};
template <class Rule>
by_name_in_place(Rule) -> by_name_in_place<Rule>;

/// A struct with a list of fields; `list_fields` must be declared before it is used.
struct object {
  static void read(const json_place& at, auto& to);
  static ordered_json write(const auto& of);
  template <class T>
  static ordered_json schema_of();
};

/// A struct of another file, which gives from_json, to_json and fields_schema.
struct apart {
  static void read(const json_place& at, auto& to) { from_json(at, to); }
  static ordered_json write(const auto& of) { return to_json(of); }
};

/// An object of structs that have their key as `name`.
struct by_own_name {
  template <class T>
  static void read(const json_place& at, std::vector<T>& to) {
    to.clear();
    for (const auto& [name, value] : at.members()) {
      object::read(value, to.emplace_back());
      to.back().name = name;
    }
  }
  static ordered_json write(const auto& of) {
    ordered_json out = ordered_json::object();
    for (const auto& element : of) reports::add_member(out, element.name, object::write(element));
    return out;
  }
};

template <class Rule>
constexpr bool takes_null = false;
template <class Rule>
constexpr bool takes_null<or_null<Rule>> = true;

// Lists of fields.

class reader {
 public:
  explicit reader(const json_place& at) : at_(at) {}

  template <class T>
  void required(const char* name, T& to, const auto& rule) {
    take(at_.at(name), to, rule);
  }
  template <class T>
  void optional(const char* name, T& to, const auto& rule) {
    if (const auto found = at_.find(name)) take(*found, to, rule);
  }
  void written(const char* name, auto& to, const auto& rule) { optional(name, to, rule); }
  void added(const char* name, auto& to, const auto& rule) { optional(name, to, rule); }
  void fixed(const char*, const auto&) {}
  void derived(const char*, const auto&, const auto&) {}
  void group(const char* name, const auto& list) {
    const json_place at = at_.at(name);
    reader inner(at);
    list(inner);
  }
  void facts(const char* name, ordered_json& to, const auto& known) {
    const json_place at = at_.at(name);
    if (!at.json().is_object()) at.refuse_value("an object");
    to = at.json();
    reader inner(at);
    known(inner);
  }
  void check(const auto& expect) { expect(at_); }

 private:
  template <class T, class Rule>
  static void take(const json_place& at, T& to, const Rule& rule) {
    if constexpr (may_lack<T> && !takes_null<Rule>)
      rule.read(at, to.emplace());
    else
      rule.read(at, to);
    if constexpr (requires { to.state(); }) to.state();
  }

  const json_place& at_;
};

class writer {
 public:
  void required(const char* name, const auto& of, const auto& rule) {
    if constexpr (may_lack<std::remove_cvref_t<decltype(of)>> &&
                  !takes_null<std::remove_cvref_t<decltype(rule)>>)
      add(name, rule.write(of.value()));
    else
      add(name, rule.write(of));
  }
  void written(const char* name, const auto& of, const auto& rule) { required(name, of, rule); }
  void added(const char* name, const auto& of, const auto& rule) { required(name, of, rule); }
  void optional(const char* name, const auto& of, const auto& rule) {
    if (!is_absent(of)) required(name, of, rule);
  }
  void fixed(const char* name, const auto& value) { add(name, value); }
  void derived(const char* name, const auto& value, const auto& rule) { add(name, rule.write(value)); }
  void group(const char* name, const auto& list) {
    writer inner;
    list(inner);
    add(name, std::move(inner.out_));
  }
  void facts(const char* name, const ordered_json& of, const auto&) { add(name, of); }
  void check(const auto&) {}

  ordered_json take() { return std::move(out_); }

 private:
  static bool is_absent(const auto& of) {
    if constexpr (requires { of.is_absent(); })
      return of.is_absent();
    else if constexpr (may_lack<std::remove_cvref_t<decltype(of)>>)
      return !of.has_value();
    else
      return of.empty();
  }
  void add(const char* name, ordered_json value) { reports::add_member(out_, name, std::move(value)); }

  ordered_json out_ = ordered_json::object();
};

class describer {
 public:
  void required(const char* name, const auto& of, const auto& rule) {
    required_.push_back(name);
    optional(name, of, rule);
  }
  void written(const char* name, const auto& of, const auto& rule) { required(name, of, rule); }
  void added(const char* name, const auto& of, const auto& rule) { optional(name, of, rule); }
  void optional(const char* name, const auto& of, const auto& rule) {
    using given = std::remove_cvref_t<decltype(of)>;
    if constexpr (may_lack<given> && !takes_null<std::remove_cvref_t<decltype(rule)>>)
      add(name, schema_of_rule<typename given::value_type>(rule));
    else
      add(name, schema_of_rule<given>(rule));
  }
  void fixed(const char* name, const auto& value) {
    required_.push_back(name);
    add(name, {{"const", value}});
  }
  void derived(const char* name, const auto& value, const auto& rule) { required(name, value, rule); }
  void group(const char* name, const auto& list) {
    describer inner;
    list(inner);
    required_.push_back(name);
    add(name, inner.take());
  }
  void facts(const char* name, const ordered_json&, const auto& known) { group(name, known); }
  void check(const auto&) {}

  ordered_json take();

 private:
  void add(const char* name, ordered_json schema) {
    reports::add_member(properties_, name, std::move(schema));
  }

  ordered_json properties_ = ordered_json::object();
  std::vector<std::string> required_;
};

void object::read(const json_place& at, auto& to) {
  reader fields(at);
  list_fields(fields, to);
}

ordered_json object::write(const auto& of) {
  writer fields;
  list_fields(fields, of);
  return fields.take();
}

template <class T>
ordered_json object::schema_of() {
  describer fields;
  const T of{};
  list_fields(fields, of);
  return fields.take();
}

template <class Value, class Rule>
ordered_json schema_of_rule(const Rule& rule) {
  if constexpr (requires { rule.schema(); })
    return rule.schema();
  else if constexpr (requires { rule.template schema_for<Value>(); })
    return rule.template schema_for<Value>();
  else if constexpr (std::same_as<Rule, object>)
    return object::schema_of<Value>();
  else if constexpr (std::same_as<Rule, by_own_name>)
    return {{"type", "object"}, {"additionalProperties", object::schema_of<typename Value::value_type>()}};
  else
    return fields_schema(Value{});
}

}  // namespace ablate::fields
