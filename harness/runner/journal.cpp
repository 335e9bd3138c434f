#include "harness/runner/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/record/writer.h"
#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "base/text/new_file.h"
#include "base/text/text_file.h"

namespace ablate {
namespace {

using nlohmann::ordered_json;

bool has(const ordered_json& object, const char* key, ordered_json::value_t type) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() && found->type() == type;
}

bool holds_context(const ordered_json& line) { return has(line, "context", ordered_json::value_t::object); }

/// A key and an entry with a status.
bool holds_case(const ordered_json& line) {
  return has(line, "key", ordered_json::value_t::string) && line.contains("case") &&
         has(line["case"], "status", ordered_json::value_t::string);
}

bool holds_begin(const ordered_json& line) {
  if (!has(line, "begin", ordered_json::value_t::object)) return false;
  const ordered_json& begin = line["begin"];
  const auto all = [&](const char* key, const auto& holds) {
    return has(begin, key, ordered_json::value_t::array) &&
           std::all_of(begin[key].begin(), begin[key].end(), holds);
  };
  return has(begin, "identity", ordered_json::value_t::object) && all("planned", holds_case) &&
         all("again", [](const ordered_json& key) { return key.is_string(); });
}

void take_begin(ordered_json begin, journal_contents& contents) {
  contents.identity = std::move(begin["identity"]);
  contents.planned.assign(begin["planned"].begin(), begin["planned"].end());
  for (const ordered_json& key : begin["again"]) contents.entries.erase(key.get<std::string>());
}

void take_context(ordered_json line, journal_contents& contents) {
  const bool is_named = has(line, "specimen", ordered_json::value_t::string);
  contents.context = std::move(line["context"]);
  contents.contexts[is_named ? line["specimen"].get<std::string>() : ""] = contents.context;
}

bool holds_again(const ordered_json& line) {
  return has(line, "again", ordered_json::value_t::array) &&
         std::all_of(line["again"].begin(), line["again"].end(),
                     [](const ordered_json& key) { return key.is_string(); });
}

bool holds_neighbors(const ordered_json& line) {
  if (!has(line, "neighbors", ordered_json::value_t::object)) return false;
  const ordered_json& neighbors = line["neighbors"];
  return has(neighbors, "specimens", ordered_json::value_t::array) &&
         has(neighbors, "in_turns", ordered_json::value_t::boolean) &&
         std::all_of(neighbors["specimens"].begin(), neighbors["specimens"].end(),
                     [](const ordered_json& specimen) { return specimen.is_string(); });
}

bool holds_neighbors_at_end(const ordered_json& line) {
  return has(line, "neighbors_at_end", ordered_json::value_t::object) &&
         has(line["neighbors_at_end"], "specimen", ordered_json::value_t::string);
}

/// What lines of one journal say, and those of another one complete.
struct lines_read {
  journal_contents contents;
  ordered_json neighbors_at_end;
};

/// The newest end belongs to the newest beginning where it is of one of the same specimens: journals of
/// workers are read by name, not by time.
journal_contents completed(lines_read&& from) {
  ordered_json& begun = from.contents.neighbors;
  if (!begun.is_null() && !from.neighbors_at_end.is_null()) {
    const ordered_json& specimens = begun["specimens"];
    if (std::find(specimens.begin(), specimens.end(), from.neighbors_at_end["specimen"]) != specimens.end())
      begun["at_end"] = std::move(from.neighbors_at_end);
  }
  return std::move(from.contents);
}

void read_lines(const std::filesystem::path& path, lines_read& into) {
  journal_contents& contents = into.contents;
  std::ifstream file(path);
  if (!file) throw bad_input(path.string(), "", "expected a run's journal, cannot be read");
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty()) continue;
    auto json = reports::parse_json_line(line);
    if (!json) continue;  // truncated by a kill: its case runs again
    if (holds_context(*json))
      take_context(std::move(*json), contents);
    else if (holds_case(*json))
      contents.entries[(*json)["key"].get<std::string>()] = std::move((*json)["case"]);
    else if (holds_neighbors(*json))
      contents.neighbors = std::move((*json)["neighbors"]);
    else if (holds_neighbors_at_end(*json))
      into.neighbors_at_end = std::move((*json)["neighbors_at_end"]);
    else if (holds_begin(*json))
      take_begin(std::move((*json)["begin"]), contents);
    else if (holds_again(*json))
      for (const ordered_json& key : (*json)["again"]) contents.entries.erase(key.get<std::string>());
    else
      throw bad_input(path.string(), fmt::format("line {}", number), "expected a line of a run's journal");
  }
}

/// "journal.GPU-….jsonl" beside "journal.jsonl", by name.
std::vector<std::filesystem::path> worker_journals(const std::filesystem::path& journal) {
  const std::string stem = journal.stem().string() + ".", extension = journal.extension().string();
  std::vector<std::filesystem::path> out;
  std::error_code unreadable;
  const std::filesystem::path folder = journal.has_parent_path() ? journal.parent_path() : ".";
  for (const auto& file : std::filesystem::directory_iterator(folder, unreadable)) {
    const std::string name = file.path().filename().string();
    if (name.starts_with(stem) && name.size() > stem.size() + extension.size() && name.ends_with(extension))
      out.push_back(journal.parent_path() / name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// Opens a journal for appending, and locks it.
int opened_alone(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0)
    throw bad_input(path.string(), "", fmt::format("cannot be written: {}", std::strerror(errno)));
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    close(file);
    throw bad_input(path.string(), "",
                    "another run is writing here; expected a directory of this run's own (--out)");
  }
  return file;
}

/// The whole lines of a file.
std::string lines_of(const std::filesystem::path& path) {
  std::string text = reports::read_text_file(path);
  const std::size_t end = text.rfind('\n');
  text.resize(end == std::string::npos ? 0 : end + 1);
  return text;
}

}  // namespace

std::size_t journal_contents::ended_cases() const {
  return static_cast<std::size_t>(
      std::count_if(planned.begin(), planned.end(), [&](const ordered_json& planned_case) {
        return entries.contains(planned_case.at("key").get<std::string>());
      }));
}

std::string specimen_in(const ordered_json& entry, const std::string& otherwise) {
  return has(entry, "specimen", ordered_json::value_t::string) ? entry["specimen"].get<std::string>()
                                                               : otherwise;
}

journal_contents read_journal(const std::filesystem::path& path) {
  lines_read all;
  read_lines(path, all);
  for (const std::filesystem::path& worker : worker_journals(path)) {
    // The run that took it in removed it.
    if (!std::filesystem::exists(worker)) continue;
    read_lines(worker, all);
  }
  return completed(std::move(all));
}

std::filesystem::path worker_journal(const std::filesystem::path& journal, const std::string& specimen) {
  std::string name = specimen;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && !std::strchr("-_.#", c)) c = '_';
  return journal.parent_path() /
         fmt::format("{}.{}{}", journal.stem().string(), name, journal.extension().string());
}

journal::journal(const std::filesystem::path& path) : path_(path), file_(opened_alone(path)) {
  // A line truncated by a kill would run into the next one.
  const off_t size = lseek(file_, 0, SEEK_END);
  char last = '\n';
  if (size > 0 && pread(file_, &last, 1, size - 1) == 1 && last != '\n') write_whole("\n");
}

journal::~journal() { close(file_); }

void journal::clear() {
  if (ftruncate(file_, 0) != 0) throw bad_input(path_.string(), "", "cannot be emptied");
}

void journal::take_in_workers() {
  for (const std::filesystem::path& worker : worker_journals(path_)) take_in(worker, {});
}

void journal::take_in_worker(const std::string& specimen, const std::set<std::string>& again) {
  take_in(worker_journal(path_, specimen), again);
}

void journal::take_in(const std::filesystem::path& worker, const std::set<std::string>& again) {
  const journal alone(worker);
  std::string text = lines_of(worker);
  if (!again.empty()) text += reports::json_text(ordered_json{{"again", again}}) + "\n";
  // Killed before the removal, the lines are there twice, which is the same.
  if (!text.empty()) write_whole(text);
  std::filesystem::remove(worker);
}

void journal::append(const ordered_json& line) {
  // Bytes that are not UTF-8, in a file name say, become U+FFFD.
  write_whole(reports::json_text(line) + "\n");
}

void journal::write_whole(const std::string& text) { reports::append_whole(file_, path_, text); }

void journal::write_begin(const ordered_json& identity, const ordered_json& planned,
                          const std::set<std::string>& again) {
  append(ordered_json{{"begin", {{"identity", identity}, {"planned", planned}, {"again", again}}}});
}

void journal::write_context(const ordered_json& context, const std::string& specimen) {
  append(ordered_json{{"specimen", specimen}, {"context", context}});
}

void journal::write_neighbors(const ordered_json& neighbors) {
  append(ordered_json{{"neighbors", neighbors}});
}

void journal::write_neighbors_at_end(const ordered_json& neighbors) {
  append(ordered_json{{"neighbors_at_end", neighbors}});
}

void journal::write_case(const std::string& key, const ordered_json& entry) {
  require_finite(entry, key);
  append(ordered_json{{"key", key}, {"case", entry}});
}

}  // namespace ablate
