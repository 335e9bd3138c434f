#include "reports/search/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <sstream>
#include <utility>

#include "base/record/case_json.h"
#include "base/text/bad_input.h"
#include "base/text/json_place.h"
#include "base/text/json_text.h"
#include "base/text/new_file.h"
#include "base/text/text_file.h"

namespace ablate::search {
namespace {

using nlohmann::ordered_json;
using reports::json_place;

constexpr const char* version = "1.0.0";

ordered_json json_of(const measured_case::timing& t) {
  return {{"method", t.method}, {"median", t.median_us},     {"min", t.min_us},
          {"mad", t.mad_us},    {"ci95_low", t.ci95_low_us}, {"ci95_high", t.ci95_high_us}};
}

measured_case::timing timing_at(const json_place& at) {
  measured_case::timing out{};
  out.method = at.at("method").text();
  out.median_us = at.at("median").positive();
  out.min_us = at.at("min").not_negative();
  out.mad_us = at.at("mad").not_negative();
  out.ci95_low_us = at.at("ci95_low").positive();
  out.ci95_high_us = at.at("ci95_high").positive();
  return out;
}

ordered_json json_of(const answer& a, const space& of) {
  ordered_json out = {{"point", of.points()[a.point].name}, {"status", a.status}};
  if (!a.reason.empty()) out["reason"] = a.reason;
  if (!a.gpu.empty()) out["gpu"] = a.gpu;
  if (a.time) out["time_us"] = json_of(*a.time);
  for (const auto& [name, value] : a.quality)
    out["quality"][name] = value ? ordered_json(static_cast<double>(*value)) : ordered_json();
  return out;
}

answer answer_at(const json_place& at, std::size_t launch, const space& of) {
  const std::string name = at.at("point").text();
  const auto point = of.find(name);
  if (!point) at.at("point").refuse_value("a point of this search");
  answer out{*point, launch};
  out.status = at.at("status").text();
  if (const auto reason = at.find("reason")) out.reason = reason->text();
  if (const auto gpu = at.find("gpu")) out.gpu = gpu->text();
  if (const auto time = at.find("time_us")) out.time = timing_at(*time);
  if (const auto quality = at.find("quality")) from_json(*quality, out.quality);
  return out;
}

journalled_batch batch_at(const json_place& at, const space& of) {
  journalled_batch out{static_cast<std::size_t>(at.at("launch").integer(1, 1000000)), {}, 0};
  out.seconds = at.at("seconds").not_negative();
  for (const json_place& a : at.at("answers").elements()) out.answers.push_back(answer_at(a, out.launch, of));
  return out;
}

}  // namespace

search_journal::search_journal(std::filesystem::path path, const ordered_json& identity, const space& of,
                               bool resume)
    : path_(std::move(path)), of_(of) {
  const bool exists = std::filesystem::exists(path_);
  if (exists && !resume)
    throw bad_input(path_.string(), "", "is of an earlier search; expected --resume, or another --out");
  const bool is_begun = exists && read(identity, of);
  std::filesystem::create_directories(path_.parent_path());
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) throw bad_input(path_.string(), "", "cannot be opened for writing");
  if (!is_begun)
    reports::append_whole(file_, path_,
                          reports::json_text({{"search_journal", version}, {"identity", identity}}) + "\n");
}

search_journal::~search_journal() {
  if (file_ >= 0) ::close(file_);
}

bool search_journal::read(const ordered_json& identity, const space& of) {
  std::string text = reports::read_text_file(path_);
  if (const std::size_t end = text.rfind('\n'); end + 1 != text.size()) {
    text.resize(end == text.npos ? 0 : end + 1);
    std::filesystem::resize_file(path_, text.size());
  }
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line); ++number) {
    const ordered_json json = reports::parse_json(line, path_.string());
    const std::string file = fmt::format("{}:{}", path_.string(), number + 1);
    const json_place at(json, file);
    if (number > 0) {
      batches_.push_back(batch_at(at, of));
      continue;
    }
    for (const auto& [name, value] : identity.items())
      if (at.at("identity").at(name).json() != value)
        at.at("identity")
            .at(name)
            .refuse_value(fmt::format("the search that is resumed to have {}", reports::json_text(value)));
  }
  return number > 0;
}

void search_journal::add(const journalled_batch& batch) {
  ordered_json answers = ordered_json::array();
  for (const answer& a : batch.answers) answers.push_back(json_of(a, of_));
  reports::append_whole(
      file_, path_,
      reports::json_text({{"launch", batch.launch}, {"seconds", batch.seconds}, {"answers", answers}}) +
          "\n");
  batches_.push_back(batch);
}

}  // namespace ablate::search
