#include "tactus/watch/processes.hpp"

#include <charconv>
#include <filesystem>

#include "tactus/base/file.hpp"
#include "tactus/base/printable.hpp"

namespace tactus::watch {
namespace {

namespace fs = std::filesystem;

/// CUDA opens it in every process that uses the GPU; nvidia-smi and the like do not.
constexpr std::string_view kDevice = "/dev/nvidia-uvm";

}  // namespace

Processes look_at_processes(const std::string& root) {
  Processes found;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(root + "/proc", problem)) {
    const std::string name = entry.path().filename().string();
    int pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc() || end != name.data() + name.size()) continue;
    const auto comm = read_text_file(entry.path().string() + "/comm");
    if (!comm) continue;  // it has just ended
    const Processes::One one{pid, printable_line(comm->substr(0, comm->find('\n')))};
    if (one.name == "tactusd") found.arbiters.push_back(one);
    std::error_code closed;
    fs::directory_iterator files(entry.path() / "fd", closed);
    if (closed) {
      ++found.hidden;
      continue;
    }
    for (const auto& file : files) {
      std::error_code gone;
      if (fs::read_symlink(file.path(), gone) != kDevice) continue;
      found.on_gpu.push_back(one);
      break;
    }
  }
  return found;
}

}  // namespace tactus::watch
