#pragma once

#include <initializer_list>

#include "kernels/common/text_view.h"

namespace ablate {

/// As a variant states it.
struct named_word {
  text_view name, word;
};
struct switch_entry;  // switch_entry.h, for who goes through all of them

/// The named properties of one variant, in the order in which it states them: `{smem: on, entries: 2048}`.
/// A launch function reads its parameters from here, so what a record says of a variant is what it ran with.
/// Nearly every `.cu` file includes this, hence no std::string.
class switches {
 public:
  switches() = default;
  switches(std::initializer_list<named_word> values);
  switches(const switches&);
  switches(switches&& from) noexcept : values_(from.values_) { from.values_ = nullptr; }
  switches& operator=(switches from) noexcept;
  ~switches();

  /// The value of `name`. Throws std::out_of_range when the variant does not state it.
  text_view word(text_view name) const;
  /// The value of `name` as an integer. Throws std::out_of_range or std::invalid_argument.
  long integer(text_view name) const;
  bool has(text_view name) const;
  /// Whether the variant states it as "on".
  bool is_on(text_view name) const { return has(name) && word(name) == "on"; }
  /// These with `values` put over them: each where its name is, new names at the end.
  switches with(std::initializer_list<named_word> values) const;

  const switch_entry* begin() const;
  const switch_entry* end() const;
  bool empty() const { return begin() == end(); }

 private:
  struct entries;
  entries* values_ = nullptr;  ///< null: none
};

}  // namespace ablate
