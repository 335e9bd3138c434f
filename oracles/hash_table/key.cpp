#include "oracles/hash_table/key.h"

#include <algorithm>

namespace ablate::hash_table {
namespace {

// Arithmetic where the kernels shift and mask: the oracle shares no code with them.
constexpr int batches = 512, cells = 262144;  // per axis

constexpr unsigned modulo(int value, int width) {
  return static_cast<unsigned>(value % width + (value % width < 0 ? width : 0));
}

}  // namespace

std::uint64_t packed_key(const std::int32_t coordinate[4]) {
  std::uint64_t key = batches + modulo(coordinate[0], batches);  // 512 · 2^54 is bit 63
  for (int axis = 1; axis <= 3; ++axis) key = key * cells + modulo(coordinate[axis], cells);
  return key;
}

std::array<std::int32_t, 4> unpacked_key(std::uint64_t key) {
  std::array<std::int32_t, 4> coordinate;
  for (int axis = 3; axis >= 1; --axis, key /= cells) {
    const int cell = static_cast<int>(key % cells);
    coordinate[axis] = cell < cells / 2 ? cell : cell - cells;
  }
  coordinate[0] = static_cast<std::int32_t>(key % batches);
  return coordinate;
}

bool in_range(const std::int32_t coordinate[4]) {
  return coordinate[0] >= 0 && coordinate[0] < batches &&
         std::all_of(coordinate + 1, coordinate + 4,
                     [](std::int32_t c) { return c >= -cells / 2 && c < cells / 2; });
}

std::uint64_t unmixed(std::uint64_t mixed) {
  mixed = (mixed ^ mixed >> 31 ^ mixed >> 62) * 0x319642b2d24d8ec3;
  mixed = (mixed ^ mixed >> 27 ^ mixed >> 54) * 0x96de1b173f119089;
  return mixed ^ mixed >> 30 ^ mixed >> 60;
}

}  // namespace ablate::hash_table
