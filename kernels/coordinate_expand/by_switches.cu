// The launch function of all expansions that insert every sum: finds the step with a variant's switches among
// those that other files compile (driver.h).
#include "kernels/common/refuse_launch.h"
#include "kernels/common/switches.h"
#include "kernels/coordinate_expand/driver.h"
#include "kernels/coordinate_expand/launches.h"

namespace ablate::coordinate_expand {
namespace {

struct known_step {
  const char *insert, *partition, *number;
  step (*get)();
};

constexpr known_step known_steps[] = {
    {"cas_first", "by_offset", "each", cas_first_by_offset},
    {"cas_first", "by_offset", "by_warp", cas_first_by_offset_aggregated},
    {"cas_first", "by_row", "each", cas_first_by_row},
    {"load_first", "by_offset", "each", load_first_by_offset},
    {"load_first", "by_offset", "one_by_one", load_first_by_offset_one_by_one},
    {"load_first", "by_offset", "by_warp", load_first_by_offset_aggregated},
    {"load_first", "by_row", "each", load_first_by_row},
    {"load_first", "by_row", "by_warp", load_first_by_row_aggregated},
    {"warp_deduplicated", "by_row", "each", warp_deduplicated_by_row},
};

}  // namespace

void insert(launcher& to, const problem& p, const switches& s) {
  for (const known_step& known : known_steps)
    if (s.word("insert") == known.insert && s.word("partition") == known.partition &&
        s.word("number") == known.number)
      return expand_by_steps(to, p, known.get());
  refuse_launch({"coordinate_expand: no step of ", s.word("insert"), ", ", s.word("partition"), ", ",
                 s.word("number")});
}

}  // namespace ablate::coordinate_expand
