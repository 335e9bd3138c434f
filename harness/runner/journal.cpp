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
#include <utility>

#include "base/record/case_json.h"
#include "base/record/fields.h"
#include "base/record/writer.h"
#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "base/text/new_file.h"
#include "base/text/text_file.h"

namespace ablate {
namespace {

using nlohmann::ordered_json;
using reports::json_place;

struct any_object : fields::foreign {
  static void read(const json_place& at, ordered_json& to) {
    if (!at.json().is_object()) at.refuse_value("an object");
    to = at.json();
  }
};

/// An entry of whatever version.
struct any_entry : fields::foreign {
  static void read(const json_place& at, ordered_json& to) {
    at.at("status").text();
    if (const auto specimen = at.find("specimen")) specimen->text();
    to = at.json();
  }
};

}  // namespace

template <class List, fields::part_of<planned_entry> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("key", of.key, text());
  list.required("case", of.is, any_entry());
  list.optional("replica", of.replica, count_from_1());
}

namespace {

struct begun_run {
  ordered_json identity;
  std::vector<planned_entry> planned;
  std::vector<std::string> again;
};

/// A line of a journal holds one thing: a begun run, a context with its specimen, a case with its key, the
/// influence of neighbors, or keys of cases that no longer count.
struct journal_line {
  std::optional<begun_run> begin = {};
  std::optional<std::string> specimen = {};
  std::optional<ordered_json> context = {};
  std::optional<std::string> key = {};
  std::optional<ordered_json> ended = {};
  std::optional<neighbor_facts> neighbors = {};
  std::optional<neighbor_facts::ending> neighbors_at_end = {};
  std::optional<std::vector<std::string>> again = {};

  bool holds_something() const {
    return begin || context || (key && ended) || neighbors || neighbors_at_end || again;
  }
};

template <class List, fields::part_of<begun_run> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("identity", of.identity, any_object());
  list.required("planned", of.planned, list_of(object()));
  list.required("again", of.again, list_of(text()));
}

template <class List, fields::part_of<journal_line> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.optional("begin", of.begin, object());
  list.optional("specimen", of.specimen, text());
  list.optional("context", of.context, any_object());
  list.optional("key", of.key, text());
  list.optional("case", of.ended, any_entry());
  list.optional("neighbors", of.neighbors, apart());
  list.optional("neighbors_at_end", of.neighbors_at_end, apart());
  list.optional("again", of.again, list_of(text()));
}

std::string journal_text(const journal_line& line) {
  // Bytes that are not UTF-8, in a file name say, become U+FFFD.
  return reports::json_text(fields::object::write(line)) + "\n";
}

/// Nothing for what no run writes.
std::optional<journal_line> journal_line_of(const ordered_json& json) {
  try {
    journal_line out;
    fields::object::read(json_place(json, ""), out);
    return out.holds_something() ? std::optional(std::move(out)) : std::nullopt;
  } catch (const bad_input&) {
    return std::nullopt;
  }
}

/// What lines of one journal say, and those of another one complete.
struct lines_read {
  journal_contents contents;
  std::optional<neighbor_facts::ending> neighbors_at_end;
};

void take_line(journal_line line, lines_read& into) {
  journal_contents& to = into.contents;
  if (line.begin) {
    to.identity = std::move(line.begin->identity);
    to.planned = std::move(line.begin->planned);
    line.again = std::move(line.begin->again);
  }
  if (line.again)
    for (const std::string& key : *line.again) to.entries.erase(key);
  if (line.context) to.contexts[line.specimen.value_or("")] = to.context = std::move(*line.context);
  if (line.key && line.ended) to.entries[*line.key] = std::move(*line.ended);
  if (line.neighbors) to.neighbors = std::move(line.neighbors);
  if (line.neighbors_at_end) into.neighbors_at_end = std::move(line.neighbors_at_end);
}

/// The newest end belongs to the newest beginning where it is of one of the same specimens: journals of
/// workers are read by name, not by time.
journal_contents completed(lines_read&& from) {
  std::optional<neighbor_facts>& begun = from.contents.neighbors;
  if (begun && from.neighbors_at_end && std::ranges::count(begun->specimens, from.neighbors_at_end->specimen))
    begun->at_end = std::move(from.neighbors_at_end);
  return std::move(from.contents);
}

void read_lines(const std::filesystem::path& path, lines_read& into) {
  std::ifstream file(path);
  if (!file) throw bad_input(path.string(), "", "expected a run's journal, cannot be read");
  int number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    if (text.empty()) continue;
    const auto json = reports::parse_json_line(text);
    if (!json) continue;  // truncated by a kill: its case runs again
    auto line = journal_line_of(*json);
    if (!line)
      throw bad_input(path.string(), fmt::format("line {}", number), "expected a line of a run's journal");
    take_line(std::move(*line), into);
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
      std::ranges::count_if(planned, [&](const planned_entry& one) { return entries.contains(one.key); }));
}

std::string specimen_in(const ordered_json& entry, const std::string& otherwise) {
  return entry.value("specimen", otherwise);
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
  if (!again.empty()) text += journal_text({.again = std::vector<std::string>(again.begin(), again.end())});
  // Killed before the removal, the lines are there twice, which is the same.
  if (!text.empty()) write_whole(text);
  std::filesystem::remove(worker);
}

void journal::write_whole(const std::string& text) { reports::append_whole(file_, path_, text); }

void journal::write_begin(const ordered_json& identity, const std::vector<planned_entry>& planned,
                          const std::set<std::string>& again) {
  write_whole(journal_text({.begin = begun_run{identity, planned, {again.begin(), again.end()}}}));
}

void journal::write_context(const record& of) {
  write_whole(journal_text({.specimen = of.specimen, .context = context_json(of)}));
}

void journal::write_neighbors(const neighbor_facts& of) { write_whole(journal_text({.neighbors = of})); }

void journal::write_neighbors_at_end(const neighbor_facts::ending& of) {
  write_whole(journal_text({.neighbors_at_end = of}));
}

void journal::write_case(const std::string& key, const case_entry& of) {
  const ordered_json entry = to_json(of);
  require_finite(entry, key);
  write_whole(journal_text({.key = key, .ended = entry}));
}

}  // namespace ablate
