#include "tactus/deploy/machine.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>

#include "tactus/base/file.hpp"
#include "tactus/host/child.hpp"
#include "tactus/host/programs.hpp"

namespace tactus::deploy {
namespace {

namespace fs = std::filesystem;

constexpr int kCapIpcLock = 14, kCapSysNice = 23;
constexpr std::int64_t kPatienceMs = 10'000;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

template <typename Number>
std::optional<Number> number(std::string_view text, int base = 10) {
  text = trimmed(text);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Calls `visit(line)` for every line of a text.
template <typename Visit>
void for_each_line(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    visit(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

class Look {
 public:
  explicit Look(std::string root) : root_(std::move(root)) {
    if (root_.empty() || root_.back() != '/') root_ += '/';
  }

  Machine look() {
    look_at_gpu();
    look_at_rights();
    look_at_cpus();
    machine_.rt_runtime_us = number_in("proc/sys/kernel/sched_rt_runtime_us");
    machine_.rt_period_us = number_in("proc/sys/kernel/sched_rt_period_us");
    machine_.freezer = there("sys/fs/cgroup/cgroup.controllers") ||
                       there("sys/fs/cgroup/unified/cgroup.controllers");
    return std::move(machine_);
  }

 private:
  bool here() const { return root_ == "/"; }
  bool there(const std::string& path) const { return access((root_ + path).c_str(), F_OK) == 0; }
  std::optional<std::string> text(const std::string& path) const {
    auto text = read_text_file(root_ + path);
    if (!text) return std::nullopt;
    return std::move(*text);
  }
  std::optional<std::int64_t> number_in(const std::string& path) const {
    const auto found = text(path);
    return found ? number<std::int64_t>(*found) : std::nullopt;
  }

  void look_at_gpu() {
    machine_.driver =
        arbiter::preload::parse_driver(text("proc/driver/nvidia/version").value_or(""));
    const std::string library = "libtactus_preload.so";
    machine_.preload_there = here() ? !host::companions(library).empty() : there(library);
    const auto answer = here() ? ask_nvidia_smi() : text("nvidia-smi.csv");
    machine_.gpus_known = answer.has_value();
    for_each_line(answer.value_or(""), [&](std::string_view line) {
      if (trimmed(line).empty()) return;
      GpuState gpu;
      for (std::string* field :
           {&gpu.name, &gpu.persistence, &gpu.mig, &gpu.clock_mhz, &gpu.max_clock_mhz}) {
        const std::size_t end = line.find(',');
        *field = trimmed(line.substr(0, end));
        if (field->starts_with("[")) field->clear();  // [N/A], [Not Supported]
        line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
      }
      machine_.gpus.push_back(std::move(gpu));
    });
    machine_.mps = runs("nvidia-cuda-mps");
  }

  std::optional<std::string> ask_nvidia_smi() const {
    if (machine_.driver.version.empty()) return std::nullopt;  // there is nobody to ask
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
    auto child = host::Child::start(
        {"nvidia-smi", std::string("--query-gpu=") + kGpuQuestion, "--format=csv,noheader,nounits"},
        {}, {.in = -1, .out = ends[1], .err = ends[1]});
    close(ends[1]);
    // A few lines fit into the pipe, so the end can be awaited before they are read.
    const bool good = child && child->wait(kPatienceMs) == 0;
    std::string answer(65536, '\0');
    const ssize_t got = good ? read(ends[0], answer.data(), answer.size()) : 0;
    close(ends[0]);
    if (got <= 0) return std::nullopt;
    answer.resize(static_cast<std::size_t>(got));
    return answer;
  }

  /// Is there a process whose name begins like this?
  bool runs(std::string_view name) const {
    std::error_code ignored;
    for (fs::directory_iterator at(root_ + "proc", ignored), end; !ignored && at != end;
         at.increment(ignored)) {
      const std::string process = at->path().filename().string();
      if (process.find_first_not_of("0123456789") != std::string::npos) continue;
      const auto comm = text("proc/" + process + "/comm");
      if (comm && comm->starts_with(name)) return true;
    }
    return false;
  }

  void look_at_rights() {
    std::optional<std::uint64_t> capabilities;
    for_each_line(text("proc/self/status").value_or(""), [&](std::string_view line) {
      if (line.starts_with("CapEff:")) capabilities = number<std::uint64_t>(line.substr(7), 16);
    });
    const auto has = [&](int bit) { return capabilities && ((*capabilities >> bit) & 1) != 0; };
    const std::string priority = limit("Max realtime priority"),
                      memory = limit("Max locked memory");
    if (has(kCapSysNice)) {
      machine_.may_be_real_time = true;
    } else if (const auto most = number<std::int64_t>(priority)) {
      machine_.may_be_real_time = *most >= 99;
    } else if (priority == "unlimited") {
      machine_.may_be_real_time = true;
    }
    machine_.locked_memory = memory;
    if (has(kCapIpcLock) || memory == "unlimited") {
      machine_.may_lock_memory = true;
    } else if (number<std::int64_t>(memory)) {
      machine_.may_lock_memory = false;
    }
  }

  /// The soft limit of this process, as /proc writes it.
  std::string limit(std::string_view name) const {
    std::string found;
    for_each_line(text("proc/self/limits").value_or(""), [&](std::string_view line) {
      if (!line.starts_with(name)) return;
      line = trimmed(line.substr(name.size()));
      found = line.substr(0, line.find(' '));
    });
    return found;
  }

  void look_at_cpus() {
    const std::string cpus = "sys/devices/system/cpu/";
    const auto online = cpu_list(text(cpus + "online").value_or("?"));
    machine_.cpus_known = online.has_value();
    machine_.online = online.value_or(std::set<int>{});
    machine_.isolated = cpu_list(text(cpus + "isolated").value_or("")).value_or(std::set<int>{});
    for (const int cpu : machine_.online) {
      const auto governor = text(fmt::format("{}cpu{}/cpufreq/scaling_governor", cpus, cpu));
      if (governor) machine_.governors[cpu] = trimmed(*governor);
    }
  }

  std::string root_;
  Machine machine_;
};

}  // namespace

std::optional<std::set<int>> cpu_list(std::string_view text) {
  constexpr int kMost = 100'000;
  std::set<int> cpus;
  text = trimmed(text);
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    const std::size_t dash = part.find('-');
    const auto first = number<int>(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number<int>(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last > kMost) return std::nullopt;
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.insert(cpu);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty()) return std::nullopt;
  }
  return cpus;
}

Machine look_at_machine(const std::string& root) { return Look(root).look(); }

}  // namespace tactus::deploy
