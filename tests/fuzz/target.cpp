#include "tests/fuzz/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <stdexcept>

#include "reports/bad_input.h"
#include "tests/support/temporary_directory.h"

namespace ablate::fuzz {
namespace {

constexpr double longest_seconds = 2;  // of the processor: others may keep it busy

/// Filled before main, in no particular order.
std::vector<target>& entered() {
  static std::vector<target> all;
  return all;
}

void expect_one_line_of(const std::string& file, const std::string& said) {
  const bool has_control = std::any_of(said.begin(), said.end(), [](unsigned char c) { return c < ' '; });
  if (!said.starts_with(file + ": ") || has_control)
    throw std::logic_error(
        fmt::format("expected a refusal in one line that begins with the file's name, found: {}", said));
}

}  // namespace

std::vector<target> targets() {
  std::vector<target> all = entered();
  std::sort(all.begin(), all.end(), [](const target& a, const target& b) { return a.name < b.name; });
  return all;
}

registered::registered(const char* name, void (*read)(const std::filesystem::path&)) {
  entered().push_back({name, read});
}

outcome feed(const target& to, std::string_view bytes) {
  static const testing::temporary_directory folder;
  const std::filesystem::path file = folder.write("input", std::string(bytes));
  const std::clock_t begin = std::clock();
  outcome came = outcome::read;
  try {
    to.read(file);
  } catch (const bad_input& refusal) {
    expect_one_line_of(file.string(), refusal.what());
    came = outcome::refused;
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  if (!(seconds <= longest_seconds)) throw std::logic_error(fmt::format("reading took {:.1f} s", seconds));
  return came;
}

std::filesystem::path seed(const std::string& name) {
  return std::filesystem::path(ABLATE_SOURCE_DIR "/tests/fuzz/seeds") / name;
}

}  // namespace ablate::fuzz
