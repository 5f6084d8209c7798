#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/report/catalogue.hpp"
#include "tactus/report/glossary.hpp"

namespace tactus::cli {
namespace {

struct ExplainArguments {
  std::string word;
  bool json = false;
};

void describe(ExplainArguments& arguments, Fields& is) {
  is("word", arguments.word, "A word of ours, or a method; without it: all words")
      .positional("WORD");
  is("json", arguments.json, "As JSON");
}

int run(ExplainArguments& arguments) {
  const std::string& word = arguments.word;
  const report::Style style = report::Style::of(STDOUT_FILENO);
  const auto tell = [&](const std::vector<report::Meaning>& shown) {
    return emit(arguments.json ? report::glossary_json(shown) : report::glossary_text(shown, style))
               ? kYes
               : kBadInput;
  };
  if (word.empty()) return tell(report::glossary());
  if (const report::Meaning* found = report::meaning_of(word)) return tell({*found});
  std::vector<std::string_view> known;
  for (const Method* method : registry()) {
    if (method->id != word) {
      known.push_back(method->id);
      continue;
    }
    const Method* const one[] = {method};
    return emit(arguments.json ? report::methods_json(one) : report::method_text(*method, style))
               ? kYes
               : kBadInput;
  }
  for (const report::Meaning& one : report::glossary()) {
    known.insert(known.end(), one.words.begin(), one.words.end());
  }
  std::string meant = suggestion(word, known);
  const auto part = std::find_if(known.begin(), known.end(), [&](std::string_view one) {
    return one.find(word) != std::string_view::npos;
  });
  if (meant.empty() && part != known.end()) meant = fmt::format("; did you mean {}?", quote(*part));
  return fail(fmt::format("there is no explanation of {}{}", quote(word),
                          meant.empty() ? "; `tactus explain` lists the words" : meant));
}

}  // namespace

void add_explain(Parser& app, int& exit_code) {
  add_verb<ExplainArguments>(app, exit_code, "explain",
                             "What a word of ours means, or a method does",
                             "Examples:\n"
                             "  tactus explain jitter\n"
                             "  tactus explain gcaps.suspend",
                             run);
}

}  // namespace tactus::cli
