#include "harness/inputs/files/npy_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/bad_input.h"
#include "harness/inputs/files/npy_header.h"

namespace ablate {
namespace {

/// More columns are more likely points: a transposed array.
constexpr std::uint64_t max_columns = 64;

/// What refuses an array that is none of points.
class npy_refusal {
 public:
  npy_refusal(std::string file, const npy_array& array) : file_(std::move(file)), array_(array) {}
  [[noreturn]] void header(const std::string& expected) const { at(array_.header_begin, expected); }
  [[noreturn]] void at(std::uint64_t byte, const std::string& expected) const {
    throw bad_input(file_, fmt::format("byte {}", byte), expected);
  }

 private:
  std::string file_;
  const npy_array& array_;
};

/// Throws unless so many elements of `bytes` follow the header.
void require_elements(const npy_array& array, std::uint64_t count, std::uint64_t bytes,
                      const npy_refusal& refuse) {
  if (count > 0 && bytes > 0 && count > array.bytes / bytes)
    refuse.at(array.begin, fmt::format("expected {} times {} bytes, the file ends after {} bytes: truncated",
                                       count, bytes, array.bytes));
}

npy_points points_of_columns(const npy_array& array, const npy_refusal& refuse) {
  const auto number = array.of.number();
  if (!number)
    refuse.header(
        fmt::format("expected elements that are integers or floats ('<f4'), found '{}'", array.of.text));
  const std::vector<std::uint64_t>& shape = array.shape;
  const auto as_text = fmt::format("({})", fmt::join(shape, ", "));
  if (shape.size() != 2 || shape[1] < 3)
    refuse.header(fmt::format("expected a shape (points, 3 or more), found {}", as_text));
  if (shape[1] > max_columns)
    refuse.header(fmt::format(
        "expected a shape (points, 3 to {}), found {}: {}", max_columns, as_text,
        shape[0] >= 3 && shape[0] <= max_columns
            ? fmt::format("transpose it to ({}, {}), as numpy.save(NAME, array.T) does", shape[1], shape[0])
            : "save the columns x, y, z alone"));
  require_elements(array, shape[0], shape[1] * number->bytes, refuse);
  npy_points out{static_cast<std::int64_t>(shape[0]), {array.begin, {}}};
  for (std::uint64_t axis = 0; axis < 3; ++axis)
    out.records.xyz[axis] = {axis * number->bytes * (array.is_fortran_order ? shape[0] : 1),
                             number->bytes * (array.is_fortran_order ? 1 : shape[1]), *number};
  return out;
}

npy_points points_of_structures(const npy_array& array, const npy_refusal& refuse) {
  std::uint64_t count = 1, stride = 0;
  for (const std::uint64_t size : array.shape)
    if (__builtin_mul_overflow(count, size, &count)) refuse.header("expected fewer elements");
  npy_points out{0, {array.begin, {}}};
  bool found[3] = {};
  std::vector<std::string> names;
  for (const npy_array::field& f : array.fields) {
    names.push_back(f.name);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (f.name != std::string_view("xyz").substr(axis, 1)) continue;
      const auto number = f.type.number();
      if (!number || f.values != 1)
        refuse.header(fmt::format("expected field {} to be one integer or float ('<f4'), found {} of '{}'",
                                  f.name, f.values, f.type.text));
      out.records.xyz[axis] = {stride, 0, *number};
      found[axis] = true;
    }
    stride += f.type.bytes * f.values;
  }
  if (!found[0] || !found[1] || !found[2])
    refuse.header(
        fmt::format("expected a structure with fields x, y and z, found {}", fmt::join(names, ", ")));
  require_elements(array, count, stride, refuse);
  for (auto& coordinate : out.records.xyz) coordinate.stride = stride;
  out.count = static_cast<std::int64_t>(count);
  return out;
}

}  // namespace

std::uint64_t npy_points::bytes_of(std::int64_t first_points) const {
  std::uint64_t end = 0;
  for (const auto& [offset, stride, type] : records.xyz)
    end = std::max(end, offset + static_cast<std::uint64_t>(first_points - 1) * stride + type.bytes);
  return records.begin + end;
}

npy_points points_of_npy(const std::string& file, std::string_view first, std::uint64_t bytes) {
  const npy_array array = read_npy_header(file, first, bytes);
  const npy_refusal refuse(file, array);
  return array.fields.empty() ? points_of_columns(array, refuse) : points_of_structures(array, refuse);
}

held_points open_npy(const std::filesystem::path& path) {
  const npy_points points =
      points_of_npy(path.string(), first_bytes(path, max_npy_header_bytes), file_bytes(path));
  return {points.count, [path, records = points.records](std::int64_t first, const point_visitor& visit) {
            visit_records(path, records, first, visit);
          }};
}

std::vector<std::byte> npy_elements(const std::filesystem::path& path, const npy_elements_wanted& wanted) {
  const npy_array array =
      read_npy_header(path.string(), first_bytes(path, max_npy_header_bytes), file_bytes(path));
  const npy_refusal refuse(path.string(), array);
  if (array.type_text() != wanted.element)
    refuse.header(fmt::format("expected elements '{}', found '{}'", wanted.element, array.type_text()));
  if (array.is_fortran_order) refuse.header("expected C order, found 'fortran_order': True");
  const std::uint64_t count = wanted.count, bytes = count * wanted.element_bytes;
  std::uint64_t found = 1;
  for (const std::uint64_t size : array.shape)
    if (__builtin_mul_overflow(found, size, &found)) found = std::uint64_t(-1);
  if (found != count)
    refuse.header(
        fmt::format("expected {} elements, found a shape ({})", count, fmt::join(array.shape, ", ")));
  if (array.bytes < bytes)
    refuse.at(array.begin,
              fmt::format("expected {} elements of {} bytes, the file ends after {} bytes: truncated", count,
                          wanted.element_bytes, array.bytes));
  std::vector<std::byte> out(bytes);
  std::ifstream stream(path, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(array.begin));
  if (!stream.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(bytes)))
    throw bad_input(path.string(), "", "expected a readable file");
  return out;
}

}  // namespace ablate
