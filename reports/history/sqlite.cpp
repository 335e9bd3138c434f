#if ABLATE_HAS_SQLITE

#include "reports/history/sqlite.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "base/text/bad_input.h"

namespace ablate::history {

namespace {
constexpr int longest_wait_ms = 30'000;
}

sqlite_file::sqlite_file(const std::filesystem::path& path, int flags) : path_(path.string()) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path_.c_str(), &handle, flags, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(code, handle ? sqlite3_errmsg(handle) : sqlite3_errstr(code));
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, longest_wait_ms);
}

void sqlite_file::execute(const char* sql) {
  const int code = sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code, sqlite3_errmsg(handle()));
}

std::int64_t sqlite_file::integer(const char* sql, std::int64_t otherwise) {
  sqlite_statement asked(*this, sql);
  return asked.step() ? asked.integer(0) : otherwise;
}

void sqlite_file::fail(int code, const std::string& message) const {
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      throw bad_input(path_, "", "expected a history of `ablate dev history add`, found no SQLite database");
    case SQLITE_CORRUPT:
      throw bad_input(path_, "", "expected a whole database, found a damaged one: " + message);
    case SQLITE_CANTOPEN:
      throw bad_input(path_, "", "cannot be opened as a database");
    case SQLITE_READONLY:
      throw bad_input(path_, "", "cannot be written");
    case SQLITE_ERROR:  // a table or a column that a history has is not there
      throw bad_input(path_, "", "expected the tables of a history: " + message);
    case SQLITE_BUSY:
      throw std::runtime_error(
          fmt::format("{}: locked by another writer for {} s", path_, longest_wait_ms / 1000));
    default:
      throw std::runtime_error(path_ + ": " + message);
  }
}

void sqlite_file::refuse(const std::string& place, const std::string& expected) const {
  throw bad_input(path_, place, expected);
}

sqlite_statement::sqlite_statement(sqlite_file& file, const char* sql) : file_(file) {
  sqlite3_stmt* handle = nullptr;
  const int code = sqlite3_prepare_v2(file.handle(), sql, -1, &handle, nullptr);
  handle_.reset(handle);
  expect_ok(code);
}

void sqlite_statement::expect_ok(int code) {
  if (code != SQLITE_OK) file_.fail(code, sqlite3_errmsg(file_.handle()));
}

sqlite_statement& sqlite_statement::operator<<(const std::string& value) {
  expect_ok(sqlite3_bind_text(handle_.get(), ++bound_, value.data(), static_cast<int>(value.size()),
                              SQLITE_TRANSIENT));
  return *this;
}

sqlite_statement& sqlite_statement::operator<<(double value) {
  expect_ok(sqlite3_bind_double(handle_.get(), ++bound_, value));
  return *this;
}

sqlite_statement& sqlite_statement::operator<<(std::int64_t value) {
  expect_ok(sqlite3_bind_int64(handle_.get(), ++bound_, value));
  return *this;
}

bool sqlite_statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) file_.fail(code, sqlite3_errmsg(file_.handle()));
  sqlite3_reset(handle_.get());
  bound_ = 0;
  return false;
}

void sqlite_statement::run() {
  while (step()) {
  }
}

void sqlite_statement::expect(bool is_right, int column, const char* what) const {
  if (is_right) return;
  const char* const name = sqlite3_column_name(handle_.get(), column);
  file_.refuse(fmt::format("column '{}'", name ? name : ""), fmt::format("expected {}", what));
}

double sqlite_statement::positive(int column) const {
  const int type = sqlite3_column_type(handle_.get(), column);
  const double value = sqlite3_column_double(handle_.get(), column);
  expect((type == SQLITE_FLOAT || type == SQLITE_INTEGER) && std::isfinite(value) && value > 0, column,
         "a number above 0");
  return value;
}

std::int64_t sqlite_statement::integer(int column) const {
  expect(sqlite3_column_type(handle_.get(), column) == SQLITE_INTEGER, column, "an integer");
  return sqlite3_column_int64(handle_.get(), column);
}

std::string sqlite_statement::text(int column) const {
  expect(sqlite3_column_type(handle_.get(), column) == SQLITE_TEXT, column, "text");
  const auto* value = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  return value ? std::string(value, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column)))
               : std::string();
}

}  // namespace ablate::history

#endif
