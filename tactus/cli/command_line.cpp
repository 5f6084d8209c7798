#include "tactus/cli/command_line.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <sstream>

#include "tactus/cli/mistakes.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/tactus.h"

namespace tactus::cli {

CommandLine::CommandLine(const std::string& name, const std::string& about,
                         const std::string& footer)
    : app_(std::make_unique<CLI::App>(about, name)), parser_(*app_) {
  app_->set_version_flag("--version", fmt::format("{} {}", name, tactus_version()));
  app_->footer(footer);
}

CommandLine::~CommandLine() = default;

std::optional<int> CommandLine::take(const std::vector<std::string>& words) {
  try {
    app_->parse(std::vector<std::string>(words.rbegin(), words.rend()));  // as CLI11 wants them
    return std::nullopt;
  } catch (const CLI::Success& wanted) {  // --help, --version
    std::ostringstream text;
    const int code = app_->exit(wanted, text);
    return emit(text.str()) ? code : kBadInput;
  } catch (const CLI::ParseError& error) {
    complain(usage_problem(*app_, error, words));
    return kBadInput;
  }
}

}  // namespace tactus::cli
