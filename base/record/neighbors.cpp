#include "base/record/neighbors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/record/fields.h"

namespace ablate {
namespace {

/// Of the case that changes most.
std::string change_text(const std::vector<neighbor_facts::change>& of) {
  const auto most = std::max_element(of.begin(), of.end(), [](const auto& a, const auto& b) {
    return std::fabs(a.ratio - 1) < std::fabs(b.ratio - 1);
  });
  return fmt::format("{} takes {:.3f} times as long ({:.3f} to {:.3f})", most->name, most->ratio, most->low,
                     most->high);
}

}  // namespace

template <class List, fields::part_of<neighbor_facts::change> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("name", of.name, text());
  list.written("alone_us", of.alone_us, list_of(positive()));
  list.written("beside_us", of.beside_us, list_of(positive()));
  list.required("ratio", of.ratio, positive());
  list.required("ratio_low", of.low, positive());
  list.required("ratio_high", of.high, positive());
  list.written("matters", of.matters, boolean());
}

template <class List, fields::part_of<neighbor_facts::ending> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.written("specimen", of.specimen, text());
  list.required("matters", of.matters, boolean());
  list.required("cases", of.cases, list_of(object()));
  list.check([](const json_place& at) { at.at("cases").at_least_one("case"); });
}

template <class List, fields::part_of<neighbor_facts> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("specimens", of.specimens, list_of(text()));
  list.written("load", of.load, text());
  list.written("limit_pct", of.limit_pct, positive());
  list.required("in_turns", of.in_turns, boolean());
  list.required("cases", of.cases, list_of(object()));
  list.optional("at_end", of.at_end, object());
  list.check([](const json_place& at) {
    at.at("specimens").at_least_one("specimen");
    at.at("cases").at_least_one("case");
  });
}

void from_json(const reports::json_place& at, neighbor_facts& to) { fields::object::read(at, to); }
void from_json(const reports::json_place& at, neighbor_facts::ending& to) { fields::object::read(at, to); }
nlohmann::ordered_json to_json(const neighbor_facts& of) { return fields::object::write(of); }
nlohmann::ordered_json to_json(const neighbor_facts::ending& of) { return fields::object::write(of); }
nlohmann::ordered_json fields_schema(const neighbor_facts&) {
  return fields::object::schema_of<neighbor_facts>();
}

std::string neighbors_text(const neighbor_facts& of) {
  const std::size_t busy = of.specimens.size() - 1;
  std::string text = fmt::format(
      "with {} busy, {}{}", busy == 1 ? "the neighbor" : fmt::format("{} neighbors", busy),
      change_text(of.cases), of.in_turns ? ": the devices took turns" : "; other calibrations changed less");
  if (!of.at_end) return text;
  text += fmt::format("; at the end of the run {}", change_text(of.at_end->cases));
  if (of.at_end->matters && !of.in_turns) text += ", although no turns were taken";
  return text;
}

}  // namespace ablate
