#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <memory>

#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/model/format.hpp"
#include "tactus/report/table.hpp"

namespace tactus::cli {
namespace {

using report::Ink;
using report::Style;

std::string overview(const std::vector<const Method*>& methods, const Style& style) {
  report::Table table({{"method"}, {"plan"}, {"variants"}, {"what it proves"}});
  for (const Method* method : methods) {
    table.add({{method->id, Ink::kBold},
               method->makes_plan ? "yes" : "no",
               fmt::format("{}", fmt::join(method->variants, ", ")),
               method->title});
  }
  return table.render(style) + "\nDetails of one: tactus methods ID\n";
}

std::string details(const Method& method, const Style& style) {
  std::string out =
      fmt::format("{}: {}\n", report::inked(method.id, Ink::kBold, style), method.title);
  out += fmt::format("  paper     {}\n", method.paper);
  out += fmt::format("  assumes   {}\n", method.assumes);
  out += fmt::format("  needs     {}\n", method.needs);
  out += fmt::format("  variants  {}\n", fmt::join(method.variants, ", "));
  out += fmt::format("  plan      {}\n", method.makes_plan ? "yes" : "no");
  for (const OptionSpec& option : method.options) {
    out += fmt::format("  --{} {}  {}\n", option.name, option.value, option.doc);
  }
  return out;
}

std::string as_json(const std::vector<const Method*>& methods) {
  json::Writer out;
  out.begin_object().key("tactus").integer(kFormatVersion).key("methods").begin_array();
  for (const Method* method : methods) {
    out.begin_object();
    out.key("id").string(method->id);
    out.key("title").string(method->title);
    out.key("paper").string(method->paper);
    out.key("assumes").string(method->assumes);
    out.key("needs").string(method->needs);
    out.key("variants").begin_array();
    for (std::string_view variant : method->variants) out.string(variant);
    out.end_array();
    out.key("makes_plan").boolean(method->makes_plan);
    out.key("options").begin_array();
    for (const OptionSpec& option : method->options) {
      out.begin_object().key("name").string(option.name);
      out.key("value").string(option.value).key("doc").string(option.doc).end_object();
    }
    out.end_array().end_object();
  }
  out.end_array().end_object();
  return out.take();
}

struct Arguments {
  std::string list = "all";
  bool json = false;
};

int run(const Arguments& arguments) {
  const Result<std::vector<const Method*>> methods = select_methods(arguments.list);
  if (!methods) {
    complain("tactus: " + methods.error().message);
    return kBadInput;
  }
  const Style style = Style::of(STDOUT_FILENO);
  const std::string text = arguments.json         ? as_json(*methods)
                           : methods->size() == 1 ? details(*methods->front(), style)
                                                  : overview(*methods, style);
  return emit(text) ? kYes : kBadInput;
}

}  // namespace

void add_methods(CLI::App& app, int& exit_code) {
  auto* verb = app.add_subcommand("methods", "The methods: what each proves, assumes and needs");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("ID", arguments->list, "Ids or wildcards, comma-separated (default: all)");
  verb->add_flag("--json", arguments->json, "As JSON");
  verb->footer(
      "Examples:\n  tactus methods\n  tactus methods 'gcaps.*'\n  tactus methods mpcp.suspend");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
