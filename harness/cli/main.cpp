#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>

#include "harness/cli/program.h"
#include "reports/text/bad_input.h"
#include "reports/text/new_file.h"
#include "reports/text/plain_text.h"

namespace {

/// What a command printed must have arrived: nobody acts on half a table. Returns the exit code.
int with_output_written(int exit_code) {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return exit_code;
  std::fprintf(stderr, "ablate: standard output: cannot be written: %s\n", std::strerror(errno));
  return exit_code == 0 ? 75 : exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  // Where whoever started this program ignores its children, how they ended would be lost.
  std::signal(SIGCHLD, SIG_DFL);
  // A file that grows past its limit (ulimit -f) is an error of one write, told like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return with_output_written(ablate::run_program(argc, argv));
  } catch (const ablate::bad_input& e) {
    std::fprintf(stderr, "ablate: %s\n", ablate::reports::plain_text(e.what()).c_str());
    return 2;
  } catch (const ablate::write_failure& e) {
    std::fprintf(stderr, "ablate: %s\n", ablate::reports::plain_text(e.what()).c_str());
    return 75;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "ablate: out of memory\n");
    return 75;
  } catch (const std::filesystem::filesystem_error& e) {
    const std::string path = ablate::reports::plain_text(e.path1().string()), why = e.code().message();
    if (!ablate::is_a_wrong_place(e.code())) {
      std::fprintf(stderr, "ablate: internal failure: %s: %s\n", path.c_str(), why.c_str());
      return 75;
    }
    std::fprintf(stderr, "ablate: %s: expected a place that can be written to: %s\n", path.c_str(),
                 why.c_str());
    return 2;
  } catch (const std::system_error& e) {
    // Of fmt, which writes to standard output.
    if (std::ferror(stdout)) return with_output_written(75);
    std::fprintf(stderr, "ablate: internal failure: %s\n", ablate::reports::plain_text(e.what()).c_str());
    return 75;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ablate: internal failure: %s\n", ablate::reports::plain_text(e.what()).c_str());
    return 75;
  }
}
