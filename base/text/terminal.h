#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ablate::reports {

/// How text is laid out for whoever reads it.
struct terminal {
  std::size_t width = 0;  ///< in columns; 0: as wide as the text is, for files and pipes
  bool color = false;
};

/// Of standard output. The width is that of the environment variable COLUMNS or else of the terminal; color
/// is for a terminal, unless NO_COLOR is set or TERM is "dumb".
terminal standard_output();
terminal standard_error();

enum class ink { plain, strong, good, bad, doubtful, faint };

/// With escapes around it, if the terminal has color and the ink is not plain.
std::string painted(std::string_view text, ink, const terminal&);

struct terminal_cell {
  std::string text;
  reports::ink ink = reports::ink::plain;
};

struct table_layout {
  std::vector<std::size_t> right = {};  ///< columns aligned at their right edge, numbers mostly
  std::vector<std::size_t> wrap = {};   ///< columns whose cells a narrow terminal wraps
  std::string_view indent = {};
};

/// Rows for a terminal, two spaces between columns; rows may have different lengths. Where they are wider
/// than the terminal, the columns that may wrap share what is left, 12 characters at least.
std::string laid_out(const std::vector<std::vector<terminal_cell>>& rows, const table_layout&,
                     const terminal&);

/// Text broken at spaces into lines of at most the terminal's width, all but the first indented.
std::string wrapped(const std::string& text, const terminal&, std::string_view indent = "");

/// At most so many characters: the last of them is "…" if some were cut.
std::string cut_to(const std::string& text, std::size_t width);

}  // namespace ablate::reports
