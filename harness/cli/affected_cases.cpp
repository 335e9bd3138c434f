#include "harness/cli/affected_cases.h"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <stdexcept>

#include "base/text/bad_input.h"
#include "harness/cli/describing_program.h"

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

/// What a program says, or a file where it did so.
class description {
 public:
  description(const fs::path& from, const compared_builds& of, bool with_inputs, const char* option)
      : from_(from) {
    std::error_code error;
    if (!fs::is_regular_file(from, error))
      throw bad_input(option, "", fmt::format("there is no program '{}'", from.string()));
    if (is_program(from))
      running_.emplace(from, launches_request{of.suite, of.chip, of.filter, of.data, with_inputs});
  }

  gate::program_launches read() try {
    return running_ ? running_->read() : gate::read_program_launches(from_);
  } catch (const description_failed& failed) {
    throw std::runtime_error(
        fmt::format("{} does not list its launches ({}){}", from_.string(), failed.ending,
                    failed.what() == failed.ending ? "" : std::string(": ") + failed.what()));
  }

 private:
  fs::path from_;
  std::optional<describing_program> running_;
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
