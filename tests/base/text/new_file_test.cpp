#include "base/text/new_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/text/bad_input.h"
#include "base/text/csv_file.h"
#include "base/text/text_file.h"
#include "tests/support/slurp.h"
#include "tests/support/temporary_directory.h"

namespace ablate::reports {
namespace {

namespace fs = std::filesystem;
using test_support::slurp;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class NewFile : public ::testing::Test {
 protected:
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(files_.path()))
      out.push_back(entry.path().filename().string());
    std::sort(out.begin(), out.end());
    return out;
  }

  test_support::temporary_directory files_;
  fs::path file_ = files_.write("kept.txt", "before");
};

TEST_F(NewFile, ReplacesNothingBeforeItIsKept) {
  new_file out(file_);
  out.write("after");
  EXPECT_EQ(slurp(file_), "before");
  out.keep();
  EXPECT_EQ(slurp(file_), "after");
  EXPECT_THAT(names(), ElementsAre("kept.txt"));
}

TEST_F(NewFile, LeavesNoTraceWhenItIsGivenUp) {
  { new_file(file_).write(std::string(3 << 20, 'x')); }
  EXPECT_EQ(slurp(file_), "before");
  EXPECT_THAT(names(), ElementsAre("kept.txt"));
}

TEST_F(NewFile, KeepsPermissionsAndLinks) {
  fs::permissions(file_, fs::perms::owner_all);
  const fs::path link = files_.path() / "link.txt";
  fs::create_symlink("kept.txt", link);
  write_text_file(link, "after");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(slurp(file_), "after");
  EXPECT_EQ(fs::status(file_).permissions(), fs::perms::owner_all);
}

TEST_F(NewFile, RemovesWhatKilledProgramsLeft) {
  files_.write("kept.txt.123456.part", "torn");
  const fs::path of_another = files_.write("other.txt.123456.part", "torn");
  const fs::path written_now = files_.write("kept.txt.123457.part", "being written");
  const int held = open(written_now.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(held, LOCK_EX), 0);
  write_text_file(file_, "after");
  close(held);
  EXPECT_THAT(names(), ElementsAre("kept.txt", "kept.txt.123457.part", "other.txt.123456.part"));
}

TEST_F(NewFile, WritesToDevicesDirectly) {
  EXPECT_NO_THROW(write_text_file("/dev/null", "gone"));
  try {
    write_text_file("/dev/full", "lost");
    FAIL() << "a full device took text";
  } catch (const write_failure& why) {
    EXPECT_THAT(why.what(), HasSubstr("/dev/full: cannot be written: No space left on device"));
  }
}

TEST_F(NewFile, NamesAWrongPlace) {
  EXPECT_THROW(write_text_file(files_.path(), "text"), bad_input);
  EXPECT_THROW(write_text_file(file_ / "below" / "a_file", "text"), bad_input);
  EXPECT_THROW(write_text_file(files_.path() / "no_such_folder" / "file", "text"), bad_input);
}

TEST_F(NewFile, ReadsWhatCanBeReadOnly) {
  EXPECT_THROW(read_text_file("/proc/self/mem"), bad_input);
  fs::create_symlink("loop", files_.path() / "loop");
  EXPECT_THROW(read_text_file(files_.path() / "loop"), bad_input);
  EXPECT_EQ(read_text_file("/proc/self/cmdline").empty(), false);  // has no size of its own
}

TEST_F(NewFile, ShowsNoFormulaToASpreadsheet) {
  csv_file table(file_);
  table.row({"=HYPERLINK(\"x\")", "-1.5", "+2e3", "-", "@SUM(A1)", "a,b"});
  table.close();
  EXPECT_EQ(slurp(file_), "\"'=HYPERLINK(\"\"x\"\")\",-1.5,+2e3,'-,'@SUM(A1),\"a,b\"\n");
}

}  // namespace
}  // namespace ablate::reports
