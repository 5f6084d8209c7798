#include "tactus/decide/search.hpp"

#include "tactus/decide/knob.hpp"

namespace tactus::decide {

Judge::Judge(const Method& method, Options options)
    : method_(method), options_(std::move(options)) {
  options_.plan = false;
  options_.terms = false;
  options_.progress = {};
}

bool Judge::proves(const System& system, std::int64_t permille) {
  ++analyses_;
  const auto ask = [&](const System& asked) {
    return analyze(method_, asked, options_).status == Status::kSchedulable;
  };
  if (permille == kAsInFile) return ask(system);
  return ask(turned(system, {.what = Knob::What::kAllTimes}, permille));
}

std::optional<std::int64_t> Judge::further(const System& system, std::int64_t than) {
  constexpr std::int64_t kMost = kAsInFile * kAsInFile;
  std::int64_t holds = than + 1, fails = kMost;
  if (than == kNoFactor) {  // nothing is known: from the file's times down by halves, until it does
    holds = kAsInFile;
    for (; holds > 0 && !proves(system, holds); holds /= 2) fails = holds;
    if (holds == 0) return std::nullopt;
  } else if (!proves(system, holds)) {
    return std::nullopt;
  } else if (holds != kAsInFile) {
    // What is to be run is the system itself, whatever a longer one may be proved to do.
    const bool itself = proves(system, kAsInFile);
    if (holds > kAsInFile && !itself) return std::nullopt;
    if (holds < kAsInFile) (itself ? holds : fails) = kAsInFile;
  }
  for (std::int64_t step = 64; fails == kMost && holds < kMost; step *= 2) {
    const std::int64_t next = std::min(kMost, holds + step);
    (proves(system, next) ? holds : fails) = next;
    if (fails == next) break;
  }
  while (fails - holds > 1) {
    const std::int64_t middle = holds + (fails - holds) / 2;
    (proves(system, middle) ? holds : fails) = middle;
  }
  return holds;
}

Best best_of(const Space& space, std::span<const Candidate> candidates, Judge& judge,
             const std::stop_token& stop) {
  Best best;
  for (const Candidate& candidate : candidates) {
    if (stop.stop_requested()) break;
    if (const auto factor = judge.further(space.system(candidate), best.factor)) {
      best = {candidate, *factor};
    }
  }
  return best;
}

Best climb(const Space& space, Judge& judge, const Effort& effort, std::uint64_t restart,
           const std::stop_token& stop) {
  Random random(effort.seed, restart);
  Best best;
  best.candidate = restart == 0 ? space.start() : space.random(random);
  if (const auto factor = judge.further(space.system(best.candidate), kNoFactor)) {
    best.factor = *factor;
  }
  const std::int64_t most = judge.analyses() + effort.most_analyses;
  for (bool better = true; better && judge.analyses() < most;) {
    better = false;
    for (const Candidate& near : space.neighbours(best.candidate, random)) {
      if (stop.stop_requested() || judge.analyses() >= most) return best;
      const auto factor = judge.further(space.system(near), best.factor);
      if (!factor) continue;
      best = {near, *factor};
      better = true;
      break;
    }
  }
  return best;
}

}  // namespace tactus::decide
