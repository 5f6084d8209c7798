#include "tactus/methods/dag/balanced.hpp"
#include "tactus/methods/dag/progress.hpp"

/// Algorithm 2 exactly as printed, with its three flaws: rounded shares may need more SMs than
/// there are (E1), launched kernels need spare area but not a place for it (E2), and the extra
/// edges do not keep the steps apart (E3). For reproduction only.
namespace tactus::dag {
namespace {

/// Eq. 5: the share of the SMs that goes with the share of the work, rounded half up, at least 1
/// (A9 in docs/use/methods/dag.md).
std::int64_t share(const KernelGraph& kernels, Time rest, Time total) {
  const __int128 w = total.ns();
  const __int128 rounded = (2 * static_cast<__int128>(rest.ns()) * kernels.sms + w) / (2 * w);
  return std::max<std::int64_t>(
      1, std::min(kernels.useful_sms(rest), static_cast<std::int64_t>(rounded)));
}

void run_step(const KernelGraph& kernels, Progress& progress, std::span<const NodeIndex> primary) {
  Time total;
  for (NodeIndex node : primary) total += progress.rest(node);

  progress.begin_step(primary);
  Time r;
  std::int64_t s = kernels.sms;
  for (NodeIndex node : primary) {
    const Time rest = progress.rest(node);
    const Kernel& kernel = progress.add(node, rest, share(kernels, rest, total));
    r = std::max(r, kernel.c);
    s -= kernel.m;
  }

  progress.begin_launched();
  std::int64_t spare = s;
  __int128 area = static_cast<__int128>(r.ns()) * s;  // Eq. 6, WS; may be negative
  while (area > 0 && progress.any_ready()) {
    const NodeIndex node = progress.first_ready();
    const Time rest = progress.rest(node);
    const Time part = area < rest.ns() ? Time::from_ns(static_cast<std::int64_t>(area)) : rest;
    spare -= progress.add(node, part, std::min(kernels.useful_sms(part), s)).m;  // s stays (A12)
    area -= part.ns();
  }
  progress.end_step(r, spare);
}

}  // namespace

Schedule schedule_printed(const KernelGraph& kernels, const Ancestry& ancestry) {
  const NodeLists groups = make_groups(kernels, ancestry, GroupRule::kEveryLarge, kernels.sms);
  Progress progress(kernels, ancestry);
  std::vector<NodeIndex> primary;
  for (std::size_t j = 0; j < groups.size(); ++j) {
    primary.clear();
    for (NodeIndex node : groups[j]) {
      if (!progress.done(node)) primary.push_back(node);
    }
    if (!primary.empty()) run_step(kernels, progress, primary);
  }
  return progress.take();
}

}  // namespace tactus::dag
