#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ablate::reports {

/// The folder of render.mjs and its packages: ABLATE_REPORTS_DIR from the environment, or else the one in
/// process::data_directory().
std::filesystem::path renderer_directory();

/// Draws each `NAME.vl.json` as `out/NAME.svg`, all in one node process. Returns nothing, or one line saying
/// why plots are missing and what to do about it. Throws bad_input if one does not fit into the width that
/// its specification requests.
std::optional<std::string> render_svg(const std::vector<std::filesystem::path>& specifications,
                                      const std::filesystem::path& out);

/// Chromium or a similar browser in PATH, or nothing.
std::optional<std::filesystem::path> find_browser();

}  // namespace ablate::reports
