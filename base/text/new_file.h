#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace ablate {

/// A file could not be written and the user is not at fault: the disk is full, or fails. One line names the
/// file and the reason. Exit code 75.
struct write_failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Whether the place that the user named is at fault, not the disk or this program.
bool is_a_wrong_place(const std::error_code&);

namespace reports {

/// A file that is written whole or not at all. Its bytes go to FILE.PID.part in the same folder, and keep()
/// gives them the name. Until then the old file stays as it is, even if the disk is full, the program is
/// killed or the machine crashes. What a killed program leaves is removed when the same file is next written.
/// A symbolic link stays a link. Devices and pipes, such as /dev/stdout, are written directly.
///
/// All functions throw bad_input for a place that cannot be written to, write_failure for anything else.
class new_file {
 public:
  explicit new_file(std::filesystem::path);
  new_file(const new_file&) = delete;
  ~new_file();

  void write(std::string_view);
  void keep();

 private:
  void open_part();
  void write_out();
  [[noreturn]] void fail(int error) const;

  std::filesystem::path path_, target_, part_;  ///< no part: written directly
  int file_ = -1;
  std::string buffer_;
};

/// Appends to a file opened with O_APPEND, in one write that is on the disk afterwards: whole, or cut short
/// by a kill or a full disk, but never mixed with another program's. Throws write_failure.
void append_whole(int file, const std::filesystem::path&, std::string_view text);

}  // namespace reports
}  // namespace ablate
