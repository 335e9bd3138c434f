#include "harness/wrapped/json_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <system_error>

namespace ablate::wrapped {

namespace fs = std::filesystem;

std::string case_word(const json_place& at) {
  const std::string word = at.text();
  if (!is_case_id_word(word))
    at.refuse(fmt::format("'{}' is not allowed in a case id; expected letters, digits and _.=+-", word));
  return word;
}

expression expression_at(const json_place& at, const std::vector<std::string>& axes) {
  if (at.json().is_number_integer()) return expression::constant(at.json().get<std::int64_t>());
  if (!at.json().is_string()) at.refuse_value("an integer, or an expression of axes");
  try {
    expression read(at.text(), axes);
    if (read.is_constant()) read.at({});  // says why there is no value
    return read;
  } catch (const expression_error& why) {
    at.refuse(why.what());
  }
}

fs::path file_at(const json_place& at, const fs::path& folder) {
  const fs::path path = folder / at.text();
  std::error_code error;
  if (!fs::exists(path, error)) at.refuse(fmt::format("expected a file; there is no {}", path.string()));
  if (fs::is_directory(path, error))
    at.refuse(fmt::format("expected a file; {} is a directory", path.string()));
  return path;
}

path_pattern::path_pattern(const json_place& at, fs::path folder, const std::vector<axis>& axes)
    : text_(at.text()), folder_(std::move(folder)) {
  for (std::size_t open = text_.find('{'); open != std::string::npos; open = text_.find('{', open + 1)) {
    const std::size_t close = text_.find('}', open);
    const std::string name = close == std::string::npos ? "" : text_.substr(open + 1, close - open - 1);
    if (std::ranges::find(axes, name, &axis::name) == axes.end())
      at.refuse(fmt::format("'{}': expected the name of an axis in braces", text_));
  }
}

fs::path path_pattern::at(const axis_values& axes) const {
  std::string out = text_;
  for (const auto& [name, value] : axes)
    for (std::size_t found; (found = out.find("{" + name + "}")) != std::string::npos;)
      out.replace(found, name.size() + 2, value);
  return folder_ / out;
}

}  // namespace ablate::wrapped
