#pragma once

#include <optional>
#include <string>

#include "kernels/coordinate_expand/coordinate_expand.h"

namespace ablate::coordinate_expand {

/// What every right answer has in common, in whatever order the rows are: the set of the oracle in the store
/// and in the table, each row found under its own number, so each is there once, and numbered as the variant
/// promises; or the status of a table or a store without room, after which nothing else holds. Of a problem
/// with host pointers to the outputs; tells what was expected and what was found.
std::optional<std::string> violated(const problem&, const expanded_set&);

}  // namespace ablate::coordinate_expand
