#include "reports/record/compact_launches.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "reports/text/json_place.h"
#include "reports/text/json_text.h"

namespace ablate::reports {

using nlohmann::ordered_json;

namespace {

constexpr const char *names_key = "kernel_names", *launches_key = "launches";

/// A list of an entry, or null where it has none.
ordered_json* list_in(ordered_json& of, const char* key) {
  if (!of.is_object()) return nullptr;
  const auto found = of.find(key);
  return found != of.end() && found->is_array() ? &*found : nullptr;
}

ordered_json* launches_of(ordered_json& entry) { return list_in(entry, "kernels"); }

ordered_json* counted_by_name(ordered_json& entry) {
  return entry.is_object() && entry.contains("counters") ? list_in(entry["counters"], "by_name") : nullptr;
}

bool has_name(const ordered_json& kernel) {
  return kernel.is_object() && kernel.contains("name") && kernel["name"].is_string();
}

bool is_counted(const ordered_json& kernel) {
  return has_name(kernel) && kernel.size() == 3 && kernel.contains("launches") && kernel.contains("values") &&
         kernel["values"].is_array();
}

ordered_json row_of(std::size_t name, const ordered_json& counted) {
  ordered_json row = {name, counted["launches"]};
  for (const ordered_json& value : counted["values"]) row.push_back(value);
  return row;
}

ordered_json counted_of(const std::string& name, const ordered_json& row) {
  return {{"name", name}, {"launches", row[1]}, {"values", ordered_json(row.begin() + 2, row.end())}};
}

/// The object with another first member in the place of one that it has.
ordered_json with_first(const char* key, ordered_json value, const char* in_place_of,
                        const ordered_json& of) {
  ordered_json out = {{key, std::move(value)}};
  for (const auto& [other, member] : of.items())
    if (other != in_place_of) out[other] = member;
  return out;
}

/// The launches and the names of all entries, numbered in the order of their text.
class written_tables {
 public:
  explicit written_tables(std::vector<ordered_json>& benchmarks) {
    for (ordered_json& entry : benchmarks)
      for (const ordered_json* kernels : {launches_of(entry), counted_by_name(entry)})
        if (kernels)
          for (const ordered_json& kernel : *kernels)
            if (has_name(kernel)) names_.emplace(kernel["name"].get<std::string>(), 0);
    number(names_);
    for (ordered_json& entry : benchmarks)
      if (const ordered_json* launches = launches_of(entry))
        for (const ordered_json& launch : *launches)
          if (has_name(launch)) launches_.emplace(key_of(launch), 0);
    number(launches_);
  }

  std::size_t name_of(const ordered_json& kernel) const {
    return names_.at(kernel["name"].get<std::string>());
  }
  std::size_t launch_of(const ordered_json& launch) const { return launches_.at(key_of(launch)); }

  void write_to(ordered_json& facts) const {
    facts.erase(names_key);
    facts.erase(launches_key);
    if (names_.empty()) return;
    ordered_json names = ordered_json::array(), launches = ordered_json::array();
    for (const auto& [name, place] : names_) names.push_back(name);
    for (const auto& [key, place] : launches_) launches.push_back(ordered_json::parse(key.second));
    facts[names_key] = std::move(names);
    facts[launches_key] = std::move(launches);
  }

 private:
  using launch_key = std::pair<std::size_t, std::string>;  ///< the name's number, all as it is written

  launch_key key_of(const ordered_json& launch) const {
    const std::size_t name = name_of(launch);
    return {name, json_text(with_first("kernel", name, "name", launch))};
  }

  template <class Numbers>
  static void number(Numbers& of) {
    std::size_t next = 0;
    for (auto& [key, place] : of) place = next++;
  }

  std::map<std::string, std::size_t> names_;
  std::map<launch_key, std::size_t> launches_;
};

/// The tables of a record that was read.
class read_tables {
 public:
  read_tables(ordered_json& facts, const std::string& file) : file_(file) {
    const ordered_json names = taken(facts, names_key), launches = taken(facts, launches_key);
    for (const json_place& name : json_place(names, file, pointer_to(names_key)).elements())
      names_.push_back(name.text());
    for (const json_place& launch : json_place(launches, file, pointer_to(launches_key)).elements())
      launches_.push_back(with_first("name", name_at(launch.at("kernel")), "kernel", launch.json()));
  }

  const std::string& name_at(const json_place& number) const {
    return names_[place_in(names_.size(), "names", names_key, number)];
  }
  const ordered_json& launch_at(const json_place& number) const {
    return launches_[place_in(launches_.size(), "launches", launches_key, number)];
  }

  void expand(ordered_json& entry, const std::string& pointer) const {
    if (ordered_json* const launches = launches_of(entry))
      for (std::size_t i = 0; i < launches->size(); ++i)
        if (ordered_json& launch = (*launches)[i]; launch.is_number())
          launch = launch_at({launch, file_, fmt::format("{}/kernels/{}", pointer, i)});
    if (ordered_json* const counted = counted_by_name(entry))
      for (std::size_t i = 0; i < counted->size(); ++i)
        if (ordered_json& row = (*counted)[i]; row.is_array())
          row = counted_at({row, file_, fmt::format("{}/counters/by_name/{}", pointer, i)});
  }

 private:
  ordered_json counted_at(const json_place& row) const {
    const std::vector<json_place> elements = row.elements();
    if (elements.size() < 2) row.refuse("expected the number of a name, launches and values, found fewer");
    return counted_of(name_at(elements[0]), row.json());
  }

  static std::string pointer_to(const char* table) { return fmt::format("/context/ablate/{}", table); }

  static ordered_json taken(ordered_json& facts, const char* table) {
    if (!facts.is_object() || !facts.contains(table)) return ordered_json::array();
    ordered_json out = std::move(facts[table]);
    facts.erase(table);
    return out;
  }

  static std::size_t place_in(std::size_t size, const char* of_what, const char* table,
                              const json_place& number) {
    const ordered_json& is = number.json();
    if (!is.is_number_unsigned() || is.get<std::size_t>() >= size)
      number.refuse_value(fmt::format("the number of one of {} {} in {}", size, of_what, pointer_to(table)));
    return is.get<std::size_t>();
  }

  const std::string& file_;
  std::vector<std::string> names_;
  std::vector<ordered_json> launches_;
};

}  // namespace

void compact_launches(std::vector<ordered_json>& benchmarks, ordered_json& facts) {
  const written_tables tables(benchmarks);
  for (ordered_json& entry : benchmarks) {
    if (ordered_json* const launches = launches_of(entry))
      for (ordered_json& launch : *launches)
        if (has_name(launch)) launch = tables.launch_of(launch);
    if (ordered_json* const counted = counted_by_name(entry))
      for (ordered_json& kernel : *counted)
        if (is_counted(kernel)) kernel = row_of(tables.name_of(kernel), kernel);
  }
  tables.write_to(facts);
}

void expand_launches(ordered_json& record, const std::string& file) {
  ordered_json nowhere;
  const auto inside = [&](ordered_json& of, const char* key) -> ordered_json& {
    return of.is_object() && of.contains(key) ? of[key] : nowhere;
  };
  const read_tables tables(inside(inside(record, "context"), "ablate"), file);
  if (ordered_json* const benchmarks = list_in(record, "benchmarks"))
    for (std::size_t i = 0; i < benchmarks->size(); ++i)
      tables.expand((*benchmarks)[i], fmt::format("/benchmarks/{}", i));
}

}  // namespace ablate::reports
