#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/host/child.hpp"

namespace tactus::host {

/// This program, started again with other arguments, spoken to line by line through pipes. Ends
/// with its owner: closing the pipe tells it to go, and a second later it is made to.
class HelperProcess {
 public:
  explicit HelperProcess(const std::vector<std::string>& arguments);
  ~HelperProcess();
  HelperProcess(HelperProcess&& other) noexcept;
  HelperProcess& operator=(HelperProcess&&) = delete;

  bool started() const { return child_.pid() > 0; }
  /// False when it is gone.
  bool say(const std::string& line) const;
  /// The next line it says, without its end; nothing when it is gone or silent for too long.
  std::optional<std::string> listen(int timeout_ms);

 private:
  Child child_;
  int in_ = -1, out_ = -1;
  std::string heard_;
};

}  // namespace tactus::host
