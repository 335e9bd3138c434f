#include "harness/device/process_family.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/process/child_process.h"
#include "tests/support/temporary_directory.h"

namespace ablate::process_family_test {
namespace {

namespace fs = std::filesystem;

/// A made /proc: 1 ─ 10 ─ 20 ─ 30 ─ 40, and 1 ─ 11 ─ 21.
class ProcessFamily : public ::testing::Test {
 protected:
  ProcessFamily() {
    add(1, 0);
    add(10, 1);
    add(20, 10, "a) S 99 (name");
    add(30, 20);
    add(40, 30);
    add(11, 1);
    add(21, 11);
    fs::create_directory(proc() / "sys");
  }

  const fs::path& proc() const { return files_.path(); }

  void add(unsigned pid, unsigned parent, const std::string& name = "program") const {
    const fs::path folder = proc() / std::to_string(pid);
    fs::create_directories(folder / "fd");
    files_.write(std::to_string(pid) + "/stat",
                 std::to_string(pid) + " (" + name + ") S " + std::to_string(parent) + " 1 1 0\n");
  }

  void open_driver_memory(unsigned pid) const {
    fs::create_symlink("/dev/null", proc() / std::to_string(pid) / "fd/0");
    fs::create_symlink("/dev/nvidia-uvm", proc() / std::to_string(pid) / "fd/7");
  }

 private:
  const test_support::temporary_directory files_;
};

TEST_F(ProcessFamily, IsAncestorsAndDescendants) {
  EXPECT_EQ(process_family(20, proc()), (std::set<unsigned>{1, 10, 20, 30, 40}));
  EXPECT_EQ(process_family(21, proc()), (std::set<unsigned>{1, 11, 21}));
  EXPECT_EQ(process_family(99, proc()), std::set<unsigned>{99}) << "not shown";
  EXPECT_EQ(process_family(99, proc() / "absent"), std::set<unsigned>{99});
}

TEST_F(ProcessFamily, ARingOfParentsEnds) {
  add(50, 60);
  add(60, 50);
  EXPECT_EQ(process_family(20, proc()).size(), 5u);
  EXPECT_EQ(process_family(50, proc()), (std::set<unsigned>{50, 60}));
}

TEST_F(ProcessFamily, OnlyProcessesOutsideOfItAreForeign) {
  EXPECT_EQ(count_foreign({30}, 30, proc()), 0u);
  EXPECT_EQ(count_foreign({}, 30, proc()), 0u);
  EXPECT_EQ(count_foreign({10, 30}, 30, proc()), 0u) << "a program that started this one";
  EXPECT_EQ(count_foreign({30, 40}, 30, proc()), 0u) << "a program that this one started";
  EXPECT_EQ(count_foreign({10, 30, 21}, 30, proc()), 1u);
  EXPECT_EQ(count_foreign({30, 21, 777}, 30, proc()), 2u);
}

TEST_F(ProcessFamily, WhereNumbersAreOthersItsMembersAreCounted) {
  const std::vector<unsigned> computing = {5001, 5002, 5003};
  EXPECT_EQ(count_foreign(computing, 30, proc()), 2u) << "who asks has a context";
  open_driver_memory(10);
  open_driver_memory(21);
  EXPECT_EQ(count_foreign(computing, 30, proc()), 1u);
  open_driver_memory(30);
  EXPECT_EQ(count_foreign(computing, 30, proc()), 1u);
  open_driver_memory(20);
  open_driver_memory(40);
  EXPECT_EQ(count_foreign(computing, 30, proc()), 0u) << "never less than none";
}

TEST_F(ProcessFamily, IsReadFromTheKernel) {
  process::child_process child([] {
    const auto own = static_cast<unsigned>(getpid()), parent = static_cast<unsigned>(getppid());
    return process_family(own).contains(parent) && process_family(parent).contains(own) ? 0 : 1;
  });
  EXPECT_EQ(child.wait().exit_code, 0);
}

}  // namespace
}  // namespace ablate::process_family_test
