#include "tactus/cli/parser.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace tactus::cli {

Parser* Parser::add_subcommand(const std::string& name, const std::string& text) {
  return &verbs_.emplace_back(*app_.add_subcommand(name, text));
}

Parser* Parser::subcommand(std::string_view name) {
  const auto found = std::find_if(verbs_.begin(), verbs_.end(),
                                  [&](const Parser& verb) { return verb.name() == name; });
  return found == verbs_.end() ? nullptr : &*found;
}

void Parser::require_subcommand(int count) { app_.require_subcommand(count); }

void Parser::callback(std::function<void()> work) { app_.callback(std::move(work)); }

void Parser::footer(const std::string& text) { app_.footer(text); }

void Parser::group(const std::string& heading) { app_.group(heading); }

std::string Parser::name() const { return app_.get_name(); }

std::string Parser::footer() const { return app_.get_footer(); }

}  // namespace tactus::cli
