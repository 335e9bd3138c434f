#include "tests/fuzz/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <stdexcept>

#include "base/text/bad_input.h"
#include "tests/support/paths.h"
#include "tests/support/temporary_directory.h"

namespace ablate::fuzz {
namespace {

constexpr double longest_seconds = 2;  // of CPU time: the machine may be busy

/// Filled before main, in no particular order.
std::vector<target>& entered() {
  static std::vector<target> all;
  return all;
}

}  // namespace

std::vector<target> targets() {
  std::vector<target> all = entered();
  std::sort(all.begin(), all.end(), [](const target& a, const target& b) { return a.name < b.name; });
  return all;
}

registered::registered(const char* name, void (*read)(const std::filesystem::path&), const char* file_name) {
  entered().push_back({name, read, file_name});
}

outcome feed(const target& to, std::string_view bytes) {
  // One per target: a reader of journals also reads those beside the given one.
  static std::map<std::string, test_support::temporary_directory> folders;
  const std::filesystem::path file = folders[to.name].write(to.file_name, std::string(bytes));
  const std::clock_t begin = std::clock();
  outcome came = outcome::read;
  try {
    to.read(file);
  } catch (const bad_input& refusal) {
    // Some readers compare the file with a seed, and name what the seed lacks; some read files that it names.
    const std::string said = refusal.what();
    const std::string beside = file.parent_path().string() + "/";
    if (!said.starts_with(file.string() + ": ") && !said.starts_with(beside) &&
        !said.starts_with(seed("").string()))
      throw std::logic_error("expected a refusal that begins with the file's name, found: " + said);
    came = outcome::refused;
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  if (!(seconds <= longest_seconds)) throw std::logic_error(fmt::format("reading took {:.1f} s", seconds));
  return came;
}

std::filesystem::path seed(const std::string& name) {
  return std::filesystem::path(test_support::source_path("tests/fuzz/seeds")) / name;
}

}  // namespace ablate::fuzz
