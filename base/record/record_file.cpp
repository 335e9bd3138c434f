#include "base/record/record_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>

#include "base/process/child_process.h"
#include "base/process/find_program.h"
#include "base/record/combined_counters.h"
#include "base/record/upgrade.h"
#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "base/text/text_file.h"

namespace ablate::reports {

using nlohmann::ordered_json;

namespace {

constexpr std::string_view magic_of_xz(
    "\xfd"
    "7zXZ\0",
    6);

struct too_much {};

/// Where there is nothing in PATH, the place where systems have it.
std::string xz() { return process::find_program("xz").value_or("/usr/bin/xz").string(); }

/// What xz says of a file that it does not take, without its own name and the file's.
std::string reason_of(const std::filesystem::path& path) {
  std::string output = process::run({xz(), "-t", "-q", "--", path.string()}).output;
  output.erase(output.find_last_not_of('\n') + 1);
  const auto last = output.rfind(": ");
  return last == std::string::npos ? "no reason" : output.substr(last + 2);
}

std::string expanded(const std::filesystem::path& path) {
  std::string text;
  try {
    // -q twice: messages would mix with the text.
    process::command unpacking{.argv = {xz(), "-d", "-c", "-q", "-q", "--", path.string()}};
    unpacking.on_output = [&](std::string_view piece) {
      if (text.size() + piece.size() > max_record_bytes) throw too_much{};
      text += piece;
    };
    process::child_process child(std::move(unpacking));
    if (child.wait().exit_code == 0) return text;
    throw bad_input(
        path.string(), fmt::format("byte {} of its text", text.size()),
        fmt::format("expected a whole file as xz writes it; xz says: {}. Fetch or compress it again",
                    reason_of(path)));
  } catch (const too_much&) {
    throw bad_input(path.string(), fmt::format("byte {} of its text", max_record_bytes),
                    "expected the end of a record, found more; such a file is no record");
  } catch (const std::system_error& missing) {
    throw bad_input(path.string(), "",
                    fmt::format("expected the program xz, which reads it: {}. Install xz-utils, or give the "
                                "record as plain JSON",
                                missing.code().message()));
  }
}

bool has_benchmarks(const ordered_json& record) {
  return record.is_object() && record.contains("benchmarks") && record["benchmarks"].is_array();
}

}  // namespace

std::filesystem::path file_of_record(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error)) return path;
  std::filesystem::path compressed = path;
  compressed += ".xz";
  return std::filesystem::exists(compressed, error) ? compressed : path;
}

bool holds_record(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::exists(file_of_record(folder / "record.json"), error);
}

std::vector<std::filesystem::path> further_launches_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> out;
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) return out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("record-") && (name.ends_with(".json") || name.ends_with(".json.xz")))
      out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

ordered_json parse_record_as_written(const std::filesystem::path& given) {
  const std::filesystem::path path = file_of_record(given);
  std::string text = read_text_file(path);
  if (text.starts_with(magic_of_xz)) text = expanded(path);
  ordered_json record = parse_json(text, path.string());
  upgrade(record, path.string());
  return record;
}

ordered_json parse_record_file(const std::filesystem::path& path) {
  ordered_json record = parse_record_as_written(path);
  if (!has_benchmarks(record)) return record;
  for (ordered_json& entry : record["benchmarks"])
    if (entry.is_object()) combine_counters(entry);
  return record;
}

}  // namespace ablate::reports
