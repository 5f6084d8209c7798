#include <unistd.h>

#include <memory>

#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/what_if.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/check.hpp"
#include "tactus/verbs/what_if.hpp"

namespace tactus::cli {
namespace {

struct Arguments {
  WhatIf what_if;
  std::vector<std::string> files;
  bool json = false;
  bool canonical = false;
};

int run(const Arguments& arguments) {
  bool good = true;
  std::vector<report::CheckedFile> checked;
  for (const std::string& path : arguments.files) {
    Result<ReadResult> read = load_system(path);
    decide::Edited edited;
    if (read && read->system) {
      auto changed = arguments.what_if.applied(path, std::move(*read->system));
      if (!changed) return kBadInput;
      edited = std::move(*changed);
      read->system = std::move(edited.system);
      verbs::hold_to_methods(*read);
    }
    good = good && read && read->system;
    if (!arguments.json) {
      if (!read) {
        complain("tactus: " + read.error().message);
        continue;
      }
      complain_about(path, read->diagnostics);
      if (!read->system) continue;
      const std::string text =
          arguments.canonical ? write_system(*read->system)
                              : report::changes_text(edited, report::Style::of(STDOUT_FILENO)) +
                                    report::valid_file_text({shown_name(path), *read});
      if (!emit(text)) return kBadInput;
      continue;
    }
    if (!read) read = ReadResult{std::nullopt, {{Severity::kError, {}, read.error().message}}};
    checked.push_back({shown_name(path), std::move(*read), std::move(edited)});
  }
  if (arguments.json && !emit(report::check_json(checked))) return kBadInput;
  return good ? kYes : kBadInput;
}

}  // namespace

void add_check(Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("check", "Read system files and say what is wrong, and where");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("FILE", arguments->files, "System files; - is standard input")->required();
  arguments->what_if.add_to(*verb);
  auto* json = verb->add_flag("--json", arguments->json, "Diagnostics as JSON on standard output");
  verb->add_flag("--canonical", arguments->canonical, "Print the canonical form of each file")
      ->excludes(json);
  verb->footer(
      "Exit code 0 when every file is valid, else 2.\n"
      "Examples:\n"
      "  tactus check robot.system.json\n"
      "  tactus check --json *.system.json\n"
      "  generate-somehow | tactus check -");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
