#include "harness/inputs/files/npy_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/text/bad_input.h"

namespace ablate {
namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";
/// More than any element has; sums and products of such sizes stay within 64 bits.
constexpr std::uint64_t max_element_bytes = std::uint64_t{1} << 24;

/// The header's fields, exactly as written.
struct npy_facts {
  bool has_type = false;
  npy_array::element of;
  std::vector<npy_array::field> fields;
  std::optional<bool> is_fortran_order;
  std::optional<std::vector<std::uint64_t>> shape;
};

/// Reads the Python dictionary literal that forms an .npy file's header:
/// {'descr': '<f4', 'fortran_order': False, 'shape': (1000, 3), }
class npy_literal_reader {
 public:
  npy_literal_reader(std::string file, std::string_view text, std::uint64_t first_byte)
      : file_(std::move(file)), text_(text), first_byte_(first_byte) {}

  npy_facts read() {
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
      out_.has_type = true;
      if (take("["))
        read_fields();
      else
        out_.of = element("a type of elements ('<f4'), or a list of fields [('x', '<f4'), …]");
    } else if (key == "fortran_order") {
      const bool is_true = take("True");
      if (!is_true && !take("False")) refuse("expected True or False for 'fortran_order'");
      out_.is_fortran_order = is_true;
    } else if (key == "shape") {
      out_.shape = sizes();
    } else {
      refuse(fmt::format("expected the keys descr, fortran_order and shape, found '{}'", key));
    }
  }

  /// '<f4' or '|V12': byte order, letter, size, of dates a unit.
  npy_array::element element(const std::string& expected) {
    npy_array::element out{quoted(expected), 0};
    const std::string_view text = out.text;
    const auto refuse_it = [&] { refuse(fmt::format("expected a type such as '<f4', found '{}'", text)); };
    if (text.size() < 3 || std::string_view("<>|=").find(text[0]) == std::string_view::npos) refuse_it();
    const auto [rest, error] = std::from_chars(text.data() + 2, text.data() + text.size(), out.bytes);
    if (error != std::errc() || out.bytes > max_element_bytes) refuse_it();
    if (text[1] == 'U') out.bytes *= 4;  // characters
    return out;
  }

  /// The list of a structure's fields, after its '['.
  void read_fields() {
    while (!take("]")) {
      require("(");
      npy_array::field f;
      if (take("(")) {  // a title ahead of the name
        quoted("a title in quotes");
        require(",");
        f.name = quoted("a name in quotes");
        require(")");
      } else {
        f.name = quoted("a name in quotes");
      }
      require(",");
      f.type = element("the type of field '" + f.name + "' ('<f4'), which is no structure itself");
      if (take(","))
        for (const std::uint64_t size : sizes())
          if (__builtin_mul_overflow(f.values, size, &f.values) || f.values > max_element_bytes)
            refuse("expected a field of fewer values");
      require(")");
      out_.fields.push_back(std::move(f));
      if (!take(",")) {
        require("]");
        break;
      }
    }
  }

  std::vector<std::uint64_t> sizes() {
    require("(");
    std::vector<std::uint64_t> out;
    while (!take(")")) {
      skip_blanks();
      std::uint64_t size = 0;
      const char* const end = text_.data() + text_.size();
      const auto [rest, error] = std::from_chars(text_.data() + at_, end, size);
      if (error != std::errc()) refuse("expected a shape as (1000, 3)");
      at_ = static_cast<std::size_t>(rest - text_.data());
      out.push_back(size);
      if (!take(",")) {
        require(")");
        break;
      }
    }
    return out;
  }

  std::string file_;
  std::string_view text_;
  std::uint64_t first_byte_;
  std::size_t at_ = 0;
  npy_facts out_;
};

}  // namespace

std::optional<scalar_type> npy_array::element::number() const {
  if (text.size() < 2) return std::nullopt;
  return scalar_of(text[1], bytes, text[0] == '>');
}

std::string npy_array::type_text() const { return fields.empty() ? of.text : "a structure"; }

npy_array read_npy_header(const std::string& file, std::string_view text, std::uint64_t bytes) {
  const auto refuse_at = [&](std::uint64_t byte, const std::string& expected) {
    throw bad_input(file, fmt::format("byte {}", byte), expected);
  };
  if (!text.starts_with(npy_magic)) refuse_at(0, "expected '\\x93NUMPY', with which an .npy file begins");
  const auto byte_at = [&](std::size_t i) -> std::uint64_t {
    if (i >= text.size()) refuse_at(text.size(), "expected more of the header, the file ends: truncated");
    return static_cast<unsigned char>(text[i]);
  };
  const std::uint64_t version = byte_at(6);
  if (version < 1 || version > 3)
    refuse_at(6, fmt::format("expected format version 1, 2 or 3, found {}", version));
  const std::size_t length_bytes = version == 1 ? 2 : 4, literal = 8 + length_bytes;
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= byte_at(8 + i) << 8 * i;
  if (length > max_npy_header_bytes - literal)
    refuse_at(8, fmt::format("expected a header of at most {} bytes, found {}",
                             max_npy_header_bytes - literal, length));
  if (length > text.size() - literal)
    refuse_at(text.size(), fmt::format("expected a header of {} bytes, the file ends: truncated", length));

  npy_literal_reader reader(file, text.substr(literal, length), literal);
  npy_facts facts = reader.read();
  if (!facts.has_type || !facts.is_fortran_order || !facts.shape)
    refuse_at(literal, "expected the keys descr, fortran_order and shape");
  const std::uint64_t begin = literal + length;
  return {std::move(facts.of),
          std::move(facts.fields),
          *facts.is_fortran_order,
          std::move(*facts.shape),
          literal,
          begin,
          bytes - begin};
}

}  // namespace ablate
