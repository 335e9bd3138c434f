#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "base/process/child_process.h"
#include "base/record/neighbors.h"
#include "base/record/record.h"
#include "base/text/bad_input.h"
#include "harness/runner/finish.h"
#include "harness/runner/journal.h"
#include "harness/runner/neighbors.h"
#include "reports/views/record_tables.h"
#include "tests/harness/runner/scripted.h"
#include "tests/support/slurp.h"
#include "tests/support/temporary_directory.h"

namespace ablate::devices_test {
namespace {

namespace fs = std::filesystem;
using test_support::fate;
using test_support::slurp;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

/// What the scripted GPUs of a host do to each other, in memory that their processes share.
struct shared_host {
  std::atomic<int> busy = 0;     ///< how many are kept busy
  std::atomic<int> calls = 0;    ///< of keep_busy
  std::atomic<int> held = 0;     ///< how often a case was put on a device to stay there
  std::atomic<int> at_work = 0;  ///< how many run a case that is no calibration
  std::atomic<int> max_at_work = 0;
  std::atomic<int> prepared = 0;  ///< inputs of cases that are no calibrations
  std::atomic<int> prepared_while_busy = 0;
};

class host_memory {
 public:
  host_memory()
      : at_(static_cast<shared_host*>(
            mmap(nullptr, sizeof(shared_host), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    new (at_) shared_host;
  }
  host_memory(const host_memory&) = delete;
  ~host_memory() { munmap(at_, sizeof(shared_host)); }
  shared_host* operator->() const { return at_; }

 private:
  shared_host* at_;
};

/// What becomes of it as a neighbor.
struct as_neighbor {
  double slows_pct = 0;        ///< the calibrations of others, while it is busy
  double slows_later_pct = 0;  ///< instead of that, once a case has run that is no calibration
  bool dies_busy = false;
  bool awaits_input = false;  ///< is busy for so long, but not for ever
};

/// Measures calibrations, too, and writes down which cases it begins.
class scripted_gpu final : public executor {
 public:
  scripted_gpu(std::map<long, fate> fates, int case_ms, const host_memory& host, as_neighbor as,
               fs::path begun)
      : scripted_(std::move(fates), case_ms), host_(host), as_(as), begun_(std::move(begun)) {}
  nlohmann::ordered_json device_facts() override { return scripted_.device_facts(); }
  std::vector<record::evidence_rung> evidence() override { return scripted_.evidence(); }
  measurement run(const suite_case& c, const workload& work, const input_library& inputs,
                  const sampling& rule) override {
    if (c.ceiling.empty()) {
      std::ofstream(begun_, std::ios::app) << c.id + "\n" << std::flush;
      const int now = ++host_->at_work;
      for (int most = host_->max_at_work; most < now && !host_->max_at_work.compare_exchange_weak(most, now);)
        ;
      try {
        measurement out = scripted_.run(c, work, inputs, rule);
        --host_->at_work;
        return out;
      } catch (...) {
        --host_->at_work;
        throw;
      }
    }
    suite_case as_scripted = c;
    as_scripted.axes.set("n", "7");
    measurement out = scripted_.run(as_scripted, work, inputs, rule);
    const double slower_pct = host_->max_at_work > 0 ? as_.slows_later_pct : as_.slows_pct;
    if (host_->busy > 0)
      for (auto key : {&measured_case::timing::median_us, &measured_case::timing::min_us,
                       &measured_case::timing::ci95_low_us, &measured_case::timing::ci95_high_us})
        out.facts.time.*key *= 1 + slower_pct / 100;
    return out;
  }
  std::unique_ptr<held_case> hold(const suite_case& c, const workload& work,
                                  const input_library& inputs) override {
    ++host_->held;
    return std::make_unique<held>(*this, executor::hold(c, work, inputs));
  }

 private:
  class held final : public held_case {
   public:
    held(const scripted_gpu& on, std::unique_ptr<held_case> of) : on_(on), of_(std::move(of)) {}
    double time_us(const sampling& rule) override { return of_->time_us(rule); }
    void keep_busy(const sampling&, const std::function<bool()>& is_over) override {
      ++on_.host_->calls;
      if (on_.as_.dies_busy) kill(getpid(), SIGKILL);
      ++on_.host_->busy;
      for (int i = 0; on_.as_.awaits_input && i < 5000 && on_.host_->prepared == 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (on_.host_->prepared > 0) on_.host_->prepared_while_busy = 1;
      while (!is_over()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      --on_.host_->busy;
    }

   private:
    const scripted_gpu& on_;
    std::unique_ptr<held_case> of_;
  };

  test_support::scripted_executor scripted_;
  const host_memory& host_;
  as_neighbor as_;
  fs::path begun_;
};

/// What becomes of a device.
struct script {
  std::map<long, fate> fates = {};
  bool gone_once_lost = false;  ///< no second process finds it
  bool comes_late = false;      ///< the first process does not find it
  std::string uuid;
};

/// Bundles of two cases each, in two cache states, on two GPUs.
class Devices : public ::testing::Test {
 protected:
  Devices() {
    options_.out = out_.path();
    options_.launch.ceilings = {"none"};
  }

  std::vector<run_device> devices() const {
    std::vector<run_device> out;
    for (std::size_t i = 0; i < scripts_.size(); ++i) {
      const script& of = scripts_[i];
      const fs::path gone = files_.path() / of.uuid;
      out.push_back({{"scripted", of.uuid, "580.1"},
                     "GPU " + std::to_string(i),
                     [this, of, gone]() -> std::unique_ptr<executor> {
                       if (of.gone_once_lost && fs::exists(gone)) throw std::runtime_error("no such device");
                       const bool is_first = !fs::exists(gone);
                       std::ofstream(gone) << getpid() << std::flush;
                       if (of.comes_late && is_first) throw std::runtime_error("not yet");
                       return std::make_unique<scripted_gpu>(of.fates, case_ms_, host_, as_neighbor_,
                                                             begun());
                     }});
    }
    return out;
  }

  int run(const std::vector<long>& values) {
    suite s = test_support::scripted_suite(operation_, values);
    s.blocks[0].cache_states = {cache_state::cold_clean, cache_state::hot};
    s.case_limit_seconds = 5;
    s.keeps_operations_together = keeps_operations_together_;
    return run_suite_on(s, options_, {}, devices());
  }

  int resume(const std::vector<long>& values) {
    options_.resume = true;
    // The workers of the run killed before may be on their way out.
    for (int i = 0; i < 500; ++i) {
      try {
        return run(values);
      } catch (const bad_input& held) {
        if (!std::string(held.what()).ends_with("(--out)")) throw;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    }
    return -1;
  }

  /// In a process of its own, whose standard error goes to a file.
  int run_saying(const std::vector<long>& values, const fs::path& file = "/dev/null") {
    return freopen(file.c_str(), "w", stderr) ? run(values) : 1;
  }

  fs::path journal_path() const { return out_.path() / "journal.jsonl"; }
  record made(const std::string& name = "record.json") const { return read_record(out_.path() / name); }

  /// The specimens that measured each n.
  std::map<std::string, std::set<std::string>> specimens(const std::string& name = "record.json") const {
    std::map<std::string, std::set<std::string>> out;
    for (const measured_case& c : made(name).cases)
      if (!c.ceiling) out[*find_word(c.axes, "n")].insert(c.specimen);
    return out;
  }

  void expect_whole_bundles(std::size_t bundles, const std::string& name = "record.json") const {
    const record of = made(name);
    EXPECT_EQ(of.cases.size(), 2 * bundles);
    EXPECT_THAT(of.unmeasured, IsEmpty());
    const auto all = specimens(name);
    EXPECT_EQ(all.size(), bundles);
    for (const auto& [n, by] : all) EXPECT_EQ(by.size(), 1u) << n;
  }

  /// The same of the cases that are no calibrations.
  void expect_whole_bundles_and_calibrations(std::size_t bundles) const {
    const auto all = specimens();
    EXPECT_EQ(all.size(), bundles);
    for (const auto& [n, by] : all) EXPECT_EQ(by.size(), 1u) << n;
    EXPECT_THAT(made().unmeasured, IsEmpty());
  }

  std::set<std::string> all_specimens() const {
    std::set<std::string> out;
    for (const auto& [n, by] : specimens()) out.insert(by.begin(), by.end());
    return out;
  }

  /// Leaves a journal as a kill of all processes does, at the moment when `is_time`.
  template <class IsTime>
  void kill_when(const IsTime& is_time, const std::vector<long>& values) {
    process::child_process all([&] { return run_saying(values); });
    while (!is_time() && !all.wait_for(std::chrono::milliseconds(1))) {
    }
    all.kill();
  }
  void kill_after(std::size_t cases, const std::vector<long>& values) {
    kill_when([&] { return journalled().size() >= cases; }, values);
  }

  fs::path begun() const { return files_.path() / "begun"; }
  /// How often each case was begun.
  std::map<std::string, int> begins() const {
    std::map<std::string, int> out;
    std::ifstream file(begun());
    for (std::string line; std::getline(file, line);) ++out[line];
    return out;
  }
  void forget_runs() const {
    for (const fs::path& file : journals()) fs::remove(out_.path() / file);
    fs::remove(begun());
  }

  /// Of either part of the record; null where it has none.
  nlohmann::json neighbors(std::size_t part = 0) const {
    const auto whole = nlohmann::json::parse(slurp(out_.path() / "record.json"));
    return whole.at("context").at("ablate").at("parts").at(part).at("worker").value("neighbors",
                                                                                    nlohmann::json());
  }

  std::vector<fs::path> journals() const {
    std::vector<fs::path> out;
    for (const auto& file : fs::directory_iterator(out_.path()))
      if (file.path().extension() == ".jsonl") out.push_back(file.path().filename());
    return out;
  }

  /// The journalled cases of all journals, by key.
  std::map<std::string, nlohmann::ordered_json> journalled() const {
    if (!fs::exists(journal_path())) return {};
    return read_journal(journal_path()).entries;
  }

  int case_ms_ = 2;
  bool keeps_operations_together_ = false;
  host_memory host_;
  as_neighbor as_neighbor_;
  std::vector<script> scripts_ = {{.uuid = "GPU-1"}, {.uuid = "GPU-2"}};
  run_options options_;
  test_support::temporary_directory out_, files_;
  test_support::scripted_operation operation_;
};

TEST_F(Devices, ShareTheBundlesAndDivideNone) {
  case_ms_ = 10;
  ASSERT_EQ(run({1, 2, 3, 4, 5, 6, 7, 8}), 0);
  expect_whole_bundles(8);
  EXPECT_THAT(all_specimens(), UnorderedElementsAre("GPU-1", "GPU-2"));
  std::vector<std::string> names, parts;
  for (const measured_case& c : made().cases) names.push_back(c.name);
  EXPECT_EQ(names[0], "scripted/only/n=1/@cold-clean") << "in the order of the plan";
  EXPECT_EQ(names[15], "scripted/only/n=8/@hot");
  for (const record::part& part : made().parts) parts.push_back(part.specimen);
  EXPECT_THAT(parts, UnorderedElementsAre("GPU-1", "GPU-2"));
  EXPECT_THAT(journals(), ElementsAre("journal.jsonl")) << "those of the workers are in it";
}

TEST_F(Devices, WorkAtTheSameTimeAndSaySo) {
  case_ms_ = 150;
  ASSERT_EQ(run({1, 2}), 0);
  const auto whole = nlohmann::json::parse(slurp(out_.path() / "record.json"));
  int busy = 0;
  for (const auto& entry : whole.at("benchmarks")) busy += entry.at("neighbors_busy").get<int>();
  EXPECT_EQ(busy, 4) << "each case had the other worker's beside it";
  const auto& parts = whole.at("context").at("ablate").at("parts");
  ASSERT_EQ(parts.size(), 2u);
  for (const auto& part : parts) {
    EXPECT_EQ(part.at("worker").at("count"), 2);
    EXPECT_TRUE(part.at("worker").at("cpus").is_null());
  }
  EXPECT_FALSE(whole.at("context").at("ablate").contains("worker"));
}

TEST_F(Devices, SayWhereTheirTimeWent) {
  options_.launch.ceilings = {"launch"};
  case_ms_ = 60;
  const auto said = files_.path() / "said";
  process::child_process all([&] { return run_saying({1, 2}, said); });
  ASSERT_EQ(all.wait().exit_code, 0);
  const std::string text = slurp(said);
  double cases = 0;
  for (const char* name : {"GPU 0", "GPU 1"}) {
    const std::size_t line = text.find("ablate: " + std::string(name) + ": start-up ");
    ASSERT_NE(line, std::string::npos) << text;
    std::istringstream words(text.substr(line, text.find('\n', line) - line));
    std::map<std::string, double> seconds;
    std::string name_of_phase, number;
    words >> number >> number >> number;
    while (words >> name_of_phase >> number) {
      seconds[name_of_phase] = std::stod(number);
      words >> number;  // "s,"
    }
    EXPECT_EQ(seconds.size(), 6u) << text;
    cases += seconds["cases"];
    EXPECT_GE(seconds["calibrations"], 0.1) << text;
    EXPECT_GE(seconds["neighbors"], 0.4) << "8 times 60 ms, or being the load of 6 of them: " << text;
  }
  EXPECT_GE(cases, 0.2) << text;
  EXPECT_THAT(text, HasSubstr("ablate: planning "));
}

TEST_F(Devices, MakeOneRecordToTheByteInWhateverOrderTheyJournalled) {
  ASSERT_EQ(run({1, 2, 3, 4}), 0);
  const std::string whole = slurp(out_.path() / "record.json");
  // The begin, then the lines of either worker.
  std::string begin;
  std::map<std::string, std::string> lines;
  std::ifstream journal(journal_path());
  for (std::string line; std::getline(journal, line);) {
    const auto json = nlohmann::json::parse(line);
    if (json.contains("begin"))
      begin = line + "\n";
    else
      lines[(json.contains("case") ? json["case"] : json).at("specimen").get<std::string>()] += line + "\n";
  }
  ASSERT_EQ(lines.size(), 2u);
  const test_support::temporary_directory other;
  for (const bool swapped : {false, true}) {
    const auto path = other.write("journal.jsonl", begin);
    other.write("journal.1.jsonl", lines[swapped ? "GPU-2" : "GPU-1"]);
    other.write("journal.2.jsonl", lines[swapped ? "GPU-1" : "GPU-2"]);
    finish_run(read_journal(path), path, other.path() / "record.json");
    EXPECT_EQ(slurp(other.path() / "record.json"), whole) << swapped;
  }
}

TEST_F(Devices, ABundleOnTwoOfThemMakesNoRecord) {
  ASSERT_EQ(run({1, 2, 3, 4}), 0);
  // What a queue that divided bundles would leave: the second case of n=1 is on the other one.
  const std::string own = *specimens()["1"].begin(), other = own == "GPU-1" ? "GPU-2" : "GPU-1";
  std::string text = slurp(journal_path());
  const std::string name = "\"case\":{\"name\":\"scripted/only/n=1/@hot\"";
  const std::size_t line = text.rfind(name);  // not where it is planned
  ASSERT_NE(line, std::string::npos);
  const std::size_t at = text.find(own, line);
  text.replace(at, own.size(), other);
  out_.write("journal.jsonl", text);
  try {
    finish_run(read_journal(journal_path()), journal_path(), out_.path() / "record.json");
    FAIL() << "a divided bundle was recorded";
  } catch (const bad_input& e) {
    EXPECT_THAT(e.what(), HasSubstr("with which this case is compared"));
  }
}

TEST_F(Devices, RunTheCalibrationsOnEach) {
  options_.launch.ceilings = {"launch"};
  ASSERT_EQ(run({1, 2, 3, 4}), 0);
  const record whole = made();
  ASSERT_EQ(whole.parts.size(), 2u);
  for (const record::part& part : whole.parts)
    EXPECT_THAT(part.calibrations, Not(IsEmpty())) << part.specimen;
}

TEST_F(Devices, AKilledWorkerCostsOneCase) {
  scripts_[0].fates = scripts_[1].fates = {{2, fate::crash}};
  EXPECT_EQ(run({1, 2, 3, 4, 5, 6}), 75);
  const record of = made();
  EXPECT_EQ(of.cases.size(), 10u);
  ASSERT_EQ(of.unmeasured.size(), 2u) << "both cases of n=2 kill their process";
  std::set<std::string> specimens;
  for (const unmeasured_case& c : of.unmeasured) {
    EXPECT_EQ(c.status, "failed");
    EXPECT_THAT(c.reason, HasSubstr("signal 9"));
  }
  for (const auto& [key, entry] : journalled())
    if (entry.at("status").get<std::string>() == "failed")
      specimens.insert(entry.at("specimen").get<std::string>());
  EXPECT_EQ(specimens.size(), 1u) << "the new process goes on with the bundle";
}

TEST_F(Devices, OneThatIsLostLeavesItsBundleToTheOthers) {
  case_ms_ = 20;
  for (long n = 1; n <= 6; ++n) scripts_[0].fates[n] = fate::lost_device;
  scripts_[0].gone_once_lost = true;
  const auto said = files_.path() / "said";
  process::child_process all([&] { return run_saying({1, 2, 3, 4, 5, 6}, said); });
  EXPECT_EQ(all.wait().exit_code, 75) << "it was lost, although nothing is missing";
  expect_whole_bundles(6);
  EXPECT_THAT(slurp(said), HasSubstr("ablate: GPU 0 is out of service: "));
  EXPECT_THAT(slurp(said), HasSubstr("; others measure its unfinished bundle again, from scripted/only/n="));
  EXPECT_THAT(all_specimens(), ElementsAre("GPU-2"));
}

TEST_F(Devices, OneThatIsNotThereLeavesAllToTheOthers) {
  scripts_[1].gone_once_lost = true;
  std::ofstream(files_.path() / "GPU-2") << "gone";
  EXPECT_EQ(run({1, 2, 3}), 75);
  expect_whole_bundles(3);
  EXPECT_THAT(all_specimens(), ElementsAre("GPU-1"));
}

TEST_F(Devices, OneThatDoesNotComeAtOnceIsTriedAgain) {
  case_ms_ = 20;
  scripts_[0].comes_late = true;
  EXPECT_EQ(run({1, 2, 3, 4, 5, 6, 7, 8}), 0);
  expect_whole_bundles(8);
  EXPECT_THAT(all_specimens(), UnorderedElementsAre("GPU-1", "GPU-2"));
}

TEST_F(Devices, WhenAllAreLostTheRecordHasWhatTheyMeasured) {
  for (script& of : scripts_) {
    of.fates = {{3, fate::lost_device}};
    of.gone_once_lost = true;
  }
  EXPECT_THROW(run({1, 2, 3, 4}), std::runtime_error);
  const record of = made();
  EXPECT_THAT(of.cases, Not(IsEmpty()));
  std::set<std::string> statuses;
  for (const unmeasured_case& c : of.unmeasured) statuses.insert(c.status);
  EXPECT_TRUE(statuses.contains("failed"));
  for (const auto& [n, by] : specimens()) EXPECT_EQ(by.size(), 1u) << n;
}

/// Medians by case.
std::map<std::string, double> medians_of(const record& r) {
  std::map<std::string, double> out;
  for (const measured_case& c : r.cases) out[c.name] = c.time.median_us;
  return out;
}

TEST_F(Devices, LoseAtMostACaseEachWhenKilledAtAnyMoment) {
  std::vector<long> values;
  for (long n = 1; n <= 15; ++n) values.push_back(n);
  ASSERT_EQ(run(values), 0);
  const auto whole = medians_of(made());
  ASSERT_EQ(whole.size(), 30u);
  for (std::size_t moment = 0; moment < 20; ++moment) {
    forget_runs();
    options_.resume = false;
    // In turns between two cases and within one.
    kill_when([&] { return moment % 2 == 0 ? journalled().size() >= moment : begins().size() > moment; },
              values);
    const auto before = journalled();
    ASSERT_EQ(resume(values), 0) << moment;
    expect_whole_bundles(15);
    EXPECT_EQ(medians_of(made()), whole) << moment;
    const auto after = journalled();
    for (const auto& [key, entry] : before) EXPECT_EQ(after.at(key), entry) << "was measured again";
    int lost = 0;
    for (const auto& [name, times] : begins()) {
      EXPECT_LE(times, 2) << name;
      lost += times - 1;
    }
    EXPECT_LE(lost, 2) << "killed at moment " << moment << " it lost more than a case a worker";
  }
}

TEST_F(Devices, AKillOfOneWorkerAtAnyMomentCostsItsCaseAlone) {
  std::vector<long> values;
  for (long n = 1; n <= 15; ++n) values.push_back(n);
  for (std::size_t moment = 1; moment <= 20; moment += 4) {
    forget_runs();
    fs::remove(files_.path() / "GPU-1");
    process::child_process all([&] { return run_saying(values); });
    std::optional<process::ending> ended;
    while (!ended && (begins().size() < moment || !fs::exists(files_.path() / "GPU-1")))
      ended = all.wait_for(std::chrono::milliseconds(1));
    long worker = 0;
    std::ifstream(files_.path() / "GPU-1") >> worker;
    if (!ended && worker > 0) ::kill(static_cast<pid_t>(worker), SIGKILL);
    const auto code = all.wait().exit_code;
    EXPECT_TRUE(code == 75 || code == 0) << "between two cases nothing is lost";
    const record of = made();
    EXPECT_EQ(of.cases.size() + of.unmeasured.size(), 30u);
    EXPECT_LE(of.unmeasured.size(), 1u);
    for (const auto& [n, by] : specimens()) EXPECT_EQ(by.size(), 1u) << n;
  }
}

TEST_F(Devices, AreResumedOnOthersWithBegunBundlesAnew) {
  std::vector<long> values;
  for (long n = 1; n <= 15; ++n) values.push_back(n);
  kill_after(7, values);
  scripts_[1].uuid = "GPU-3";
  ASSERT_EQ(resume(values), 0);
  expect_whole_bundles(15);
  // And on one of them alone.
  forget_runs();
  scripts_[1].uuid = "GPU-2";
  options_.resume = false;
  kill_after(7, values);
  scripts_.pop_back();
  ASSERT_EQ(resume(values), 0);
  expect_whole_bundles(15);
}

TEST_F(Devices, TakeTurnsWhereTheyDisturbEachOther) {
  options_.launch.ceilings = {"launch", "fma_f32_flops"};
  as_neighbor_.slows_pct = 4;
  ASSERT_EQ(run({1, 2, 3, 4, 5, 6}), 0);
  expect_whole_bundles_and_calibrations(6);
  for (const std::size_t part : {0u, 1u}) {
    const nlohmann::json found = neighbors(part);
    ASSERT_TRUE(found.is_object());
    EXPECT_TRUE(found.at("in_turns").get<bool>());
    EXPECT_EQ(found.at("specimens").size(), 2u);
    EXPECT_THAT(found.at("load").get<std::string>(), HasSubstr("resource=launch"));
    ASSERT_EQ(found.at("cases").size(), 2u);
    for (const auto& c : found.at("cases")) EXPECT_NEAR(c.at("ratio").get<double>(), 1.04, 1e-4);
    EXPECT_EQ(found.at("cases").at(0).at("alone_us").size(), 4u);
  }
  EXPECT_EQ(host_->max_at_work, 1) << "two of them were at work";
  EXPECT_EQ(host_->held, 2 * 3) << "two cases and a load, before the bundles and after, each for all turns";
  const auto whole = nlohmann::json::parse(slurp(out_.path() / "record.json"));
  for (const auto& entry : whole.at("benchmarks"))
    EXPECT_TRUE(entry.contains("ceiling") || entry.at("neighbors_busy") == 0);
  // It stays so when resumed, without another measurement before the bundles.
  const int calls = host_->calls;
  EXPECT_GE(calls, 2);
  const nlohmann::json begun = neighbors().at("cases");
  ASSERT_EQ(resume({1, 2, 3, 4, 5, 6, 7, 8}), 0);
  EXPECT_EQ(neighbors().at("cases"), begun);
  EXPECT_EQ(host_->max_at_work, 1);
  EXPECT_TRUE(neighbors().at("in_turns").get<bool>());
}

TEST_F(Devices, WorkAtTheSameTimeWhereTheyDoNot) {
  options_.launch.ceilings = {"launch"};
  as_neighbor_.slows_pct = 0.9;
  ASSERT_EQ(run({1, 2, 3, 4}), 0);
  EXPECT_FALSE(neighbors().at("in_turns").get<bool>());
  EXPECT_NEAR(neighbors().at("cases").at(0).at("ratio").get<double>(), 1.009, 1e-4);
}

TEST_F(Devices, MakeTheirFirstInputWhileTheyAreNeighbors) {
  options_.launch.ceilings = {"launch"};
  operation_.when_prepared = [this] { ++host_->prepared; };
  as_neighbor_.awaits_input = true;
  ASSERT_EQ(run({1, 2, 3, 4}), 0);
  expect_whole_bundles_and_calibrations(4);
  EXPECT_EQ(host_->prepared_while_busy, 1);
  EXPECT_EQ(host_->prepared, 4) << "each bundle's once";
  EXPECT_TRUE(neighbors().is_object());
}

TEST_F(Devices, MeasureTheirInfluenceAgainWhenAllIsDone) {
  options_.launch.ceilings = {"launch", "fma_f32_flops"};
  as_neighbor_.slows_pct = 0.5;
  as_neighbor_.slows_later_pct = 2;
  ASSERT_EQ(run({1, 2, 3, 4}), 0);
  for (const std::size_t part : {0u, 1u}) {
    const nlohmann::json found = neighbors(part);
    EXPECT_FALSE(found.at("in_turns").get<bool>());
    const auto& end = found.at("at_end");
    EXPECT_EQ(end.at("specimen"), found.at("specimens").at(0));
    EXPECT_TRUE(end.at("matters").get<bool>());
    ASSERT_EQ(end.at("cases").size(), 2u);
    for (const auto& c : end.at("cases")) {
      EXPECT_NEAR(c.at("ratio").get<double>(), 1.02, 1e-4);
      EXPECT_EQ(c.at("alone_us").size(), 4u);
    }
  }
  const record of = made();
  ASSERT_TRUE(of.parts[0].neighbors() && of.parts[0].neighbors()->at_end);
  EXPECT_THAT(neighbors_text(*of.parts[0].neighbors()),
              HasSubstr("1.020 times as long (1.020 to 1.020), although no turns were taken"));
  // A run that goes on ends again; one that finds nothing to do leaves the end as it was.
  as_neighbor_.slows_later_pct = 0;
  ASSERT_EQ(resume({1, 2, 3, 4}), 0);
  EXPECT_TRUE(neighbors().at("at_end").at("matters").get<bool>());
  ASSERT_EQ(resume({1, 2, 3, 4, 5, 6}), 0);
  EXPECT_FALSE(neighbors().at("at_end").at("matters").get<bool>());
}

TEST_F(Devices, TakeTurnsInWhatTheHostTimes) {
  operation_.timed_by = region_clock::host;
  case_ms_ = 20;
  ASSERT_EQ(run({1, 2, 3, 4}), 0);
  EXPECT_THAT(all_specimens(), UnorderedElementsAre("GPU-1", "GPU-2"));
  EXPECT_EQ(host_->max_at_work, 1);
}

TEST_F(Devices, TimeTheBaselineOfALongBundleAgain) {
  options_.long_bundle_seconds = 0;
  scripts_[0].fates = scripts_[1].fates = {{2, fate::drifts}};
  ASSERT_EQ(run({1, 2, 3}), 0);
  expect_whole_bundles(3);
  const record of = made();
  int again = 0;
  for (const measured_case& c : of.cases) {
    if (!c.again) continue;
    ++again;
    EXPECT_EQ(c.cache_state, "cold-clean") << "the first of the bundle";
    EXPECT_EQ(c.again->drift_pct, *find_word(c.axes, "n") == "2" ? 6 : 0)
        << c.name << ": two cases, and once more";
  }
  EXPECT_EQ(again, 3);
  std::string said;
  for (const auto& [name, text] : reports::record_facts(of))
    if (name == "drift") said = text;
  EXPECT_THAT(said,
              HasSubstr("of 3 baselines timed again at the end of long bundles, 1 changed by more than 1 %: "
                        "scripted/only/n=2/@cold-clean by +6.0 %"));
}

TEST_F(Devices, DoNotTimeTheBaselineOfAShortBundleAgain) {
  ASSERT_EQ(run({1, 2, 3}), 0);
  for (const measured_case& c : made().cases) EXPECT_FALSE(c.again) << c.name;
}

TEST_F(Devices, HaveNoTimeOfACaseThatAPowerBrakeSlowed) {
  scripts_[0].fates = scripts_[1].fates = {{2, fate::braked}};
  EXPECT_EQ(run({1, 2, 3}), 75);
  const record of = made();
  EXPECT_EQ(of.cases.size(), 4u);
  ASSERT_EQ(of.unmeasured.size(), 2u);
  for (const unmeasured_case& c : of.unmeasured) {
    EXPECT_EQ(c.status, "failed");
    EXPECT_THAT(c.reason, HasSubstr("hw_power_brake_slowdown"));
  }
  scripts_[0].fates = scripts_[1].fates = {};
  ASSERT_EQ(resume({1, 2, 3}), 0);
  expect_whole_bundles(3);
}

TEST_F(Devices, KeepAnOperationTogetherIfAsked) {
  keeps_operations_together_ = true;
  case_ms_ = 10;
  ASSERT_EQ(run({1, 2, 3, 4}), 0);
  expect_whole_bundles(4);
  EXPECT_EQ(all_specimens().size(), 1u) << "its curve is of one GPU";
  const auto whole = nlohmann::json::parse(slurp(out_.path() / "record.json"));
  EXPECT_EQ(whole.at("context").at("ablate").at("settings").at("together"), "operation");
}

TEST_F(Devices, GoOnWithoutTheirInfluenceWhereANeighborDies) {
  options_.launch.ceilings = {"launch"};
  as_neighbor_.dies_busy = true;
  const auto said = files_.path() / "said";
  process::child_process all([&] { return run_saying({1, 2, 3, 4}, said); });
  EXPECT_EQ(all.wait().exit_code, 0);
  expect_whole_bundles_and_calibrations(4);
  EXPECT_TRUE(neighbors().is_null());
  EXPECT_THAT(slurp(said), HasSubstr("the effect of neighbors is unknown: the process that ran it "));
}

TEST(NeighborInfluence, IsMeasuredInTurns) {
  std::string order;
  bool busy = false;
  const auto found = measure_influence(
      {"a", "b"}, neighbor_rounds,
      [&](std::size_t i) {
        order += busy ? 'B' : 'A';
        return (i == 0 ? 10.0 : 20.0) * (busy && i == 1 ? 1.02 : 1);
      },
      [&](bool now) {
        busy = now;
        return true;
      });
  ASSERT_TRUE(found);
  EXPECT_EQ(order, "AABBBBAAABBA") << "both cases, and then the neighbors' next turn; again what may matter";
  EXPECT_FALSE(found->at(0).matters());
  EXPECT_TRUE(found->at(1).matters());
  EXPECT_NEAR(found->at(1).ratio(), 1.02, 1e-9);
  EXPECT_EQ(measure_influence(
                {"a"}, neighbor_rounds, [](std::size_t) { return 1.0; }, [](bool) { return false; }),
            std::nullopt);
}

TEST(NeighborInfluence, IsJudgedAsByAllRounds) {
  std::mt19937 random(3);
  int matter = 0, short_cut = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::normal_distribution<double> noise(0, trial % 4 * 0.005);
    const double busy_takes = 1 + 0.01 * (trial % 5);
    neighbor_influence all{"a", {}, {}};
    for (int i = 0; i < 4; ++i) {
      all.alone_us.push_back(100 * (1 + noise(random)));
      all.beside_us.push_back(100 * busy_takes * (1 + noise(random)));
    }
    bool busy = false;
    std::size_t alone = 0, beside = 0;
    const auto found = measure_influence(
        {"a"}, neighbor_rounds,
        [&](std::size_t) { return busy ? all.beside_us.at(beside++) : all.alone_us.at(alone++); },
        [&](bool now) {
          busy = now;
          return true;
        });
    ASSERT_TRUE(found);
    ASSERT_EQ(found->at(0).matters(), all.matters()) << trial;
    ASSERT_EQ(alone, beside) << "pairs";
    matter += all.matters();
    short_cut += alone == 2;
  }
  EXPECT_GT(matter, 500);
  EXPECT_GT(short_cut, 500);
}

TEST(NeighborInfluence, IsSampledNoLongerThanAPercentTakes) {
  const sampling rule = neighbor_sampling({});
  EXPECT_LT(rule.minimum_samples, sampling{}.minimum_samples);
  EXPECT_LT(rule.maximum_seconds, sampling{}.maximum_seconds);
  EXPECT_EQ(rule.half_width, sampling{}.half_width);
  EXPECT_EQ(rule.maximum_samples, sampling{}.maximum_samples);
  EXPECT_EQ(neighbor_sampling({2, 2, 0, 0.01}).minimum_samples, 2) << "what a suite asks for is not exceeded";
  EXPECT_EQ(neighbor_sampling({2, 2, 0, 0.01}).maximum_seconds, 0.01);
}

TEST(NeighborInfluence, MattersBeyondOnePercentInOneDirection) {
  const auto of = [](std::vector<double> beside) {
    return neighbor_influence{"a", std::vector<double>(beside.size(), 100), std::move(beside)};
  };
  EXPECT_TRUE(of({101.2, 101.3, 101.1, 101.4}).matters());
  EXPECT_FALSE((neighbor_influence{"launch", {4.22, 4.38, 4.35, 4.1}, {4.0, 4.26, 4.2, 4.0}}).matters())
      << "each pair is faster beside, but not every time beside than every time alone";
  EXPECT_TRUE(of({98, 98.1, 97.9, 98}).matters());
  EXPECT_FALSE(of({100.9, 100.8, 100.9, 100.9}).matters());
  EXPECT_FALSE(of({101.2, 104, 99.9, 103}).matters()) << "noise goes both ways";
}

TEST(NeighborInfluence, CannotMatterOnceTimesOverlap) {
  EXPECT_FALSE((neighbor_influence{"a", {}, {}}).cannot_matter());
  EXPECT_FALSE((neighbor_influence{"a", {100}, {}}).cannot_matter());
  EXPECT_FALSE((neighbor_influence{"a", {100, 101}, {101.5, 102}}).cannot_matter());
  EXPECT_FALSE((neighbor_influence{"a", {100, 101}, {98, 99}}).cannot_matter());
  EXPECT_TRUE((neighbor_influence{"a", {100, 101}, {101, 102}}).cannot_matter());
  EXPECT_TRUE((neighbor_influence{"a", {100, 101}, {98, 104}}).cannot_matter());
}

TEST_F(Devices, AFinishedRunIsLeftAsItIs) {
  options_.launch.ceilings = {"launch"};
  ASSERT_EQ(run({1, 2, 3, 4}), 0);
  const std::string whole = slurp(out_.path() / "record.json");
  ASSERT_EQ(resume({1, 2, 3, 4}), 0);
  EXPECT_EQ(slurp(out_.path() / "record.json"), whole);
  scripts_.pop_back();
  ASSERT_EQ(resume({1, 2, 3, 4}), 0);
  EXPECT_EQ(made().parts.size(), 2u) << "on one of them";
}

TEST_F(Devices, WriteTheRecordOfAnInterruptedRun) {
  scripts_[0].fates = scripts_[1].fates = {{3, fate::hang}};
  process::child_process interrupted([&] { return run_saying({1, 2, 3, 4}); });
  for (int i = 0; i < 5000 && journalled().size() < 6; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  interrupted.signal(SIGINT);
  EXPECT_EQ(interrupted.wait().exit_code, 130);
  const record of = made();
  EXPECT_EQ(of.cases.size(), 6u);
  ASSERT_EQ(of.unmeasured.size(), 2u);
  for (const unmeasured_case& c : of.unmeasured) EXPECT_EQ(c.status, "interrupted");
  EXPECT_THAT(journals(), ElementsAre("journal.jsonl"));
}

TEST_F(Devices, MeasureReplicasOfABundleOnDifferentOnes) {
  options_.launch.ceilings = {"launch"};
  options_.replicas = 2;
  ASSERT_EQ(run({1, 2, 3, 4, 5}), 0);
  const auto first = specimens(), second = specimens("replica-2/record.json");
  ASSERT_EQ(first.size(), 5u);
  ASSERT_EQ(second.size(), 5u);
  for (const auto& [n, by] : first) {
    EXPECT_EQ(by.size(), 1u) << n;
    EXPECT_EQ(second.at(n).size(), 1u) << n;
    EXPECT_NE(second.at(n), by) << n;
  }
  for (const record::part& part : made("replica-2/record.json").parts)
    EXPECT_THAT(part.calibrations, Not(IsEmpty())) << part.specimen;
}

TEST_F(Devices, AreAtLeastAsManyAsReplicas) {
  options_.replicas = 3;
  try {
    run({1});
    FAIL();
  } catch (const bad_input& e) {
    EXPECT_STREQ(e.what(), "--replicas: expected at most 2, the number of devices, found 3");
  }
}

TEST_F(Devices, OfTwoKindsAreRefused) {
  suite s = test_support::scripted_suite(operation_, {1});
  std::vector<run_device> mixed = devices();
  mixed[1].identity.name = "another";
  try {
    run_suite_on(s, options_, {}, mixed);
    FAIL();
  } catch (const bad_input& e) {
    EXPECT_THAT(e.what(),
                HasSubstr("expected devices of one kind, found GPU 0 (scripted) and GPU 1 (another)"));
  }
}

}  // namespace
}  // namespace ablate::devices_test
