#include "reports/page/html.h"

#include <fmt/format.h>

#include <span>

#include "base/text/json_text.h"
#include "base/text/sha256.h"
#include "base/text/shell.h"
#include "base/text/text_file.h"
#include "reports/page/html_data.h"
#include "reports/page/packed_json.h"
#include "reports/plots/render.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

struct library {
  const char* package;
  const char* file;
};

constexpr library libraries[] = {{"vega", "build/vega.min.js"},
                                 {"vega-lite", "build/vega-lite.min.js"},
                                 {"vega-embed", "build/vega-embed.min.js"}};

// In this order they form one module.
constexpr const char* scripts[] = {"unpack.js", "elements.js", "model.js",  "selection.js", "filters.js",
                                   "labels.js", "plots.js",    "tables.js", "overview.js",  "run.js",
                                   "sides.js",  "details.js",  "main.js"};

constexpr const char* collection_scripts[] = {"elements.js", "collection.js"};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// The scripts of a page. Its policy names each by its hash, so that no other runs, whatever a record says.
class script_elements {
 public:
  void add(std::string script) {
    // So that it neither closes its element nor opens a comment in it.
    replace_all(script, "</script", "<\\/script");
    replace_all(script, "<!--", "<\\!--");
    // As browsers read lines, before they hash them.
    replace_all(script, "\r\n", "\n");
    replace_all(script, "\r", "\n");
    script = "\n" + script + "\n";
    sources_ += (sources_.empty() ? "'sha256-" : " 'sha256-") + sha256_base64(script) + "'";
    html_ += "<script>" + script + "</script>\n";
  }

  const std::string& html() const { return html_; }
  /// For `script-src`.
  const std::string& sources() const { return sources_; }

 private:
  std::string html_, sources_;
};

/// Each package's license must stay with its code.
void add_libraries(script_elements& to) {
  const std::filesystem::path modules = renderer_directory() / "node_modules";
  for (const library& l : libraries) {
    std::string license = read_text_file(modules / l.package / "LICENSE");
    replace_all(license, "*/", "* /");
    to.add(fmt::format("/* {}\n\n{}*/\n", l.package, license) + read_text_file(modules / l.package / l.file));
  }
}

void add_scripts(script_elements& to, const std::filesystem::path& html, std::span<const char* const> names) {
  std::string out = "'use strict';\n";
  for (const char* name : names) out += read_text_file(html / name) + "\n";
  to.add("(() => {\n" + out + "})();");
}

std::string data_html(const ordered_json& data) {
  std::string json = json_text(data);
  replace_all(json, "<", "\\u003c");
  return "<script type=\"application/json\" id=\"data\">" + json + "</script>\n";
}

std::string in_html(std::string text) {
  replace_all(text, "&", "&amp;");
  replace_all(text, "<", "&lt;");
  return text;
}

/// A line in which words between ` are code.
std::string missing_html(const std::string& line) {
  std::string out;
  bool in_code = false;
  for (const char c : in_html(line)) {
    if (c == '`')
      out += (in_code = !in_code) ? "<code>" : "</code>";
    else
      out += c;
  }
  return "<p class=\"missing\" data-missing=\"plots\">" + out + "</p>";
}

std::string title_of(const std::vector<record_report>& records) {
  std::string labels;
  for (const record_report& r : records) labels += (labels.empty() ? "" : " beside ") + r.label;
  return in_html(fmt::format("{} on {}", records.front().of->suite_name, labels));
}

/// Replaces each {{name}} in the page's frame with its text; inserted text is not scanned again.
std::string filled(const std::string& frame, const std::vector<std::pair<std::string, std::string>>& texts) {
  std::string out;
  std::size_t at = 0;
  while (true) {
    const std::size_t begin = frame.find("{{", at);
    const std::size_t end = begin == std::string::npos ? begin : frame.find("}}", begin);
    if (end == std::string::npos) return out + frame.substr(at);
    const std::string name = frame.substr(begin + 2, end - begin - 2);
    out += frame.substr(at, begin - at);
    for (const auto& [key, text] : texts)
      if (key == name) out += text;
    at = end + 2;
  }
}

/// The page's frames, style and scripts.
std::filesystem::path html_directory() { return renderer_directory() / "page" / "html"; }

/// Why no page can be made from this frame, or nothing.
std::optional<std::string> why_no_page(const std::filesystem::path& page, const char* frame) {
  if (std::filesystem::exists(html_directory() / frame)) return std::nullopt;
  return fmt::format(
      "There is no {}: page/html/{} was not found; set ABLATE_REPORTS_DIR to the "
      "source tree's reports/ folder.",
      page.filename().string(), frame);
}

/// The first package that drawing needs and this machine lacks, or nothing.
std::optional<std::string> missing_library() {
  for (const library& l : libraries)
    if (!std::filesystem::exists(renderer_directory() / "node_modules" / l.package / l.file))
      return l.package;
  return std::nullopt;
}

/// Why a page of these records has no plots, and what to do about it.
std::optional<std::string> why_no_plots(const std::vector<record_report>& records,
                                        const std::filesystem::path& page) {
  const std::optional<std::string> missing = missing_library();
  if (!missing) return std::nullopt;
  std::string given;
  for (const record_report& r : records) given += " " + shell_word(r.of->path.string());
  return fmt::format(
      "{} has no plots: the package {} is not installed here (docs/other_machines.md). Any machine "
      "that has it draws them from the record: `npm ci --prefix reports` in the source tree, then "
      "`ablate report{} --out DIR`.",
      page.filename().string(), *missing, given);
}

}  // namespace

std::optional<std::string> write_html(const std::vector<record_report>& records, const side_by_side* sides,
                                      const std::filesystem::path& page) {
  std::filesystem::remove(page);
  if (auto why = why_no_page(page, "page.html")) return why;
  const std::optional<std::string> no_plots = why_no_plots(records, page);
  const std::filesystem::path html = html_directory();
  ordered_json data = {{"records", ordered_json::array()}, {"sides", nullptr}};
  for (const record_report& r : records) data["records"].push_back(html_data(r));
  if (sides) data["sides"] = html_data(*sides);
  script_elements elements;
  if (!no_plots) add_libraries(elements);
  add_scripts(elements, html, scripts);
  write_text_file(page, filled(read_text_file(html / "page.html"),
                               {{"title", title_of(records)},
                                {"style", "<style>\n" + read_text_file(html / "report.css") + "</style>"},
                                {"missing", no_plots ? missing_html(*no_plots) : ""},
                                {"data", data_html(packed(data))},
                                {"script_sources", elements.sources()},
                                {"scripts", elements.html()}}));
  return no_plots;
}

std::optional<std::string> write_plot_page(const std::string& title, const std::vector<plot>& plots,
                                           const std::filesystem::path& page) {
  std::filesystem::remove(page);
  if (auto why = why_no_page(page, "plots.html")) return why;
  if (const auto missing = missing_library())
    return fmt::format("There is no {}: {} is not installed (`npm ci --prefix reports` in the source tree).",
                       page.filename().string(), *missing);
  ordered_json data = ordered_json::array();
  for (const plot& p : plots) {
    ordered_json specification = p.specification;
    specification.erase("$schema");
    data.push_back({{"title", p.title}, {"specification", std::move(specification)}});
  }
  script_elements elements;
  add_libraries(elements);
  elements.add(read_text_file(html_directory() / "plots_page.js"));
  write_text_file(
      page, filled(read_text_file(html_directory() / "plots.html"), {{"title", in_html(title)},
                                                                     {"data", data_html(data)},
                                                                     {"script_sources", elements.sources()},
                                                                     {"scripts", elements.html()}}));
  return std::nullopt;
}

std::optional<std::string> write_collection_page(const std::string& title, const ordered_json& data,
                                                 const std::filesystem::path& page) {
  std::filesystem::remove(page);
  if (auto why = why_no_page(page, "collection.html")) return why;
  const std::filesystem::path html = html_directory();
  script_elements elements;
  add_scripts(elements, html, collection_scripts);
  write_text_file(page, filled(read_text_file(html / "collection.html"),
                               {{"title", in_html(title)},
                                {"style", "<style>\n" + read_text_file(html / "collection.css") + "</style>"},
                                {"data", data_html(data)},
                                {"script_sources", elements.sources()},
                                {"scripts", elements.html()}}));
  return std::nullopt;
}

}  // namespace ablate::reports
