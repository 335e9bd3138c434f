#pragma once

#include <optional>
#include <string>

#include "oracles/coordinate_expand/reference.h"

namespace ablate::coordinate_expand {

/// What every correct answer satisfies, whatever the order of the rows: store and table hold the oracle's
/// set, each row is found under its own number, hence present once, and numbered as the variant guarantees;
/// or the status reports a table or store without room, after which nothing else holds. Takes a problem with
/// host pointers to the outputs; reports what was expected and what was found.
std::optional<std::string> violated(const checked_problem&, const expanded_set&);

}  // namespace ablate::coordinate_expand
