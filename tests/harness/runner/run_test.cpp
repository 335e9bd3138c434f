#include "harness/runner/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include "base/process/child_process.h"
#include "base/text/bad_input.h"
#include "harness/runner/case_key.h"
#include "harness/runner/finish.h"
#include "tests/harness/runner/kill_and_resume.h"
#include "tests/harness/runner/scripted.h"
#include "tests/support/run_program.h"

namespace ablate::run_test {
namespace {

using test_support::fate;
using ::testing::HasSubstr;

class Run : public ::testing::Test {
 protected:
  int run(const std::vector<long>& values, const std::map<long, fate>& fates, bool resume = false,
          int case_ms = 0) {
    suite s = test_support::scripted_suite(operation_, values);
    // Soon where a case hangs; else far beyond what a busy machine may take for one.
    const bool hangs = std::ranges::any_of(
        fates, [](const auto& of) { return of.second == fate::hang || of.second == fate::hang_afterwards; });
    s.case_limit_seconds = hangs ? 1 : 60;
    s.blocks[0].picture = wants_picture_;
    run_options options = options_;
    options.out = out_.path();
    options.resume = resume;
    // As on a machine without a GPU: no calibrations run, which would need one.
    return run_suite_on(s, options, {.host = true}, device_,
                        [=] { return std::make_unique<test_support::scripted_executor>(fates, case_ms); });
  }

  /// In a process of its own, whose standard error goes to a file.
  int run_saying(const std::filesystem::path& file, const std::vector<long>& values,
                 const std::map<long, fate>& fates, int case_ms = 0) {
    return freopen(file.c_str(), "w", stderr) ? run(values, fates, false, case_ms) : 1;
  }

  /// In a process of its own, whose progress would only clutter the test's output.
  int run_in_silence(const std::vector<long>& values, const std::map<long, fate>& fates, int case_ms = 0) {
    return run_saying("/dev/null", values, fates, case_ms);
  }

  nlohmann::json record() const {
    std::ifstream file(out_.path() / "record.json");
    return nlohmann::json::parse(file);
  }

  static std::string status_of(const nlohmann::json& record, long n) {
    const std::string id = "scripted/reference/n=" + std::to_string(n) + "/@host";
    for (const auto& entry : record.at("benchmarks"))
      if (entry.at("name") == id) return entry.at("status");
    for (const auto& entry : record.at("unmeasured"))
      if (entry.at("name") == id) return entry.at("status");
    return "absent";
  }

  static std::string reason_of(const nlohmann::json& record, long n) {
    for (const auto& entry : record.at("unmeasured"))
      if (entry.at("axes").value("n", "") == std::to_string(n)) return entry.at("reason");
    return "";
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    const nlohmann::json whole = record();
    for (const auto& entry : whole.at("benchmarks")) all.push_back(entry.at("name"));
    return all;
  }

  std::string refusal(const std::vector<long>& values, bool resume) {
    try {
      run(values, {}, resume);
      return "accepted";
    } catch (const bad_input& error) {
      const std::string what = error.what(), file = (out_.path() / "journal.jsonl").string() + ": ";
      return what.starts_with(file) ? what.substr(file.size()) : what;
    }
  }

  /// Ends the run of these cases after the first of them, as a kill does.
  void leave_unfinished(const std::vector<long>& values) {
    ASSERT_EQ(run(values, {}), 0);
    const std::string text = test_support::slurp(out_.path() / "journal.jsonl");
    std::size_t end = text.find("\n{\"key\"");
    end = text.find('\n', end + 1);
    out_.write("journal.jsonl", text.substr(0, end + 1));
    std::filesystem::remove(out_.path() / "record.json");
  }

  device_identity device_{"scripted", "GPU-1", "580.1"};
  bool wants_picture_ = false;
  run_options options_;
  test_support::temporary_directory out_;
  test_support::scripted_operation operation_;
};

TEST_F(Run, RecordsEveryCaseInOrder) {
  EXPECT_EQ(run({1, 2, 3}, {}), 0);
  const auto all = record();
  std::vector<double> times;
  for (const auto& entry : all["benchmarks"])
    if (entry["operation"] == "scripted") times.push_back(entry["real_time"]);
  EXPECT_EQ(times, (std::vector<double>{2, 3, 4}));
  EXPECT_EQ(all["context"]["ablate"]["device"]["name"], "scripted");
}

/// Whatever it is: a report of a later version may know more of it than this program.
TEST_F(Run, WhatASuiteSaysToReportsIsInTheRecordAsItWas) {
  suite s = test_support::scripted_suite(operation_, {1});
  s.report = nlohmann::ordered_json::parse(
      R"({"question": {"text": "?", "color": "green",
                       "families": [{"name": "a", "variants": ["first"], "mark": 1},
                                    {"name": "b", "variants": ["second"]}],
                       "workloads": {"operations": ["scripted"], "along": "n", "unit": null}},
          "later": [{"z": 1, "a": null}, 0.5]})");
  run_options options;
  options.out = out_.path();
  options.host = true;
  ASSERT_EQ(run_suite(s, options), 0);
  EXPECT_EQ(record().at("context").at("ablate").at("suite").at("report"), nlohmann::json(s.report));
}

TEST_F(Run, TheHostExecutorRecordsQualityAndPicturesWhereTheyAreWanted) {
  suite s = test_support::scripted_suite(operation_, {1, 2});
  s.sampling.maximum_seconds = 0.01;
  suite_block drawn = s.blocks[0];
  drawn.axes = {{"n", {"2"}}};
  drawn.picture = true;
  s.blocks.push_back(drawn);
  run_options options;
  options.out = out_.path();
  options.host = true;
  ASSERT_EQ(run_suite(s, options), 0);
  const auto entries = record().at("benchmarks");
  ASSERT_EQ(entries.size(), 2u);
  for (const auto& entry : entries) {
    EXPECT_EQ(entry.at("quality").at("first_byte"), 1);
    EXPECT_TRUE(entry.at("quality").at("undefined").is_null());
    EXPECT_EQ(entry.at("check").at("timed"), "ok");
    EXPECT_EQ(entry.at("check").at("accepted_error"), 0);
    EXPECT_EQ(entry.at("check").at("changed_share"), 0);
    double seconds = 0;
    for (const auto& [phase, spent] : entry.at("phases_s").items()) seconds += spent.get<double>();
    EXPECT_NEAR(seconds, entry.at("elapsed_s"), 0.005) << "each phase to the millisecond";
  }
  EXPECT_FALSE(entries[0].contains("picture"));
  EXPECT_EQ(entries[1].at("picture").at("points")[0], (nlohmann::json{0.5, 0.25, 3}));
  EXPECT_EQ(record().at("context").at("ablate").at("record_schema"), "2.2.0");
}

TEST_F(Run, AJournalOfAnOlderVersionMakesARecordOfThisOne) {
  ASSERT_EQ(run({1, 2}, {}), 0);
  const std::filesystem::path journal = out_.path() / "journal.jsonl";
  const auto with_lines = [&](const std::function<void(nlohmann::ordered_json&)>& change) {
    std::istringstream lines(test_support::slurp(journal));
    std::string text;
    for (std::string line; std::getline(lines, line);) {
      auto json = nlohmann::ordered_json::parse(line);
      change(json);
      text += json.dump() + "\n";
    }
    return out_.write("older.jsonl", text);
  };
  const auto older = with_lines([](nlohmann::ordered_json& line) {
    if (line.contains("context")) line["context"]["ablate"]["record_schema"] = "1.20.0";
    if (line.contains("context")) line["context"]["ablate"].erase("ceilings");
    if (!line.contains("case")) return;
    line["case"].erase("floors");
    line["case"]["time_us"]["samples"] = {{"tick_ns", 500}, {"deltas", {4, 0}}};
  });
  finish_run(read_journal(older), older, out_.path() / "older.json");
  const auto of_this = nlohmann::json::parse(test_support::slurp(out_.path() / "older.json"));
  EXPECT_EQ(of_this.at("context").at("ablate").at("upgraded_from"), "1.20.0");
  EXPECT_EQ(of_this.at("benchmarks")[0].at("time_us").at("samples"), (std::vector<double>{2, 2}));

  const auto broken = with_lines([](nlohmann::ordered_json& line) {
    if (line.contains("case")) line["case"].erase("work");
  });
  try {
    finish_run(read_journal(broken), broken, out_.path() / "broken.json");
    FAIL() << "an entry without its work";
  } catch (const bad_input& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("older.jsonl: /benchmarks/0: expected a key 'work', found none"));
  }
}

TEST_F(Run, EndsWhereWhoeverStartedItIgnoresItsChildren) {
  const auto usual = signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(run({1, 2}, {{2, fate::crash}}), 75);
  EXPECT_EQ(signal(SIGCHLD, usual), SIG_IGN) << "put back";
  EXPECT_NE(reason_of(record(), 2).find("signal 9"), std::string::npos) << reason_of(record(), 2);
}

TEST_F(Run, ACaseThatIsAskedForAPictureRunsAgain) {
  EXPECT_EQ(run({1, 2}, {}), 0);
  wants_picture_ = true;
  EXPECT_EQ(run({1, 2}, {{1, fate::failed}}, true), 75);
}

TEST_F(Run, WhatNoReaderTakesFailsItsCaseNotTheRecord) {
  EXPECT_EQ(run({1, 2, 3}, {{2, fate::timeless}}), 75);
  EXPECT_EQ(record().at("benchmarks").size(), 2u);
  const auto failed = record().at("unmeasured").at(0);
  EXPECT_EQ(failed.at("status"), "failed");
  EXPECT_THAT(failed.at("reason").get<std::string>(),
              HasSubstr("what was measured: /time_us/median: expected a number above 0"));
}

TEST_F(Run, ANumberThatIsNotFiniteFailsItsCase) {
  EXPECT_EQ(run({1, 2, 3}, {{2, fate::nan}}), 75);
  EXPECT_EQ(status_of(record(), 2), "failed");
  EXPECT_EQ(reason_of(record(), 2), "what was measured/time_us/mad: expected a finite number");
  EXPECT_EQ(status_of(record(), 3), "ok");
}

TEST_F(Run, GoesOnAfterEachKindOfFailureAndSaysWhy) {
  EXPECT_EQ(run({1, 2, 3, 4, 5, 6, 7, 500, 600}, {{2, fate::failed},
                                                  {3, fate::out_of_memory},
                                                  {4, fate::lost_device},
                                                  {5, fate::crash},
                                                  {6, fate::hang}}),
            75);
  const auto all = record();
  EXPECT_EQ(status_of(all, 1), "ok");
  EXPECT_EQ(status_of(all, 2), "failed");
  EXPECT_EQ(reason_of(all, 2), "the launch was refused");
  EXPECT_EQ(status_of(all, 3), "out_of_memory");
  EXPECT_EQ(status_of(all, 4), "failed");
  EXPECT_EQ(reason_of(all, 4), "an illegal address was read");
  EXPECT_EQ(status_of(all, 5), "failed");
  EXPECT_NE(reason_of(all, 5).find("signal 9"), std::string::npos) << reason_of(all, 5);
  EXPECT_EQ(status_of(all, 6), "timeout");
  EXPECT_EQ(reason_of(all, 6), "no result within 1 s");
  EXPECT_EQ(status_of(all, 7), "ok");
  EXPECT_EQ(status_of(all, 500), "input_missing");
  EXPECT_EQ(status_of(all, 600), "not_applicable");
  EXPECT_EQ(reason_of(all, 600), "600 makes no case");
}

TEST_F(Run, WhatAMachineLacksMakesACaseNotApplicable) {
  EXPECT_EQ(run({1, 2}, {{1, fate::unsupported}}), 0);
  EXPECT_EQ(status_of(record(), 1), "not_applicable");
  EXPECT_EQ(reason_of(record(), 1), "the library cannot be loaded");
  EXPECT_EQ(status_of(record(), 2), "ok");
}

TEST_F(Run, ShowsNoTimeForAWrongResultAndExitsWith3) {
  EXPECT_EQ(run({1, 2}, {{1, fate::wrong}}), 3);
  EXPECT_EQ(status_of(record(), 1), "wrong");
  EXPECT_EQ(reason_of(record(), 1), "cell 3 differs");
}

TEST_F(Run, TakesACaseThatIsMissingItsInputForNoFailure) { EXPECT_EQ(run({1, 500, 501, 600}, {}), 0); }

TEST_F(Run, ARunThatMeasuredNothingExitsWith4) {
  EXPECT_EQ(run({500, 600}, {}), 4);
  EXPECT_EQ(status_of(record(), 500), "input_missing") << "there is a record all the same";
}

TEST_F(Run, WhereNoCaseAppliesThatIsNoPassEither) { EXPECT_EQ(run({600}, {}), 4); }

TEST_F(Run, ABrokenInputCostsItsCaseOnly) {
  EXPECT_EQ(run({1, 501, 502, 2}, {}), 75);
  EXPECT_EQ(status_of(record(), 501), "not_applicable");
  EXPECT_EQ(reason_of(record(), 501), "scan.bin: expected 501 points or more");
  EXPECT_EQ(status_of(record(), 502), "failed");
  EXPECT_EQ(reason_of(record(), 502), "scan.bin: byte 7: expected points");
  EXPECT_EQ(status_of(record(), 2), "ok");
}

TEST_F(Run, ResumesWithWhatIsDone) {
  EXPECT_EQ(run({1, 2, 3}, {}), 0);
  // Were case 1 to run again, it would fail.
  EXPECT_EQ(run({1, 2, 3, 4}, {{1, fate::failed}}, true), 0);
  EXPECT_EQ(status_of(record(), 4), "ok");
}

TEST_F(Run, ResumesWhatMayGoWellTheNextTime) {
  EXPECT_EQ(
      run({1, 2, 3, 4, 5, 6},
          {{1, fate::failed}, {2, fate::out_of_memory}, {3, fate::wrong}, {4, fate::hang}, {5, fate::crash}}),
      3);
  EXPECT_EQ(run({1, 2, 3, 4, 5, 6}, {{5, fate::crash}, {6, fate::failed}}, true), 3);
  const auto all = record();
  EXPECT_EQ(status_of(all, 1), "ok");
  EXPECT_EQ(status_of(all, 2), "ok");
  EXPECT_EQ(status_of(all, 3), "wrong") << "that is a result";
  EXPECT_EQ(status_of(all, 4), "timeout") << "it would hang again";
  EXPECT_EQ(status_of(all, 5), "failed") << "it died again";
  EXPECT_EQ(status_of(all, 6), "ok") << "it was done";
}

TEST_F(Run, IsNotResumedOnAnotherKindOfDeviceDriverOrBuild) {
  ASSERT_EQ(run({1, 2}, {}), 0);
  EXPECT_EQ(refusal({1, 2}, true), "accepted");
  device_.uuid = "GPU-2";
  device_.driver = "590.2";
  EXPECT_EQ(refusal({1, 2}, true),
            "cannot be resumed here: it was written by driver 580.1, here 590.2; "
            "expected another --out, or its record first (`ablate dev record`)");
  EXPECT_EQ(status_of(record(), 1), "ok") << "nothing is lost";
}

TEST_F(Run, ACaseWhoseInputHasOtherBytesRunsAgain) {
  suite s = test_support::scripted_suite(operation_, {1, 2});
  s.point_files["1"] = {out_.write("scan.bin", "one").string(), 4};
  run_options options;
  options.out = out_.path();
  const auto go = [&](const std::map<long, fate>& fates) {
    const int code = run_suite_on(s, options, {.host = true}, device_,
                                  [&] { return std::make_unique<test_support::scripted_executor>(fates); });
    options.resume = true;
    return code;
  };
  ASSERT_EQ(go({}), 0);
  EXPECT_EQ(go({{1, fate::wrong}, {2, fate::wrong}}), 0) << "nothing to do";
  out_.write("scan.bin", "two");
  EXPECT_EQ(go({{1, fate::wrong}}), 3);
  EXPECT_EQ(status_of(record(), 1), "wrong");
  EXPECT_EQ(status_of(record(), 2), "ok") << "it does not name the file";
}

TEST_F(Run, ACaseWhosePointFileIsReadOtherwiseRunsAgain) {
  suite s = test_support::scripted_suite(operation_, {1, 2});
  s.point_files["1"] = {out_.write("scan.bin", "one").string(), 4};
  const auto key_of = [](const suite& from, std::size_t i) {
    return case_keys(from, {}).of(expand(from, {.host = true}, input_library(1, {}, {}))[i], "GPU-1");
  };
  const std::string first = key_of(s, 0), second = key_of(s, 1);
  EXPECT_EQ(key_of(s, 0), first);
  suite wider = s, of_more_sweeps = s;
  wider.point_files["1"].floats_per_point = 5;
  of_more_sweeps.point_files["1"].sweeps = 6;
  for (const suite& other : {wider, of_more_sweeps}) {
    EXPECT_NE(key_of(other, 0), first);
    EXPECT_EQ(key_of(other, 1), second) << "it does not name the file";
  }
  EXPECT_NE(key_of(wider, 0), key_of(of_more_sweeps, 0));
}

TEST_F(Run, AnUnfinishedOneIsNotThrownAway) {
  leave_unfinished({1, 2, 3});
  EXPECT_EQ(
      refusal({1, 2, 3}, false),
      "contains an unfinished run (1 of 3 cases); expected --resume to continue it, another --out, or its "
      "removal");
  EXPECT_EQ(run({1, 2, 3}, {{1, fate::failed}}, true), 0);
  EXPECT_EQ(status_of(record(), 1), "ok");
}

TEST_F(Run, AFileThatIsNoJournalIsNotThrownAwayEither) {
  out_.write("journal.jsonl", "{\"benchmarks\": []}\n");
  EXPECT_EQ(refusal({1}, false), "line 1: expected a line of a run's journal");
}

TEST_F(Run, ADeviceThatIsGoneForGoodLeavesARecord) {
  suite s = test_support::scripted_suite(operation_, {1, 2, 3});
  run_options options;
  options.out = out_.path();
  // The first process loses the device in case 2; no other one finds it.
  EXPECT_THROW(run_suite_on(s, options, {.host = true}, device_,
                            [&]() -> std::unique_ptr<executor> {
                              if (std::filesystem::exists(out_.path() / "gone"))
                                throw std::runtime_error("no device");
                              out_.write("gone", "");
                              return std::make_unique<test_support::scripted_executor>(
                                  std::map<long, fate>{{2, fate::lost_device}});
                            }),
               std::runtime_error);
  EXPECT_EQ(status_of(record(), 1), "ok");
  EXPECT_EQ(status_of(record(), 2), "failed");
  EXPECT_EQ(status_of(record(), 3), "interrupted");
}

TEST_F(Run, AJournalMakesTheRecordThatTheRunWouldHaveMade) {
  ASSERT_EQ(run({1, 2, 600}, {{2, fate::failed}}), 75);
  const std::string whole = test_support::slurp(out_.path() / "record.json");
  const auto journal = out_.path() / "journal.jsonl", made = out_.path() / "made.json";
  const finished_run done = finish_run(read_journal(journal), journal, made);
  EXPECT_EQ(test_support::slurp(made), whole);
  EXPECT_EQ(done.measured, 1u);
  EXPECT_EQ(done.cases, 3u);
  EXPECT_EQ(done.statuses, (std::set<std::string>{"failed", "not_applicable", "ok"}));
}

TEST_F(Run, AJournalOfAKilledRunMakesARecordOfWhatWasMeasured) {
  leave_unfinished({1, 2, 3});
  const auto journal = out_.path() / "journal.jsonl";
  finish_run(read_journal(journal), journal, out_.path() / "record.json");
  EXPECT_EQ(status_of(record(), 1), "ok");
  EXPECT_EQ(status_of(record(), 2), "interrupted");
  EXPECT_EQ(status_of(record(), 3), "interrupted");
}

TEST_F(Run, AJournalWithoutADeviceMakesNoRecord) {
  const auto path = out_.path() / "journal.jsonl";
  {
    journal begun(path);
    begun.write_begin({{"device", "x"}}, {}, {});
  }
  EXPECT_THROW(finish_run(read_journal(path), path, out_.path() / "record.json"), bad_input);
}

TEST_F(Run, KeepsWhatWasMeasuredBeforeItsProcessHung) {
  const auto said = out_.path() / "said";
  process::child_process all([&] { return run_saying(said, {1, 2}, {{2, fate::hang_afterwards}}); });
  EXPECT_EQ(all.wait().exit_code, 0);
  EXPECT_EQ(status_of(record(), 2), "ok");
  EXPECT_THAT(test_support::slurp(said),
              HasSubstr("ablate: scripted/reference/n=2/@host: recorded as ok; the process that ran it hung "
                        "afterwards\n"));
}

TEST_F(Run, SaysWhichCaseHung) {
  const auto said = out_.path() / "said";
  process::child_process all([&] { return run_saying(said, {1}, {{1, fate::hang}}); });
  EXPECT_EQ(all.wait().exit_code, 75);
  EXPECT_THAT(test_support::slurp(said), HasSubstr("ablate: scripted/reference/n=1/@host: timeout\n"));
}

TEST_F(Run, StartsAfreshWithoutResume) {
  EXPECT_EQ(run({1}, {}), 0);
  EXPECT_EQ(run({1}, {{1, fate::failed}}), 75);
}

TEST_F(Run, PassesOverAJournalLineThatAKillCutShort) {
  EXPECT_EQ(run({1, 2}, {}), 0);
  const auto journal = out_.path() / "journal.jsonl";
  std::filesystem::resize_file(journal, std::filesystem::file_size(journal) - 20);
  EXPECT_EQ(run({1, 2}, {{1, fate::failed}}, true), 0);
  EXPECT_EQ(status_of(record(), 2), "ok");
}

TEST_F(Run, RefusesAFileThatIsNoJournal) {
  out_.write("journal.jsonl", "{\"benchmarks\": []}\n");
  EXPECT_THROW(run({1}, {}, true), bad_input);
}

TEST_F(Run, RefusesADirectoryThatAnotherRunWritesTo) {
  const journal held(out_.path() / "journal.jsonl");
  EXPECT_THROW(run({1}, {}), bad_input);
}

// The names and input hashes of a record's measured cases: what a resumed run must have in common with a
// whole one.
std::map<std::string, std::string> cases_of(const nlohmann::json& record) {
  std::map<std::string, std::string> all;
  for (const auto& entry : record.at("benchmarks")) all[entry.at("name")] = entry.at("input").at("hash");
  return all;
}

TEST_F(Run, LosesNothingWhenKilledAtAnyMoment) {
  std::vector<long> values;
  for (long n = 0; n < 25; ++n) values.push_back(n);
  ASSERT_EQ(run(values, {}), 0);
  const auto whole = cases_of(record());

  std::mt19937 random(20);
  std::set<std::size_t> kept;  // how many cases a killed run had finished
  int landed = 0;
  constexpr int kills = 20;
  for (int kill_number = 0; kill_number < kills; ++kill_number) {
    std::filesystem::remove(out_.path() / "journal.jsonl");
    std::filesystem::remove(out_.path() / "record.json");
    process::child_process killed([&] { return run_in_silence(values, {}, 2); });
    // By progress and not by time, which depends on the machine's load; then at any moment within a case.
    const std::size_t progress = random() % values.size();
    for (int i = 0; i < 5000 && test_support::journalled_cases(out_.path()).size() < progress; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
    killed.kill();
    if (!std::filesystem::exists(out_.path() / "record.json")) {
      ++landed;
      kept.insert(test_support::journalled_cases(out_.path()).size());
    }
    // The worker dies with its supervisor; wait until it has let go of the journal.
    for (int i = 0; i < 200; ++i) {
      try {
        ASSERT_EQ(run(values, {}, true), 0);
        break;
      } catch (const bad_input&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    }
    EXPECT_EQ(cases_of(record()), whole);
  }
  EXPECT_GE(landed, kills / 2) << "most runs ended before their kill";
  EXPECT_GE(kept.size(), 4u) << "the kills landed at too few different moments";
}

TEST_F(Run, WritesTheRecordOfAnInterruptedRun) {
  process::child_process interrupted([&] { return run_in_silence({1, 2, 3, 4}, {{3, fate::hang}}); });
  const auto finished_cases = [&] {
    std::ifstream file(out_.path() / "journal.jsonl");
    int lines = 0;
    for (std::string line; std::getline(file, line);) lines += line.starts_with("{\"key\"");
    return lines;
  };
  for (int i = 0; i < 5000 && finished_cases() < 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  interrupted.signal(SIGINT);
  EXPECT_EQ(interrupted.wait().exit_code, 130);
  EXPECT_EQ(status_of(record(), 2), "ok");
  EXPECT_EQ(status_of(record(), 3), "interrupted");
  EXPECT_EQ(status_of(record(), 4), "interrupted");
}

TEST_F(Run, ShufflesItsCasesBySeedAndLosesNone) {
  const std::vector<long> values = {1, 2, 3, 4, 5, 6, 7, 8};
  ASSERT_EQ(run(values, {}), 0);
  const std::vector<std::string> in_order = names();
  options_.launch.order_seed = 7;
  ASSERT_EQ(run(values, {}), 0);
  const std::vector<std::string> shuffled = names();
  EXPECT_NE(shuffled, in_order);
  ASSERT_EQ(run(values, {}), 0);
  EXPECT_EQ(names(), shuffled);
  options_.launch.order_seed = 8;
  ASSERT_EQ(run(values, {}), 0);
  EXPECT_NE(names(), shuffled);
  EXPECT_TRUE(std::is_permutation(shuffled.begin(), shuffled.end(), in_order.begin(), in_order.end()));
}

TEST_F(Run, RunsOnlyTheCasesThatAreNamedAndTellsWhatItHasNot) {
  options_.launch.only = {"scripted/reference/n=2/@host", "scripted/reference/n=9/@host"};
  ASSERT_EQ(run({1, 2, 3}, {}), 0);
  EXPECT_EQ(names(), std::vector<std::string>{"scripted/reference/n=2/@host"});
  options_.launch.only = {"scripted/reference/n=9/@host"};
  EXPECT_THROW(run({1, 2, 3}, {}), bad_input);
  options_.launch.only = {"n=1,3", "operation=scripted"};
  ASSERT_EQ(run({1, 2, 3, 13}, {}), 0);
  EXPECT_EQ(names(),
            (std::vector<std::string>{"scripted/reference/n=1/@host", "scripted/reference/n=3/@host"}));
}

TEST_F(Run, AnUncheckedRunLeavesStaticFactsToTheRecordOfItsBuild) {
  options_.launch.unchecked = true;
  ASSERT_EQ(run({1}, {}), 0);
  EXPECT_TRUE(record().at("context").at("ablate").at("kernels").empty());
}

}  // namespace
}  // namespace ablate::run_test
