#include "tactus/cli/man_page.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/file.hpp"
#include "tactus/cli/help_text.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/tactus.h"

namespace tactus::cli {
namespace {

/// Text that roff takes as it is.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";  // a hyphen could not be copied into a shell
    } else if (c == '~') {
      out += "\\(ti";
    } else if (c == '^') {
      out += "\\(ha";
    } else if (c == '`') {
      out += "\\(ga";
    } else if (c == '\'') {
      out += "\\(aq";
    } else {
      out += c;
    }
  }
  return out.starts_with('.') ? "\\&" + out : out;
}

std::string page_name(const CLI::App& app) {
  std::string name = full_name(app);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string option_entry(const CLI::Option& option) {
  std::string names =
      "\\fB" +
      roff(option.get_positional() ? option.get_name(true) : option.get_name(false, true)) + "\\fR";
  for (std::size_t comma = names.find(','); comma != std::string::npos;
       comma = names.find(',', comma + 1)) {
    names.replace(comma, 1, "\\fR, \\fB");
    comma += 6;
  }
  const bool valued = option.get_type_size() != 0 && !option.get_positional();
  const std::string value = valued ? " \\fI" + roff(value_name(option)) + "\\fR" : "";
  return fmt::format(".TP\n{}{}\n{}\n", names, value, roff(described(option)));
}

std::string synopsis(const CLI::App& app) {
  std::string words = fmt::format(".B {}\n[OPTIONS]", roff(full_name(app)));
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    const std::string name = option->get_name(true) + (option->get_expected_max() > 1 ? "..." : "");
    words += ' ' + roff(option->get_required() ? name : "[" + name + "]");
  }
  const bool has_verbs = !app.get_subcommands([](const CLI::App*) { return true; }).empty();
  return words + (has_verbs ? " VERB\n" : "\n");
}

std::string options(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) out += option_entry(*option);
  }
  for (const std::string& group : app.get_groups()) {
    if (group.empty()) continue;
    std::string entries;
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_group() == group && option->nonpositional()) entries += option_entry(*option);
    }
    if (!entries.empty() && group != "Options") out += fmt::format(".SS {}\n", roff(group));
    out += entries;
  }
  return out;
}

/// The verbs under their headings.
std::string verbs(const CLI::App& app) {
  std::string out, heading;
  for (const CLI::App* verb :
       app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); })) {
    if (verb->get_group() != heading)
      out += fmt::format(".SS {}\n", roff(heading = verb->get_group()));
    out += fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", roff(page_name(*verb)),
                       roff(verb->get_description()));
  }
  return out;
}

std::string footer(const CLI::App& app) {
  std::string out, about, examples;
  for (const std::string& paragraph : footer_paragraphs(app)) {
    if (paragraph.starts_with("  ")) {
      examples += roff(std::string_view(paragraph).substr(2)) + '\n';
    } else if (paragraph.starts_with("Exit code")) {
      out += fmt::format(".SH EXIT STATUS\n{}\n", roff(paragraph));
    } else if (!paragraph.ends_with(':')) {
      about += fmt::format("{}{}\n", about.empty() ? "" : ".PP\n", roff(paragraph));
    }
  }
  if (!about.empty()) out += ".SH NOTES\n" + about;
  if (!examples.empty()) out += fmt::format(".SH EXAMPLES\n.nf\n{}.fi\n", examples);
  return out;
}

}  // namespace

std::string man_page(const CLI::App& app, const std::string& section) {
  std::string title = page_name(app);
  std::transform(title.begin(), title.end(), title.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  const bool own = app.get_parent() == nullptr;
  std::string out =
      fmt::format(".TH {} {} \"\" \"tactus {}\" \"Tactus\"\n", title, section, tactus_version());
  std::string says = app.get_description();
  if (const std::size_t colon = says.find(": "); own && colon != std::string::npos)
    says.erase(0, colon + 2);
  if (says.ends_with('.')) says.pop_back();
  out += fmt::format(".SH NAME\n{} \\- {}\n", page_name(app), roff(says));
  out += ".SH SYNOPSIS\n" + synopsis(app);
  if (const std::string entries = options(app); !entries.empty()) out += ".SH OPTIONS\n" + entries;
  if (const std::string entries = verbs(app); !entries.empty()) out += ".SH VERBS\n" + entries;
  out += footer(app);
  out += fmt::format(".SH SEE ALSO\n{}\n",
                     own && section == "1" ? "\\fBtactusd\\fR(8)" : "\\fBtactus\\fR(1)");
  return out;
}

bool write_man_page(const CLI::App& app, const std::string& section, const std::string& folder) {
  const std::string place = fmt::format("{}/man{}", folder, section);
  if (!make_folder(place)) return false;
  const auto problem = write_text_file(fmt::format("{}/{}.{}", place, page_name(app), section),
                                       man_page(app, section));
  if (problem) complain("tactus: " + problem->message);
  return !problem;
}

}  // namespace tactus::cli
