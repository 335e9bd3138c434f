#include "harness/inputs/files/ply_file.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/bad_input.h"
#include "harness/inputs/files/ply_header.h"
#include "harness/inputs/files/text_lines.h"

namespace ablate {
namespace {

/// The entries of a binary file's elements, one after the other: what lists are in has to be walked.
class binary_entries {
 public:
  binary_entries(const std::filesystem::path& path, std::uint64_t begin)
      : file_(path.string()), stream_(path, std::ios::binary), at_(begin), left_(file_bytes(path) - begin) {
    stream_.seekg(static_cast<std::streamoff>(begin));
  }

  std::uint64_t at() const { return at_; }

  /// Throws unless so many entries can follow.
  void require(const ply_element& of) const {
    const std::uint64_t bytes = of.least_bytes();
    if (bytes > 0 && of.count > left_ / bytes)
      throw bad_input(file_, fmt::format("byte {}", at_),
                      fmt::format("expected {} times {} bytes{} of element '{}', the file ends after {}: "
                                  "truncated, or of another layout",
                                  of.count, bytes, of.has_list() ? " or more" : "", of.name, left_));
  }

  void skip_all(const ply_element& of) {
    require(of);
    if (!of.has_list()) return skip(of.count * of.least_bytes(), of);
    for (std::uint64_t i = 0; i < of.count; ++i)
      for (const ply_property& p : of.properties) read(p, of);
  }

  std::array<double, 3> next_vertex(const ply_element& vertices, const std::array<std::size_t, 3>& places) {
    std::array<double, 3> xyz{};
    for (std::size_t i = 0; i < vertices.properties.size(); ++i) {
      const double value = read(vertices.properties[i], vertices);
      for (std::size_t axis = 0; axis < 3; ++axis)
        if (places[axis] == i) xyz[axis] = value;
    }
    return xyz;
  }

 private:
  [[noreturn]] void refuse(const std::string& expected) const {
    throw bad_input(file_, fmt::format("byte {}", at_), expected);
  }

  void require_bytes(std::uint64_t bytes, const ply_element& of) const {
    if (bytes > left_)
      refuse(fmt::format("expected {} more bytes of element '{}', the file ends after {}: truncated", bytes,
                         of.name, left_));
  }

  void skip(std::uint64_t bytes, const ply_element& of) {
    require_bytes(bytes, of);
    // Seeking drops what is buffered, which the lists of faces are not worth.
    if (bytes < 4096)
      stream_.ignore(static_cast<std::streamsize>(bytes));
    else
      stream_.seekg(static_cast<std::streamoff>(bytes), std::ios::cur);
    at_ += bytes;
    left_ -= bytes;
  }

  double number(const scalar_type& type, const ply_element& of) {
    require_bytes(type.bytes, of);
    char bytes[8];
    if (!stream_.read(bytes, type.bytes)) refuse(fmt::format("expected {} more readable bytes", type.bytes));
    at_ += type.bytes;
    left_ -= type.bytes;
    return value_of(bytes, type);
  }

  /// A number, or the length of a list, which is skipped.
  double read(const ply_property& p, const ply_element& of) {
    if (!p.list_length) return number(p.type, of);
    const double length = number(*p.list_length, of);
    if (length < 0)
      refuse(fmt::format("expected list '{}' of element '{}' to have a length, found {}", p.name, of.name,
                         length));
    // A length that is too large for the file is refused before it is multiplied.
    require_bytes(static_cast<std::uint64_t>(length), of);
    if (length > 0) skip(static_cast<std::uint64_t>(length) * p.type.bytes, of);
    return length;
  }

  std::string file_;
  std::ifstream stream_;
  std::uint64_t at_, left_;
};

/// The vertices of a binary file, which have no lists.
point_records records_of(const ply_header& h, std::uint64_t begin) {
  point_records records{begin, {}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    auto& [offset, stride, type] = records.xyz[axis];
    for (std::size_t p = 0; p < h.xyz[axis]; ++p) offset += h.vertices.properties[p].type.bytes;
    stride = h.vertices.least_bytes();
    type = h.vertices.properties[h.xyz[axis]].type;
  }
  return records;
}

held_points open_binary(const std::filesystem::path& path, const ply_header& h) {
  binary_entries entries(path, h.bytes);
  for (const ply_element& e : h.before) entries.skip_all(e);
  entries.require(h.vertices);
  const std::uint64_t begin = entries.at();
  const auto count = static_cast<std::int64_t>(h.vertices.count);
  if (!h.vertices.has_list())
    return {count, [path, records = records_of(h, begin)](std::int64_t first, const point_visitor& visit) {
              visit_records(path, records, first, visit);
            }};
  return {count, [path, h, begin](std::int64_t first, const point_visitor& visit) {
            binary_entries vertices(path, begin);
            for (std::int64_t i = 0; i < first; ++i) visit(vertices.next_vertex(h.vertices, h.xyz));
          }};
}

/// The lines of an ASCII file after its header, one element per line.
class vertex_lines {
 public:
  vertex_lines(const std::filesystem::path& path, const ply_header& h)
      : file_(path.string()), header_(h), stream_(path, std::ios::binary), line_(h.lines) {
    stream_.seekg(static_cast<std::streamoff>(h.bytes));
    for (const ply_element& e : h.before)
      for (std::uint64_t i = 0; i < e.count; ++i) next(e);
  }

  std::array<double, 3> next_vertex() {
    next(header_.vertices);
    const std::vector<std::string_view> words = words_of(text_);
    const std::vector<ply_property>& properties = header_.vertices.properties;
    std::array<double, 3> xyz{};
    std::uint64_t expected = 0;  // words
    for (std::size_t i = 0; i < properties.size(); ++i) {
      const std::uint64_t place = expected++;
      if (place >= words.size()) continue;
      if (properties[i].list_length) {
        expected += length(words[place], words.size(), properties[i]);
        continue;
      }
      const double value = number(words[place], properties[i]);
      for (std::size_t axis = 0; axis < 3; ++axis)
        if (header_.xyz[axis] == i) xyz[axis] = value;
    }
    if (words.size() != expected)
      refuse(fmt::format("expected a vertex of {} numbers, found {}", expected, words.size()));
    return xyz;
  }

 private:
  [[noreturn]] void refuse(const std::string& expected) const {
    throw bad_input(file_, fmt::format("line {}", line_), expected);
  }

  void next(const ply_element& of) {
    ++line_;
    if (!std::getline(stream_, text_))
      refuse(fmt::format("expected a line of element '{}', of which there are {}: truncated", of.name,
                         of.count));
  }

  double number(std::string_view word, const ply_property& p) const {
    const auto value = number_of(word);
    if (!value) refuse(fmt::format("expected a number for property {}, found '{}'", p.name, word));
    return *value;
  }

  std::uint64_t length(std::string_view word, std::size_t most, const ply_property& p) const {
    const auto value = count_of(word);
    if (!value || *value > most)
      refuse(
          fmt::format("expected list '{}' to have a length that its line holds, found '{}'", p.name, word));
    return *value;
  }

  std::string file_;
  const ply_header& header_;
  std::ifstream stream_;
  std::string text_;
  std::uint64_t line_;
};

held_points open_ascii(const std::filesystem::path& path, const ply_header& h) {
  const std::uint64_t left = file_bytes(path) - h.bytes;
  if (h.vertices.count > left)
    throw bad_input(
        path.string(), fmt::format("line {}", h.lines + 1),
        fmt::format("expected {} lines of vertices, {} bytes are left: truncated", h.vertices.count, left));
  return {static_cast<std::int64_t>(h.vertices.count),
          [path, h](std::int64_t first, const point_visitor& visit) {
            vertex_lines lines(path, h);
            for (std::int64_t i = 0; i < first; ++i) visit(lines.next_vertex());
          }};
}

}  // namespace

held_points open_ply(const std::filesystem::path& path) {
  const ply_header h = read_ply_header(path);
  return h.is_ascii ? open_ascii(path, h) : open_binary(path, h);
}

}  // namespace ablate
