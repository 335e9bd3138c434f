#pragma once

#include <optional>
#include <string>

#include "kernels/unique_rows/unique_rows.h"
#include "oracles/hash_table/row_index.h"

namespace ablate::unique_rows {

/// What every correct answer satisfies, whichever of equal rows is listed: as many rows as there are distinct
/// coordinates, ascending, one of each class (the smallest if the problem keeps that), and the status ok.
/// Takes a problem with host pointers, outputs included; reports the place, what was expected and what was
/// found.
std::optional<std::string> violated(const problem&, const hash_table::row_classes&);

}  // namespace ablate::unique_rows
