#include "harness/inputs/files/point_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <vector>

#include "harness/inputs/input_errors.h"

namespace ablate {
namespace {

/// Whether the coordinates of a point are in one record.
bool are_interleaved(const point_records& records) {
  return std::all_of(records.xyz.begin(), records.xyz.end(), [&](const point_records::coordinate& c) {
    return c.stride == records.xyz[0].stride && c.offset + c.type.bytes <= c.stride;
  });
}

void visit_points(const std::array<const char*, 3>& first, const point_records& records, std::size_t points,
                  const point_visitor& visit) {
  std::array<double, 3> point;
  for (std::size_t i = 0; i < points; ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      point[axis] = value_of(first[axis] + i * records.xyz[axis].stride, records.xyz[axis].type);
    visit(point);
  }
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

std::string first_bytes(const std::filesystem::path& path, std::uint64_t most) {
  std::string bytes(std::min(file_bytes(path), most), '\0');
  std::ifstream stream(path, std::ios::binary);
  if (!stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    throw bad_input(path.string(), "", "expected a readable file");
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
  const auto& xyz = records.xyz;
  const auto all = static_cast<std::size_t>(points);
  const std::size_t stride = std::max({xyz[0].stride, xyz[1].stride, xyz[2].stride});
  const std::size_t per_piece = std::clamp<std::size_t>(piece_bytes / stride, 1, all);
  const bool are_together = are_interleaved(records);
  std::array<std::vector<char>, 3> pieces;  // one of records, or three of columns
  std::ifstream stream(path, std::ios::binary);
  const auto read = [&](std::vector<char>& piece, std::uint64_t at, std::size_t bytes) {
    piece.resize(bytes);
    stream.seekg(static_cast<std::streamoff>(at));
    if (!stream.read(piece.data(), static_cast<std::streamsize>(bytes)))
      throw bad_input(path.string(), fmt::format("byte {}", at),
                      fmt::format("expected {} more readable bytes", bytes));
  };
  for (std::size_t first = 0; first < all; first += per_piece) {
    const std::size_t size = std::min(per_piece, all - first);
    std::array<const char*, 3> begins{};
    if (are_together) read(pieces[0], records.begin + first * stride, size * stride);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (are_together) {
        begins[axis] = pieces[0].data() + xyz[axis].offset;
      } else {
        read(pieces[axis], records.begin + xyz[axis].offset + first * xyz[axis].stride,
             size * xyz[axis].stride);
        begins[axis] = pieces[axis].data();
      }
    }
    visit_points(begins, records, size, visit);
  }
}

void visit_records_in_memory(const std::string& file, std::string_view bytes, const point_records& records,
                             std::int64_t points, const point_visitor& visit) {
  const auto all = static_cast<std::size_t>(points);
  std::array<const char*, 3> begins{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto& [offset, stride, type] = records.xyz[axis];
    const std::uint64_t end = records.begin + offset + (all - 1) * stride + type.bytes;
    if (end > bytes.size())
      throw bad_input(file, fmt::format("byte {}", bytes.size()),
                      fmt::format("expected {} bytes, the contents end: truncated", end));
    begins[axis] = bytes.data() + records.begin + offset;
  }
  visit_points(begins, records, all, visit);
}

}  // namespace ablate
