#include "tactus/methods/own/command.hpp"

#include <fmt/core.h>

#include "tactus/base/diagnostic.hpp"
#include "tactus/base/printable.hpp"
#include "tactus/base/shell_word.hpp"

namespace tactus::own {
namespace {

constexpr std::size_t kLongestAnswer = std::size_t{16} << 20;

std::string origin_of(const std::string& id, const std::string& command, const Method* runs_as) {
  std::string origin =
      fmt::format("--method-command {}", shell_word(fmt::format("{}={}", id, command)));
  if (runs_as != nullptr) {
    origin += fmt::format(" --method-policy {}={}", id, runs_as->behaviour.name);
  }
  return origin;
}

}  // namespace

CommandMethod::CommandMethod(const std::string& id, std::string command, const Method* runs_as,
                             double seconds)
    : command_(std::move(command)),
      own_(id, fmt::format("the command {}", quote(command_)), origin_of(id, command_, runs_as),
           runs_as),
      limits_{static_cast<std::int64_t>(seconds * 1e9), kLongestAnswer} {}

/// One that waits for a question, or a new one. A process that has ended after its last answer is
/// no failure: it is started again.
Result<CommandMethod::Worker> CommandMethod::take_worker() const {
  for (;;) {
    std::vector<Worker> taken;
    {
      const std::lock_guard guard(lock_);
      if (idle_.empty()) break;
      taken.push_back(std::move(idle_.back()));
      idle_.pop_back();
    }
    if (taken.front().process.waits_for_a_question()) return std::move(taken.front());
    if (taken.front().process.said_too_much()) {
      return Error{
          fmt::format("line {} of its output answers no question", taken.front().asked + 1)};
    }
  }
  auto started = host::LineProcess::start(command_);
  if (!started) return started.error();
  return Worker{std::move(*started), 0};
}

Verdict CommandMethod::failed(const std::string& why) const {
  std::string reason =
      printable_line(fmt::format("the command {} failed: {}", quote(command_), why));
  {
    const std::lock_guard guard(lock_);
    if (failures_++ == 0) first_failure_ = reason;
  }
  return Verdict::undecided(std::move(reason));
}

Verdict CommandMethod::analyze(const System& system, const Options& options) const {
  Stopped::check(options.stop);
  auto worker = take_worker();
  if (!worker) return failed(worker.error().message);
  const std::int64_t number = ++worker->asked;
  auto answer = worker->process.ask(question_line(number, own_.method(), system, options), limits_,
                                    options.stop);
  Stopped::check(options.stop);
  // It may have ended after its last answer just when this question was on its way.
  if (!answer && number > 1 && worker->process.ended_well()) return analyze(system, options);
  if (!answer) return failed(fmt::format("at question {}: {}", number, answer.error().message));
  auto read = read_answer(std::move(*answer), number, system, own_.runs_as(), labels_);
  if (!read) {
    const Error& bad = read.error();
    // It is out of step, or at least of no use: the next question goes to a new one.
    return failed(fmt::format("line {}{} of its output: {}", number,
                              bad.at.column > 0 ? fmt::format(", column {}", bad.at.column) : "",
                              bad.message));
  }
  {
    const std::lock_guard guard(lock_);
    idle_.push_back(std::move(*worker));
  }
  return std::move(*read);
}

std::uint64_t CommandMethod::failures() const {
  const std::lock_guard guard(lock_);
  return failures_;
}

std::string CommandMethod::first_failure() const {
  const std::lock_guard guard(lock_);
  return first_failure_;
}

}  // namespace tactus::own
