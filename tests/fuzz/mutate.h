#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "harness/inputs/random.h"

namespace ablate::fuzz {

/// JSON, or one line of JSON Lines, with one node changed: a value of another kind or at an edge of its
/// range; a key dropped, added or renamed to another one in the text; an element dropped or repeated.
/// Nothing if the text is not JSON or is nested deeper than readers go.
std::optional<std::string> with_a_node_changed(std::string_view text, random_stream&);

/// The text with one byte range changed, dropped, repeated or moved, or with its end cut off.
std::string with_bytes_changed(std::string_view text, random_stream&);

}  // namespace ablate::fuzz
