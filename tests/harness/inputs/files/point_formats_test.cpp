#include "harness/inputs/files/point_formats.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "base/text/bad_input.h"
#include "tests/harness/inputs/files/read_points.h"
#include "tests/support/npy.h"
#include "tests/support/temporary_directory.h"

namespace ablate::point_formats_test {
namespace {

using namespace std::string_literals;
using test_support::read_file_points;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

const std::string ply =
    "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float "
    "z\nend_header\n"
    "1 2 3\n";
const std::string pcd =
    "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 "
    "1 1\n"
    "WIDTH 1\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 1\nDATA ascii\n1 2 3\n";
const std::string raw(reinterpret_cast<const char*>(std::array{1.f, 2.f, 3.f, 0.f}.data()), 16);
/// As LAS, HDF5 and others go on.
const std::string binary = "\1\2\0\377"s + std::string(1020, '\0');

class PointFormats : public ::testing::Test {
 protected:
  void expect_refused(const std::string& name, const std::string& text, const std::string& found,
                      const std::string& advice) const {
    const auto path = folder_.write(name, text);
    EXPECT_THAT(
        [&] { open_points(path, 4); },
        ThrowsMessage<bad_input>(AllOf(HasSubstr(path.string() + ": expected PLY, PCD, NPY, NPZ or raw"),
                                       HasSubstr("found " + found), HasSubstr(advice), Not(HasSubstr("\n")))))
        << name;
  }

  test_support::temporary_directory folder_;
};

TEST_F(PointFormats, AreKnownByContentWhateverTheName) {
  const std::string npy = test_support::npy_of<float>({1, 2, 3});
  for (const std::string& text : {ply, pcd, npy})
    for (const char* name : {"a.ply", "a.pcd", "a.npy", "a.bin", "a.pcd.bin", "a.las", "a.csv", "a", "a.dat"})
      EXPECT_EQ(read_file_points(folder_.write(name, text), 4, 0), (std::vector<float>{1, 2, 3})) << name;
}

TEST_F(PointFormats, OfRawRecordsAreKnownByTheNameInAnyCase) {
  for (const char* name : {"a.bin", "A.BIN", "a.b.Bin"})
    EXPECT_EQ(read_file_points(folder_.write(name, raw), 4, 0), (std::vector<float>{1, 2, 3})) << name;
}

TEST_F(PointFormats, UnknownOnesAreNeverTakenForRawRecords) {
  for (const char* name : {"a.dat", "a.raw", "a.f32", "a.binary", "a", "bin"})
    expect_refused(
        name, raw,
        "unknown first bytes and the extension '" + std::filesystem::path(name).extension().string() + "'",
        "raw records are named .bin");
}

TEST_F(PointFormats, WithoutTheirFirstBytesAreRefusedByTheirReaders) {
  for (const char* name : {"a.ply", "A.PLY", "a.pcd", "a.Pcd", "a.npy", "a.NPY", "a.npz"})
    EXPECT_THAT([&] { open_points(folder_.write(name, raw), 4); },
                ThrowsMessage<bad_input>(Not(HasSubstr("found unknown"))))
        << name;
}

TEST_F(PointFormats, OfOthersAreRefusedByTheirFirstBytes) {
  const std::vector<std::array<std::string, 3>> foreign = {
      {"LASF" + binary, "LAS", "pdal translate scan.bin scan.ply"},
      {"ASTM-E57" + binary, "E57", "pdal translate scan.bin scan.ply"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "a Git LFS pointer",
       "git lfs pull"},
      {"\x1f\x8b\x08\x08" + binary, "gzip", "gunzip scan.bin"},
      {"\x28\xb5\x2f\xfd" + binary, "Zstandard", "zstd -d scan.bin"},
      {"\xfd"
       "7zXZ\0"s +
           binary,
       "xz", "unxz scan.bin"},
      {"BZh91AY&SY" + binary, "bzip2", "bunzip2 scan.bin"},
      {binary.substr(0, 257) + "ustar\0"s + binary, "tar", "tar -xf scan.bin"},
      {"7z\xbc\xaf\x27\x1c" + binary, "7-Zip", "7z x scan.bin"},
      {"\x89HDF\r\n\x1a\n" + binary, "HDF5", "numpy.save('scan.npy'"},
      {"PAR1" + binary, "Parquet", "numpy.save"},
      {"#ROSBAG V2.0\n" + binary, "a ROS bag", "numpy.save"},
      {"\x89MCAP0\r\n" + binary, "MCAP", "numpy.save"},
      {"SQLite format 3\0"s + binary, "SQLite", "numpy.save"},
      {"DRACO\2\2" + binary, "Draco", "draco_decoder -i scan.bin -o scan.ply"},
      {"1.5 2.5 3.5\n1 2 3\n", "text", "numpy.loadtxt('scan.bin')"},
      {"x,y,z\n1,2,3\n", "text", "delimiter=',' for CSV"},
      {"\xef\xbb\xbfx;y;z\r\n1;2;3\r\n", "text", "numpy.save"},
      {"<!DOCTYPE html>\n<html>", "text", ""},
      {"solid cube\n facet normal 0 0 1\n", "text", ""},
  };
  for (const auto& [text, name, advice] : foreign) expect_refused("scan.bin", text, name, advice);
}

TEST_F(PointFormats, OfOthersAreRefusedByTheirExtensionInAnyCase) {
  for (const auto& [name, found] :
       std::vector<std::pair<std::string, std::string>>{{"a.las", "LAS"},
                                                        {"a.LAZ", "LAS"},
                                                        {"a.e57", "E57"},
                                                        {"a.h5", "HDF5"},
                                                        {"a.csv", "text"},
                                                        {"a.XYZ", "text"},
                                                        {"a.bin.gz", "gzip"},
                                                        {"a.zip", "zip"},
                                                        {"a.pt", "a PyTorch or pickle file"},
                                                        {"a.pkl", "a PyTorch or pickle file"},
                                                        {"a.bag", "a ROS bag"},
                                                        {"a.stl", "a mesh"}})
    expect_refused(name, raw, found, "");
  expect_refused("yard.laz", raw, "LAS", "pdal translate yard.laz yard.ply");
}

TEST_F(PointFormats, OfAnEmptyOrMissingFileAreNone) {
  EXPECT_THAT([&] { open_points(folder_.write("a.las", ""), 4); },
              ThrowsMessage<bad_input>(HasSubstr("empty")));
  EXPECT_THROW(open_points(folder_.path() / "none.bin", 4), bad_input);
}

}  // namespace
}  // namespace ablate::point_formats_test
