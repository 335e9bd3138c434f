#include "harness/cli/record_files.h"

#include <algorithm>
#include <system_error>

#include "base/record/record_file.h"
#include "base/text/bad_input.h"

namespace ablate {

namespace {

std::vector<std::filesystem::path> records_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (reports::holds_record(entry.path()))
      out.push_back(reports::file_of_record(entry.path() / "record.json"));
  if (out.empty())
    throw bad_input(folder.string(), "", "expected a record.json in it, or in directories below it");
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

std::vector<std::filesystem::path> files_of_collections(const std::vector<std::string>& given) {
  std::vector<std::filesystem::path> out;
  for (const std::filesystem::path path : given) {
    std::error_code error;
    const bool is_folder = std::filesystem::is_directory(path, error);
    if (is_folder && !reports::holds_record(path)) {
      const auto records = records_in(path);
      out.insert(out.end(), records.begin(), records.end());
    } else {
      out.push_back(reports::file_of_record(is_folder ? path / "record.json" : path));
    }
  }
  return out;
}

std::vector<collected_record> launches_of_collections(const std::vector<std::string>& given) {
  std::vector<collected_record> out;
  for (const std::string& path : given) {
    std::error_code error;
    const bool is_folder = std::filesystem::is_directory(path, error);
    for (const std::filesystem::path& record : files_of_collections({path})) {
      collected_record& of = out.emplace_back(collected_record{record, {}});
      if (is_folder) of.further = reports::further_launches_in(record.parent_path());
    }
  }
  return out;
}

std::vector<std::filesystem::path> files_of_records(const std::vector<std::string>& given) {
  std::vector<std::filesystem::path> out;
  for (const std::filesystem::path path : given) {
    std::error_code error;
    out.push_back(
        reports::file_of_record(std::filesystem::is_directory(path, error) ? path / "record.json" : path));
  }
  return out;
}

std::vector<std::filesystem::path> files_of_launches(const std::vector<std::string>& given) {
  std::vector<std::filesystem::path> out;
  for (const std::filesystem::path path : given) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      out.push_back(reports::file_of_record(path));
      continue;
    }
    out.push_back(reports::file_of_record(path / "record.json"));
    const auto further = reports::further_launches_in(path);
    out.insert(out.end(), further.begin(), further.end());
  }
  return out;
}

}  // namespace ablate
