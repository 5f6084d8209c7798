#include "tests/methods/rtgpu/reference.hpp"

#include <algorithm>

namespace tactus::rtgpu::reference {
namespace {

void add_cpu(std::vector<Segment>& chain, Ns upper, Ns lower) {
  if (chain.empty() || chain.back().kind != Segment::kCpu) chain.push_back({Segment::kCpu});
  chain.back().upper += upper;
  chain.back().lower += lower;
}

/// Kernel bounds (Lemma 5.1) with exact integer rounding; values in tests are small.
Part kernel(const Segment& s, std::int64_t sms, bool interleaved) {
  if (s.upper == 0) return {kNobodyElse, 0, 0};
  if (!s.times.empty()) {  // the least wcet among those that fit; of equal ones the fewest units
    Part best{kNobodyElse, -1, 0};
    for (const TimesEntry& entry : s.times) {
      if (entry.units > sms) continue;
      if (best.upper < 0 || entry.wcet.ns() < best.upper) {
        best = {kNobodyElse, entry.wcet.ns(), entry.bcet.ns()};
      }
    }
    return best;
  }
  if (s.rigid) return {kNobodyElse, s.upper, s.lower};
  const std::int64_t seats = interleaved ? 2 * sms : sms;
  const std::int64_t alpha = interleaved ? s.alpha : 1'000'000;
  const std::int64_t scaled = s.upper * alpha - s.overhead * 1'000'000;
  const std::int64_t unit = seats * 1'000'000;
  return {kNobodyElse, s.overhead + (scaled + unit - 1) / unit, s.lower / seats};
}

}  // namespace

Model model_of(const System& system) {
  Model model;
  std::vector<int> bus;
  int buses = 0;
  for (const Element& element : system.platform.elements) {
    bus.push_back(buses);
    if (element.kind == ElementKind::kCopy) ++buses;
    if (element.kind == ElementKind::kGpu) model.sms = element.units;
  }
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    TaskModel out;
    out.index = i;
    out.core = task.core.value_or(1);
    for (const Node& node : task.nodes) {
      const Element& element = system.platform.elements[node.on];
      if (element.kind == ElementKind::kCpu) {
        add_cpu(out.chain, node.wcet->ns(), node.bcet.ns());
        continue;
      }
      if (node.launch > Time()) add_cpu(out.chain, node.launch.ns(), 0);
      if (element.kind == ElementKind::kCopy) {
        out.chain.push_back({Segment::kCopy, bus[node.on], node.wcet->ns(), node.bcet.ns()});
        continue;
      }
      Segment s{Segment::kKernel};
      if (!node.times.empty()) {
        s.times = node.times;
        if (task.best_effort) {  // any of its entries: the longest
          for (const TimesEntry& entry : node.times) {
            if (entry.wcet > s.times.front().wcet) s.times = {entry};
          }
          s.times.resize(1);
        }
        s.upper = s.times.front().wcet.ns();
        s.width = s.times.front().units;
        if (s.upper > 0) out.min_sms = std::max(out.min_sms, s.width);
        out.chain.push_back(s);
        continue;
      }
      s.rigid = !node.load;
      s.upper = s.rigid ? node.wcet->ns() : node.load->ns();
      s.lower = s.rigid ? node.bcet.ns() : node.load_min.ns();
      s.overhead = node.overhead.ns();
      s.alpha = (node.interleave.value_or(Factor{2'000'000'000}).billionths + 999) / 1000;
      s.width = s.rigid && element.lanes == 1 ? node.parallelism.value_or(1) : 1;
      if (s.upper > 0) out.min_sms = std::max(out.min_sms, s.width);
      out.chain.push_back(s);
    }
    if (task.best_effort) {
      model.best_effort.push_back(out);
      continue;
    }
    out.period = task.period->ns();
    out.deadline = task.deadline->ns();
    model.tasks.push_back(out);
  }
  std::stable_sort(model.tasks.begin(), model.tasks.end(), [&](const auto& a, const auto& b) {
    const auto& pa = system.tasks[a.index].priority;
    const auto& pb = system.tasks[b.index].priority;
    return pa ? *pa > *pb : a.deadline < b.deadline;
  });
  return model;
}

std::vector<Part> parts_of(const TaskModel& task, std::int64_t sms) {
  std::vector<Part> parts;
  for (const Segment& s : task.chain) {
    if (s.kind == Segment::kCpu) parts.push_back({static_cast<int>(task.core), s.upper, s.lower});
    if (s.kind == Segment::kCopy) parts.push_back({kFirstBus + s.bus, s.upper, s.lower});
    if (s.kind == Segment::kKernel) parts.push_back(kernel(s, sms, true));
  }
  return parts;
}

std::vector<Part> suspensions_of(const TaskModel& task, std::int64_t sms) {
  std::vector<Part> parts;
  for (const Segment& s : task.chain) {
    if (s.upper == 0) continue;
    if (s.kind == Segment::kCpu) {
      parts.push_back({static_cast<int>(task.core), s.upper, s.lower});
      continue;
    }
    if (parts.empty() || parts.back().on != kAccelerator) parts.push_back({kAccelerator, 0, 0});
    const Part part = s.kind == Segment::kCopy ? Part{0, s.upper, s.lower} : kernel(s, sms, false);
    parts.back().upper += part.upper;
    parts.back().lower += part.lower;
  }
  return parts;
}

Ns workload(const std::vector<Part>& parts, int resource, Ns period, Ns deadline, Ns t) {
  std::vector<Ns> e, inner;
  Ns head = 0, since = 0, sum_e = 0, sum_inner = 0;
  for (const Part& part : parts) {
    if (part.on != resource || part.upper == 0) {
      since += part.lower;
      continue;
    }
    if (e.empty()) head = since;
    if (!e.empty()) inner.push_back(since), sum_inner += since;
    e.push_back(part.upper);
    sum_e += part.upper;
    since = 0;
  }
  const Ns tail = since;
  const std::size_t p = e.size();
  if (p == 0) return 0;
  const auto gap = [&](std::size_t j) -> Ns {
    if (j % p != p - 1) return inner[j % p];
    if (j == p - 1) return period - deadline + tail + head;
    return std::max<Ns>(0, period - sum_e - sum_inner);
  };
  Ns best = 0;
  for (std::size_t h = 0; h < p; ++h) {
    Ns sum = 0, work = 0;
    std::size_t next = h;  // l + 1
    while (sum + e[next % p] + gap(next) <= t) {
      sum += e[next % p] + gap(next);
      work += e[next % p];
      ++next;
    }
    best = std::max(best, work + std::min(e[next % p], t - sum));
  }
  return best;
}

namespace {

template <typename Rhs>
std::optional<Ns> iterate(Ns constant, Ns deadline, Rhs rhs) {
  for (Ns t = constant; t <= deadline;) {
    const Ns next = rhs(t);
    if (next == t) return t;
    t = next;
  }
  return std::nullopt;
}

struct Setting {
  const Model& model;
  std::vector<std::vector<Part>> parts;  // of the real-time tasks
  std::vector<std::vector<Part>> best_effort;
  bool hp_on_accelerator = true;

  Ns interference(std::size_t k, int resource, Ns t) const {
    if (resource == kAccelerator && !hp_on_accelerator) return 0;
    Ns sum = 0;
    for (std::size_t h = 0; h < k; ++h) {
      sum += workload(parts[h], resource, model.tasks[h].period, model.tasks[h].deadline, t);
    }
    return sum;
  }
  Ns blocking(std::size_t k, int resource) const {
    if (resource < kFirstBus) return 0;
    Ns longest = 0;
    const auto look = [&](const std::vector<Part>& chain) {
      for (const Part& part : chain) {
        if (part.on == resource) longest = std::max(longest, part.upper);
      }
    };
    for (std::size_t l = k + 1; l < parts.size(); ++l) look(parts[l]);
    for (const auto& chain : best_effort) look(chain);
    return longest;
  }
};

/// Eqs. 7 and 8 and, with `tight`, every choice of windows, each by its own iteration.
TaskResult respond(const Setting& s, std::size_t k, bool tight) {
  const Ns deadline = s.model.tasks[k].deadline;
  TaskResult result;
  Ns kernels = 0;
  std::vector<int> resources;
  for (const Part& part : s.parts[k]) {
    if (part.on == kNobodyElse) {
      kernels += part.upper;
      result.segments.push_back(part.upper);
      continue;
    }
    if (part.upper == 0) {
      result.segments.push_back(0);
      continue;
    }
    if (std::count(resources.begin(), resources.end(), part.on) == 0) resources.push_back(part.on);
    const Ns constant = part.upper + s.blocking(k, part.on);
    result.segments.push_back(iterate(
        constant, deadline, [&](Ns t) { return constant + s.interference(k, part.on, t); }));
  }
  for (unsigned choice = 0; choice < (1U << resources.size()); ++choice) {  // bit: whole job
    Ns constant = kernels;
    std::vector<int> joint;
    bool possible = true;
    for (std::size_t r = 0; r < resources.size(); ++r) {
      const bool whole = ((choice >> r) & 1) != 0;
      if (whole && resources[r] >= kFirstBus && !tight) possible = false;
      if (whole) joint.push_back(resources[r]);
      for (std::size_t i = 0; i < s.parts[k].size(); ++i) {
        const Part& part = s.parts[k][i];
        if (part.on != resources[r] || part.upper == 0) continue;
        if (whole) {
          constant += part.upper + s.blocking(k, part.on);
        } else if (result.segments[i]) {
          constant += *result.segments[i];
        } else {
          possible = false;
        }
      }
    }
    if (!possible) continue;
    const auto response = iterate(constant, deadline, [&](Ns t) {
      Ns sum = constant;
      for (int resource : joint) sum += s.interference(k, resource, t);
      return sum;
    });
    if (response && (!result.response || *response < *result.response)) result.response = response;
  }
  return result;
}

template <typename PartsOf>
std::vector<TaskResult> respond_all(const Model& model, const Counts& counts, bool tight,
                                    bool hp_on_accelerator, PartsOf parts) {
  Setting s{model, {}, {}, hp_on_accelerator};
  for (std::size_t k = 0; k < counts.size(); ++k) {
    s.parts.push_back(parts(model.tasks[k], counts[k]));
  }
  for (const TaskModel& task : model.best_effort) {
    s.best_effort.push_back(parts(task, std::max<std::int64_t>(1, task.min_sms)));
  }
  std::vector<TaskResult> results;
  for (std::size_t k = 0; k < counts.size(); ++k) results.push_back(respond(s, k, tight));
  return results;
}

}  // namespace

std::vector<TaskResult> rtgpu(const Model& model, const Counts& counts, bool tight) {
  return respond_all(model, counts, tight, true, parts_of);
}

std::vector<TaskResult> self_suspension(const Model& model, const Counts& counts, bool paper) {
  return respond_all(model, counts, false, !paper, suspensions_of);
}

std::vector<TaskResult> stgm(const Model& model, const Counts& counts, bool paper) {
  std::vector<Ns> occupied;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    Ns sum = 0;
    for (const Segment& s : model.tasks[k].chain) {
      sum += s.kind == Segment::kKernel ? kernel(s, counts[k], false).upper : s.upper;
      if (s.kind != Segment::kCopy || s.upper == 0 || paper) continue;
      Ns longest = 0;
      const auto look = [&](const TaskModel& task) {
        for (const Segment& other : task.chain) {
          if (other.kind == Segment::kCopy && other.bus == s.bus) {
            longest = std::max(longest, other.upper);
          }
        }
      };
      for (std::size_t l = k + 1; l < counts.size(); ++l) look(model.tasks[l]);
      for (const TaskModel& task : model.best_effort) look(task);
      sum += longest;
    }
    occupied.push_back(sum);
  }
  std::vector<TaskResult> results(counts.size());
  for (std::size_t k = 0; k < counts.size(); ++k) {
    results[k].response = iterate(occupied[k], model.tasks[k].deadline, [&](Ns t) {
      Ns sum = occupied[k];
      for (std::size_t h = 0; h < k; ++h) {
        const Ns period = model.tasks[h].period;
        sum += (t + period - 1) / period * occupied[h];
      }
      return sum;
    });
  }
  return results;
}

bool feasible(const std::vector<TaskResult>& results) {
  return std::all_of(results.begin(), results.end(),
                     [](const TaskResult& result) { return result.response.has_value(); });
}

}  // namespace tactus::rtgpu::reference
