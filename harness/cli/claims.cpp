#include "reports/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <set>
#include <stdexcept>

#include "harness/cli/commands.h"
#include "harness/registry/cache_state.h"
#include "harness/registry/registry.h"
#include "reports/bad_input.h"
#include "reports/claims_ledger.h"
#include "reports/names.h"
#include "reports/render.h"

namespace ablate {

namespace {

using names = std::vector<std::string>;

struct claims_arguments {
  names records, claims;
  std::string out;
  bool json = false;
};

/// The claims that come with the program stand beside its reports/ folder.
std::vector<std::filesystem::path> published_claims() {
  const std::filesystem::path folder = reports::renderer_directory().parent_path() / "suites" / "claims";
  std::vector<std::filesystem::path> out;
  if (std::filesystem::is_directory(folder))
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".json") out.push_back(entry.path());
  if (out.empty()) throw bad_input(folder.string(), "", "expected files of claims; name yours with --claims");
  std::sort(out.begin(), out.end());
  return out;
}

/// Refuses a name that neither this program nor one of the records knows: such a claim would never be
/// measured, and nobody would notice.
class name_check {
 public:
  explicit name_check(const std::vector<claim_evidence>& records) {
    for (const auto& operation : operations()) operations_.insert(operation->name);
    for (const claim_evidence& evidence : records)
      for (const measured_case& c : evidence.facts.cases) {
        operations_.insert(c.operation);
        variants_.insert({c.operation, c.variant});
      }
  }

  void operator()(const claim& c) {
    if (!c.quantity) return;
    check(c.quantity->of, c.file);
    if (c.quantity->over) check(*c.quantity->over, c.file);
  }

 private:
  void check(const claim_selection& s, const std::string& file) {
    const auto expect = [&](const std::string& place, const std::string& kind, const std::string& name,
                            const names& known) {
      if (std::find(known.begin(), known.end(), name) == known.end())
        throw bad_input(file, s.pointer + place, no_such(kind, name, known));
    };
    expect("/operation", "operation", s.operation, {operations_.begin(), operations_.end()});
    for (const std::string& state : s.cache)
      if (!parse_cache_state(state))
        expect("/cache", "cache state", state, {"cold-clean", "hot", "rotating", "host"});

    const operation* of = find_operation(s.operation);
    if (!of) return;  // of another program, known from a record alone
    names variants;
    for (const variant_facts& v : of->variants) variants.push_back(v.name);
    for (const std::string& variant : s.variants)
      if (!variants_.contains({s.operation, variant}))
        expect("/variants", "variant of '" + s.operation + "'", variant, variants);
    for (const auto& [name, words] : s.switches) {
      names known, values;
      for (const variant_facts& v : of->variants)
        for (const auto& [key, value] : v.switches) {
          known.push_back(key);
          if (key == name) values.push_back(value);
        }
      expect("/switches/" + name, "switch of '" + s.operation + "'", name, distinct(known));
      for (const std::string& word : words)
        expect("/switches/" + name, "value of switch '" + name + "'", word, distinct(values));
    }
    for (const auto& [name, words] : s.axes) {
      names known;
      for (const axis& a : of->axes) known.push_back(a.name);
      expect("/axes/" + name, "axis of '" + s.operation + "'", name, known);
      const axis& a = *std::find_if(of->axes.begin(), of->axes.end(),
                                    [&, &wanted = name](const axis& other) { return other.name == wanted; });
      for (const std::string& word : words) {
        // The name of a point file may be any word, but hardly one that a slip of the fingers makes of a
        // legal one.
        const names files = nearest(word, a.words) ? names{} : names{word};
        if (const auto why = a.refuses(word, files))
          throw bad_input(file, s.pointer + "/axes/" + name, *why + did_you_mean(word, a.words));
      }
    }
  }

  static names distinct(const names& all) {
    const std::set<std::string> once(all.begin(), all.end());
    return {once.begin(), once.end()};
  }

  std::set<std::string> operations_;
  std::set<std::pair<std::string, std::string>> variants_;  ///< that the records hold, by operation
};

void refuse_equal_ids(const std::vector<claim>& claims) {
  for (auto c = claims.begin(); c != claims.end(); ++c)
    for (auto earlier = claims.begin(); earlier != c; ++earlier)
      if (earlier->id == c->id)
        throw bad_input(
            c->file, c->pointer + "/id",
            fmt::format("expected an id of its own, found '{}' of {} again", c->id, earlier->file));
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error(path.string() + ": cannot be written");
}

void judge_claims(const claims_arguments& given) {
  std::vector<claim_evidence> records;
  for (const std::string& path : given.records) {
    std::error_code error;
    const bool is_directory = std::filesystem::is_directory(path, error);
    records.push_back(read_claim_evidence(is_directory ? std::filesystem::path(path) / "record.json"
                                                       : std::filesystem::path(path)));
  }
  std::vector<std::filesystem::path> files(given.claims.begin(), given.claims.end());
  if (files.empty()) files = published_claims();
  std::vector<claim> claims;
  for (const auto& file : files)
    for (claim& c : read_claims(file)) claims.push_back(std::move(c));
  refuse_equal_ids(claims);
  name_check check(records);
  for (const claim& c : claims) check(c);

  const std::vector<claim_ledger> ledgers = ledgers_of(claims, records);
  const std::string json = ledger_json(ledgers).dump(1) + "\n";
  if (!given.out.empty()) {
    std::filesystem::create_directories(given.out);
    write_file(std::filesystem::path(given.out) / "claims.md", ledger_markdown(ledgers));
    write_file(std::filesystem::path(given.out) / "claims.json", json);
  }
  fmt::print("{}", given.json ? json : ledger_text(ledgers));
}

}  // namespace

void add_claims_command(CLI::App& program, invocation&) {
  CLI::App* command = program.add_subcommand("claims", "Hold published claims against records. Needs no GPU");
  const auto given = std::make_shared<claims_arguments>();
  command
      ->add_option("records", given->records,
                   "Record files written by `ablate run`, or directories that hold a record.json")
      ->required()
      ->type_name("RECORD...");
  command
      ->add_option("--claims", given->claims,
                   "Files of claims (docs/claims.md); default: all of suites/claims")
      ->type_name("FILE...");
  command->add_option("--out", given->out, "Directory for claims.md and claims.json")->type_name("DIR");
  command->add_flag("--json", given->json, "Print what claims.json holds instead of the table");
  command->footer(
      "A refuted claim is a result: the exit code is 0. One that needs counters or variants that a record "
      "lacks is not measured, and says what is missing.");
  command->callback([given] { judge_claims(*given); });
}

}  // namespace ablate
