#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "harness/inputs/voxels/key.h"

namespace ablate {

/// Collects distinct voxels in order of first appearance, up to a requested number (0 = all).
class voxel_collector {
 public:
  explicit voxel_collector(std::int64_t wanted) : wanted_(static_cast<std::size_t>(wanted)) { grow(1 << 16); }

  bool full() const { return wanted_ > 0 && voxels_.size() == wanted_; }
  std::size_t size() const { return voxels_.size(); }

  /// Does nothing if the voxel is already present or the collector is full. The voxel must fit a key.
  void add(const voxel& v) {
    if (full() || !insert(key_of(v))) return;
    voxels_.push_back(v);
    if (2 * voxels_.size() > slots_.size()) grow(4 * slots_.size());
  }

  std::vector<voxel> take() { return std::move(voxels_); }

 private:
  bool insert(std::uint64_t key) {
    for (std::size_t slot = home(key);; slot = (slot + 1) & (slots_.size() - 1)) {
      if (slots_[slot] == key) return false;
      if (slots_[slot] != 0) continue;
      slots_[slot] = key;
      return true;
    }
  }

  /// The 64 voxels of a 4 x 4 x 4 cell get neighboring slots, so consecutive voxels of a scan hit the cache.
  std::size_t home(std::uint64_t key) const {
    constexpr std::uint64_t inside_cell = std::uint64_t{3} << 36 | std::uint64_t{3} << 18 | 3;
    const std::uint64_t place = (key >> 36 & 3) << 4 | (key >> 18 & 3) << 2 | (key & 3);
    return (splitmix(key & ~inside_cell) << 6 | place) & (slots_.size() - 1);
  }

  void grow(std::size_t slots) {
    slots_.assign(slots, 0);
    for (const voxel& v : voxels_) insert(key_of(v));
  }

  std::size_t wanted_;
  std::vector<voxel> voxels_;
  std::vector<std::uint64_t> slots_;  // 0 is never a key
};

}  // namespace ablate
