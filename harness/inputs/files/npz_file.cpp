#include "harness/inputs/files/npz_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/bad_input.h"
#include "harness/inputs/files/npy_file.h"
#include "harness/inputs/files/npy_header.h"

#if ABLATE_HAS_ZIP
#include <zip.h>
#endif

namespace ablate {

bool has_zip() { return ABLATE_HAS_ZIP; }

#if ABLATE_HAS_ZIP
namespace {

constexpr std::string_view npy_ending = ".npy";
/// What deflate packs one byte from, at most.
constexpr std::uint64_t max_deflated = 1032;

/// A name in a message, which is one line of moderate length.
std::string shown_name(std::string_view name) {
  std::string out(name.substr(0, 60));
  for (char& c : out)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  return out;
}

/// One array of an archive.
class npz_array {
 public:
  explicit npz_array(const std::filesystem::path& path) : file_(path.string()) {
    int error = 0;
    archive_.reset(zip_open(file_.c_str(), ZIP_RDONLY, &error));
    if (!archive_) {
      zip_error_t state;
      zip_error_init_with_code(&state, error);
      const std::string why = zip_error_strerror(&state);
      zip_error_fini(&state);
      throw bad_input(file_, "", "expected an .npz file, a zip archive of arrays: " + why);
    }
    choose();
    if (stat_.comp_method != ZIP_CM_STORE && stat_.comp_method != ZIP_CM_DEFLATE)
      throw bad_input(label(), "", "expected it stored or deflated, as numpy.savez and savez_compressed do");
    if (stat_.comp_size > file_bytes(path) || stat_.size / max_deflated > stat_.comp_size)
      throw bad_input(label(), "",
                      fmt::format("expected sizes that can be, found {} bytes from {} packed ones",
                                  stat_.size, stat_.comp_size));
  }

  std::string label() const { return file_ + ": " + shown_name(name_); }
  std::uint64_t bytes() const { return stat_.size; }

  /// Its first bytes, at most `most`. Throws if they cannot be unpacked.
  std::string first(std::uint64_t most) const {
    constexpr std::uint64_t piece_bytes = 1 << 20;
    const std::uint64_t wanted = std::min<std::uint64_t>(most, stat_.size);
    const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> entry(zip_fopen_index(archive_.get(), index_, 0),
                                                                  zip_fclose);
    if (!entry)
      throw bad_input(label(), "", std::string("expected an array: ") + zip_strerror(archive_.get()));
    std::string out;
    const auto require = [&](bool holds) {
      if (!holds)
        throw bad_input(
            label(), fmt::format("byte {}", out.size()),
            fmt::format("expected {} bytes of packed data, it is broken or truncated", stat_.size));
    };
    while (out.size() < wanted) {
      const std::size_t at = out.size();
      out.resize(at + std::min(piece_bytes, wanted - at));
      const zip_int64_t read = zip_fread(entry.get(), out.data() + at, out.size() - at);
      out.resize(at + static_cast<std::size_t>(std::max<zip_int64_t>(read, 0)));
      require(read > 0);
    }
    char more = 0;  // only at the end are the bytes held against their checksum
    if (wanted == stat_.size) require(zip_fread(entry.get(), &more, 1) == 0);
    return out;
  }

 private:
  void choose() {
    std::vector<std::string> arrays, others;
    const zip_int64_t entries = zip_get_num_entries(archive_.get(), 0);
    for (zip_int64_t i = 0; i < entries; ++i) {
      zip_stat_t entry;
      constexpr zip_uint64_t needed =
          ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
      if (zip_stat_index(archive_.get(), static_cast<zip_uint64_t>(i), 0, &entry) != 0 ||
          (entry.valid & needed) != needed)
        continue;
      const std::string_view name = entry.name;
      (name.ends_with(npy_ending) ? arrays : others).emplace_back(name);
      if (!name.ends_with(npy_ending) || (arrays.size() > 1 && name != "points.npy")) continue;
      index_ = static_cast<zip_uint64_t>(i);
      name_ = name;
      stat_ = entry;
      if (name == "points.npy") return;
    }
    if (arrays.size() == 1) return;
    std::vector<std::string>& found = arrays.empty() ? others : arrays;
    const std::size_t all = found.size();
    constexpr std::size_t max_named = 8;
    found.resize(std::min(all, max_named));
    for (std::string& name : found) name = shown_name(name);
    throw bad_input(file_, "",
                    fmt::format("expected an array named points, or only one array, found {}{}",
                                found.empty() ? "none" : fmt::format("{}", fmt::join(found, ", ")),
                                all > max_named ? fmt::format(" and {} more", all - max_named) : ""));
  }

  std::string file_, name_;
  std::unique_ptr<zip_t, void (*)(zip_t*)> archive_{nullptr, zip_discard};
  zip_uint64_t index_ = 0;
  zip_stat_t stat_{};
};

}  // namespace

held_points open_npz(const std::filesystem::path& path) {
  const npz_array array(path);
  const npy_points points = points_of_npy(array.label(), array.first(max_npy_header_bytes), array.bytes());
  return {points.count, [path, points](std::int64_t first, const point_visitor& visit) {
            const npz_array again(path);
            visit_records_in_memory(again.label(), again.first(points.bytes_of(first)), points.records, first,
                                    visit);
          }};
}

#else

held_points open_npz(const std::filesystem::path& path) {
  throw bad_input(path.string(), "",
                  "expected an .npy file: this build lacks libzip, which reads .npz (install libzip-dev and "
                  "build again, or save the array with numpy.save)");
}

#endif

}  // namespace ablate
