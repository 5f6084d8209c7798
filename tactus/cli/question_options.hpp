#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tactus/base/question.hpp"
#include "tactus/cli/parser.hpp"

/// A question on the command line: its fields become options, and what they take reaches them.
namespace tactus::cli {

/// The group of options that only some methods have. Help shows those of the methods that are named.
inline constexpr std::string_view kMethodOptionsGroup = "Options of methods";

/// Tells the parser about the fields. @pre they live as long as the parser
void add_options(Parser& verb, Fields& fields);

/// After parsing: notes what was given, and reads the files that were named.
void take_given(const Parser& verb, Fields& fields);

/// The text of a file.
Document document_at(const std::string& path);

/// A verb that asks a question. `describe` says what its arguments are, `run` answers. Arguments that
/// have a member `fields` are told what was given.
///
///     add_verb<Arguments>(app, exit_code, "slack", "How far ...", "Exit code ...", run);
template <typename Arguments>
Parser* add_verb(Parser& app, int& exit_code, const std::string& name, const std::string& about,
                 const std::string& footer, int (*run)(Arguments&)) {
  struct Asked {
    Arguments arguments;
    Fields fields;
  };
  auto asked = std::make_shared<Asked>();
  Parser* const verb = app.add_subcommand(name, about);
  describe(asked->arguments, asked->fields);
  if constexpr (requires { asked->arguments.fields; }) {
    asked->arguments.fields = &asked->fields;
  }
  if constexpr (requires { asked->arguments.app; }) asked->arguments.app = &app;
  add_options(*verb, asked->fields);
  verb->footer(footer);
  verb->callback([asked, verb, run, &exit_code] {
    take_given(*verb, asked->fields);
    exit_code = run(asked->arguments);
  });
  return verb;
}

}  // namespace tactus::cli
