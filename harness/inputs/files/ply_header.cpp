#include "harness/inputs/files/ply_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/inputs/files/text_lines.h"

namespace ablate {
namespace {

std::optional<scalar_type> ply_scalar_of(std::string_view name, bool is_big_endian) {
  struct named {
    std::string_view old_name, sized_name;
    char letter;
    std::uint64_t bytes;
  };
  constexpr named types[] = {{"char", "int8", 'i', 1},     {"uchar", "uint8", 'u', 1},
                             {"short", "int16", 'i', 2},   {"ushort", "uint16", 'u', 2},
                             {"int", "int32", 'i', 4},     {"uint", "uint32", 'u', 4},
                             {"float", "float32", 'f', 4}, {"double", "float64", 'f', 8}};
  for (const named& type : types)
    if (name == type.old_name || name == type.sized_name)
      return scalar_of(type.letter, type.bytes, is_big_endian);
  return std::nullopt;
}

class ply_header_reader {
 public:
  explicit ply_header_reader(const std::filesystem::path& path) : lines_(path, "end_header") {}

  ply_header read() {
    if (lines_.next() != "ply") lines_.refuse("expected 'ply', the first line of a PLY file");
    read_format(words_of(lines_.next()));
    for (auto words = words_of(lines_.next()); words.empty() || words[0] != "end_header";
         words = words_of(lines_.next()))
      if (!words.empty()) read_statement(words);
    finish();
    return std::move(out_);
  }

 private:
  void read_format(const std::vector<std::string_view>& words) {
    constexpr auto expected =
        "expected 'format ascii 1.0', 'format binary_little_endian 1.0' or 'format binary_big_endian 1.0'";
    if (words.size() != 3 || words[0] != "format") lines_.refuse(expected);
    if (words[2] != "1.0") lines_.refuse(fmt::format("{}, found version {}", expected, words[2]));
    out_.is_ascii = words[1] == "ascii";
    is_big_endian_ = words[1] == "binary_big_endian";
    if (!out_.is_ascii && !is_big_endian_ && words[1] != "binary_little_endian")
      lines_.refuse(fmt::format("{}, found '{}'", expected, words[1]));
  }

  void read_statement(const std::vector<std::string_view>& words) {
    if (words[0] == "comment" || words[0] == "obj_info") return;
    if (words[0] == "element") return read_element(words);
    if (words[0] == "property") return read_property(words);
    lines_.refuse(
        fmt::format("expected element, property, comment, obj_info or end_header, found '{}'", words[0]));
  }

  void read_element(const std::vector<std::string_view>& words) {
    const auto count = words.size() == 3 ? count_of(words[2]) : std::nullopt;
    if (!count) lines_.refuse("expected 'element NAME COUNT'");
    elements_.push_back({std::string(words[1]), *count, {}});
    names_.clear();
  }

  void read_property(const std::vector<std::string_view>& words) {
    if (elements_.empty()) lines_.refuse("expected an element before its properties");
    std::vector<ply_property>& properties = elements_.back().properties;
    const bool is_list = words.size() == 5 && words[1] == "list";
    if (!is_list && words.size() != 3)
      lines_.refuse("expected 'property TYPE NAME' or 'property list TYPE TYPE NAME'");
    ply_property p{std::string(words.back()), type_of(words[words.size() - 2]), {}};
    if (is_list) p.list_length = type_of(words[2]);
    if (is_list && p.list_length->of == scalar_type::kind::floating)
      lines_.refuse(fmt::format("expected an integer type for the length of a list, found '{}'", words[2]));
    if (!names_.insert(p.name).second)
      lines_.refuse(
          fmt::format("expected property '{}' of element '{}' once", p.name, elements_.back().name));
    properties.push_back(std::move(p));
  }

  scalar_type type_of(std::string_view name) const {
    const auto type = ply_scalar_of(name, is_big_endian_);
    if (!type) lines_.refuse(fmt::format("expected a type as char, int or float, found '{}'", name));
    return *type;
  }

  void finish() {
    const auto found = std::find_if(elements_.begin(), elements_.end(),
                                    [](const ply_element& e) { return e.name == "vertex"; });
    if (found == elements_.end()) lines_.refuse("expected an element 'vertex' before here");
    out_.before.assign(elements_.begin(), found);
    out_.vertices = *found;
    constexpr std::array<std::string_view, 3> names = {"x", "y", "z"};
    for (std::size_t axis = 0; axis < 3; ++axis) out_.xyz[axis] = place_of(names[axis]);
    out_.bytes = lines_.bytes();
    out_.lines = lines_.lines();
  }

  std::size_t place_of(std::string_view name) const {
    const std::vector<ply_property>& properties = out_.vertices.properties;
    const auto found = std::find_if(properties.begin(), properties.end(),
                                    [&](const ply_property& p) { return p.name == name; });
    if (found == properties.end()) {
      std::vector<std::string> names;
      for (const ply_property& p : properties) names.push_back(p.name);
      lines_.refuse(fmt::format("expected properties x, y and z of element 'vertex', found {}",
                                names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
    }
    if (found->list_length)
      lines_.refuse(
          fmt::format("expected property {} of element 'vertex' to be one number, it is a list", name));
    return static_cast<std::size_t>(found - properties.begin());
  }

  header_lines lines_;
  bool is_big_endian_ = false;
  std::vector<ply_element> elements_;
  std::set<std::string> names_;  ///< of the properties of the last element
  ply_header out_;
};

}  // namespace

bool ply_element::has_list() const {
  return std::any_of(properties.begin(), properties.end(),
                     [](const ply_property& p) { return p.list_length.has_value(); });
}

std::uint64_t ply_element::least_bytes() const {
  std::uint64_t sum = 0;
  for (const ply_property& p : properties) sum += p.list_length ? p.list_length->bytes : p.type.bytes;
  return sum;
}

ply_header read_ply_header(const std::filesystem::path& path) { return ply_header_reader(path).read(); }

}  // namespace ablate
