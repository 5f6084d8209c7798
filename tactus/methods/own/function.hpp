#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "tactus/methods/own/own_method.hpp"
#include "tactus/methods/own/question.hpp"

namespace tactus::own {

/// A method that is a function of the program that uses the library, perhaps in another language:
/// it gets a question as text and returns the answer as text. Several threads may call it at a time.
class FunctionMethod final : public Analyst {
 public:
  using Function = std::function<std::string(const std::string& question)>;

  FunctionMethod(const std::string& id, const std::string& title, const Method* runs_as,
                 Function function);

  std::optional<Error> join() { return own_.join(*this); }
  Verdict analyze(const System& system, const Options& options) const override;

 private:
  OwnMethod own_;
  Function function_;
  mutable Labels labels_;
  mutable std::atomic<std::int64_t> asked_ = 0;
};

}  // namespace tactus::own
