#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ablate::reports {

/// Four significant digits: 5.120, 51.20, 512.0, 5120.
std::string significant(double);
/// The number of decimals that this takes: 3, 2, 1, 0; never more than 6.
int significant_decimals(double);
/// An integer as is, any other number with four significant digits.
std::string plain(double);
/// With an SI prefix and three significant digits: "25.6 G", "980 ", "4.27 T". Followed by a unit: "25.6
/// Gpoints/s".
std::string with_prefix(double);

/// Lower case, everything outside [a-z0-9._] a hyphen: for file names.
std::string slug(std::string_view);

/// Of UTF-8, not its bytes.
std::size_t characters(std::string_view);

/// "a, b, c".
std::string joined(const std::vector<std::string>& words, const char* between = ", ");

/// A Markdown table row; escapes what would break it.
std::string table_row(const std::vector<std::string>& cells);
/// The header and its rule; all columns after the first `left` are right-aligned.
std::string table_header(const std::vector<std::string>& cells, std::size_t left);

/// Rows for a terminal: columns padded to their widest cell, two spaces between them. Rows may be of
/// different lengths.
std::string columns(const std::vector<std::vector<std::string>>& rows, std::string_view indent = "");

/// A kernel's demangled name without its return type and parameters.
std::string short_kernel_name(const std::string& demangled);

}  // namespace ablate::reports
