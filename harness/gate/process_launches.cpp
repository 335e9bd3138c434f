#include <fmt/format.h>

#include <fstream>
#include <map>
#include <string_view>
#include <system_error>

#include "base/text/bad_input.h"
#include "harness/gate/interruptible.h"
#include "harness/gate/launch_source.h"
#include "harness/gate/tool_failure.h"

namespace ablate::gate {
namespace {

namespace fs = std::filesystem;

constexpr int bad_usage = 2, wrong_result = 3, nothing_measured = 4, case_failed = 75, was_interrupted = 130;

/// The first GPU by its number: without one, `run` falls back to host references, which a gate never wants
/// unless asked, and which take minutes.
constexpr const char* first_gpu = "0";

std::string last_line(const fs::path& log) {
  std::ifstream in(log);
  std::string last;
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) last = line;
  return last;
}

class process_launches final : public launch_source {
 public:
  process_launches(fs::path program, launch_options options)
      : program_(std::move(program)), options_(std::move(options)) {
    // A bare name would be looked up in PATH.
    if (!program_.has_parent_path()) program_ = fs::path(".") / program_;
  }

  std::optional<record> check(const std::string& label, const std::vector<std::string>& only) override {
    std::vector<std::string> words = words_for(label);
    if (!options_.filter.empty()) add(words, {"--filter", options_.filter});
    if (!options_.counters.empty()) add(words, {"--counters", options_.counters});
    add(words, {"--ceilings"});
    add(words, options_.ceilings.empty() ? std::vector<std::string>{"none"} : options_.ceilings);
    if (!only.empty()) {
      add(words, {"--only"});
      add(words, known_to_program(only));
    }
    if (options_.resume) add(words, {"--resume"});
    return run(label, words);
  }

  launch take(const launch_order& order) override {
    std::vector<std::string> words = words_for(order.label);
    add(words, {"--unchecked", "--order-seed", std::to_string(order.order_seed)});
    add(words, options_.launch_words);
    add(words, {"--only"});
    add(words, known_to_program(order.cases));
    return launch_of(run(order.label, words));
  }

  std::optional<record> any() override { return std::nullopt; }
  bool is_recorded() const override { return false; }

 private:
  /// A program of before knows its cases by its own names alone.
  std::vector<std::string> known_to_program(std::vector<std::string> cases) const {
    for (std::string& name : cases)
      if (const auto written = written_names_.find(name); written != written_names_.end())
        name = written->second;
    return cases;
  }

  static void add(std::vector<std::string>& words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
  }

  std::vector<std::string> words_for(const std::string& label) const {
    std::vector<std::string> words = {program_.string(),
                                      "run",
                                      options_.suite.string(),
                                      "--out",
                                      (options_.out / label).string(),
                                      "--samples",
                                      std::to_string(options_.samples)};
    add(words, {"--device", options_.device.empty() ? first_gpu : options_.device});
    if (!options_.seed.empty()) add(words, {"--seed", options_.seed});
    for (const std::string& directory : options_.data) add(words, {"--data", directory});
    return words;
  }

  record run(const std::string& label, const std::vector<std::string>& words) {
    const fs::path folder = options_.out / label;
    fs::create_directories(folder);
    fs::remove(folder / "record.json");  // from an earlier launch: it must not pass for this one
    // Of what an interrupted gate left behind, only a check is resumed, never a timed launch.
    if (!options_.resume || !label.ends_with("-check")) fs::remove(folder / "journal.jsonl");
    const process::ending ended = launched(words, folder / "log.txt");
    const auto code = ended.exit_code;
    if (code == was_interrupted) throw interrupted("a launch was interrupted");
    if (code == bad_usage && options_.device.empty()) expect_gpu(last_line(folder / "log.txt"));
    if (code != 0 && code != wrong_result && code != nothing_measured && code != case_failed)
      fail(folder, ended, code == bad_usage ? " (it cannot run the suite, or is too old for a gate)" : "");
    try {
      const record made = read_record(folder / "record.json");
      written_names_.insert(made.written_names.begin(), made.written_names.end());
      // The record has all of it, and only checks are resumed.
      if (!label.ends_with("-check")) fs::remove(folder / "journal.jsonl");
      return made;
    } catch (const bad_input& unreadable) {
      fail(folder, ended, fmt::format(" and no record ({})", unreadable.what()));
    }
  }

  /// Throws if this is how `run --device 0` says that there is no GPU.
  static void expect_gpu(const std::string& message) {
    constexpr std::string_view start = "there is no GPU (", end = "); expected 'host'";
    const std::size_t at = message.find(start);
    if (at == std::string::npos || !message.ends_with(end)) return;
    const std::size_t from = at + start.size();
    throw no_gpu(
        fmt::format("there is no GPU: {}; --device host judges host references, which say nothing about "
                    "kernels",
                    message.substr(from, message.size() - end.size() - from)));
  }

  static process::ending launched(const std::vector<std::string>& words, const fs::path& log) try {
    return run_to_its_end({.argv = words, .out = log, .error = log});
  } catch (const std::system_error& not_started) {
    throw tool_failure(not_started.what());
  }

  [[noreturn]] void fail(const fs::path& folder, const process::ending& ended,
                         const std::string& what_else) const {
    throw tool_failure(fmt::format("{} {}{}: {}", program_.string(), ended.text(), what_else,
                                   last_line(folder / "log.txt")));
  }

  fs::path program_;
  launch_options options_;
  std::map<std::string, std::string> written_names_;  ///< in its records, by today's names
};

}  // namespace

std::unique_ptr<launch_source> launches_of_program(const fs::path& program, launch_options options) {
  return std::make_unique<process_launches>(program, std::move(options));
}

}  // namespace ablate::gate
