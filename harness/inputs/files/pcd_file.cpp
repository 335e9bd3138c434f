#include "harness/inputs/files/pcd_file.h"

#include <fmt/format.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/bad_input.h"
#include "harness/inputs/files/lzf.h"
#include "harness/inputs/files/pcd_header.h"
#include "harness/inputs/files/text_lines.h"

namespace ablate {
namespace {

[[noreturn]] void refuse_pcd(const std::filesystem::path& path, std::uint64_t byte,
                             const std::string& expected) {
  throw bad_input(path.string(), fmt::format("byte {}", byte), expected);
}

// Text: one line a point.

void visit_lines(const std::filesystem::path& path, const pcd_header& h, std::int64_t first,
                 const point_visitor& visit) {
  std::uint64_t before[3];  // values ahead of each coordinate
  for (std::size_t axis = 0; axis < 3; ++axis) {
    before[axis] = 0;
    for (std::size_t f = 0; f < h.xyz[axis].field; ++f) before[axis] += h.fields[f].count;
  }
  std::ifstream stream(path, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(h.bytes));
  std::uint64_t line = h.lines;
  std::string text;
  const auto refuse = [&](const std::string& expected) {
    throw bad_input(path.string(), fmt::format("line {}", line), expected);
  };
  for (std::int64_t i = 0; i < first; ++i) {
    std::vector<std::string_view> words;
    while (words.empty()) {
      ++line;
      if (!std::getline(stream, text))
        refuse(fmt::format("expected a line for each of {} points, found {}: truncated", h.points, i));
      words = words_of(text);
    }
    if (words.size() != h.values_per_point())
      refuse(fmt::format("expected a point of {} values, found {}", h.values_per_point(), words.size()));
    std::array<double, 3> xyz{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto value = number_of(words[before[axis]]);
      if (!value)
        refuse(fmt::format("expected a number for {}, found '{}'", "xyz"[axis], words[before[axis]]));
      xyz[axis] = *value;
    }
    visit(xyz);
  }
}

held_points open_text(const std::filesystem::path& path, const pcd_header& h) {
  const std::uint64_t left = file_bytes(path) - h.bytes;
  if (h.points > left)
    throw bad_input(path.string(), fmt::format("line {}", h.lines + 1),
                    fmt::format("expected {} lines of points, {} bytes are left: truncated", h.points, left));
  return {static_cast<std::int64_t>(h.points),
          [path, h](std::int64_t first, const point_visitor& visit) { visit_lines(path, h, first, visit); }};
}

// Binary: records of all fields; packed, a column a field.

point_records records_of(const pcd_header& h) {
  point_records records{h.bytes, {}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    auto& [offset, stride, type] = records.xyz[axis];
    for (std::size_t f = 0; f < h.xyz[axis].field; ++f) offset += h.fields[f].bytes();
    stride = h.point_bytes();
    type = h.xyz[axis].type;
  }
  return records;
}

point_records columns_of(const pcd_header& h) {
  point_records columns = records_of(h);
  columns.begin = 0;
  for (auto& [offset, stride, type] : columns.xyz) {
    offset *= h.points;
    stride = type.bytes;
  }
  return columns;
}

held_points open_records(const std::filesystem::path& path, const pcd_header& h) {
  const std::uint64_t left = file_bytes(path) - h.bytes;
  if (h.points > left / h.point_bytes())
    refuse_pcd(path, h.bytes,
               fmt::format("expected {} points of {} bytes, the file ends after {} bytes: truncated",
                           h.points, h.point_bytes(), left));
  return {static_cast<std::int64_t>(h.points),
          [path, records = records_of(h)](std::int64_t first, const point_visitor& visit) {
            visit_records(path, records, first, visit);
          }};
}

/// Packed fields follow their sizes, packed and unpacked.
constexpr std::uint64_t sizes_bytes = 8;

std::string unpacked(const std::filesystem::path& path, std::uint64_t begin, std::uint64_t packed_bytes,
                     std::uint64_t bytes) {
  std::string packed(packed_bytes, '\0');
  std::ifstream stream(path, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(begin));
  if (!stream.read(packed.data(), static_cast<std::streamsize>(packed_bytes)))
    refuse_pcd(path, begin, fmt::format("expected {} more readable bytes", packed_bytes));
  auto out = unpack_lzf(packed, bytes);
  if (!out)
    refuse_pcd(path, begin, fmt::format("expected {} bytes of packed data, it is broken", packed_bytes));
  return std::move(*out);
}

held_points open_packed(const std::filesystem::path& path, const pcd_header& h) {
  if (!has_lzf())
    throw bad_input(path.string(), fmt::format("line {}", h.lines),
                    "expected DATA ascii or binary: this build lacks liblzf, which unpacks binary_compressed "
                    "(install liblzf-dev and build again, or pcl_convert_pcd_ascii_binary IN OUT 1)");
  const std::uint64_t all = file_bytes(path), begin = h.bytes + sizes_bytes;
  if (all < begin) refuse_pcd(path, all, "expected the sizes of packed data, the file ends: truncated");
  const std::string sizes = first_bytes(path, begin).substr(h.bytes);
  const auto size_at = [&](std::size_t at) {
    return static_cast<std::uint64_t>(value_of(sizes.data() + at, *scalar_of('u', 4)));
  };
  const std::uint64_t packed_bytes = size_at(0), bytes = size_at(4);
  if (packed_bytes > all - begin)
    refuse_pcd(path, begin,
               fmt::format("expected {} bytes of packed data, the file ends after {}: truncated",
                           packed_bytes, all - begin));
  std::uint64_t expected = 0;
  if (__builtin_mul_overflow(h.points, h.point_bytes(), &expected) || bytes != expected)
    refuse_pcd(path, h.bytes + 4,
               fmt::format("expected {} points of {} bytes, found {} unpacked bytes", h.points,
                           h.point_bytes(), bytes));
  if (bytes > max_lzf_bytes(packed_bytes))
    refuse_pcd(path, h.bytes,
               fmt::format("expected at most {} unpacked bytes from {} packed ones, found {}",
                           max_lzf_bytes(packed_bytes), packed_bytes, bytes));
  return {static_cast<std::int64_t>(h.points),
          [=, columns = columns_of(h)](std::int64_t first, const point_visitor& visit) {
            visit_records_in_memory(path.string(), unpacked(path, begin, packed_bytes, bytes), columns, first,
                                    visit);
          }};
}

}  // namespace

held_points open_pcd(const std::filesystem::path& path) {
  const pcd_header h = read_pcd_header(path);
  switch (h.encoding) {
    case pcd_encoding::ascii:
      return open_text(path, h);
    case pcd_encoding::binary:
      return open_records(path, h);
    case pcd_encoding::binary_compressed:
      break;
  }
  return open_packed(path, h);
}

}  // namespace ablate
