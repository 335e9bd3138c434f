#include "harness/gate/pair_journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "base/text/new_file.h"

namespace ablate::gate {
namespace {

using nlohmann::ordered_json;
using reports::json_place;

ordered_json line_of(const launched_pair& pair) {
  return {{"pair", pair.number},
          {"label", pair.label},
          {"baseline_first", pair.baseline_first},
          {"seconds", pair.seconds},
          {"single_launch_p", pair.single_launch_p},
          {"baseline", to_json(pair.baseline)},
          {"candidate", to_json(pair.candidate)}};
}

launched_pair pair_of(const json_place& at) {
  launched_pair out;
  out.number = static_cast<std::size_t>(at.at("pair").count());
  out.label = at.at("label").text();
  out.baseline_first = at.at("baseline_first").boolean();
  out.seconds = at.at("seconds").not_negative();
  out.baseline = launch_from(at.at("baseline"));
  out.candidate = launch_from(at.at("candidate"));
  for (const auto& [name, p] : at.at("single_launch_p").members()) out.single_launch_p[name] = p.number();
  return out;
}

}  // namespace

pair_journal::pair_journal(const std::filesystem::path& path, const ordered_json& of, bool resume)
    : path_(path) {
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0)
    throw bad_input(path.string(), "", fmt::format("cannot be written: {}", std::strerror(errno)));
  try {
    if (!resume && ftruncate(file_, 0) != 0) throw bad_input(path.string(), "", "cannot be emptied");
    read(of);
    if (is_empty_) append({{"gate", of}});
  } catch (...) {
    close(file_);
    throw;
  }
}

pair_journal::~pair_journal() { close(file_); }

void pair_journal::read(const ordered_json& of) {
  std::ifstream in(path_);
  const std::string file = path_.string();
  bool ends_whole = true;
  int line_number = 0;
  for (std::string line; std::getline(in, line);) {
    ++line_number;
    ends_whole = !in.eof();
    if (line.empty()) continue;
    const auto json = reports::parse_json_line(line);
    if (!json) continue;  // truncated by a kill
    // Compared as written: names that are not UTF-8 have lost bytes in the journal.
    if (is_empty_ &&
        (!json->contains("gate") || reports::json_text(json->at("gate")) != reports::json_text(of)))
      throw bad_input(file, "",
                      "expected the journal of a gate with the same programs, suite, policy and options");
    if (!is_empty_) {
      const std::string place = fmt::format("{}: line {}", file, line_number);
      launched_pair pair = pair_of(json_place(*json, place));
      const std::size_t number = pair.number;
      known_[number] = std::move(pair);
    }
    is_empty_ = false;
  }
  if (!ends_whole) append(nullptr);
}

const launched_pair* pair_journal::find(std::size_t number) const {
  const auto found = known_.find(number);
  return found == known_.end() ? nullptr : &found->second;
}

void pair_journal::add(const launched_pair& pair) { append(line_of(pair)); }

double pair_journal::seconds() const {
  double out = 0;
  for (const auto& [number, pair] : known_) out += pair.seconds;
  return out;
}

void pair_journal::append(const ordered_json& line) {
  const std::string text = (line.is_null() ? std::string() : reports::json_text(line)) + "\n";
  reports::append_whole(file_, path_, text);
}

}  // namespace ablate::gate
