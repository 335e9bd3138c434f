#pragma once

#include <utility>
#include <vector>

#include "harness/inputs/random.h"
#include "kernels/common/poison.h"
#include "kernels/serialize/index.h"
#include "oracles/serialize/checks.h"

namespace ablate::serialize::test_support {

/// A problem on the host with instances of these sizes at random cells, many of them equal; all four curves,
/// solved.
struct host_problem {
  host_problem(const std::vector<std::int64_t>& sizes, std::int64_t patch, int index_bytes = 8,
               int depth = 3) {
    p.instances = static_cast<int>(sizes.size());
    p.depth = depth;
    p.curves = curve_count;
    p.patch = patch;
    p.index_bytes = index_bytes;
    for (const std::int64_t size : sizes) {
      p.points += size;
      ends.push_back(static_cast<std::uint32_t>(p.points));
      if (patch == 0) continue;
      p.slots += slots_of(size, patch);
      p.sequences += sequences_of(size, patch);
    }
    random_stream random(1, "cells");
    for (std::int64_t i = 0; i < 3 * p.points; ++i)
      grid.push_back(static_cast<std::int32_t>(random.below(1u << depth)));
    p.grid = grid.data();
    p.ends = ends.data();
    const auto indices = [&](std::vector<std::byte>& of, std::int64_t count) {
      of.assign(static_cast<std::size_t>(count * index_bytes), std::byte{poison_byte});
      return of.data();
    };
    keys.assign(static_cast<std::size_t>(p.curves * p.points), ~std::uint64_t{0});
    cu_seqlens.assign(static_cast<std::size_t>(p.sequences + 1), -1);
    p.keys = keys.data();
    p.order = indices(order, p.curves * p.points);
    p.inverse = indices(inverse, p.curves * p.points);
    p.pad = indices(pad, p.slots);
    p.unpad = indices(unpad, p.points);
    p.cu_seqlens = cu_seqlens.data();
    reference(p);
  }
  host_problem(const host_problem&) = delete;

  std::string violation() const { return violated(p, answer(p)).value_or(""); }
  std::vector<std::int64_t> indices(const void* of, std::int64_t count) const {
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(index_at(p, of, i));
    return values;
  }

  problem p;
  std::vector<std::int32_t> grid, cu_seqlens;
  std::vector<std::uint32_t> ends;
  std::vector<std::uint64_t> keys;
  std::vector<std::byte> order, inverse, pad, unpad;
};

}  // namespace ablate::serialize::test_support
