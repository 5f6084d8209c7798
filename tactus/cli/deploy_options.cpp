#include "tactus/cli/deploy_options.hpp"
#include "tactus/cli/numbers.hpp"

#include <charconv>

#include "tactus/cli/output.hpp"

namespace tactus::cli {
namespace {

/// "2,3,5": the CPU of core 1, 2, 3.
std::optional<std::vector<int>> cpus_of(std::string_view text) {
  constexpr int kMost = 100'000;
  std::vector<int> cpus;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    int cpu = -1;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), cpu);
    if (error != std::errc() || end != part.data() + part.size() || cpu < 0 || cpu > kMost)
      return std::nullopt;
    cpus.push_back(cpu);
    if (comma == std::string_view::npos) return cpus;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

void DeployOptions::add_to(Parser& verb) {
  verb.add_option("--tier", tier_,
                  "gate: programs mark their GPU segments; channel: the same, but those of "
                  "best-effort tasks are unchanged, under `tactus exec`; process: all are "
                  "unchanged, and stopped as processes, to try it without a GPU")
      ->capture_default_str()
      ->check(one_of({"gate", "channel", "process"}));
  verb.add_option("--cpus", cpus_,
                  "The CPU of core 1, 2, ... of the file, and then the arbiter's if every core has "
                  "tasks (default: 0, 1, ...)")
      ->type_name("LIST");
  verb.add_option("--backend", backend_,
                  "For plans that one program plays (partitions, tables): where it does")
      ->capture_default_str()
      ->check(one_of({"cuda", "emulator"}));
  verb.add_flag("--no-realtime", no_realtime_,
                "Without SCHED_FIFO; then no bound covers tasks that share a core");
}

std::optional<deploy::Wish> DeployOptions::wish() const {
  deploy::Wish wish;
  wish.by = tier_ == "gate"      ? deploy::By::kSegments
            : tier_ == "channel" ? deploy::By::kChannel
                                 : deploy::By::kProcess;
  wish.backend = backend_;
  wish.realtime = !no_realtime_;
  if (cpus_.empty()) return wish;
  const auto cpus = cpus_of(cpus_);
  if (!cpus) {
    complain("tactus: --cpus must be numbers of CPUs with commas between, such as 2,3,5");
    return std::nullopt;
  }
  wish.cpus = *cpus;
  return wish;
}

std::vector<std::string> DeployOptions::words() const {
  std::vector<std::string> words;
  if (tier_ != "gate") words.insert(words.end(), {"--tier", tier_});
  if (!cpus_.empty()) words.insert(words.end(), {"--cpus", cpus_});
  if (backend_ != "cuda") words.insert(words.end(), {"--backend", backend_});
  if (no_realtime_) words.emplace_back("--no-realtime");
  return words;
}

std::variant<deploy::Launch, Exit> launch_or_exit(const std::string& file, const System& system,
                                                  const Subject& subject, const deploy::Wish& wish,
                                                  const deploy::PlanFiles& files) {
  auto made = deploy::launch_of(system, *subject.method, subject.verdict, wish, files);
  if (auto* launch = std::get_if<deploy::Launch>(&made)) return std::move(*launch);
  for (const Diagnostic& problem : std::get<std::vector<Diagnostic>>(made)) {
    complain(problem.at.known() ? to_string(problem, shown_name(file))
                                : "tactus: " + problem.message);
  }
  return kBadInput;
}

}  // namespace tactus::cli
