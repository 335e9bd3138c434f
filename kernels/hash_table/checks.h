#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "kernels/hash_table/hash_table.h"
#include "kernels/hash_table/row_index.h"

namespace ablate::hash_table {

/// What every right answer has in common, whichever of equal rows came first. Both take a problem with host
/// pointers, outputs included, and tell the place, what was expected and what was found.

/// An insertion and what was read back of it: every row is found at one row of its class, the same for the
/// whole class (the smallest where the problem keeps that); the slots hold the classes' keys, each once; the
/// status is full only where there are more keys than slots, and then every slot is occupied. Of a clearing
/// alone: nothing is found, no slot is occupied. `classes` are those of the rows.
std::optional<std::string> violated_by_insertion(const problem&, const row_classes& classes);

/// A search: each query gives a row of the class that it wants. `wanted_rows`: the smallest row of that
/// class, or −1.
std::optional<std::string> violated_by_search(const problem&, const row_classes& classes,
                                              std::span<const std::int32_t> wanted_rows);

}  // namespace ablate::hash_table
