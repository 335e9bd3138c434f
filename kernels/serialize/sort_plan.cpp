#include "kernels/serialize/sort_plan.h"

#include <algorithm>
#include <bit>

namespace ablate::serialize {

sort_plan::sort_plan(const problem& p, const switches& s) {
  together = s.word("sorts") == "together";
  const int curve_bits = together ? std::bit_width(static_cast<unsigned>(p.curves) - 1) : 0;
  // CUB does not promise a sort by zero bits.
  const int used = std::max(1, curve_bits + p.key_bits());
  const int number_bits = std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(p.points, 1) - 1));
  packs = s.word("sort_items") == "packed" && used + number_bits <= 64;
  if (packs) index_bits = first_bit = number_bits;
  if (packs || s.word("sort_bits") == "used") end_bit = first_bit + used;
}

}  // namespace ablate::serialize
