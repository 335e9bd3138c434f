#include "oracles/backbone/checked_row_norm.h"

namespace ablate::backbone {

row_norm::checked_problem checked_norm_of(const row_norm::problem& norm, dense_layers::comparison* found,
                                          std::byte* memory) {
  row_norm::checked_problem checked{norm};
  checked.plain = reinterpret_cast<double*>(memory);
  checked.found = found;
  return checked;
}

std::int64_t norm_yardstick_bytes(const network& n, const step& s) {
  row_norm::problem sizes;
  sizes.rows = n.level_at(s.level).rows;
  sizes.channels = s.channels;
  return static_cast<std::int64_t>(row_norm::plain_bytes(sizes));
}

}  // namespace ablate::backbone
