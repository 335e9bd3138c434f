#include "harness/runner/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "reports/bad_input.h"
#include "reports/json_text.h"

namespace ablate {
namespace {

using nlohmann::ordered_json;

bool holds_context(const ordered_json& line) {
  const auto context = line.find("context");
  return context != line.end() && context->is_object();
}

bool holds_case(const ordered_json& line) {
  const auto key = line.find("key"), entry = line.find("case");
  if (key == line.end() || !key->is_string() || entry == line.end()) return false;
  const auto status = entry->find("status");
  return status != entry->end() && status->is_string();
}

}  // namespace

journal::journal(const std::filesystem::path& path, bool keep) : path_(path) {
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0)
    throw bad_input(path.string(), "", fmt::format("cannot be written: {}", std::strerror(errno)));
  if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
    close(file_);
    throw bad_input(path.string(), "",
                    "another run is writing here; expected a directory of this run's own (--out)");
  }
  if (!keep && ftruncate(file_, 0) != 0) throw bad_input(path.string(), "", "cannot be emptied");
  if (keep) {
    // What a kill left of a line would run into the next one.
    const off_t size = lseek(file_, 0, SEEK_END);
    char last = '\n';
    if (size > 0 && pread(file_, &last, 1, size - 1) == 1 && last != '\n') append(nullptr);
  }
}

journal::~journal() { close(file_); }

void journal::append(const nlohmann::ordered_json& line) {
  const std::string text = (line.is_null() ? std::string() : line.dump()) + "\n";
  // One write a line: O_APPEND makes it whole, or cut short by a kill, never mixed with another.
  if (write(file_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw std::runtime_error(fmt::format("{}: cannot be written: {}", path_.string(), std::strerror(errno)));
}

void journal::write_context(const nlohmann::ordered_json& context) { append({{"context", context}}); }

void journal::write_case(const std::string& key, const nlohmann::ordered_json& entry) {
  append({{"key", key}, {"case", entry}});
}

journal_contents journal::read() const {
  journal_contents contents;
  std::ifstream file(path_);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty()) continue;
    auto json = reports::parse_json_line(line);
    if (!json) continue;  // a kill cut it short: its case runs again
    if (holds_context(*json))
      contents.context = std::move((*json)["context"]);
    else if (holds_case(*json))
      contents.entries[(*json)["key"].get<std::string>()] = std::move((*json)["case"]);
    else
      throw bad_input(path_.string(), fmt::format("line {}", number), "expected a line of a run's journal");
  }
  return contents;
}

}  // namespace ablate
