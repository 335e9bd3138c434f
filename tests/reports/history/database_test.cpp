#include "reports/history/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <deque>
#include <fstream>
#include <map>

#include "base/process/child_process.h"
#include "base/record/identity.h"
#include "tests/reports/history/made_history.h"
#include "tests/support/capability.h"
#include "tests/support/refusal.h"
#include "tests/support/run_program.h"
#if __has_include(<sqlite3.h>)
#include "reports/history/sqlite.h"
#include "tests/support/paths.h"
#endif

namespace ablate::history::database_test {
namespace {

using ::testing::HasSubstr;

struct history_database : ::testing::Test {
  test_support::temporary_directory folder;
  std::filesystem::path path = folder.path() / "history.sqlite";

  void SetUp() override {
    if (const std::string why = why_no_sqlite(); !why.empty()) ABLATE_LACKS("sqlite", why);
  }
  std::filesystem::path write(const std::string& name, const nlohmann::ordered_json& record) const {
    return folder.write(name, record.dump(1));
  }
  void expect_refused(const std::string& saying) const {
    try {
      database::open_for_adding(path).add(reports::made_record_path());
      ADD_FAILURE() << "expected a refusal: " << saying;
    } catch (const bad_input& e) {
      EXPECT_THAT(e.what(), HasSubstr(saying));
      EXPECT_THAT(e.what(), HasSubstr(path.string()));
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos) << e.what();
    }
  }
};

TEST_F(history_database, ARecordAddedTwiceStandsOnce) {
  database history = database::open_for_adding(path);
  EXPECT_TRUE(history.add(reports::made_record_path()));
  EXPECT_FALSE(history.add(reports::made_record_path()));
  // Its spacing is none of the record's facts.
  EXPECT_FALSE(history.add(folder.write("compact.json", reports::made_record().dump())));
  EXPECT_EQ(history.record_count(), 1u);
}

TEST_F(history_database, ASeriesIsOneCaseByDate) {
  {
    database history = database::open_for_adding(path);
    history.add(write("later.json", night_record(2, 3)));
    history.add(write("first.json", night_record(0, 1)));
    history.add(write("between.json", night_record(1, 2)));
  }
  const auto all = database::open(path).all_series();
  const record r = read_record(reports::made_record_path());
  ASSERT_EQ(all.size(), r.cases.size());
  for (const series& s : all) {
    ASSERT_EQ(s.nights.size(), 3u);
    EXPECT_DOUBLE_EQ(s.nights[1].median_us, 2 * s.nights[0].median_us);
    EXPECT_DOUBLE_EQ(s.nights[2].median_us, 3 * s.nights[0].median_us);
    EXPECT_EQ(s.nights[0].commit, std::string(39, '0') + "1");
    EXPECT_EQ(s.device, "Imaginary GPU");
    EXPECT_EQ(s.nights[0].specimen, "GPU-none");
    EXPECT_EQ(s.kind, "");
  }
}

TEST_F(history_database, DatesAreComparedAsMomentsNotAsText) {
  database history = database::open_for_adding(path);
  nlohmann::ordered_json east = night_record(0, 2), west = night_record(0, 1);
  east["context"]["date"] = "2026-01-02T01:00:00+09:00";
  west["context"]["date"] = "2026-01-01T23:00:00+00:00";
  history.add(write("west.json", west));
  history.add(write("east.json", east));
  const auto nights = history.all_series().front().nights;
  EXPECT_EQ(nights.front().date, "2026-01-02T01:00:00+09:00");
}

TEST_F(history_database, AnotherDeviceMethodOrInputIsAnotherSeries) {
  database history = database::open_for_adding(path);
  history.add(write("a.json", night_record(0)));
  const std::size_t before = history.all_series().size();
  nlohmann::ordered_json other = night_record(1);
  other["benchmarks"][2]["input"]["hash"] = "00000000000000ff";
  other["benchmarks"][3]["time_us"]["method"] = "graph";
  history.add(write("b.json", other));
  EXPECT_EQ(history.all_series().size(), before + 2);
  other["context"]["ablate"]["device"]["power_cap_w"] = 500;
  history.add(write("c.json", other));
  EXPECT_EQ(history.all_series().size(), before + 2 + before);
}

TEST_F(history_database, AnotherSpecimenAndAnotherDriverStayInTheSeries) {
  const record r = read_record(reports::made_record_path());
  nlohmann::ordered_json other = reports::made_record();
  other["context"]["ablate"]["device"]["uuid"] = "GPU-other";
  other["context"]["ablate"]["device"]["driver"] = "2.0";
  EXPECT_EQ(device_fingerprint(read_record(write("other.json", other))), device_fingerprint(r));
}

/// The case that no calibration touches, by kind: its nights' days.
std::map<std::string, std::vector<std::string>> nights_by_kind(database& history) {
  std::map<std::string, std::vector<std::string>> out;
  for (const series& s : history.all_series())
    if (s.case_name == "scatter/direct/items=1024/layout=rows/@cold-clean")
      for (const night& n : s.nights) out[s.kind].push_back(n.specimen);
  return out;
}

/// A and B are of one kind, X and Y of another.
void add_two_kinds(database& to, const test_support::temporary_directory& folder) {
  int day = 0;
  for (const auto& [uuid, copy_us] : std::vector<std::pair<std::string, double>>{
           {"GPU-a", 2000}, {"GPU-x", 2200}, {"GPU-b", 2001}, {"GPU-y", 2201}, {"GPU-a", 2000}})
    to.add(folder.write("two_kinds.json", night_on(uuid, copy_us, day++).dump()));
}

TEST_F(history_database, EqualGpusOfTwoKindsHaveASeriesEach) {
  using nights = std::vector<std::string>;
  database history = database::open_for_adding(path);
  add_two_kinds(history, folder);
  EXPECT_EQ(nights_by_kind(history),
            (std::map<std::string, nights>{{"A", {"GPU-a", "GPU-b", "GPU-a"}}, {"B", {"GPU-x", "GPU-y"}}}));
  for (const series& s : history.all_series()) EXPECT_EQ(s.device_text(), "Imaginary GPU of kind " + s.kind);
  nlohmann::ordered_json uncalibrated = night_on("GPU-z", 2000, 9);
  std::erase_if(uncalibrated["benchmarks"].get_ref<nlohmann::ordered_json::array_t&>(),
                [](const auto& entry) { return entry.contains("ceiling"); });
  history.add(write("uncalibrated.json", uncalibrated));
  EXPECT_EQ(nights_by_kind(history).at("?"), nights{"GPU-z"}) << "nothing tells which kind it is of";
}

TEST_F(history_database, ARecordsSeriesAreOfItsKind) {
  database history = database::open_for_adding(path);
  add_two_kinds(history, folder);
  // A GPU that the history does not know is told by its own calibrations.
  const auto found = history.series_of(read_record(write("new.json", night_on("GPU-new", 2200.5, 9))));
  ASSERT_FALSE(found.empty());
  for (const series& s : found) EXPECT_EQ(s.kind, "B");
}

TEST_F(history_database, AMergedRecordGivesEachCaseToItsSpecimensKind) {
  database history = database::open_for_adding(path);
  add_two_kinds(history, folder);
  nlohmann::ordered_json merged = night_on("", 2000, 9);
  nlohmann::ordered_json& ablate = merged["context"]["ablate"];
  ablate["device"]["uuid"] = nullptr;
  std::string copy;
  for (auto& entry : merged["benchmarks"]) {
    entry["specimen"] =
        entry["name"] == "scatter/direct/items=1024/layout=rows/@cold-clean" ? "GPU-v" : "GPU-u";
    if (entry.value("ceiling", "") == "dram_bytes") copy = entry["name"];
  }
  for (const auto& [uuid, us] : {std::pair("GPU-u", 2000.5), std::pair("GPU-v", 2200.5)})
    ablate["parts"].push_back({{"hash", uuid},
                               {"specimen", uuid},
                               {"host_name", "h"},
                               {"date", "d"},
                               {"calibrations", {{copy, us}}}});
  history.add(write("merged.json", merged));
  EXPECT_EQ(nights_by_kind(history).at("B").back(), "GPU-v");
  EXPECT_EQ(nights_by_kind(history).at("A").size(), 3u);
}

#if __has_include(<sqlite3.h>)
TEST_F(history_database, AHistoryOfTheFirstLayoutIsBroughtUpToDate) {
  {
    database history = database::open_for_adding(path);
    history.add(write("a.json", night_on("GPU-a", 2000, 0)));
    history.add(write("x.json", night_on("GPU-x", 2200, 1)));
  }
  {
    sqlite_file file(path, SQLITE_OPEN_READWRITE);
    file.execute(
        "DROP TABLE part; ALTER TABLE test_case DROP COLUMN ceiling; ALTER TABLE measurement DROP COLUMN "
        "specimen; PRAGMA user_version = 1");
  }
  database history = database::open_for_adding(path);
  EXPECT_EQ(history.record_count(), 2u);
  EXPECT_EQ(nights_by_kind(history).at("").size(), 2u) << "which cases are calibrations is not yet known";
  history.add(write("b.json", night_on("GPU-b", 2001, 2)));
  history.add(write("y.json", night_on("GPU-y", 2201, 3)));
  EXPECT_EQ(nights_by_kind(history).at("B"), (std::vector<std::string>{"GPU-x", "GPU-y"}));
}

TEST_F(history_database, ValuesOfAnotherTypeAreRefusedWithTheirColumn) {
  { database::open_for_adding(path).add(reports::made_record_path()); }
  const auto refusal_after = [&](const char* change) {
    { sqlite_file(path, SQLITE_OPEN_READWRITE).execute(change); }
    return test_support::refusal_from([&] { database::open(path).all_series(); });
  };
  const std::string file = path.string();
  EXPECT_EQ(refusal_after("UPDATE measurement SET median_us = 'long'"),
            file + ": column 'median_us': expected a number above 0");
  EXPECT_EQ(refusal_after("UPDATE measurement SET median_us = -1"),
            file + ": column 'median_us': expected a number above 0");
  EXPECT_EQ(refusal_after("UPDATE measurement SET median_us = 1; UPDATE record SET dirty = 'yes'"),
            file + ": column 'dirty': expected an integer");
  EXPECT_EQ(refusal_after("UPDATE record SET dirty = 0; UPDATE device SET name = x'00'"),
            file + ": column 'name': expected text");
  EXPECT_EQ(refusal_after("CREATE VIEW endless AS SELECT 1"),
            file + ": expected the tables of a history alone, found views or triggers");
}
#endif

TEST_F(history_database, TheSeriesOfARecordAreThoseOfItsDeviceCasesAndInputs) {
  database history = database::open_for_adding(path);
  history.add(write("a.json", night_record(0)));
  nlohmann::ordered_json other = night_record(1);
  other["context"]["ablate"]["device"]["name"] = "Another GPU";
  history.add(write("b.json", other));
  const record r = read_record(reports::made_record_path());
  const auto found = history.series_of(r);
  ASSERT_EQ(found.size(), r.cases.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].case_name, r.cases[i].name);
    EXPECT_EQ(found[i].nights.size(), 1u);
  }
}

TEST_F(history_database, RecordsOfEveryVersionAreTaken) {
  database history = database::open_for_adding(path);
  for (const char* version : {"1.0.0", "1.1.0", "1.2.0"}) {
    nlohmann::ordered_json old = reports::made_record();
    old["context"]["ablate"]["record_schema"] = version;
    EXPECT_TRUE(history.add(write("old.json", old))) << version;
  }
  for (const char* suite : {"voxelization", "psh_quick", "ceilings"})
    EXPECT_TRUE(history.add(test_support::source_path("results/h200/") + suite + "/record.json")) << suite;
  EXPECT_EQ(history.record_count(), 6u);
}

#if __has_include(<sqlite3.h>)
TEST_F(history_database, AnUpgradedRecordStandsOnceBesideWhatAnOlderProgramAdded) {
  nlohmann::ordered_json old = reports::made_record();
  old["context"]["ablate"]["record_schema"] = "1.3.0";
  database::open_for_adding(path).add(write("old.json", old));
  sqlite_file(path, SQLITE_OPEN_READWRITE)
      .execute("UPDATE record SET hash = 'older', record_schema = '1.3.0'");
  database history = database::open_for_adding(path);
  EXPECT_FALSE(history.add(write("old.json", old)));
  old["unmeasured"].push_back(old["benchmarks"].back());
  old["unmeasured"].back()["reason"] = "made to be missing";
  old["unmeasured"].back()["status"] = "failed";
  old["benchmarks"].erase(old["benchmarks"].size() - 1);
  EXPECT_TRUE(history.add(write("part.json", old))) << "has a case less";
  EXPECT_EQ(history.record_count(), 2u);
}
#endif

TEST_F(history_database, ABrokenRecordLeavesTheHistoryAsItWas) {
  database history = database::open_for_adding(path);
  history.add(reports::made_record_path());
  EXPECT_THROW(history.add(folder.write("broken.json", "{\"context\": ")), bad_input);
  EXPECT_EQ(history.record_count(), 1u);
}

TEST_F(history_database, AFileThatIsNoDatabaseIsRefused) {
  std::ofstream(path) << "this is a text of more than sixteen bytes";
  expect_refused("found no SQLite database");
}

TEST_F(history_database, AnotherProgramsDatabaseIsRefusedAndLeftAlone) {
  // A header page of SQLite's with one table of another program.
  database::open_for_adding(path);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(68);  // the application id
  file.write("ELSE", 4);
  file.close();
  const std::string before = test_support::slurp(path);
  expect_refused("another program's database");
  EXPECT_EQ(test_support::slurp(path), before);
}

TEST_F(history_database, AHistoryOfALaterVersionIsRefused) {
  database::open_for_adding(path);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(63);  // the user version's last byte
  file.put(9);
  file.close();
  expect_refused("expected version 2 of a history's tables, found 9");
}

TEST_F(history_database, ADamagedDatabaseIsRefused) {
  { database::open_for_adding(path).add(reports::made_record_path()); }
  const auto size = std::filesystem::file_size(path);
  ASSERT_GT(size, 8192u);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(4096);
  for (std::size_t i = 4096; i < size; ++i) file.put('\xa5');
  file.close();
  expect_refused("damaged");
}

TEST_F(history_database, AHistoryThatIsNotThereIsRefusedToReaders) {
  EXPECT_THROW(database::open(path), bad_input);
  EXPECT_FALSE(std::filesystem::exists(path));
  path = folder.path();
  expect_refused("cannot be opened");
}

TEST_F(history_database, TwoProcessesAddAtOnce) {
  constexpr int each = 8;
  std::deque<process::child_process> writers;
  for (int writer = 0; writer < 2; ++writer) {
    std::vector<std::string> files;
    for (int i = 0; i < each; ++i)
      files.push_back(write(fmt::format("{}-{}.json", writer, i), night_record(writer * each + i)).string());
    writers.emplace_back([files, this] {
      // Opened again each time: making the tables is raced for too.
      for (const std::string& file : files)
        if (!database::open_for_adding(path).add(file)) return 1;
      return 0;
    });
  }
  for (process::child_process& writer : writers) EXPECT_EQ(writer.wait().exit_code, 0);
  database history = database::open(path);
  EXPECT_EQ(history.record_count(), 2u * each);
  for (const series& s : history.all_series()) EXPECT_EQ(s.nights.size(), 2u * each);
}

TEST_F(history_database, AWriterThatIsKilledLeavesWholeRecords) {
  constexpr int most = 200, rounds = 5;
  std::vector<std::string> files;
  for (int i = 0; i < most; ++i) files.push_back(write(fmt::format("{}.json", i), night_record(i)).string());
  std::size_t records = 0;
  for (int round = 0; round < rounds; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    process::child_process writer([&] {
      database history = database::open_for_adding(path);
      for (std::size_t i = records; i < files.size(); ++i) {
        history.add(files[i]);
        if (::write(ends[1], "+", 1) != 1) return 1;
      }
      return 0;
    });
    // Killed in the middle of what follows the second record.
    char one;
    for (int i = 0; i < 2; ++i) ASSERT_EQ(::read(ends[0], &one, 1), 1);
    ::usleep(static_cast<useconds_t>(700 * round));
    EXPECT_EQ(writer.kill().signal, SIGKILL);
    ::close(ends[0]);
    ::close(ends[1]);

    database history = database::open(path);
    const std::size_t now = history.record_count();
    EXPECT_GE(now, records + 2);
    records = now;
    for (const series& s : history.all_series()) EXPECT_EQ(s.nights.size(), records);
  }
  EXPECT_TRUE(database::open_for_adding(path).add(files.back()));
}

TEST(RecordHash, TellsRecordsApart) {
  EXPECT_EQ(record_hash(night_record(1)), record_hash(night_record(1)));
  EXPECT_NE(record_hash(night_record(1)), record_hash(night_record(2)));
  EXPECT_EQ(record_hash(night_record(1)).size(), 32u);
}

}  // namespace
}  // namespace ablate::history::database_test
