#include "tactus/methods/gcaps/causes.hpp"

namespace tactus::gcaps {

Term Causes::term_of(const Cause& cause, std::string_view label, TaskIndex by, Time window) const {
  Term term;
  term.label = label;
  term.by = by;
  term.amount = of(cause, [&](const Component& c) { return c.capped_jobs(window); });
  const Component& whole = components[cause.first];
  const std::int64_t jobs = whole.capped_jobs(window);
  if (cause.middle != cause.first + 1 || jobs * whole.work != term.amount) {
    term.how = "counted piece by piece";
    return term;
  }
  term.jobs = jobs;
  term.each = whole.work;
  if (jobs == whole.jobs(window)) {
    term.period = whole.period;
    term.jitter = whole.jitter;
  } else {
    term.how = "jobs that can be there while it waits";
  }
  return term;
}

}  // namespace tactus::gcaps
