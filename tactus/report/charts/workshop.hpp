#pragma once

#include <string>
#include <vector>

/// Other programs that draw for us, and where they do it.
namespace tactus::report {

/// A temporary folder, removed at the end.
class Workshop {
 public:
  Workshop();
  ~Workshop();
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  bool usable() const { return !path_.empty(); }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

/// Runs a program without input; what it says goes into the file. @return its exit code, or -1 when
/// it could not be started.
int run_quietly(const std::vector<std::string>& command, const std::string& messages);

/// What it said, on one line.
std::string said_in(const std::string& messages);

}  // namespace tactus::report
