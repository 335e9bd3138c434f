#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ablate::reports {

/// A Markdown document that holds no HTML and no script, whoever wrote the names and texts in it: outside of
/// code, `<` becomes an entity unless it begins one of our own tags (details, summary), a link keeps only a
/// relative or http target, and a backtick that opens no code is escaped.
std::string safe_markdown(std::string_view document);

/// Writes such a document; throws as write_text_file does.
void write_markdown_file(const std::filesystem::path&, std::string_view document);

}  // namespace ablate::reports
