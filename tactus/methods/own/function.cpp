#include "tactus/methods/own/function.hpp"

#include <fmt/core.h>

#include "tactus/base/printable.hpp"

namespace tactus::own {

FunctionMethod::FunctionMethod(const std::string& id, const std::string& title,
                               const Method* runs_as, Function function)
    : own_(id, title.empty() ? "a function of the program" : title, "function", runs_as),
      function_(std::move(function)) {}

Verdict FunctionMethod::analyze(const System& system, const Options& options) const {
  Stopped::check(options.stop);
  const std::int64_t number = ++asked_;
  std::string answer = function_(question_line(number, own_.method(), system, options));
  Stopped::check(options.stop);
  auto read = read_answer(std::move(answer), number, system, own_.runs_as(), labels_);
  if (!read) {
    const Error& bad = read.error();
    return Verdict::undecided(printable_line(fmt::format(
        "the function of {} failed: {}{}", own_.method().id,
        bad.at.column > 0 ? fmt::format("column {} of its answer: ", bad.at.column) : "",
        bad.message)));
  }
  return std::move(*read);
}

}  // namespace tactus::own
