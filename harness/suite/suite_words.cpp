#include "harness/suite/suite_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/record/old_names.h"
#include "base/text/names.h"
#include "harness/suite/axis_value.h"
#include "harness/suite/points_around.h"

namespace ablate {
namespace {

using reports::json_place;
using names = std::vector<std::string>;

std::string known_name(const json_place& at, std::string_view kind, const names& known) {
  const std::string name = at.text();
  if (std::find(known.begin(), known.end(), name) == known.end()) at.refuse(no_such(kind, name, known));
  return name;
}

}  // namespace

const variant_facts& variant_at(const json_place& at, const operation& of) {
  const std::string name = at.text();
  if (const variant_facts* found = of.find_variant(name)) return *found;
  if (const std::string today = old_names::known().todays_variant(of.name, name, {}); today != name)
    if (const variant_facts* found = of.find_variant(today)) {
      print_todays_names(of.name + "/" + name, today);
      return *found;
    }
  const spelled_point spelled = read_point(name);
  if (const variant_facts* around = of.find_variant(spelled.variant))
    at.refuse(why_no_point(*around, spelled.changes));
  names known;
  for (const variant_facts& v : of.variants) known.push_back(v.name);
  at.refuse(no_such(fmt::format("variant of '{}'", of.name), spelled.variant, known));
}

const operation& operation_word(const json_place& at, const suite& of) {
  names known;
  for (const suite_block& block : of.blocks)
    if (std::find(known.begin(), known.end(), block.operation->name) == known.end())
      known.push_back(block.operation->name);
  const std::string name = known_name(at, "operation that the suite runs", known);
  return *std::find_if(of.blocks.begin(), of.blocks.end(), [&](const suite_block& block) {
            return block.operation->name == name;
          })->operation;
}

std::string variant_word(const json_place& at, const operation& of) { return variant_at(at, of).name; }

std::string axis_word(const json_place& at, const std::string& axis_name, const operation& of,
                      const suite& in) {
  names known, point_files;
  for (const auto& [name, file] : in.point_files) point_files.push_back(name);
  for (const axis& a : of.axes) {
    if (a.name == axis_name) return axis_value_at(at, a, point_files);
    known.push_back(a.name);
  }
  at.refuse(no_such(fmt::format("axis of '{}'", of.name), axis_name, known));
}

}  // namespace ablate
