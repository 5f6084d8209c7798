#include <algorithm>

#include "tactus/methods/gcaps/boost/bounds.hpp"
#include "tactus/methods/terms.hpp"

/// The summands of a bound. They add up to it.
namespace tactus::gcaps::boost {
namespace {

void add(std::vector<Term>& terms, std::string_view label, Time amount, std::string_view how) {
  if (amount > Time()) terms.push_back({.label = label, .amount = amount, .how = how});
}

void add_all(std::vector<Term>& terms, std::string_view label, const Causes& causes, Time window,
             const View& view) {
  for (const Cause& cause : causes.all) {
    Term term = causes.term_of(cause, label, view.task(cause.task).index, window);
    if (term.amount > Time()) terms.push_back(term);
  }
}

}  // namespace

void Bounds::explain(std::size_t i, Found& found) {
  const GpuTask& task = view_.task(i);
  const Time window = found.response.window;
  const std::span<const Time> phases = view_.phases_of(i);
  std::vector<Term> terms;
  // A job that is late before its end has done a part of its work only.
  Time cpu, launch, exec, copies;
  std::size_t parts = 0;
  for (; parts < sections_; ++parts) {
    cpu += task.segments[parts].cpu_before;
    launch += task.segments[parts].launch;
    exec += task.segments[parts].exec;
    copies += copy_waits_[view_.first[i] + parts];
  }
  const bool whole = phases_ > parts;
  if (whole) cpu += phases[parts];
  const Time starts = static_cast<std::int64_t>(parts) * view_.costs.start;
  add(terms, "own CPU work", cpu, "its nodes on the cpu");
  add(terms, "own GPU launches", launch, "launch times of its nodes");
  add(terms, "own GPU work", exec, "its kernels and copies");
  add(terms, "own starts", starts, "the gate of each own GPU segment is opened");
  add(terms, "best-effort starts", best_effort_starts_, "by the arbiter on its core");
  add(terms, "copy blocking", copies, "copies of lower tasks, before those of each GPU segment");
  add(terms, "empty pieces", own_ - cpu - launch - exec - starts - best_effort_starts_ - copies,
      "1 ns for each piece without work, which waits its turn, too");
  const Time blocked = parts > 0 ? blocking(i, parts, window) : Time();
  add(terms, "blocking", blocked, "lower GPU work that ends or is taken off, per own GPU segment");
  const Causes& on_gpu = mode_ == Mode::kBusy ? gpu_ : seen_;
  if (mode_ == Mode::kBusy) {
    for (const Local& local : locals_) {
      const std::int64_t jobs = jobs_in(window, local.period, local.jitter);
      if (jobs * local.work == Time()) continue;
      terms.push_back({.label = "CPU preemption",
                       .by = view_.task(local.task).index,
                       .amount = jobs * local.work,
                       .jobs = jobs,
                       .each = local.work,
                       .period = local.period,
                       .jitter = local.jitter,
                       .how = "it keeps the core while it uses the GPU"});
    }
    cap_by_windows(window);
    add_all(terms, "arbiter", cpu_, window, view_);
  } else {
    const auto arbiter = static_cast<std::ptrdiff_t>(view_.set->hpp(i).size());
    Causes above = cpu_, served = cpu_;
    above.all.erase(above.all.begin() + arbiter, above.all.end());
    served.all.erase(served.all.begin(), served.all.begin() + arbiter);
    add_all(terms, "CPU preemption", above, window, view_);
    add_all(terms, "arbiter", served, window, view_);
  }
  if (mode_ == Mode::kBusy || parts > 0) add_all(terms, "GPU preemption", on_gpu, window, view_);
  found.terms = readable_terms(std::move(terms));
}

}  // namespace tactus::gcaps::boost
