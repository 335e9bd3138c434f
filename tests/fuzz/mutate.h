#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "harness/inputs/random.h"

namespace ablate::fuzz {

/// JSON, or one line of JSON Lines, with one node changed: a value of another kind or at an edge of its
/// range, a key left out, added or renamed to another one of the text, an element left out or repeated.
/// Nothing where the text is no JSON or nests deeper than readers go.
std::optional<std::string> with_a_node_changed(std::string_view text, random_stream&);

/// The text with one stretch of bytes changed, left out, repeated or moved, or cut short.
std::string with_bytes_changed(std::string_view text, random_stream&);

}  // namespace ablate::fuzz
