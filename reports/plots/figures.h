#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reports/plots/paper_format.h"
#include "reports/plots/plots.h"

namespace ablate::reports {

/// The first of these names that is none of a plot; nothing if each is. Names as below.
std::optional<std::string> unknown_figure(const std::vector<const plot*>& all,
                                          const std::vector<std::string>& names);

/// The plots with these names, in the order of `all`; a name may contain `*` for any characters, and "all" is
/// every plot. Throws bad_input for an unknown name, with the nearest one.
std::vector<const plot*> plots_named(const std::vector<const plot*>& all,
                                     const std::vector<std::string>& names);

/// Refuses figures that are not of variants, or that show others than these (as those of a whole question),
/// and variants that none of the figures shows. Throws bad_input.
void check_variants(const std::vector<const plot*>&, const std::vector<std::string>& chosen);

/// Draws each plot as out/NAME.svg, plus NAME.pdf and NAME.png (300 dots per inch) by rsvg-convert or,
/// without it, by Chromium. Returns one line saying why there is neither, or that they have another font than
/// was asked for, since it is not installed, or nothing. Throws bad_input if one does not fit into the width,
/// std::runtime_error if the SVG cannot be drawn.
std::optional<std::string> draw_figures(const std::vector<const plot*>&, const paper_format&,
                                        const std::filesystem::path& out);

}  // namespace ablate::reports
