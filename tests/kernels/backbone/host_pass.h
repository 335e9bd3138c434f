#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/common/bf16.h"
#include "kernels/ptv3/parts.h"
#include "oracles/backbone/reference.h"
#include "tests/kernels/backbone/drawn.h"

namespace ablate::backbone {

/// A pass on the host with memory of its own; what is left of its inputs comes from whoever makes it.
struct host_pass {
  std::shared_ptr<const network> steps;
  packed_weights weights;
  std::vector<std::uint16_t> x, out_gradient;  ///< out_gradient: of training
  std::vector<std::uint32_t> ends;
  std::vector<std::byte> index;

  explicit host_pass(network n)
      : steps(std::make_shared<const network>(std::move(n))),
        weights(pack(steps->layers, steps->weights, drawn, !steps->trains())),
        ends(ends_table(*steps)),
        index(static_cast<std::size_t>(steps->index.bytes)) {
    if (steps->trains())
      for (const float number : drawn(steps->points() * steps->out_channels, "out.gradient"))
        out_gradient.push_back(bf16_of_float(number));
  }
  virtual ~host_pass() = default;

  virtual problem on_host() {
    problem p;
    p.by_library = p.by_own = steps;
    p.ends = ends.data();
    p.windows = steps->windows.data();
    p.matrices = weights.matrices.data();
    p.vectors = weights.vectors.data();
    p.x = x.data();
    p.out_gradient = out_gradient.data();
    p.index = index.data();
    return p;
  }

  std::vector<double> output(rounding how = rounding::none) {
    make_index(on_host(), *steps);
    return reference_output(on_host(), *steps, how);
  }
};

}  // namespace ablate::backbone
