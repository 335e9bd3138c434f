#include "oracles/serialize/reference.h"

#include <algorithm>
#include <numeric>

#include "kernels/serialize/index.h"

namespace ablate::serialize {
namespace {

using axes = std::array<std::uint32_t, 3>;

/// Skilling's transform of a cell: the interleaved bits of the resulting axes are the Gray code of its
/// position on the Hilbert curve.
axes untangled(axes cell, int depth) {
  for (int bit = depth - 1; bit >= 1; --bit) {
    const std::uint32_t below = (std::uint32_t{1} << bit) - 1;
    for (std::uint32_t& axis : cell) {
      if ((axis >> bit & 1) != 0) {
        cell[0] ^= below;
      } else {
        const std::uint32_t differing = (cell[0] ^ axis) & below;
        cell[0] ^= differing;
        axis ^= differing;
      }
    }
  }
  return cell;
}

std::int64_t size_of_instance(const problem& p, int k) {
  return static_cast<std::int64_t>(p.ends[k]) - (k == 0 ? 0 : p.ends[k - 1]);
}

}  // namespace

std::uint64_t code_of(curve of, int depth, const std::array<std::uint32_t, 3>& cell) {
  const bool is_transposed = of == curve::z_transposed || of == curve::hilbert_transposed;
  const bool is_hilbert = of == curve::hilbert || of == curve::hilbert_transposed;
  const axes turned = is_transposed ? axes{cell[1], cell[0], cell[2]} : cell;
  const axes bits_of = is_hilbert ? untangled(turned, depth) : turned;
  std::uint64_t code = 0, before = 0;
  for (int bit = depth - 1; bit >= 0; --bit)
    for (const std::uint32_t axis : bits_of) {
      const std::uint64_t digit = (axis >> bit & 1) ^ (is_hilbert ? before : 0);
      code = code << 1 | digit;
      before = digit;
    }
  return code;
}

std::vector<std::uint64_t> keys_of(const problem& p) {
  std::vector<std::uint64_t> keys;
  keys.reserve(static_cast<std::size_t>(p.curves * p.points));
  for (int c = 0; c < p.curves; ++c) {
    const auto on = static_cast<curve>(static_cast<int>(p.first_curve) + c);
    int instance = 0;
    for (std::int64_t i = 0; i < p.points; ++i) {
      while (i >= p.ends[instance]) ++instance;
      axes cell;
      for (std::size_t axis = 0; axis < 3; ++axis)
        cell[axis] = static_cast<std::uint32_t>(p.grid[3 * i + static_cast<std::int64_t>(axis)]);
      keys.push_back(static_cast<std::uint64_t>(instance) << 3 * p.depth | code_of(on, p.depth, cell));
    }
  }
  return keys;
}

padding padding_of(const problem& p) {
  padding all;
  if (p.patch == 0) return all;
  std::int64_t place = 0;
  for (int k = 0; k < p.instances; ++k) {
    const std::int64_t points = size_of_instance(p, k), first = static_cast<std::int64_t>(all.pad.size());
    for (std::int64_t i = 0; i < points; ++i) {
      const auto slot = static_cast<std::int64_t>(all.pad.size());
      if (i % p.patch == 0) all.cu_seqlens.push_back(slot);
      all.unpad.push_back(slot);
      all.pad.push_back(place++);
    }
    if (points <= p.patch) continue;
    while ((static_cast<std::int64_t>(all.pad.size()) - first) % p.patch != 0)
      all.pad.push_back(all.pad[all.pad.size() - static_cast<std::size_t>(p.patch)]);
  }
  all.cu_seqlens.push_back(static_cast<std::int64_t>(all.pad.size()));
  return all;
}

void reference(const problem& p) {
  const std::vector<std::uint64_t> keys = keys_of(p);
  std::copy(keys.begin(), keys.end(), p.keys);
  if (!p.does(phase::sort)) return;
  for (int c = 0; c < p.curves; ++c) {
    const std::uint64_t* const of_curve = keys.data() + c * p.points;
    std::vector<std::int64_t> order(static_cast<std::size_t>(p.points));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t a, std::int64_t b) { return of_curve[a] < of_curve[b]; });
    for (std::int64_t i = 0; i < p.points; ++i) {
      const std::int64_t point = order[static_cast<std::size_t>(i)];
      set_index(p, p.order, c * p.points + i, point);
      if (p.does(phase::patches)) set_index(p, p.inverse, c * p.points + point, i);
    }
  }
  if (!p.pads()) return;
  const padding padded = padding_of(p);
  for (std::size_t i = 0; i < padded.pad.size(); ++i)
    set_index(p, p.pad, static_cast<std::int64_t>(i), padded.pad[i]);
  for (std::size_t i = 0; i < padded.unpad.size(); ++i)
    set_index(p, p.unpad, static_cast<std::int64_t>(i), padded.unpad[i]);
  std::transform(padded.cu_seqlens.begin(), padded.cu_seqlens.end(), p.cu_seqlens,
                 [](std::int64_t slot) { return static_cast<std::int32_t>(slot); });
}

}  // namespace ablate::serialize
