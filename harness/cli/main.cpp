#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>

#include "base/text/bad_input.h"
#include "base/text/new_file.h"
#include "base/text/plain_text.h"
#include "harness/cli/program.h"

namespace {

/// What a command printed must have arrived: nobody acts on half a table. Returns the exit code.
int with_output_written(int exit_code) {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return exit_code;
  std::fprintf(stderr, "ablate: standard output: cannot be written: %s\n", std::strerror(errno));
  return exit_code == 0 ? 75 : exit_code;
}

int failed(int exit_code, const std::string& why) {
  std::fprintf(stderr, "ablate: %s\n", ablate::reports::plain_text(why).c_str());
  return exit_code;
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
    return failed(2, e.what());
  } catch (const ablate::write_failure& e) {
    return failed(75, e.what());
  } catch (const std::bad_alloc&) {
    return failed(75, "out of memory");
  } catch (const std::filesystem::filesystem_error& e) {
    const std::string path = e.path1().string(), why = e.code().message();
    if (ablate::is_a_wrong_place(e.code())) return failed(2, path + ": expected a writable place: " + why);
    return failed(75, "internal failure: " + path + ": " + why);
  } catch (const std::exception& e) {
    // fmt throws such an error where standard output cannot be written.
    if (dynamic_cast<const std::system_error*>(&e) && std::ferror(stdout)) return with_output_written(75);
    return failed(75, std::string("internal failure: ") + e.what());
  }
}
