#include "tactus/cli/help_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>

namespace tactus::cli {

std::string value_name(const CLI::Option& option) {
  // "TEXT:{a,b}" is how CLI11 shows a choice, "UINT:N" a checked number: only the end matters.
  // A choice that is too long for a line has the word before it.
  constexpr std::size_t kLongest = 65;
  std::string name = option.get_type_name();
  const std::size_t end = name.find(':');
  if (end != std::string::npos && name.size() - end > kLongest) return name.substr(0, end);
  name.erase(0, end + 1);
  if (name.starts_with('{')) {
    name = name.substr(1, name.size() - 2);
    std::replace(name.begin(), name.end(), ',', '|');
  }
  return name.find(" in [") != std::string::npos ? "N" : name;
}

std::string described(const CLI::Option& option) {
  std::string text = option.get_description();
  if (option.get_type_size() != 0 && !option.get_default_str().empty()) {
    text += fmt::format(" (default {})", option.get_default_str());
  }
  return text;
}

std::vector<std::string> footer_paragraphs(const CLI::App& app) {
  std::vector<std::string> paragraphs;
  std::istringstream lines(app.get_footer());
  bool open = false;
  for (std::string line; std::getline(lines, line);) {
    const bool starts = line.starts_with("Exit code") || line.ends_with(':') ||
                        line.starts_with("Budget:") || line.starts_with("Then:") ||
                        line.starts_with("  ");
    if (open && !starts) {
      paragraphs.back() += ' ' + line;
    } else {
      paragraphs.push_back(line);
    }
    open = !line.ends_with(':') && !line.starts_with("  ");
  }
  return paragraphs;
}

std::string full_name(const CLI::App& verb) {
  std::string name = verb.get_name();
  for (const CLI::App* up = verb.get_parent(); up != nullptr; up = up->get_parent()) {
    name = up->get_name() + " " + name;
  }
  return name;
}

}  // namespace tactus::cli
