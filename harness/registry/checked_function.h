#pragma once

#include <type_traits>

namespace ablate::detail {

template <class T>
inline constexpr bool is_null = std::is_null_pointer_v<std::remove_cvref_t<T>>;

/// What fits, as `To`. For what does not, a static_assert has said so in words already; nothing here adds the
/// compiler's own explanation.
template <class To, class From>
To converted(From&& given) {
  if constexpr (std::is_convertible_v<From, To>)
    return static_cast<From&&>(given);
  else
    return To();
}

}  // namespace ablate::detail
