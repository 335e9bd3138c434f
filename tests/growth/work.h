#pragma once

#include <cstdint>

namespace ablate::growth {

/// Basic blocks that instrumented code has executed in this process: a measure of work that no other load
/// changes. Code of system libraries counts nothing.
std::uint64_t executed_blocks();

/// For a test of the measure itself: how many of the first n integers are new when each is looked for among
/// those before it.
std::uint64_t distinct_by_search(std::uint64_t n);

}  // namespace ablate::growth
