#include "tactus/report/glossary.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "tactus/base/json_writer.hpp"
#include "tactus/model/written.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus::report {
namespace {

std::string plain(std::string_view word) {
  std::string out;
  for (const char c : word) {
    out +=
        c == '_' || c == '-' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

/// The rows of the table: "| words | meaning |".
std::vector<Meaning> read_page() {
  std::vector<Meaning> all;
  const std::string_view page = glossary_page();
  for (std::size_t start = 0; start < page.size();) {
    const std::size_t end = std::min(page.find('\n', start), page.size());
    const std::string_view line = page.substr(start, end - start);
    start = end + 1;
    const std::size_t bar = line.find(" | ");
    if (!line.starts_with("| ") || bar == std::string_view::npos || !line.ends_with(" |")) continue;
    Meaning one{{}, std::string(line.substr(bar + 3, line.size() - bar - 5))};
    std::string_view words = line.substr(2, bar - 2);
    while (!words.empty()) {
      const std::size_t comma = std::min(words.find(", "), words.size());
      one.words.emplace_back(words.substr(0, comma));
      words.remove_prefix(std::min(comma + 2, words.size()));
    }
    all.push_back(std::move(one));
  }
  all.erase(all.begin());  // the head of the table
  return all;
}

}  // namespace

const std::vector<Meaning>& glossary() {
  static const std::vector<Meaning> kAll = read_page();
  return kAll;
}

const Meaning* meaning_of(std::string_view word) {
  for (const Meaning& one : glossary()) {
    for (const std::string& known : one.words) {
      if (plain(known) == plain(word)) return &one;
    }
  }
  return nullptr;
}

std::string glossary_text(const std::vector<Meaning>& shown, const Style& style) {
  std::string out;
  for (const Meaning& one : shown) {
    out += paragraph(fmt::format("{}: ", fmt::join(one.words, ", ")), one.text, style);
  }
  return out;
}

std::string glossary_json(const std::vector<Meaning>& shown) {
  json::Writer out;
  codec::begin_document(out, "glossary");
  out.key("words").begin_array();
  for (const Meaning& one : shown) {
    out.begin_object().key("words").begin_array();
    for (const std::string& word : one.words) out.string(word);
    out.end_array().key("text").string(one.text).end_object();
  }
  return out.end_array().end_object().take();
}

}  // namespace tactus::report
