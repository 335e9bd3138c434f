#include "kernels/network/run.h"

#include "kernels/common/fill.h"
#include "kernels/network/parts.h"

namespace ablate::backbone {

bool begins_early(const network& n, const step& s, const switches& by) {
  return by.is_on("pdl") && &s != &n.steps.front();
}

void fill_padding(launcher& to, std::uint16_t* rows, const level& of, int channels) {
  const std::int64_t real = of.real * channels, padding = (of.rows - of.real) * channels;
  fill(to, {{moved(rows, real), padding / 2, 0}});
}

}  // namespace ablate::backbone
