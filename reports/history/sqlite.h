#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace ablate::history {

/// A connection to an SQLite file. Throws the errors listed at class database.
class sqlite_file {
 public:
  /// `flags` as in sqlite3_open_v2.
  sqlite_file(const std::filesystem::path&, int flags);

  /// One or more statements without results.
  void execute(const char* sql);
  /// The first value of the first row; `otherwise` if there is no row.
  std::int64_t integer(const char* sql, std::int64_t otherwise);

  sqlite3* handle() const { return handle_.get(); }
  [[noreturn]] void fail(int code, const std::string& message) const;
  /// For contents that no history has. Throws bad_input.
  [[noreturn]] void refuse(const std::string& place, const std::string& expected) const;

 private:
  struct closer {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  std::string path_;
  std::unique_ptr<sqlite3, closer> handle_;
};

/// A prepared statement; its parameters are bound from left to right.
class sqlite_statement {
 public:
  sqlite_statement(sqlite_file&, const char* sql);

  sqlite_statement& operator<<(const std::string&);
  sqlite_statement& operator<<(double);
  sqlite_statement& operator<<(std::int64_t);

  /// Whether there is another row; after the last one the statement can be bound again.
  bool step();
  void run();  ///< to its end
  // SQLite converts a value of another type without a word, and a column of a file may hold any. These throw
  // bad_input instead, which names the column.
  std::string text(int column) const;
  double positive(int column) const;
  std::int64_t integer(int column) const;

 private:
  void expect_ok(int code);
  void expect(bool is_right, int column, const char* what) const;

  struct finalizer {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  sqlite_file& file_;
  std::unique_ptr<sqlite3_stmt, finalizer> handle_;
  int bound_ = 0;
};

/// From BEGIN IMMEDIATE, so that two writers wait for each other instead of failing half-way, to commit();
/// rolled back without it.
class sqlite_transaction {
 public:
  explicit sqlite_transaction(sqlite_file& file) : file_(file) { file_.execute("BEGIN IMMEDIATE"); }
  ~sqlite_transaction() {
    if (!committed_) sqlite3_exec(file_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  sqlite_transaction(const sqlite_transaction&) = delete;
  sqlite_transaction& operator=(const sqlite_transaction&) = delete;
  void commit() {
    file_.execute("COMMIT");
    committed_ = true;
  }

 private:
  sqlite_file& file_;
  bool committed_ = false;
};

}  // namespace ablate::history
