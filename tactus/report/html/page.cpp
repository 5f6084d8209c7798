#include "tactus/report/html/page.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <vector>

#include "tactus/base/file.hpp"
#include "tactus/report/charts/workshop.hpp"
#include "tactus/report/html/html.hpp"
#include "tactus/report/html/page_template.hpp"

namespace tactus::report {
namespace {

constexpr std::string_view kBrowsers[] = {"chromium", "chromium-browser", "google-chrome",
                                          "google-chrome-stable"};

/// Replaces the first `place`, at or after `from`. @return where the text behind it begins
std::size_t fill(std::string& page, std::string_view place, std::string_view text,
                 std::size_t from) {
  const std::size_t at = page.find(place, from);
  if (at == std::string::npos) return from;
  page.replace(at, place.size(), text);
  return at + text.size();
}

}  // namespace

std::string script_safe(std::string_view json) {
  // Outside of strings JSON has none of these, and inside an escape means the same.
  std::string out;
  out.reserve(json.size() + json.size() / 16);
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string_view rest = json.substr(i);
    if (rest.front() == '<') {
      out += "\\u003c";
    } else if (rest.front() == '>') {
      out += "\\u003e";
    } else if (rest.front() == '&') {
      out += "\\u0026";
    } else if (rest.starts_with("\xE2\x80\xA8") || rest.starts_with("\xE2\x80\xA9")) {
      out += rest[2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += rest.front();
    }
  }
  return out;
}

std::string page_with(std::string_view title, std::string_view json) {
  std::string page(page_template());
  const std::size_t after = fill(page, "{{title}}", html_escaped(title), 0);
  fill(page, "{{data}}", script_safe(json), after);
  return page;
}

std::optional<std::string> find_browser() {
  for (const std::string_view name : kBrowsers) {
    if (run_quietly({std::string(name), "--version"}, "/dev/null") == 0) return std::string(name);
  }
  return std::nullopt;
}

std::optional<Error> print_page(std::string_view page, const std::string& path) {
  const std::optional<std::string> browser = find_browser();
  if (!browser) return Error{"there is no browser here that prints (Debian: apt install chromium)"};
  const Workshop workshop;
  if (!workshop.usable()) return Error{"cannot make a temporary folder to print in"};
  const std::string file = workshop.file("page.html"), printed = workshop.file("page.pdf");
  if (auto failed = write_text_file(file, page)) return failed;
  std::vector<std::string> command = {*browser,
                                      "--headless",
                                      "--disable-gpu",
                                      "--no-pdf-header-footer",
                                      "--no-first-run",
                                      fmt::format("--user-data-dir={}", workshop.file("profile")),
                                      fmt::format("--print-to-pdf={}", printed)};
  if (::geteuid() == 0) command.emplace_back("--no-sandbox");  // else it refuses to start as root
  command.push_back(fmt::format("file://{}", file));
  const std::string messages = workshop.file("messages");
  const int code = run_quietly(command, messages);
  const Result<std::string> pdf = read_text_file(printed);
  if (code != 0 || !pdf) {
    return Error{fmt::format("{}: {} did not print:{}", path, *browser, said_in(messages))};
  }
  return write_text_file(path, *pdf);
}

}  // namespace tactus::report
