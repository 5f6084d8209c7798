#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/question.hpp"
#include "tactus/verbs/measure.hpp"

namespace tactus::runtime {
struct MeasureOptions;
}

namespace tactus::cli {

/// Stands for the `--` before a command, which the parser drops.
inline constexpr std::string_view kCommandFlag = "--the-rest-is-a-command";

/// `tactus measure -- COMMAND`: watches a program, and makes a task of what it does.
class MeasureCommand {
 public:
  friend void describe(MeasureCommand& command, Fields& is);
  bool cuts_at_calls() const { return !cut_at_.empty(); }
  /// @param options  of these the margin and `bcet`
  int run(const std::vector<std::string>& command, const std::string& output, bool json,
          const verbs::MeasureQuestion& options) const;

 private:
  bool automatic_ = false;
  std::string task_ = "program", cut_at_, idle_gap_ = "0.5", duration_;
};

}  // namespace tactus::cli
