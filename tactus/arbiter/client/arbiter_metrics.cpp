#include "tactus/arbiter/client/arbiter_metrics.hpp"

#include <algorithm>

#include "tactus/arbiter/client/costs.hpp"

namespace tactus::arbiter::client {

void write_metrics(Metrics& metrics, const Snapshot& snapshot) {
  const Summary& s = snapshot.summary;
  const auto count = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    metrics.counter(name, help);
    metrics.whole({}, value);
  };
  count("tactus_arbiter_begins", "Segments that the arbiter decided about", s.begins);
  count("tactus_arbiter_updates", "Changes of who has the GPU", s.updates);
  count("tactus_arbiter_late_orders", "Orders that were followed too late", s.late);
  count("tactus_arbiter_shared", "Segments that began beside a client that had not left", s.shared);
  if (s.rule == kRuleBoost) {
    const BoostSummary& b = snapshot.boost;
    metrics.counter("tactus_arbiter_operations", "Gates opened, segments taken off and put back");
    metrics.whole({{"operation", "start"}}, b.starts);
    metrics.whole({{"operation", "off"}}, b.offs);
    metrics.whole({{"operation", "on"}}, b.ons);
    count("tactus_arbiter_forced_gates", "Gates that programs opened themselves", b.forced);
  }
  metrics.gauge("tactus_arbiter_isolated", "1: the arbiter runs where and how the bounds assume");
  metrics.whole({}, s.not_isolated[0] == 0 ? 1 : 0);
  metrics.gauge("tactus_arbiter_clients", "Clients of the arbiter");
  metrics.whole({}, snapshot.clients.size());
  const std::vector<SeenCost> costs = costs_of(snapshot);
  if (!costs.empty()) {
    metrics.gauge("tactus_arbiter_longest_cost_seconds",
                  "The longest time of an operation until now, by its name in system files");
    for (const SeenCost& cost : costs) metrics.seconds({{"cost", cost.name}}, cost.ns);
  }
  metrics.gauge(
      "tactus_arbiter_leaving_seconds",
      "The longest update until now, by how many programs had to leave at once (8: or more)");
  for (std::size_t i = 0; i < Leaving::kMost; ++i) {
    if (snapshot.leaving.updates[i] > 0)
      metrics.seconds({{"programs", std::to_string(i + 1)}}, snapshot.leaving.max_ns[i]);
  }
  if (snapshot.clients.empty()) return;
  const auto by_client = [&](const auto& write) {
    for (const Row& row : snapshot.clients) {
      const std::string number = std::to_string(row.client), pid = std::to_string(row.pid);
      write(row, Metrics::Labels{{"client", number}, {"name", row.name}, {"pid", pid}});
    }
  };
  const auto counts = [&](std::string_view name, std::string_view help,
                          std::uint64_t Row::*member) {
    metrics.counter(name, help);
    by_client([&](const Row& row, Metrics::Labels labels) { metrics.whole(labels, row.*member); });
  };
  counts("tactus_arbiter_client_segments", "GPU segments of a client", &Row::segments);
  counts("tactus_arbiter_client_preemptions", "How often a client was taken off the GPU",
         &Row::preemptions);
  counts("tactus_arbiter_client_late_orders", "Orders that a client followed too late", &Row::late);
  counts("tactus_arbiter_client_shared", "Its segments beside one that had not left", &Row::shared);
  counts("tactus_arbiter_client_overstays", "Its segments that were longer than the budget",
         &Row::overstays);
  metrics.counter("tactus_arbiter_client_off_seconds", "For how long a client's work was held off");
  by_client([&](const Row& row, Metrics::Labels labels) { metrics.seconds(labels, row.off_ns); });
  metrics.gauge("tactus_arbiter_client_longest_wait_seconds", "The longest wait for the GPU");
  by_client(
      [&](const Row& row, Metrics::Labels labels) { metrics.seconds(labels, row.wait_max_ns); });
}

}  // namespace tactus::arbiter::client
