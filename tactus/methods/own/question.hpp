#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "tactus/base/result.hpp"
#include "tactus/methods/method.hpp"

/// How a method that is not part of Tactus is asked: JSON, one line for the question and one for
/// the answer (docs/use/own-methods.md). Commands and functions of other languages speak the same.
namespace tactus::own {

/// The question about a system, on one line without the newline.
std::string question_line(std::int64_t number, const Method& method, const System& system,
                          const Options& options);

/// Verdicts point to labels that last: these do.
class Labels {
 public:
  /// "other", if there are too many different ones, or it is too long.
  std::string_view keep(std::string_view label);

 private:
  std::mutex lock_;
  std::set<std::string, std::less<>> kept_;
};

/// What an answer says about the system, or what is wrong at which column of its line. @param number of the question that it must name
/// @param runs_as the method whose policy the method shares, which reads its plans; may be null
Result<Verdict> read_answer(std::string text, std::int64_t number, const System& system,
                            const Method* runs_as, Labels& labels);

}  // namespace tactus::own
