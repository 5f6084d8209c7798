#include "tactus/trace/chain_watch.hpp"

#include <algorithm>

namespace tactus::trace {

ChainWatch::ChainWatch(const System& system) {
  if (system.chains.empty()) return;
  places_.resize(system.tasks.size());
  for (std::size_t c = 0; c < system.chains.size(); ++c) {
    const Chain& chain = system.chains[c];
    ObservedChain& seen = seen_.emplace_back();
    seen.chain = c;
    seen.last = chain.tasks.back();
    seen.fixed_phases = chain.phases == Chain::Phases::kFixed;
    members_.emplace_back(chain.tasks.size());
    for (std::size_t k = 0; k < chain.tasks.size(); ++k) {
      places_[chain.tasks[k]].push_back({c, k});
    }
  }
}

void ChainWatch::starts(TaskIndex task, Time now) {
  if (places_.empty()) return;
  for (const auto& [chain, place] : places_[task]) {
    auto& members = members_[chain];
    members[place].reading = place == 0 ? std::optional(now) : members[place - 1].written;
  }
}

void ChainWatch::ends(TaskIndex task, Time now) {
  if (places_.empty()) return;
  for (const auto& [chain, place] : places_[task]) {
    auto& members = members_[chain];
    Member& own = members[place];
    if (place + 1 == members.size() && own.reading) output(chain, own, now);
    own.written = own.reading;
  }
}

/// Up to now the output before was in use; what happened just after its read is in this one for the
/// first time.
void ChainWatch::output(std::size_t chain, const Member& last, Time now) {
  ObservedChain& seen = seen_[chain];
  ++seen.outputs;
  if (!last.written) return;  // the first: what was before the run is not known
  seen.age = std::max(seen.age, now - *last.written);
  if (*last.reading != *last.written) seen.reaction = std::max(seen.reaction, now - *last.written);
}

}  // namespace tactus::trace
