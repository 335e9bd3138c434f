#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/process/data_directory.h"
#include "base/text/json_text.h"
#include "base/text/markdown_text.h"
#include "base/text/text_file.h"
#include "harness/cli/record_files.h"

/// What commands read and write that hold a method against records: `dev predict-check`, `dev search-check`.
namespace ablate {

/// The given records, or all of results/*.
inline std::vector<std::filesystem::path> files_to_check(const std::vector<std::string>& given) {
  if (!given.empty()) return files_of_collections(given);
  std::vector<std::string> folders;
  for (const auto& chip : std::filesystem::directory_iterator(process::data_directory() / "results"))
    if (chip.is_directory()) folders.push_back(chip.path().string());
  std::sort(folders.begin(), folders.end());
  return files_of_collections(folders);
}

/// NAME.json and NAME.md in `folder`; without a folder, prints the Markdown.
inline void write_or_print_check(const std::filesystem::path& folder, const std::string& name,
                                 const nlohmann::ordered_json& json, const std::string& markdown) {
  if (folder.empty()) {
    fmt::print("{}", markdown);
    return;
  }
  reports::write_text_file(folder / (name + ".json"), reports::json_text(json, 1) + "\n");
  reports::write_markdown_file(folder / (name + ".md"), markdown);
}

}  // namespace ablate
