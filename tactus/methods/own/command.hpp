#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "tactus/host/line_process.hpp"
#include "tactus/methods/own/own_method.hpp"
#include "tactus/methods/own/question.hpp"

namespace tactus::own {

/// A method that is a command: it reads questions from its standard input and writes answers to its
/// standard output. There is one process of it per thread that asks at the same time; each is kept
/// for the next question. If one crashes, hangs, or answers nonsense, the verdict is "undecided"
/// with the reason, and the next question starts a new process.
class CommandMethod final : public Analyst {
 public:
  /// @param command for /bin/sh  @param seconds that one answer may take
  CommandMethod(const std::string& id, std::string command, const Method* runs_as, double seconds);

  std::optional<Error> join() { return own_.join(*this); }
  Verdict analyze(const System& system, const Options& options) const override;

  const std::string& command() const { return command_; }
  /// How often it failed, and why the first time.
  std::uint64_t failures() const;
  std::string first_failure() const;

 private:
  /// A process, and how many questions it was asked.
  struct Worker {
    host::LineProcess process;
    std::int64_t asked = 0;
  };
  Result<Worker> take_worker() const;
  Verdict failed(const std::string& why) const;

  std::string command_;
  OwnMethod own_;
  host::LineProcess::Limits limits_;
  mutable Labels labels_;
  mutable std::mutex lock_;  ///< of what follows
  mutable std::vector<Worker> idle_;
  mutable std::uint64_t failures_ = 0;
  mutable std::string first_failure_;
};

}  // namespace tactus::own
