#include "harness/inputs/files/point_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "base/text/bad_input.h"
#include "harness/inputs/files/file_name.h"
#include "harness/inputs/files/npy_file.h"
#include "harness/inputs/files/npz_file.h"
#include "harness/inputs/files/pcd_file.h"
#include "harness/inputs/files/ply_file.h"
#include "harness/inputs/files/raw_file.h"
#include "harness/inputs/files/text_lines.h"

namespace ablate {
namespace {

using namespace std::string_view_literals;

constexpr std::uint64_t telling_bytes = 4096;

bool is_ply(std::string_view first) {
  return first.starts_with("ply") && first.size() > 3 && (first[3] == '\n' || first[3] == '\r');
}

/// A PCD's first line that is no comment is VERSION or, in old ones, FIELDS.
bool is_pcd(std::string_view first) {
  while (!first.empty()) {
    const std::size_t end = std::min(first.find('\n'), first.size());
    const auto words = words_of(first.substr(0, end));
    if (!words.empty() && !words[0].starts_with('#'))
      return words[0] == "VERSION" || words[0] == "FIELDS" || words[0] == "COLUMNS";
    if (first.starts_with("# .PCD")) return true;
    first.remove_prefix(std::min(end + 1, first.size()));
  }
  return false;
}

/// The fourth byte's upper bits are reserved: floats that begin so would be no coordinates.
bool is_gzip(std::string_view first) {
  return first.starts_with("\x1f\x8b\x08"sv) && first.size() > 3 &&
         static_cast<unsigned char>(first[3]) < 0x20;
}

bool is_tar(std::string_view first) { return first.size() > 262 && first.substr(257, 5) == "ustar"; }

bool is_text(std::string_view first) {
  if (first.starts_with("\xef\xbb\xbf")) first.remove_prefix(3);
  return std::all_of(first.begin(), first.end(),
                     [](char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t'; });
}

/// A format that is read has `open`; of another, `advice` is what converts it: {file} is its name, {stem}
/// that without the extension.
struct point_format {
  std::string_view name;
  std::string_view extensions;  ///< separated by blanks, in lower case
  std::string_view magic;       ///< the first bytes; empty if `recognizes` tells, or nothing does
  bool (*recognizes)(std::string_view first_bytes);
  held_points (*open)(const std::filesystem::path&, int floats_per_point);
  std::string_view advice;
};

template <held_points (*open)(const std::filesystem::path&)>
held_points without_floats(const std::filesystem::path& path, int) {
  return open(path);
}

constexpr auto to_ply = "pdal translate {file} {stem}.ply"sv;
constexpr auto by_numpy = "numpy.save('{stem}.npy', points) in Python"sv;
constexpr auto from_text =
    "numpy.save('{stem}.npy', numpy.loadtxt('{file}')) in Python, with delimiter=',' for CSV"sv;
constexpr auto by_open3d = "open3d.io.write_point_cloud('{stem}.ply', cloud) in Python"sv;

constexpr point_format formats[] = {
    {"PLY", ".ply", {}, is_ply, without_floats<open_ply>, {}},
    {"PCD", ".pcd", {}, is_pcd, without_floats<open_pcd>, {}},
    {"NPY", ".npy", "\x93NUMPY"sv, nullptr, without_floats<open_npy>, {}},
    {"NPZ", ".npz", "PK\3\4"sv, nullptr, without_floats<open_npz>, {}},
    {"LAS", ".las .laz", "LASF"sv, nullptr, nullptr, to_ply},
    {"E57", ".e57", "ASTM-E57"sv, nullptr, nullptr, to_ply},
    {"a Git LFS pointer", {}, "version https://git-lfs"sv, nullptr, nullptr, "git lfs pull"},
    {"gzip", ".gz .tgz", {}, is_gzip, nullptr, "gunzip {file}"},
    {"Zstandard", ".zst", "\x28\xb5\x2f\xfd"sv, nullptr, nullptr, "zstd -d {file}"},
    {"xz", ".xz", "\3757zXZ\0"sv, nullptr, nullptr, "unxz {file}"},
    {"bzip2", ".bz2", "BZh91AY&SY"sv, nullptr, nullptr, "bunzip2 {file}"},
    {"tar", ".tar", {}, is_tar, nullptr, "tar -xf {file}"},
    {"7-Zip", ".7z", "7z\xbc\xaf\x27\x1c"sv, nullptr, nullptr, "7z x {file}"},
    {"zip", ".zip", {}, nullptr, nullptr, "unzip {file}"},
    {"HDF5", ".h5 .hdf5", "\x89HDF\r\n\x1a\n"sv, nullptr, nullptr, by_numpy},
    {"a PyTorch or pickle file", ".pt .pth .pkl .pickle", {}, nullptr, nullptr, by_numpy},
    {"Parquet", ".parquet", "PAR1"sv, nullptr, nullptr, by_numpy},
    {"a ROS bag", ".bag", "#ROSBAG"sv, nullptr, nullptr, by_numpy},
    {"MCAP", ".mcap", "\x89MCAP"sv, nullptr, nullptr, by_numpy},
    {"SQLite (a ROS 2 bag)", ".db3", "SQLite format 3"sv, nullptr, nullptr, by_numpy},
    {"Draco", ".drc", "DRACO"sv, nullptr, nullptr, "draco_decoder -i {file} -o {stem}.ply"},
    {"a mesh", ".obj .stl .off .glb .gltf", {}, nullptr, nullptr, by_open3d},
    {"text (XYZ, CSV, …)", ".xyz .csv .txt .asc .pts .ptx", {}, is_text, nullptr, from_text},
    {"raw float32 records", ".bin", {}, nullptr, open_raw, {}},
};

constexpr auto read_formats = "expected PLY, PCD, NPY, NPZ or raw float32 records (.bin, .pcd.bin)";

/// The format that the first bytes tell, or else the name.
const point_format* format_of(const std::filesystem::path& path) {
  const std::string first = first_bytes(path, telling_bytes);
  for (const point_format& format : formats)
    if ((!format.magic.empty() && first.starts_with(format.magic)) ||
        (format.recognizes != nullptr && format.recognizes(first)))
      return &format;
  for (const point_format& format : formats)
    for (const std::string_view extension : words_of(format.extensions))
      if (ends_in(path, extension)) return &format;
  return nullptr;
}

}  // namespace

held_points open_points(const std::filesystem::path& path, int floats_per_point) {
  const point_format* const format = format_of(path);
  if (format == nullptr)
    throw bad_input(
        path.string(), "",
        fmt::format("{}, found unknown first bytes and the extension '{}': raw records are named .bin",
                    read_formats, path.extension().string()));
  if (format->open == nullptr)
    throw bad_input(
        path.string(), "",
        fmt::format("{}, found {}: {}", read_formats, format->name,
                    fmt::format(fmt::runtime(format->advice), fmt::arg("file", path.filename().string()),
                                fmt::arg("stem", path.stem().string()))));
  return format->open(path, floats_per_point);
}

}  // namespace ablate
