#include "reports/gate/sass.h"

#include <algorithm>
#include <array>

namespace ablate::gate {
namespace {

constexpr std::array<std::string_view, 9> tensor = {"HMMA",  "IMMA",  "DMMA",  "BMMA", "QMMA",
                                                    "HGMMA", "IGMMA", "BGMMA", "QGMMA"};
constexpr std::array<std::string_view, 7> atomic = {"ATOM", "ATOMG",   "ATOMS",   "RED",
                                                    "REDG", "UBLKRED", "UTMAREDG"};

template <class Names>
bool is_one_of(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Whether an opcode has a modifier such as ".128": LDG.E.LTC128B.64 has .64 but not .128.
bool has_modifier(std::string_view opcode, std::string_view modifier) {
  for (std::size_t dot = opcode.find('.'); dot != std::string_view::npos;) {
    const std::size_t next = opcode.find('.', dot + 1);
    if (opcode.substr(dot + 1, next - dot - 1) == modifier) return true;
    dot = next;
  }
  return false;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// What follows `label` in "label : value" or "label = value"; empty for any other line.
std::string_view value_after(std::string_view text, std::string_view label) {
  return text.starts_with(label) ? trimmed(text.substr(label.size())) : std::string_view();
}

}  // namespace

void sass_counter::feed(std::string_view piece) {
  for (std::size_t end = piece.find('\n'); end != std::string_view::npos; end = piece.find('\n')) {
    if (rest_.empty()) {
      line(piece.substr(0, end));
    } else {
      rest_ += piece.substr(0, end);
      line(rest_);
      rest_.clear();
    }
    piece.remove_prefix(end + 1);
  }
  rest_ += piece;
}

const std::map<std::pair<std::string, std::string>, counts>& sass_counter::kernels() {
  if (!rest_.empty()) line(rest_);
  rest_.clear();
  return kernels_;
}

// The lines that matter:
//   arch = sm_90a
//   	code for sm_90a
//   		Function : _ZN…
//         /*0010*/              @!P0 LDG.E.128.CONSTANT R4, [R2.64] ;      /* 0x0000000402047981 */
void sass_counter::line(std::string_view text) {
  text = trimmed(text);
  if (const std::string_view arch = value_after(text, "arch ="); !arch.empty()) {
    architecture_ = arch;
    current_ = nullptr;
  } else if (const std::string_view code = value_after(text, "code for "); !code.empty()) {
    // It may omit the letter of sm_90a, which the previous line has.
    if (!architecture_.starts_with(code)) architecture_ = code;
    current_ = nullptr;
  } else if (const std::string_view function = value_after(text, "Function :"); !function.empty()) {
    // A template's kernel may be in several objects: the first one counts.
    const auto [found, is_new] = kernels_.try_emplace({std::string(function), architecture_});
    current_ = is_new ? &found->second : nullptr;
  } else if (current_ && text.starts_with("/*")) {
    const std::size_t end = text.find("*/");
    if (end == std::string_view::npos) return;
    std::string_view rest = trimmed(text.substr(end + 2));
    if (rest.starts_with("@")) {
      const std::size_t blank = rest.find(' ');
      rest = blank == std::string_view::npos ? std::string_view() : trimmed(rest.substr(blank));
    }
    instruction(rest.substr(0, rest.find_first_of(" ;")));
  }
}

void sass_counter::instruction(std::string_view opcode) {
  counts& here = *current_;
  const std::string_view name = opcode.substr(0, opcode.find('.'));
  if (is_one_of(tensor, name)) ++here["tensor_instructions"];
  if (is_one_of(atomic, name)) ++here["atomic_instructions"];
  if (name == "LDL" || name == "STL") ++here["local_memory_instructions"];
  if (name == "MUFU" && has_modifier(opcode, "EX2")) ++here["exponentials"];
  if (name == "LDG" || name == "STG") {
    const bool is_load = name == "LDG";
    const long bytes = has_modifier(opcode, "128") ? 16 : has_modifier(opcode, "64") ? 8 : 0;
    if (bytes == 16) ++here[is_load ? "vector_loads_128" : "vector_stores_128"];
    if (bytes > 0) here[is_load ? "vector_load_bytes" : "vector_store_bytes"] += bytes;
  }
}

}  // namespace ablate::gate
