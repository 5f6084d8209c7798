#include "tactus/deploy/quoting.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>

#include "tactus/base/diagnostic.hpp"
#include "tactus/base/printable.hpp"

namespace tactus::deploy {
namespace {

constexpr std::size_t kLongestPart = 80;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Characters that mean themselves everywhere, in a shell and in a unit.
bool is_plain(char c) {
  return is_letter_or_digit(c) || std::string_view("_./:=,+@-").find(c) != std::string_view::npos;
}

bool all_plain(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_plain);
}

Error cannot_hold(std::string_view text) {
  return Error{
      fmt::format("a systemd unit cannot hold {}: it has a control character", quote(text))};
}

/// Tabs can be written as an escape; other control characters are refused.
bool fits_a_unit(std::string_view text) {
  std::string without_tabs(text);
  std::erase(without_tabs, '\t');
  return !has_control_characters(without_tabs);
}

/// Inside the double quotes of a unit.
std::string in_unit_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '%') out += '%';
    if (c == '\t') {
      out += "\\t";
    } else {
      out += c;
    }
  }
  return out + '"';
}

Result<std::string> unit_word(std::string_view text) {
  if (!fits_a_unit(text)) return cannot_hold(text);
  return all_plain(text) ? std::string(text) : in_unit_quotes(text);
}

}  // namespace

std::string shell_word(std::string_view text) {
  // The shell takes `a=b` at the beginning of a command for an assignment, and `~` for a folder.
  if (all_plain(text) && text.find('=') == std::string_view::npos) return std::string(text);
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + '\'';
}

std::string shell_command(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ' ';
    out += shell_word(word);
  }
  return out;
}

Result<std::string> unit_command(const std::vector<std::string>& words) {
  const std::string& program = words.front();
  const bool plain_name = program.find('/') == std::string::npos && is_letter_or_digit(program[0]);
  if (program[0] != '/' && !plain_name)
    return Error{
        fmt::format("systemd starts no program {}: it must be an absolute path or a plain name",
                    quote(program))};
  std::string out;
  // A colon in front of the program: variables are not replaced.
  const bool has_dollar = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word.find('$') != std::string::npos;
  });
  if (has_dollar) out = ":";
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Result<std::string> word = unit_word(words[i]);
    if (!word) return word.error();
    if (i > 0) out += ' ';
    out += *word;
  }
  return out;
}

Result<std::string> unit_variable(std::string_view name, std::string_view value) {
  std::string assignment(name);
  assignment.append("=").append(value);
  if (!fits_a_unit(assignment)) return cannot_hold(assignment);
  return in_unit_quotes(assignment);
}

Result<std::string> unit_line(std::string_view text) {
  if (has_control_characters(text)) return cannot_hold(text);
  // A blank at an end is dropped, a backslash there continues the line.
  if (text.empty() || text.front() == ' ' || text.back() == ' ' || text.back() == '\\')
    return Error{
        fmt::format("a systemd unit cannot hold {}: it begins or ends with a blank or ends with a "
                    "backslash",
                    quote(text))};
  std::string out;
  for (const char c : text) {
    if (c == '%') out += '%';
    out += c;
  }
  return out;
}

std::string unit_remark(std::string_view text) {
  std::string out;
  for (const char c : printable_line(text)) {
    if (c == '%') out += '%';
    out += c == '\\' ? '/' : c;
  }
  return out;
}

std::string unit_part(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    // One `-` between others stays; two are what separates a system from its task.
    const bool inner_dash =
        c == '-' && i > 0 && i + 1 < text.size() && text[i - 1] != '-' && text[i + 1] != '-';
    if (is_letter_or_digit(c) || c == '.' || c == '_' || inner_dash) {
      out += c;
    } else {
      out += fmt::format(":{:02x}", static_cast<unsigned char>(c));
    }
  }
  if (out.size() <= kLongestPart) return out;
  // The name of a file has an end: what is cut off is told apart by a checksum (FNV-1a).
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{}::{:016x}", out.substr(0, kLongestPart - 18), sum);
}

std::string unit_stem(std::string_view system, std::string_view task) {
  const std::string first = unit_part(system);
  const char* const between = first.find('-') == std::string::npos ? "-" : "--";
  return fmt::format("tactus-{}{}{}", first, between, unit_part(task));
}

std::string file_part(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kLongestPart))
    out += is_letter_or_digit(c) || c == '.' || c == '-' ? c : '_';
  return out;
}

}  // namespace tactus::deploy
