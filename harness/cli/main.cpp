#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

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

}  // namespace

int main(int argc, char** argv) {
  // Where whoever started this program ignores its children, how they ended would be lost.
  std::signal(SIGCHLD, SIG_DFL);
  try {
    return ablate::run_program(argc, argv);
  } catch (const ablate::bad_input& e) {
    std::fprintf(stderr, "ablate: %s\n", one_line(e.what()).c_str());
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ablate: internal failure: %s\n", one_line(e.what()).c_str());
    return 75;
  }
}
