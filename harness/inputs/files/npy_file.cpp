#include "harness/inputs/files/npy_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/text/bad_input.h"

namespace ablate {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::uint64_t most_header_bytes = 1 << 16;

/// The header's fields, exactly as written.
struct array_facts {
  std::optional<std::string> element;  ///< '<f4'
  std::optional<bool> is_fortran_order;
  std::optional<std::vector<std::uint64_t>> shape;
};

/// Reads the Python dictionary literal that forms an .npy file's header:
/// {'descr': '<f4', 'fortran_order': False, 'shape': (1000, 3), }
class literal_reader {
 public:
  literal_reader(std::string file, std::string_view text, std::uint64_t first_byte)
      : file_(std::move(file)), text_(text), first_byte_(first_byte) {}

  array_facts read() {
    require("{");
    while (!take("}")) {
      const std::string key = quoted("a key in quotes");
      require(":");
      read_value(key);
      if (!take(",")) {
        require("}");
        break;
      }
    }
    return out_;
  }

  [[noreturn]] void refuse(const std::string& expected) const {
    throw bad_input(file_, fmt::format("byte {}", first_byte_ + at_), expected);
  }

 private:
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  bool take(std::string_view word) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  void require(std::string_view word) {
    if (!take(word)) refuse(fmt::format("expected '{}' in the header", word));
  }

  std::string quoted(const std::string& expected) {
    skip_blanks();
    const char quote = at_ < text_.size() ? text_[at_] : ' ';
    const std::size_t end =
        quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) refuse("expected " + expected);
    const std::string_view found = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return std::string(found);
  }

  void read_value(const std::string& key) {
    if (key == "descr") {
      out_.element = quoted("one type of elements ('<f4' or '<f8'), not a structure of several");
    } else if (key == "fortran_order") {
      const bool is_true = take("True");
      if (!is_true && !take("False")) refuse("expected True or False for 'fortran_order'");
      out_.is_fortran_order = is_true;
    } else if (key == "shape") {
      read_shape();
    } else {
      refuse(fmt::format("expected the keys descr, fortran_order and shape, found '{}'", key));
    }
  }

  void read_shape() {
    require("(");
    std::vector<std::uint64_t> sizes;
    while (!take(")")) {
      skip_blanks();
      std::uint64_t size = 0;
      const char* const end = text_.data() + text_.size();
      const auto [rest, error] = std::from_chars(text_.data() + at_, end, size);
      if (error != std::errc()) refuse("expected a shape as (1000, 3)");
      at_ = static_cast<std::size_t>(rest - text_.data());
      sizes.push_back(size);
      if (!take(",")) {
        require(")");
        break;
      }
    }
    out_.shape = std::move(sizes);
  }

  std::string file_;
  std::string_view text_;
  std::uint64_t first_byte_;
  std::size_t at_ = 0;
  array_facts out_;
};

std::string first_bytes(const std::filesystem::path& path, std::uint64_t bytes) {
  std::string text(std::min(file_bytes(path), bytes), '\0');
  std::ifstream stream(path, std::ios::binary);
  if (!stream.read(text.data(), static_cast<std::streamsize>(text.size())))
    throw bad_input(path.string(), "", "expected a readable file");
  return text;
}

/// An array in C order, as the header describes it.
struct npy_array {
  std::string element;  ///< '<f4'
  std::vector<std::uint64_t> shape;
  std::uint64_t header_begin = 0, begin = 0, bytes = 0;  ///< of the elements: the first, and how many follow
};

[[noreturn]] void refuse_at(const std::filesystem::path& path, std::uint64_t byte,
                            const std::string& expected) {
  throw bad_input(path.string(), fmt::format("byte {}", byte), expected);
}

npy_array read_header(const std::filesystem::path& path) {
  const std::uint64_t bytes = file_bytes(path);
  const std::string text = first_bytes(path, most_header_bytes);
  if (!text.starts_with(magic)) refuse_at(path, 0, "expected '\\x93NUMPY', with which an .npy file begins");
  const auto byte_at = [&](std::size_t i) -> std::uint64_t {
    if (i >= text.size())
      refuse_at(path, text.size(), "expected more of the header, the file ends: truncated");
    return static_cast<unsigned char>(text[i]);
  };
  const std::uint64_t version = byte_at(6);
  if (version < 1 || version > 3)
    refuse_at(path, 6, fmt::format("expected format version 1, 2 or 3, found {}", version));
  const std::size_t length_bytes = version == 1 ? 2 : 4, literal = 8 + length_bytes;
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= byte_at(8 + i) << 8 * i;
  if (length > most_header_bytes - literal)
    refuse_at(
        path, 8,
        fmt::format("expected a header of at most {} bytes, found {}", most_header_bytes - literal, length));
  if (length > text.size() - literal)
    refuse_at(path, text.size(),
              fmt::format("expected a header of {} bytes, the file ends: truncated", length));

  literal_reader reader(path.string(), std::string_view(text).substr(literal, length), literal);
  const array_facts facts = reader.read();
  if (!facts.element || !facts.is_fortran_order || !facts.shape)
    refuse_at(path, literal, "expected the keys descr, fortran_order and shape");
  if (*facts.is_fortran_order) refuse_at(path, literal, "expected C order, found 'fortran_order': True");
  const std::uint64_t begin = literal + length;
  return {*facts.element, *facts.shape, literal, begin, bytes - begin};
}

struct array_of_points {
  point_records records;
  std::int64_t points = 0;
};

array_of_points points_of(const std::filesystem::path& path) {
  const npy_array array = read_header(path);
  const auto refuse = [&](const std::string& expected) { refuse_at(path, array.header_begin, expected); };
  if (array.element.starts_with('>'))
    refuse(fmt::format(
        "expected little-endian elements '<f4' or '<f8', found '{}': big-endian files are not read",
        array.element));
  if (array.element != "<f4" && array.element != "<f8")
    refuse(fmt::format("expected elements '<f4' or '<f8' (float32 or float64), found '{}'", array.element));
  const std::vector<std::uint64_t>& shape = array.shape;
  if (shape.size() != 2 || shape[1] < 3)
    refuse(fmt::format("expected a shape (points, 3 or more), found ({})", fmt::join(shape, ", ")));

  array_of_points out;
  const std::uint64_t element_bytes = array.element == "<f8" ? 8 : 4, left = array.bytes;
  out.records.begin = array.begin;
  if (shape[0] > 0 && (shape[1] > left / element_bytes || shape[0] > left / (shape[1] * element_bytes)))
    refuse_at(path, out.records.begin,
              fmt::format("expected {} times {} elements of {} bytes, the file ends after {} "
                          "bytes: truncated",
                          shape[0], shape[1], element_bytes, left));
  out.points = static_cast<std::int64_t>(shape[0]);
  out.records.stride = out.points == 0 ? 1 : static_cast<std::size_t>(shape[1] * element_bytes);
  for (std::size_t axis = 0; axis < 3; ++axis)
    out.records.xyz[axis] = {axis * element_bytes, element_bytes == 8};
  return out;
}

}  // namespace

std::int64_t count_npy_points(const std::filesystem::path& path, std::int64_t requested_points) {
  return points_to_read(path, points_of(path).points, requested_points);
}

void visit_npy_points(const std::filesystem::path& path, std::int64_t requested_points,
                      const point_visitor& visit) {
  const array_of_points array = points_of(path);
  visit_records(path, array.records, points_to_read(path, array.points, requested_points), visit);
}

std::vector<std::byte> npy_elements(const std::filesystem::path& path, const npy_elements_wanted& wanted) {
  const npy_array array = read_header(path);
  if (array.element != wanted.element)
    refuse_at(path, array.header_begin,
              fmt::format("expected elements '{}', found '{}'", wanted.element, array.element));
  const std::uint64_t count = wanted.count, bytes = count * wanted.element_bytes;
  std::uint64_t found = 1;
  for (const std::uint64_t size : array.shape)
    if (__builtin_mul_overflow(found, size, &found)) found = std::uint64_t(-1);
  if (found != count)
    refuse_at(path, array.header_begin,
              fmt::format("expected {} elements, found a shape ({})", count, fmt::join(array.shape, ", ")));
  if (array.bytes < bytes)
    refuse_at(path, array.begin,
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
