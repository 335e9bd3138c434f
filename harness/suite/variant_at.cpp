#include "harness/suite/variant_at.h"

#include <fmt/format.h>

#include "base/record/old_names.h"
#include "base/text/names.h"
#include "harness/suite/points_around.h"

namespace ablate {

const variant_facts& variant_at(const reports::json_place& at, const operation& of) {
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
  std::vector<std::string> known;
  for (const variant_facts& v : of.variants) known.push_back(v.name);
  at.refuse(no_such(fmt::format("variant of '{}'", of.name), spelled.variant, known));
}

}  // namespace ablate
