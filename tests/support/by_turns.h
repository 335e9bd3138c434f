#pragma once

#include <cstddef>

namespace ablate::test_support {

/// The word whose turn it is. Where loops need not meet in every combination, the sum of their places as the
/// turn lets each word meet each word of every one of them.
template <std::size_t Count>
const char* by_turns(const char* const (&words)[Count], std::size_t turn) {
  return words[turn % Count];
}

}  // namespace ablate::test_support
