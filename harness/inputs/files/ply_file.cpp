#include "harness/inputs/files/ply_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/text/bad_input.h"

namespace ablate {
namespace {

constexpr std::size_t most_ply_header_bytes = 1 << 16;

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view blanks = " \t\r\v\f";
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(blanks); at != std::string_view::npos;
       at = line.find_first_not_of(blanks, at)) {
    const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

struct property {
  std::string name, type;
  std::size_t bytes = 0;  ///< 0: a list
};

struct element {
  std::string name;
  std::uint64_t count = 0;
  std::vector<property> properties;

  bool has_list() const {
    return std::any_of(properties.begin(), properties.end(), [](const property& p) { return p.bytes == 0; });
  }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const property& p : properties) sum += p.bytes;
    return sum;
  }
};

std::optional<std::size_t> bytes_of_type(std::string_view type) {
  constexpr std::pair<std::string_view, std::size_t> types[] = {
      {"char", 1},  {"uchar", 1},   {"int8", 1},   {"uint8", 1},  {"short", 2}, {"ushort", 2},
      {"int16", 2}, {"uint16", 2},  {"int", 4},    {"uint", 4},   {"int32", 4}, {"uint32", 4},
      {"float", 4}, {"float32", 4}, {"double", 8}, {"float64", 8}};
  for (const auto& [name, bytes] : types)
    if (type == name) return bytes;
  return std::nullopt;
}

bool is_float32(const property& p) { return p.type == "float" || p.type == "float32"; }
bool is_float64(const property& p) { return p.type == "double" || p.type == "float64"; }

struct header {
  bool is_ascii = false;
  std::vector<element> before;  ///< elements ahead of the vertices
  element vertices;
  std::array<std::size_t, 3> xyz{};  ///< indices among the vertices' properties
  std::uint64_t bytes = 0;           ///< header size
  std::uint64_t lines = 0;
};

class header_reader {
 public:
  explicit header_reader(const std::filesystem::path& path) : file_(path.string()) {
    text_.resize(std::min<std::uint64_t>(file_bytes(path), most_ply_header_bytes));
    std::ifstream stream(path, std::ios::binary);
    if (!stream.read(text_.data(), static_cast<std::streamsize>(text_.size())))
      throw bad_input(file_, "", "expected a readable file");
  }

  header read() {
    if (next_line() != "ply") refuse("expected 'ply', the first line of a PLY file");
    read_format(words_of(next_line()));
    for (auto words = words_of(next_line()); words.empty() || words[0] != "end_header";
         words = words_of(next_line()))
      if (!words.empty()) read_statement(words);
    finish();
    return out_;
  }

 private:
  [[noreturn]] void refuse(const std::string& expected) const {
    throw bad_input(file_, fmt::format("line {}", out_.lines), expected);
  }

  std::string_view next_line() {
    ++out_.lines;
    const std::size_t end = text_.find('\n', out_.bytes);
    if (end == std::string::npos) {
      refuse(text_.size() < most_ply_header_bytes
                 ? "expected more of the header, the file ends before 'end_header'"
                 : fmt::format("expected 'end_header' within the first {} bytes", most_ply_header_bytes));
    }
    std::string_view line = std::string_view(text_).substr(out_.bytes, end - out_.bytes);
    if (line.ends_with('\r')) line.remove_suffix(1);
    out_.bytes = end + 1;
    return line;
  }

  void read_format(const std::vector<std::string_view>& words) {
    constexpr auto expected = "expected 'format ascii 1.0' or 'format binary_little_endian 1.0'";
    if (words.size() != 3 || words[0] != "format") refuse(expected);
    if (words[1] == "binary_big_endian") refuse(fmt::format("{}; big-endian files are not read", expected));
    if (words[2] != "1.0") refuse(fmt::format("{}, found version {}", expected, words[2]));
    if (words[1] != "ascii" && words[1] != "binary_little_endian")
      refuse(fmt::format("{}, found '{}'", expected, words[1]));
    out_.is_ascii = words[1] == "ascii";
  }

  void read_statement(const std::vector<std::string_view>& words) {
    if (words[0] == "comment" || words[0] == "obj_info") return;
    if (words[0] == "element") return read_element(words);
    if (words[0] == "property") return read_property(words);
    refuse(fmt::format("expected element, property, comment, obj_info or end_header, found '{}'", words[0]));
  }

  void read_element(const std::vector<std::string_view>& words) {
    element e;
    const bool is_whole = words.size() == 3;
    if (is_whole) {
      e.name = words[1];
      const auto [rest, error] = std::from_chars(words[2].data(), words[2].data() + words[2].size(), e.count);
      if (error == std::errc() && rest == words[2].data() + words[2].size()) {
        elements_.push_back(e);
        return;
      }
    }
    refuse("expected 'element NAME COUNT'");
  }

  void read_property(const std::vector<std::string_view>& words) {
    if (elements_.empty()) refuse("expected an element before its properties");
    const bool is_list = words.size() == 5 && words[1] == "list";
    if (!is_list && words.size() != 3)
      refuse("expected 'property TYPE NAME' or 'property list TYPE TYPE NAME'");
    property p{std::string(words.back()), std::string(is_list ? "list" : words[1])};
    for (std::size_t i = is_list ? 2 : 1; i + 1 < words.size(); ++i) {
      const auto bytes = bytes_of_type(words[i]);
      if (!bytes) refuse(fmt::format("expected a type as char, int or float, found '{}'", words[i]));
      p.bytes = is_list ? 0 : *bytes;
    }
    for (const property& other : elements_.back().properties)
      if (other.name == p.name)
        refuse(fmt::format("expected property '{}' of element '{}' once", p.name, elements_.back().name));
    elements_.back().properties.push_back(std::move(p));
  }

  void finish() {
    const auto found =
        std::find_if(elements_.begin(), elements_.end(), [](const element& e) { return e.name == "vertex"; });
    if (found == elements_.end()) refuse("expected an element 'vertex' before here");
    out_.before.assign(elements_.begin(), found);
    out_.vertices = *found;
    for (auto e = elements_.begin(); e <= found; ++e)
      if (e->has_list())
        refuse(fmt::format("expected lists behind the vertices, element '{}' has one", e->name));
    constexpr std::array<std::string_view, 3> names = {"x", "y", "z"};
    for (std::size_t axis = 0; axis < 3; ++axis) out_.xyz[axis] = place_of(names[axis]);
  }

  std::size_t place_of(std::string_view name) const {
    const std::vector<property>& properties = out_.vertices.properties;
    const auto found =
        std::find_if(properties.begin(), properties.end(), [&](const property& p) { return p.name == name; });
    if (found == properties.end()) {
      std::vector<std::string> names;
      for (const property& p : properties) names.push_back(p.name);
      refuse(fmt::format("expected properties x, y and z of element 'vertex', found {}",
                         names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
    }
    if (!is_float32(*found) && !is_float64(*found))
      refuse(fmt::format("expected property {} of element 'vertex' to be float or double, it is {}", name,
                         found->type));
    return static_cast<std::size_t>(found - properties.begin());
  }

  std::string file_, text_;
  std::vector<element> elements_;
  header out_;
};

/// The vertices of a binary file. Throws if it ends before the last one.
point_records records_of(const std::filesystem::path& path, const header& h) {
  const std::uint64_t bytes = file_bytes(path);
  point_records records;
  records.begin = h.bytes;
  const auto require = [&](const element& e) {
    const std::uint64_t left = bytes - records.begin, stride = e.bytes();
    if (stride > 0 && e.count > left / stride)
      throw bad_input(path.string(), fmt::format("byte {}", records.begin),
                      fmt::format("expected {} times {} bytes of element '{}', the file ends after {}: "
                                  "truncated, or of another layout",
                                  e.count, stride, e.name, left));
  };
  for (const element& e : h.before) {
    require(e);
    records.begin += e.count * e.bytes();
  }
  require(h.vertices);
  records.stride = h.vertices.bytes();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t p = 0; p < h.xyz[axis]; ++p) records.xyz[axis].offset += h.vertices.properties[p].bytes;
    records.xyz[axis].is_float64 = is_float64(h.vertices.properties[h.xyz[axis]]);
  }
  return records;
}

std::int64_t count_points(const std::filesystem::path& path, const header& h, std::int64_t requested) {
  if (!h.is_ascii) {
    records_of(path, h);
  } else if (const std::uint64_t left = file_bytes(path) - h.bytes; h.vertices.count > left) {
    throw bad_input(
        path.string(), fmt::format("line {}", h.lines + 1),
        fmt::format("expected {} lines of vertices, {} bytes are left: truncated", h.vertices.count, left));
  }
  return points_to_read(path, static_cast<std::int64_t>(h.vertices.count), requested);
}

/// The lines of an ASCII file after its header, one element per line.
class vertex_lines {
 public:
  vertex_lines(const std::filesystem::path& path, const header& h)
      : file_(path.string()), header_(h), stream_(path, std::ios::binary), line_(h.lines) {
    stream_.seekg(static_cast<std::streamoff>(h.bytes));
    for (const element& e : h.before)
      for (std::uint64_t i = 0; i < e.count; ++i) next(e);
  }

  std::array<double, 3> next_vertex() {
    next(header_.vertices);
    const std::vector<std::string_view> words = words_of(text_);
    const std::vector<property>& properties = header_.vertices.properties;
    if (words.size() != properties.size())
      throw bad_input(
          file_, fmt::format("line {}", line_),
          fmt::format("expected a vertex of {} numbers, found {}", properties.size(), words.size()));
    std::array<double, 3> xyz{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      xyz[axis] = number(words[header_.xyz[axis]], properties[header_.xyz[axis]]);
    return xyz;
  }

 private:
  void next(const element& of) {
    ++line_;
    if (!std::getline(stream_, text_))
      throw bad_input(file_, fmt::format("line {}", line_),
                      fmt::format("expected a line of element '{}', of which there are {}: truncated",
                                  of.name, of.count));
  }

  double number(std::string_view word, const property& p) const {
    double value = 0;
    const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || rest != digits.data() + digits.size())
      throw bad_input(file_, fmt::format("line {}", line_),
                      fmt::format("expected a number for property {}, found '{}'", p.name, word));
    return value;
  }

  std::string file_;
  const header& header_;
  std::ifstream stream_;
  std::string text_;
  std::uint64_t line_;
};

}  // namespace

std::int64_t count_ply_points(const std::filesystem::path& path, std::int64_t requested_points) {
  return count_points(path, header_reader(path).read(), requested_points);
}

void visit_ply_points(const std::filesystem::path& path, std::int64_t requested_points,
                      const point_visitor& visit) {
  const header h = header_reader(path).read();
  const std::int64_t points = count_points(path, h, requested_points);
  if (!h.is_ascii) return visit_records(path, records_of(path, h), points, visit);
  vertex_lines lines(path, h);
  for (std::int64_t i = 0; i < points; ++i) visit(lines.next_vertex());
}

}  // namespace ablate
