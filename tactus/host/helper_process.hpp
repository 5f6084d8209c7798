#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/host/child.hpp"

namespace tactus::host {

/// This program, started again with other arguments; both exchange lines through pipes. It ends
/// with its owner: closing the pipe tells it to end, and a second later it is killed.
class HelperProcess {
 public:
  explicit HelperProcess(const std::vector<std::string>& arguments);
  ~HelperProcess();
  HelperProcess(HelperProcess&& other) noexcept;
  HelperProcess& operator=(HelperProcess&&) = delete;

  bool started() const { return child_.pid() > 0; }
  /// False when it has ended.
  bool say(const std::string& line) const;
  /// The next line it writes, without the newline; nothing if it ended or was silent too long.
  std::optional<std::string> listen(int timeout_ms);

 private:
  Child child_;
  int in_ = -1, out_ = -1;
  std::string heard_;
};

}  // namespace tactus::host
