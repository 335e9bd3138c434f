#include "harness/cli/affected_cases.h"

#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <stdexcept>

#include "base/process/child_process.h"
#include "base/text/bad_input.h"
#include "harness/cli/scratch_file.h"

namespace ablate {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string begin(4, '\0');
  return in.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin ==
                                                                                  "\x7f"
                                                                                  "ELF";
}

/// A program while it describes its launches, or a file where it did so.
class description {
 public:
  description(const fs::path& from, const compared_builds& of, bool with_inputs, const char* option) {
    std::error_code error;
    if (!fs::is_regular_file(from, error))
      throw bad_input(option, "", fmt::format("there is no program '{}'", from.string()));
    if (!is_program(from)) {
      file_ = from;
      return;
    }
    file_ = made_.path();
    // A bare name would be looked up in PATH.
    name_ = (from.has_parent_path() ? from : fs::path(".") / from).string();
    std::vector<std::string> words = {name_,   "static",       "launches", of.suite.string(),
                                      "--out", file_.string(), "--chip",   of.chip};
    if (!of.filter.empty()) words.insert(words.end(), {"--filter", of.filter});
    for (const std::string& folder : of.data) words.insert(words.end(), {"--data", folder});
    if (with_inputs) words.push_back("--inputs");
    running_ = std::make_unique<process::child_process>(process::command{
        .argv = std::move(words), .on_output = [this](std::string_view text) { said_ += text; }});
  }

  gate::program_launches read() {
    if (running_)
      if (const process::ending ended = running_->wait(); ended.exit_code != 0)
        throw std::runtime_error(fmt::format("{} does not list its launches ({}){}", name_, ended.text(),
                                             said_.empty() ? "" : ": " + said_.substr(0, said_.find('\n'))));
    return gate::read_program_launches(file_);
  }

 private:
  scratch_file made_;
  fs::path file_;
  std::string name_, said_;
  std::unique_ptr<process::child_process> running_;
};

gate::affected compare(const compared_builds& of, bool with_inputs, bool& same_sources) {
  // Both at once: each takes a core.
  description baseline(of.baseline, of, with_inputs, "--baseline");
  description candidate(of.candidate, of, with_inputs, "--candidate");
  const gate::program_launches before = baseline.read(), after = candidate.read();
  same_sources = before.source_hash == after.source_hash;
  return gate::affected_by(before, after);
}

}  // namespace

gate::affected affected_cases(const compared_builds& of) {
  bool same_sources = false;
  gate::affected first = compare(of, false, same_sources);
  const bool all_in = first.affected_count() == first.cases.size();
  if (same_sources || all_in || !is_program(of.baseline) || !is_program(of.candidate)) return first;
  return compare(of, true, same_sources);
}

}  // namespace ablate
