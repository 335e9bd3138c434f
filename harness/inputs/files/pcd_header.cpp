#include "harness/inputs/files/pcd_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "harness/inputs/files/text_lines.h"

namespace ablate {
namespace {

/// So many values of one field no file has; sums of such counts stay within 64 bits.
constexpr std::uint64_t max_values = std::uint64_t{1} << 32;

class pcd_header_reader {
 public:
  explicit pcd_header_reader(const std::filesystem::path& path) : lines_(path, "DATA") {}

  pcd_header read() {
    for (;;) {
      const std::vector<std::string_view> words = words_of(lines_.next());
      if (words.empty() || words[0].starts_with('#')) continue;
      read_entry(words);
      if (words[0] == "DATA") break;
    }
    finish();
    return std::move(out_);
  }

 private:
  void read_entry(const std::vector<std::string_view>& words) {
    constexpr std::array known = {"VERSION", "FIELDS", "SIZE",      "TYPE",   "COUNT",
                                  "WIDTH",   "HEIGHT", "VIEWPOINT", "POINTS", "DATA"};
    const std::string_view name = words[0] == "COLUMNS" ? "FIELDS" : words[0];  // before version 0.6
    if (std::find(known.begin(), known.end(), name) == known.end())
      lines_.refuse(fmt::format("expected one of {}, found '{}'", fmt::join(known, ", "), name));
    if (entries_.contains(name)) lines_.refuse(fmt::format("expected {} once", name));
    auto& entry = entries_[std::string(name)];
    for (std::size_t i = 1; i < words.size(); ++i) entry.emplace_back(words[i]);
    if (name == "DATA") read_encoding(entry);
  }

  void read_encoding(const std::vector<std::string>& words) {
    constexpr std::array encodings = {std::pair{"ascii", pcd_encoding::ascii},
                                      std::pair{"binary", pcd_encoding::binary},
                                      std::pair{"binary_compressed", pcd_encoding::binary_compressed}};
    for (const auto& [name, encoding] : encodings)
      if (words == std::vector<std::string>{name}) {
        out_.encoding = encoding;
        return;
      }
    lines_.refuse(fmt::format("expected DATA to be ascii, binary or binary_compressed, found '{}'",
                              fmt::join(words, " ")));
  }

  void finish() {
    const std::vector<std::string> names = entry("FIELDS"), sizes = entry("SIZE"), types = entry("TYPE");
    std::vector<std::string> counts(names.size(), "1");
    if (entries_.contains("COUNT")) counts = entry("COUNT");
    for (const auto& [name, words] : {std::pair{"SIZE", &sizes}, {"TYPE", &types}, {"COUNT", &counts}})
      if (words->size() != names.size())
        lines_.refuse(fmt::format("expected {} to have a word for each of the {} fields, found {}", name,
                                  names.size(), words->size()));
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto size = count_of(sizes[i]), count = count_of(counts[i]);
      if (!size || (*size != 1 && *size != 2 && *size != 4 && *size != 8))
        lines_.refuse(
            fmt::format("expected SIZE of field {} to be 1, 2, 4 or 8, found '{}'", names[i], sizes[i]));
      if (!count || *count < 1 || *count > max_values)
        lines_.refuse(
            fmt::format("expected COUNT of field {} to be 1 or more, found '{}'", names[i], counts[i]));
      out_.fields.push_back({names[i], *size, *count});
    }
    constexpr std::array<std::string_view, 3> axes = {"x", "y", "z"};
    for (std::size_t axis = 0; axis < 3; ++axis) out_.xyz[axis] = coordinate_of(axes[axis], types);
    out_.points = points();
    out_.bytes = lines_.bytes();
    out_.lines = lines_.lines();
  }

  const std::vector<std::string>& entry(std::string_view name) const {
    const auto found = entries_.find(name);
    if (found == entries_.end()) lines_.refuse(fmt::format("expected {} before DATA", name));
    return found->second;
  }

  std::optional<std::uint64_t> number(std::string_view name) const {
    const auto found = entries_.find(name);
    if (found == entries_.end()) return std::nullopt;
    const auto value = found->second.size() == 1 ? count_of(found->second[0]) : std::nullopt;
    if (!value)
      lines_.refuse(
          fmt::format("expected {} to be a count, found '{}'", name, fmt::join(found->second, " ")));
    return value;
  }

  pcd_header::coordinate coordinate_of(std::string_view name, const std::vector<std::string>& types) const {
    const auto is_it = [&](const pcd_field& f) { return f.name == name; };
    const std::vector<pcd_field>& fields = out_.fields;
    const auto found = std::find_if(fields.begin(), fields.end(), is_it);
    if (found == fields.end() || std::count_if(fields.begin(), fields.end(), is_it) > 1)
      lines_.refuse(fmt::format("expected FIELDS x, y and z once each, found {}",
                                fmt::join(entries_.find("FIELDS")->second, " ")));
    const auto place = static_cast<std::size_t>(found - fields.begin());
    const std::string& letter = types[place];
    std::optional<scalar_type> type;
    for (const auto& [pcd_letter, npy_letter] : {std::pair{"F", 'f'}, {"I", 'i'}, {"U", 'u'}})
      if (letter == pcd_letter) type = scalar_of(npy_letter, found->size);
    if (!type || found->count != 1)
      lines_.refuse(fmt::format("expected field {} to be one number, found TYPE {} SIZE {} COUNT {}", name,
                                letter, found->size, found->count));
    return {place, *type};
  }

  std::uint64_t points() const {
    const auto points = number("POINTS"), width = number("WIDTH"), height = number("HEIGHT");
    if (!width && !points) lines_.refuse("expected WIDTH and HEIGHT, or POINTS, before DATA");
    if (!width) return *points;
    std::uint64_t all = 0;
    if (__builtin_mul_overflow(*width, height.value_or(1), &all) || (points && *points != all))
      lines_.refuse(fmt::format("expected as many POINTS as WIDTH times HEIGHT ({} times {}), found {}",
                                *width, height.value_or(1),
                                points ? fmt::format("{}", *points) : "more than can be"));
    return all;
  }

  header_lines lines_;
  std::map<std::string, std::vector<std::string>, std::less<>> entries_;
  pcd_header out_;
};

}  // namespace

std::uint64_t pcd_header::point_bytes() const {
  return std::accumulate(fields.begin(), fields.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const pcd_field& f) { return sum + f.bytes(); });
}

std::uint64_t pcd_header::values_per_point() const {
  return std::accumulate(fields.begin(), fields.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const pcd_field& f) { return sum + f.count; });
}

pcd_header read_pcd_header(const std::filesystem::path& path) { return pcd_header_reader(path).read(); }

}  // namespace ablate
