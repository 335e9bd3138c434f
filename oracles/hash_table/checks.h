#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "kernels/hash_table/hash_table.h"
#include "oracles/hash_table/row_index.h"

namespace ablate::hash_table {

/// What every correct answer satisfies, whichever of equal rows came first. Both take a problem with host
/// pointers, outputs included, and report the place, what was expected and what was found.

/// An insertion and its read-back: every row maps to one row of its class, the same for the whole class (the
/// smallest if the problem keeps that); the slots hold the classes' keys, each once; the status is full only
/// if there are more keys than slots, and then every slot is occupied. After clearing alone: no row is found,
/// no slot is occupied. `classes` are those of the rows.
std::optional<std::string> violated_by_insertion(const problem&, const row_classes& classes);

/// A search: each query returns a row of its class. `wanted_rows`: the smallest row of that
/// class, or −1.
std::optional<std::string> violated_by_search(const problem&, const row_classes& classes,
                                              std::span<const std::int32_t> wanted_rows);

}  // namespace ablate::hash_table
