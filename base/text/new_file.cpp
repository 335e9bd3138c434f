#include "base/text/new_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <utility>

#include "base/text/bad_input.h"

namespace ablate {

bool is_a_wrong_place(const std::error_code& code) {
  constexpr std::errc wrong_places[] = {std::errc::permission_denied,
                                        std::errc::operation_not_permitted,
                                        std::errc::read_only_file_system,
                                        std::errc::not_a_directory,
                                        std::errc::is_a_directory,
                                        std::errc::file_exists,
                                        std::errc::no_such_file_or_directory,
                                        std::errc::filename_too_long,
                                        std::errc::too_many_symbolic_link_levels};
  return std::any_of(std::begin(wrong_places), std::end(wrong_places),
                     [&](std::errc wrong) { return code == wrong; });
}

namespace reports {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t buffered_bytes = 1 << 20;

bool is_part_of(const std::string& name, const std::string& file) {
  const std::string end = ".part";
  if (!name.starts_with(file + ".") || !name.ends_with(end) || name.size() <= file.size() + 1 + end.size())
    return false;
  return std::all_of(name.begin() + static_cast<std::ptrdiff_t>(file.size()) + 1, name.end() - end.size(),
                     [](unsigned char c) { return std::isdigit(c); });
}

/// Removes what killed programs left of this file. A program that is alive holds the lock of its part.
void remove_abandoned_parts(const fs::path& target) {
  std::error_code ignored;
  const fs::path folder = target.has_parent_path() ? target.parent_path() : ".";
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (!is_part_of(entry.path().filename().string(), target.filename().string())) continue;
    const int file = open(entry.path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) continue;
    if (flock(file, LOCK_EX | LOCK_NB) == 0) unlink(entry.path().c_str());
    close(file);
  }
}

}  // namespace

new_file::new_file(fs::path path) : path_(std::move(path)), target_(path_) {
  std::error_code ignored;
  if (fs::is_symlink(path_, ignored)) target_ = fs::weakly_canonical(path_, ignored);
  const fs::file_status before = fs::status(target_, ignored);
  if (fs::is_directory(before)) fail(EISDIR);
  if (fs::exists(before) && !fs::is_regular_file(before)) {
    file_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0) fail(errno);
    return;
  }
  remove_abandoned_parts(target_);
  part_ = target_;
  part_ += fmt::format(".{}.part", ::getpid());
  open_part();
  if (fs::exists(before)) fchmod(file_, static_cast<mode_t>(before.permissions()));
}

void new_file::open_part() {
  for (;;) {
    file_ = open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) fail(errno);
    flock(file_, LOCK_EX);
    struct stat status {};
    if (fstat(file_, &status) == 0 && status.st_nlink > 0) return;
    close(file_);  // another program took it for abandoned before it was locked
  }
}

new_file::~new_file() {
  if (file_ < 0) return;
  close(file_);
  if (!part_.empty()) unlink(part_.c_str());
}

void new_file::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= buffered_bytes) write_out();
}

void new_file::write_out() {
  for (std::string_view left = buffer_; !left.empty();) {
    const ssize_t written = ::write(file_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail(written < 0 ? errno : EIO);
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void new_file::keep() {
  write_out();
  if (!part_.empty()) {
    // So that the name never comes before the bytes, whatever the machine does next.
    if (fsync(file_) != 0) fail(errno);
    if (rename(part_.c_str(), target_.c_str()) != 0) fail(errno);
  }
  if (close(std::exchange(file_, -1)) != 0 && part_.empty()) fail(errno);
}

void new_file::fail(int error) const {
  const std::error_code code(error, std::generic_category());
  const std::string why = fmt::format("cannot be written: {}", code.message());
  if (is_a_wrong_place(code)) throw bad_input(path_.string(), "", why);
  throw write_failure(
      fmt::format("{}: {}{}", path_.string(), why, part_.empty() ? "" : "; the file is unchanged"));
}

void append_whole(int file, const fs::path& path, std::string_view text) {
  const ssize_t written = ::write(file, text.data(), text.size());
  // A full disk accepts the first part of a write, which is no error of write() and sets no errno.
  int error = written < 0 ? errno : written < static_cast<ssize_t>(text.size()) ? ENOSPC : 0;
  if (error == 0 && fdatasync(file) != 0) error = errno;
  if (error != 0)
    throw write_failure(fmt::format("{}: cannot be written: {}; its contents are kept", path.string(),
                                    std::error_code(error, std::generic_category()).message()));
}

}  // namespace reports
}  // namespace ablate
