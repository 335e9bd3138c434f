#include "harness/inputs/files/point_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <vector>

#include "harness/inputs/input_errors.h"

namespace ablate {
namespace {

static_assert(std::endian::native == std::endian::little, "point files are little-endian");

double coordinate_of(const char* record, const point_records::coordinate& where) {
  if (where.is_float64) {
    double value;
    std::memcpy(&value, record + where.offset, sizeof value);
    return value;
  }
  float value;
  std::memcpy(&value, record + where.offset, sizeof value);
  return value;
}

}  // namespace

float narrowed(double value) {
  constexpr auto most = static_cast<double>(std::numeric_limits<float>::max());
  if (std::fabs(value) > most)
    return static_cast<float>(std::copysign(std::numeric_limits<double>::infinity(), value));
  return static_cast<float>(value);
}

std::uint64_t file_bytes(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) throw bad_input(path.string(), "", "expected a readable file: " + error.message());
  if (bytes == 0) throw bad_input(path.string(), "", "expected points, the file is empty");
  return bytes;
}

std::int64_t points_to_read(const std::filesystem::path& path, std::int64_t held, std::int64_t requested) {
  if (held == 0) throw input_unfit(path.string(), "", "expected points, the file holds 0");
  if (requested > held)
    throw input_unfit(path.string(), "",
                      fmt::format("expected {} points or more, the file holds {}", requested, held));
  return requested == 0 ? held : requested;
}

void visit_records(const std::filesystem::path& path, const point_records& records, std::int64_t points,
                   const point_visitor& visit) {
  constexpr std::size_t piece_bytes = 1 << 20;
  const auto all = static_cast<std::size_t>(points);
  const std::size_t per_piece = std::clamp<std::size_t>(piece_bytes / records.stride, 1, all);
  std::vector<char> piece(per_piece * records.stride);
  std::ifstream stream(path, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(records.begin));
  for (std::size_t first = 0; first < all; first += per_piece) {
    const std::size_t size = std::min(per_piece, all - first);
    const auto bytes = static_cast<std::streamsize>(size * records.stride);
    if (!stream.read(piece.data(), bytes))
      throw bad_input(path.string(), fmt::format("byte {}", records.begin + first * records.stride),
                      fmt::format("expected {} more readable bytes", bytes));
    for (std::size_t i = 0; i < size; ++i) {
      const char* const record = &piece[i * records.stride];
      visit({coordinate_of(record, records.xyz[0]), coordinate_of(record, records.xyz[1]),
             coordinate_of(record, records.xyz[2])});
    }
  }
}

}  // namespace ablate
