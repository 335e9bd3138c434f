#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/record/old_names.h"

/// Rules of the section "switches" of old_names.h.
namespace ablate::old_switches {

/// The rule that renames this switch at this value first; null where none does.
const old_names::rule* next_rule(const std::vector<old_names::rule>&, const std::string& operation,
                                 const old_names::switch_word&);

/// What the rule makes of a switch that it renames; nothing where the rule says that the switch is no more.
std::optional<old_names::switch_word> renamed_by(const old_names::rule&, const old_names::switch_word&);

/// Whether a rule leads back to where it begins, in some operation.
bool is_circle(const std::vector<old_names::rule>&, const old_names::rule& from);

}  // namespace ablate::old_switches
