#include "base/record/record_file.h"

#include <fmt/format.h>

#include <gmock/gmock.h>

#include <fstream>

#include "base/record/record.h"
#include "tests/reports/made_record.h"
#include "tests/support/refusal.h"

namespace ablate::reports::record_file_test {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

/// By the program; null characters and all.
std::string compressed(const std::string& text) {
  const fs::path path = test_support::directory_of_process() / "to_compress";
  write(path, text);
  EXPECT_EQ(process::run({"xz", "-0", "-f", path.string()}).exit_code, 0);
  return text_of(path.string() + ".xz");
}

std::string whole() { return text_of(made_record_path()); }

std::string refusal(const fs::path& path) {
  return test_support::refusal_from([&] { read_record(path); });
}

TEST(RecordFile, CompressedAndPlainAreToldApartByContent) {
  const fs::path folder = fresh_folder();
  EXPECT_FALSE(holds_record(folder));
  write(folder / "record.json.xz", compressed(whole()));
  EXPECT_TRUE(holds_record(folder));
  EXPECT_EQ(file_of_record(folder / "record.json"), folder / "record.json.xz");
  for (const char* name : {"record.json", "record.json.xz"}) {
    const record r = read_record(folder / name);
    EXPECT_EQ(r.cases.size(), 8u);
    EXPECT_EQ(r.path, folder / "record.json.xz");
  }
  write(folder / "misnamed.json", compressed(whole()));
  EXPECT_EQ(read_record(folder / "misnamed.json").cases.size(), 8u);
  write(folder / "plain.json.xz", whole());
  EXPECT_EQ(read_record(folder / "plain.json.xz").cases.size(), 8u);
}

TEST(RecordFile, OfBothThePlainOneCounts) {
  const fs::path folder = fresh_folder();
  write(folder / "record.json", whole());
  write(folder / "record.json.xz", "nothing that xz wrote");
  EXPECT_EQ(read_record(folder / "record.json").path, folder / "record.json");
}

TEST(RecordFile, ThatIsCutShortOrDamagedIsRefusedWithWhatXzSays) {
  const fs::path path = fresh_folder() / "record.json.xz";
  const std::string packed = compressed(whole());
  write(path, packed.substr(0, packed.size() / 2));
  EXPECT_THAT(refusal(path.parent_path() / "record.json"),
              testing::MatchesRegex(path.string() +
                                    ": byte [0-9]+ of its text: expected a whole file as xz writes "
                                    "it; xz says: Unexpected end of input. Fetch or compress it again"));
  std::string damaged = packed;
  damaged[packed.size() / 2] = static_cast<char>(~damaged[packed.size() / 2]);
  write(path, damaged);
  EXPECT_THAT(refusal(path), testing::HasSubstr("xz says: Compressed data is corrupt. Fetch"));
  write(path, packed.substr(0, 6));
  EXPECT_THAT(refusal(path), testing::HasSubstr("expected a whole file as xz writes it; xz says: "));
}

TEST(RecordFile, ThatExpandsToMoreThanARecordIsRefused) {
  const fs::path path = fresh_folder() / "record.json.xz";
  write(path, compressed(std::string(max_record_bytes + 1, ' ')));
  EXPECT_LT(fs::file_size(path), 1u << 20);
  EXPECT_EQ(refusal(path),
            fmt::format("{}: byte 268435456 of its text: expected the end of a record, found more; "
                        "such a file is no record",
                        path.string()));
}

TEST(RecordFile, SaysWhatIsMissingWhereXzIs) {
  const fs::path folder = fresh_folder(), path = folder / "record.json.xz";
  write(path, compressed(whole()));
  // A program that the system finds and cannot start.
  write(folder / "xz", "#!/nowhere/at_all\n");
  fs::permissions(folder / "xz", fs::perms::owner_all);
  const environment nothing("PATH", folder.string());
  EXPECT_EQ(refusal(path),
            path.string() +
                ": expected the program xz, which reads it: No such file or directory. Install "
                "xz-utils, or give the record as plain JSON");
}

}  // namespace
}  // namespace ablate::reports::record_file_test
