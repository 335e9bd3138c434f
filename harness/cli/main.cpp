#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>

#include "harness/cli/program.h"
#include "reports/text/bad_input.h"

namespace {

/// Whatever stood in the file that it quotes: a line break or a terminal's escape is shown as \x0a, \x1b.
std::string one_line(const char* text) {
  std::string out;
  for (; *text; ++text) {
    const auto byte = static_cast<unsigned char>(*text);
    out += byte < ' ' || byte == 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, *text);
  }
  return out;
}

/// Whether the place that the user named is at fault, not the disk or this program.
bool is_a_wrong_place(const std::error_code& code) {
  for (const std::errc known :
       {std::errc::permission_denied, std::errc::operation_not_permitted, std::errc::read_only_file_system,
        std::errc::not_a_directory, std::errc::is_a_directory, std::errc::file_exists,
        std::errc::no_such_file_or_directory, std::errc::filename_too_long})
    if (code == known) return true;
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  // Where whoever started this program ignores its children, how they ended would be lost.
  std::signal(SIGCHLD, SIG_DFL);
  try {
    return ablate::run_program(argc, argv);
  } catch (const ablate::bad_input& e) {
    std::fprintf(stderr, "ablate: %s\n", one_line(e.what()).c_str());
    return 2;
  } catch (const std::filesystem::filesystem_error& e) {
    const std::string path = one_line(e.path1().string().c_str()), why = e.code().message();
    if (!is_a_wrong_place(e.code())) {
      std::fprintf(stderr, "ablate: internal failure: %s: %s\n", path.c_str(), why.c_str());
      return 75;
    }
    std::fprintf(stderr, "ablate: %s: expected a place that can be written to: %s\n", path.c_str(),
                 why.c_str());
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ablate: internal failure: %s\n", one_line(e.what()).c_str());
    return 75;
  }
}
