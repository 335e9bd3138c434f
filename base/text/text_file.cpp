#include "base/text/text_file.h"

#include <array>
#include <cstdio>
#include <memory>

#include "base/text/bad_input.h"
#include "base/text/new_file.h"

namespace ablate::reports {

std::string read_text_file(const std::filesystem::path& path) {
  const auto fail = [&] { throw bad_input(path.string(), "", "expected a readable file"); };
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw bad_input(path.string(), "", "expected a file, found a directory");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (!in) fail();
  std::string text;
  for (std::array<char, 1 << 16> piece;;) {
    const std::size_t read = std::fread(piece.data(), 1, piece.size(), in.get());
    text.append(piece.data(), read);
    if (read < piece.size()) break;
  }
  if (std::ferror(in.get())) fail();
  return text;
}

void write_text_file(const std::filesystem::path& path, const std::string& text) {
  new_file file(path);
  file.write(text);
  file.keep();
}

}  // namespace ablate::reports
