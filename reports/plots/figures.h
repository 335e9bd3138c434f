#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reports/plots/plots.h"

namespace ablate::reports {

/// The plots whose names are given, in the order of `all`; a name may hold `*` for any characters, and "all"
/// is every plot. Throws bad_input for one that is none, with the nearest.
std::vector<const plot*> plots_named(const std::vector<const plot*>& all,
                                     const std::vector<std::string>& names);

/// Draws out/NAME.svg of each, and by rsvg-convert or, where that is not, by Chromium NAME.pdf and NAME.png,
/// 300 points an inch. Returns in one line why there is neither, or nothing. Throws std::runtime_error where
/// the SVG cannot be drawn.
std::optional<std::string> draw_figures(const std::vector<const plot*>&, const std::filesystem::path& out);

}  // namespace ablate::reports
