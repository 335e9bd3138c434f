#include "reports/history/database.h"

#include "base/text/bad_input.h"

#if ABLATE_HAS_SQLITE
#include <array>
#include <map>

#include "base/record/case_name.h"
#include "base/record/facts.h"
#include "base/record/identity.h"
#include "base/record/old_names.h"
#include "base/record/record_file.h"
#include "base/record/upgrade.h"
#include "reports/fleet/fleet.h"
#include "reports/history/sqlite.h"
#endif

namespace ablate::history {

#if ABLATE_HAS_SQLITE

namespace {

constexpr std::int64_t application_id = 0x41424c54;  // "ABLT": identifies a history
constexpr std::int64_t layout_version = 2;

constexpr const char* tables = R"(
CREATE TABLE device (
  id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE, name TEXT NOT NULL);
CREATE TABLE record (
  id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, device INTEGER NOT NULL REFERENCES device (id),
  date TEXT NOT NULL, commit_hash TEXT NOT NULL, dirty INTEGER NOT NULL, source_hash TEXT NOT NULL,
  suite TEXT NOT NULL, suite_hash TEXT NOT NULL, seed TEXT NOT NULL, record_schema TEXT NOT NULL,
  uuid TEXT NOT NULL, driver TEXT NOT NULL);
CREATE TABLE test_case (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, operation TEXT NOT NULL, variant TEXT NOT NULL,
  cache_state TEXT NOT NULL, ceiling TEXT NOT NULL DEFAULT '');
CREATE TABLE measurement (
  record INTEGER NOT NULL REFERENCES record (id), test_case INTEGER NOT NULL REFERENCES test_case (id),
  method TEXT NOT NULL, input_hash TEXT NOT NULL, median_us REAL NOT NULL, min_us REAL NOT NULL,
  mad_us REAL NOT NULL, ci95_low_us REAL NOT NULL, ci95_high_us REAL NOT NULL,
  specimen TEXT NOT NULL DEFAULT '', PRIMARY KEY (test_case, record)) WITHOUT ROWID;
CREATE TABLE part (
  record INTEGER NOT NULL REFERENCES record (id), specimen TEXT NOT NULL,
  test_case INTEGER NOT NULL REFERENCES test_case (id), median_us REAL NOT NULL);
)";

/// From the first layout, whose records each had one specimen. Which of their cases are calibrations is known
/// once a record with the same is added.
constexpr const char* to_layout_2 = R"(
ALTER TABLE test_case ADD COLUMN ceiling TEXT NOT NULL DEFAULT '';
ALTER TABLE measurement ADD COLUMN specimen TEXT NOT NULL DEFAULT '';
UPDATE measurement SET specimen = (SELECT uuid FROM record r WHERE r.id = measurement.record);
CREATE TABLE part (
  record INTEGER NOT NULL REFERENCES record (id), specimen TEXT NOT NULL,
  test_case INTEGER NOT NULL REFERENCES test_case (id), median_us REAL NOT NULL);
PRAGMA user_version = 2;
)";

/// The calibrations of all records: those of merged ones by part, those of others as measured.
constexpr const char* calibrations = R"(
SELECT r.id, d.fingerprint, p.specimen, c.name, c.ceiling, p.median_us FROM part p
  JOIN record r ON r.id = p.record JOIN device d ON d.id = r.device JOIN test_case c ON c.id = p.test_case
UNION ALL
SELECT r.id, d.fingerprint, r.uuid, c.name, c.ceiling, m.median_us FROM measurement m
  JOIN record r ON r.id = m.record JOIN device d ON d.id = r.device JOIN test_case c ON c.id = m.test_case
  WHERE c.ceiling <> '' AND r.uuid <> '' AND r.id NOT IN (SELECT record FROM part)
ORDER BY 1, 3, 4
)";

/// Several processes may open a file that is not yet in WAL mode at the same time; SQLite lets only one of
/// them switch and does not wait for the others.
void switch_to_wal(sqlite_file& file) {
  constexpr int max_tries = 600, pause_ms = 50;
  for (int i = 0; i < max_tries; ++i) {
    const int code = sqlite3_exec(file.handle(), "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
    if (code == SQLITE_OK) return;
    if ((code & 0xff) != SQLITE_BUSY) file.fail(code, sqlite3_errmsg(file.handle()));
    sqlite3_sleep(pause_ms);
  }
  file.fail(SQLITE_BUSY, "");
}

std::string text_or_empty(const nlohmann::ordered_json& of, const char* key) {
  const auto found = of.find(key);
  return found != of.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t id_of(sqlite_statement& insert, sqlite_statement& select) {
  insert.run();
  select.step();
  const std::int64_t id = select.integer(0);
  select.run();
  return id;
}

/// The kinds of the devices of each fingerprint.
class kinds_of_devices {
 public:
  explicit kinds_of_devices(const std::vector<fleet::specimen_run>& runs) {
    for (fleet::product& p : fleet::fleet_of(runs)) by_fingerprint_.emplace(p.name, std::move(p));
  }
  /// As in series.
  std::string of(const std::string& fingerprint, const std::string& specimen) const {
    const auto found = by_fingerprint_.find(fingerprint);
    if (found == by_fingerprint_.end() || found->second.kinds.size() == 1) return "";
    return found->second.us.contains(specimen) ? found->second.kind_of(specimen).name : fleet::unknown_kind;
  }

 private:
  std::map<std::string, fleet::product> by_fingerprint_;
};

}  // namespace

struct database::connection {
  connection(const std::filesystem::path& path, int flags)
      : name(path.string()), file(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | flags) {
    file.execute("PRAGMA trusted_schema = OFF");
    // Before anything is written to it, the file must be a history or empty.
    const bool is_empty = file.integer("SELECT count(*) FROM sqlite_master", 0) == 0;
    if (is_empty && (flags & SQLITE_OPEN_CREATE) != 0) {
      switch_to_wal(file);
      make_tables();
    }
    refuse_views_and_triggers();
    bring_up_to_date();
    expect_history();
    file.execute("PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL");
  }

  /// They compute whatever their writer likes, for as long as they like.
  void refuse_views_and_triggers() {
    if (file.integer("SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'index')", 0) > 0)
      file.refuse("", "expected the tables of a history alone, found views or triggers");
  }

  void make_tables() {
    sqlite_transaction all(file);
    // Another process may have been first.
    if (file.integer("SELECT count(*) FROM sqlite_master", 0) > 0) return;
    file.execute(tables);
    file.execute(("PRAGMA application_id = " + std::to_string(application_id)).c_str());
    file.execute(("PRAGMA user_version = " + std::to_string(layout_version)).c_str());
    all.commit();
  }

  void bring_up_to_date() {
    const auto is_of_before = [&] {
      return file.integer("PRAGMA application_id", 0) == application_id &&
             file.integer("PRAGMA user_version", 0) == 1;
    };
    if (!is_of_before()) return;
    sqlite_transaction all(file);
    // Another process may have been first.
    if (!is_of_before()) return;
    file.execute(to_layout_2);
    all.commit();
  }

  void expect_history() {
    if (file.integer("PRAGMA application_id", 0) != application_id)
      throw bad_input(name, "",
                      "expected a history of `ablate dev history add`, found another program's database");
    if (const std::int64_t found = file.integer("PRAGMA user_version", 0); found != layout_version)
      throw bad_input(name, "",
                      "expected version " + std::to_string(layout_version) +
                          " of a history's tables, found " + std::to_string(found));
  }

  std::int64_t device_id(const record& r) {
    const std::string fingerprint = device_fingerprint(r);
    sqlite_statement insert(file, "INSERT OR IGNORE INTO device (fingerprint, name) VALUES (?, ?)");
    sqlite_statement select(file, "SELECT id FROM device WHERE fingerprint = ?");
    insert << fingerprint << r.device_name;
    select << fingerprint;
    return id_of(insert, select);
  }

  void add_cases(const record& r, std::int64_t record_id) {
    sqlite_statement insert(
        file, "INSERT OR IGNORE INTO test_case (name, operation, variant, cache_state) VALUES (?, ?, ?, ?)");
    sqlite_statement select(file, "SELECT id FROM test_case WHERE name = ?");
    sqlite_statement is_ceiling(file, "UPDATE test_case SET ceiling = ? WHERE id = ?");
    sqlite_statement measured(file, "INSERT INTO measurement VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    std::map<std::string, std::int64_t> ceilings;
    for (const measured_case& c : r.cases) {
      insert << c.name << c.operation << c.variant << c.cache_state;
      select << c.name;
      const std::int64_t id = id_of(insert, select);
      measured << record_id << id << c.time.method << reports::input_hash(c) << c.time.median_us
               << c.time.min_us << c.time.mad_us << c.time.ci95_low_us << c.time.ci95_high_us << c.specimen;
      measured.run();
      if (!c.ceiling) continue;
      ceilings[c.name] = id;
      is_ceiling << *c.ceiling << id;
      is_ceiling.run();
    }
    sqlite_statement of_part(file, "INSERT INTO part VALUES (?, ?, ?, ?)");
    for (const record::part& part : r.parts)
      for (const auto& [name, median_us] : part.calibrations) {
        const auto ceiling = ceilings.find(name);
        if (ceiling == ceilings.end()) continue;
        of_part << record_id << part.specimen << ceiling->second << median_us;
        of_part.run();
      }
  }

  /// With those of a record that need not be in the history.
  kinds_of_devices kinds(const record* and_of = nullptr) {
    std::vector<fleet::specimen_run> runs;
    sqlite_statement rows(file, calibrations);
    std::int64_t run_of = 0;
    while (rows.step()) {
      const std::string specimen = rows.text(2);
      if (runs.empty() || run_of != rows.integer(0) || runs.back().specimen != specimen) {
        run_of = rows.integer(0);
        runs.push_back({rows.text(1), specimen, {}});
      }
      runs.back().calibrations.push_back({rows.text(3), rows.text(4), rows.positive(5)});
    }
    if (and_of)
      for (fleet::specimen_run& run : fleet::runs_of(*and_of)) {
        run.product = device_fingerprint(*and_of);
        runs.push_back(std::move(run));
      }
    return kinds_of_devices(runs);
  }

  /// The series of one device, or of all if its fingerprint is empty.
  std::vector<series> read_series(const std::string& fingerprint, const kinds_of_devices& kinds) {
    const std::string sql =
        "SELECT d.fingerprint, d.name, c.name, c.operation, c.variant, c.cache_state, m.method, "
        "m.input_hash, r.seed, r.date, r.commit_hash, r.dirty, r.suite, m.specimen, r.driver, m.median_us, "
        "m.ci95_low_us, m.ci95_high_us, r.id FROM measurement m JOIN record r ON r.id = m.record JOIN "
        "device d ON d.id = r.device JOIN test_case c ON c.id = m.test_case WHERE ? IN ('', d.fingerprint) "
        "ORDER BY julianday(r.date), r.id";
    sqlite_statement rows(file, sql.c_str());
    rows << fingerprint;
    // Fingerprint, kind, case, method, input hash, seed: what a series has in common.
    std::map<std::array<std::string, 6>, series> found;
    while (rows.step()) {
      const std::string kind = kinds.of(rows.text(0), rows.text(13));
      const std::string id = old_names::known().todays_id(rows.text(2));
      series& here = found[{rows.text(0), kind, id, rows.text(6), rows.text(7), rows.text(8)}];
      if (here.nights.empty()) {
        here.fingerprint = rows.text(0);
        here.device = rows.text(1);
        here.kind = kind;
        const bool is_old = id != rows.text(2);
        const case_name_parts today = parts_of_case_name(id);
        here.case_name = id;
        here.operation = is_old ? today.operation : rows.text(3);
        here.variant = is_old ? today.variant : rows.text(4);
        here.cache_state = rows.text(5);
        here.method = rows.text(6);
        here.input_hash = rows.text(7);
        here.seed = rows.text(8);
      }
      here.nights.push_back({rows.text(9), rows.text(10), rows.integer(11) != 0, rows.text(12), rows.text(13),
                             rows.text(14), rows.positive(15), rows.positive(16), rows.positive(17),
                             rows.integer(18)});
    }
    std::vector<series> out;
    for (auto& [key, of] : found) out.push_back(std::move(of));
    return out;
  }

  std::string name;
  sqlite_file file;
};

database database::open_for_adding(const std::filesystem::path& path) {
  return database(std::make_unique<connection>(path, SQLITE_OPEN_CREATE));
}

database database::open(const std::filesystem::path& path) {
  return database(std::make_unique<connection>(path, 0));
}

bool database::add(const std::filesystem::path& record_file) {
  const record r = read_checked_record(record_file);
  const nlohmann::ordered_json json = reports::parse_record_as_written(record_file);
  sqlite_file& file = connection_->file;
  // Histories begun before forms were left out identify the record by the hash of all of it.
  sqlite_statement added_before(file, "SELECT 1 FROM record WHERE hash = ?");
  added_before << record_hash(json);
  if (added_before.step()) return false;
  // Histories of before have the hash of an older record as it was before it was upgraded, or upgraded to a
  // version of then, and that version: its own, 2.0.0 or 2.1.0.
  const nlohmann::ordered_json& facts = json.at("context").at("ablate");
  if (const std::string written = reports::written_schema(facts); written != r.schema) {
    sqlite_statement added_older(
        file,
        "SELECT 1 FROM record r WHERE date = ? AND uuid = ? AND suite_hash = ? AND source_hash = ? AND "
        "record_schema IN (?, '2.0.0', '2.1.0') AND (SELECT count(*) FROM measurement m WHERE m.record = r.id) = ?");
    added_older << r.date << text_or_empty(r.device, "uuid") << r.suite_hash << r.build.source_hash << written
                << static_cast<std::int64_t>(r.cases.size());
    if (added_older.step()) return false;
  }
  const std::string hash = record_hash(without_form(json));
  sqlite_transaction whole(file);
  sqlite_statement insert(
      file,
      "INSERT OR IGNORE INTO record (hash, device, date, commit_hash, dirty, source_hash, suite, suite_hash, "
      "seed, record_schema, uuid, driver) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert << hash << connection_->device_id(r) << r.date << r.build.commit
         << static_cast<std::int64_t>(r.build.dirty) << r.build.source_hash << reports::suite_text(r)
         << r.suite_hash << std::to_string(r.seed) << r.schema << text_or_empty(r.device, "uuid")
         << text_or_empty(r.device, "driver");
  insert.run();
  if (sqlite3_changes(file.handle()) == 0) return false;
  connection_->add_cases(r, sqlite3_last_insert_rowid(file.handle()));
  whole.commit();
  return true;
}

std::size_t database::record_count() {
  return static_cast<std::size_t>(connection_->file.integer("SELECT count(*) FROM record", 0));
}

std::vector<recorded_night> database::records() {
  const kinds_of_devices kinds = connection_->kinds();
  // A record without measurements has its device's specimen.
  sqlite_statement rows(
      connection_->file,
      "SELECT DISTINCT r.id, d.fingerprint, r.suite, r.date, r.commit_hash, r.dirty, coalesce(m.specimen, "
      "r.uuid) FROM record r JOIN device d ON d.id = r.device LEFT JOIN measurement m ON m.record = r.id "
      "ORDER BY julianday(r.date), r.id");
  std::vector<recorded_night> out;
  while (rows.step()) {
    if (out.empty() || out.back().record != rows.integer(0))
      out.push_back(
          {rows.integer(0), rows.text(1), rows.text(2), rows.text(3), rows.text(4), rows.integer(5) != 0});
    out.back().kinds.insert(kinds.of(rows.text(1), rows.text(6)));
  }
  return out;
}

std::vector<series> database::all_series() { return connection_->read_series("", connection_->kinds()); }

std::vector<series> database::series_of(const record& r) {
  const std::string fingerprint = device_fingerprint(r);
  const kinds_of_devices kinds = connection_->kinds(&r);
  std::vector<series> known = connection_->read_series(fingerprint, kinds);
  std::vector<series> out;
  for (const measured_case& c : r.cases)
    for (series& s : known)
      if (s.case_name == c.name && s.method == c.time.method && s.input_hash == reports::input_hash(c) &&
          s.seed == std::to_string(r.seed) && s.kind == kinds.of(fingerprint, c.specimen))
        out.push_back(std::move(s));
  return out;
}

#else

struct database::connection {};

namespace {
[[noreturn]] void refuse(const std::filesystem::path& path) {
  throw bad_input(path.string(), "",
                  "this program was built without SQLite (package libsqlite3-dev), which keeps histories");
}
}  // namespace

database database::open_for_adding(const std::filesystem::path& path) { refuse(path); }
database database::open(const std::filesystem::path& path) { refuse(path); }
bool database::add(const std::filesystem::path& record_file) { refuse(record_file); }
std::size_t database::record_count() { return 0; }
std::vector<recorded_night> database::records() { return {}; }
std::vector<series> database::all_series() { return {}; }
std::vector<series> database::series_of(const record&) { return {}; }

#endif

std::string commit_text(const std::string& commit, bool dirty) {
  return commit.empty() ? "unknown" : commit.substr(0, 10) + (dirty ? "+" : "");
}

database::database(std::unique_ptr<connection> c) : connection_(std::move(c)) {}
database::database(database&&) noexcept = default;
database& database::operator=(database&&) noexcept = default;
database::~database() = default;

}  // namespace ablate::history
