#include "tests/reserve/slow.hpp"

#include <algorithm>
#include <functional>

namespace tactus::reserve::slow {
namespace {

namespace naive = gcaps::boost::naive;

bool uses_gpu(const Entry& entry) { return !entry.tr.empty(); }

/// The list as the naive equations see it.
naive::Set set_of(const System& platform, const Rules& rules, const std::vector<Entry>& list) {
  System system = platform;
  std::int64_t priority = 1'000;
  for (const Entry& entry : list) {
    system.tasks.push_back(entry.task);
    system.tasks.back().priority = priority--;
  }
  naive::Set set = naive::make_set(system);
  if (rules.enforced) {
    for (naive::Task& task : set.tasks) {
      for (Ns& e : task.e) e += rules.notice.ns() + set.off;
    }
  }
  set.best_effort_gpu = rules.best_effort || rules.enforced;
  if (!rules.cpu_trusted && rules.mode == gcaps::Mode::kSuspend) {
    set.cpu_budget_notice = rules.notice.ns();
  }
  return set;
}

}  // namespace

std::optional<Bounds> Controller::prove(const List& list) const {
  naive::Equations made{set_of(platform_, rules_, list),
                        rules_.mode == gcaps::Mode::kBusy,
                        naive::Forget::kNothing,
                        {},
                        {},
                        {},
                        {}};
  int next = 0;
  for (const Entry& entry : list) {
    made.rank.push_back(uses_gpu(entry) ? next++ : -1);
    made.tr.push_back(entry.tr);
  }
  if (made.solve() != made.n()) return std::nullopt;
  Bounds bounds;
  for (std::size_t i = 0; i < list.size(); ++i) {
    bounds[list[i].task.name] = {made.R[i], made.F[i]};
  }
  return bounds;
}

std::optional<std::pair<Controller::List, Bounds>> Controller::place(const List& list,
                                                                     const Task& task) const {
  const int n = static_cast<int>(list.size());
  int first = 0;
  while (first < n && *list[static_cast<std::size_t>(first)].task.deadline <= *task.deadline) {
    ++first;
  }
  std::vector<int> places;
  for (int place = 0; place <= n; ++place) places.push_back(place);
  std::stable_sort(places.begin(), places.end(), [&](int a, int b) {
    const int near_a = std::abs(a - first), near_b = std::abs(b - first);
    return near_a != near_b ? near_a < near_b : a > b;
  });
  if (!rules_.all_places) places.resize(1);
  static const std::vector<std::pair<int, int>> kLambdas = {{0, 1},  {1, 100}, {1, 50}, {1, 25},
                                                            {1, 15}, {1, 10},  {1, 7},  {1, 5},
                                                            {3, 10}, {1, 2},   {1, 0}};
  for (const int place : places) {
    for (const auto& [top, bottom] : kLambdas) {
      List with = list;
      with.insert(with.begin() + place, Entry{task, {}, {}, {}});
      const naive::Set set = set_of(platform_, rules_, with);
      const auto spares = [&, t = top, b = bottom](Ns length, Ns deadline) {
        return length <= set.low() || b == 0 ||
               static_cast<__int128>(length) * b <= static_cast<__int128>(deadline) * t;
      };
      std::vector<Ns> deadlines;  // by rank
      int rank = 0;
      for (int i = 0; i <= n; ++i) {
        const naive::Task& each = set.tasks[static_cast<std::size_t>(i)];
        if (each.eta() == 0) continue;
        deadlines.push_back(each.D);
        if (i < place) ++rank;
      }
      const naive::Task& y = set.tasks[static_cast<std::size_t>(place)];
      for (int i = 0; i <= n; ++i) {
        const naive::Task& each = set.tasks[static_cast<std::size_t>(i)];
        std::vector<int>& tr = with[static_cast<std::size_t>(i)].tr;
        for (int k = 0; k < each.eta(); ++k) {
          const Ns length = set.st + each.e[static_cast<std::size_t>(k)];
          if (i == place) {
            int limit = rank;
            while (limit > 0 && spares(length, deadlines[static_cast<std::size_t>(limit - 1)])) {
              --limit;
            }
            tr.push_back(limit);
            continue;
          }
          if (y.eta() == 0) continue;
          int& limit = tr[static_cast<std::size_t>(k)];
          if (limit > rank || (limit == rank && !spares(length, y.D))) ++limit;
        }
      }
      if (auto bounds = prove(with)) return std::pair(with, *bounds);
    }
  }
  return std::nullopt;
}

Controller::List Controller::without(const List& list, const std::vector<std::string>& names) {
  List rest = list;
  for (const std::string& name : names) {
    int rank = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (rest[i].task.name != name) {
        rank += uses_gpu(rest[i]) ? 1 : 0;
        continue;
      }
      const bool gpu = uses_gpu(rest[i]);
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      for (Entry& other : rest) {
        for (int& limit : other.tr) limit -= gpu && limit > rank ? 1 : 0;
      }
      break;
    }
  }
  return rest;
}

std::vector<std::string> Controller::gone_by(Ns time) const {
  std::vector<std::string> names;
  for (const Entry& entry : list_) {
    if (entry.left && *entry.left <= time) names.push_back(entry.task.name);
  }
  return names;
}

/// t_x + L, with those that were gone before it.
std::optional<Ns> Controller::over(const Entry& phantom) const {
  const List rest = without(list_, gone_by(*phantom.left));
  if (rest.empty()) return phantom.left;
  const auto alone = prove(rest);
  if (!alone) return std::nullopt;
  const Bounds& V0 = *alone;
  const auto M = [&](std::size_t i) { return phantom.most.at(rest[i].task.name); };
  const auto falls = [&](std::size_t i) {
    const Bound &low = V0.at(rest[i].task.name), high = M(i);
    bool found = low.R < high.R;
    for (std::size_t k = 0; k < low.F.size(); ++k) found = found || low.F[k] < high.F[k];
    return found;
  };
  const auto local = [&](std::size_t h, std::size_t i) {
    return h < i && rest[h].task.core == rest[i].task.core;
  };
  const bool busy = rules_.mode == gcaps::Mode::kBusy;
  const auto depends = [&](std::size_t i, std::size_t h) {
    if (h >= i) return false;
    if (!uses_gpu(rest[h])) return local(h, i) && !busy && !rules_.cpu_trusted;
    if (local(h, i)) return true;
    if (uses_gpu(rest[i])) return true;
    bool waits = false;  // somebody below h keeps the core of i while he waits for the GPU
    for (std::size_t y = h + 1; busy && y < i; ++y) {
      waits = waits || (local(y, i) && uses_gpu(rest[y]));
    }
    return waits;
  };
  const Ns m = rules_.enforced || !rules_.cpu_trusted ? 2 : 1;
  const std::function<Ns(std::size_t)> c = [&](std::size_t i) {
    Ns most = 0;
    for (std::size_t h = 0; h < rest.size(); ++h) {
      if (depends(i, h) && falls(h)) most = std::max(most, c(h) + m * M(h).R);
    }
    return most;
  };
  Ns L = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    L = std::max(L, c(i) + (falls(i) ? m : 1) * M(i).R);
  }
  return *phantom.left + L;
}

std::optional<Ns> Controller::until(const Entry& phantom) const {
  std::optional<Ns> first;
  for (const Entry& other : list_) {
    if (!other.left || *other.left < *phantom.left) continue;
    const auto time = over(other);
    if (time && (!first || *time < *first)) first = time;
  }
  return first;
}

void Controller::pass(Ns now) {
  for (;;) {
    const Entry* next = nullptr;
    for (const Entry& entry : list_) {
      if (!entry.left) continue;
      const auto time = over(entry);
      if (!time || *time > now) continue;
      const bool first = next == nullptr || *time < *over(*next) ||
                         (*time == *over(*next) && *entry.left > *next->left);
      if (first) next = &entry;
    }
    if (next == nullptr) return;
    const List rest = without(list_, gone_by(*next->left));
    if (const auto lower = prove(rest)) in_force_ = *lower;
    list_ = rest;
  }
}

void Controller::idle() {
  const List rest = without(list_, gone_by(INT64_MAX));
  if (rest.size() == list_.size()) return;
  if (const auto lower = prove(rest)) in_force_ = *lower;
  list_ = rest;
}

void Controller::gone(const std::string& name, Ns now) {
  pass(now);
  for (Entry& entry : list_) {
    if (entry.task.name != name) continue;
    entry.left = now;
    entry.most = in_force_;
  }
  pass(now);
}

Controller::Answer Controller::ask(Ns now, const Task& task) {
  pass(now);
  if (auto found = place(list_, task)) {
    std::tie(list_, in_force_) = *found;
    for (Entry& entry : list_) {
      if (!entry.left) continue;
      for (const auto& [name, bound] : in_force_) {
        Bound& most = entry.most[name];
        most.R = std::max(most.R, bound.R);
        most.F.resize(bound.F.size());
        for (std::size_t k = 0; k < bound.F.size(); ++k) {
          most.F[k] = std::max(most.F[k], bound.F[k]);
        }
      }
    }
    return {true, {}};
  }
  Answer answer;
  for (const Entry& entry : list_) {
    if (!entry.left) continue;
    const auto time = over(entry);
    if (!time || (answer.again && *answer.again <= *time)) continue;
    if (place(without(list_, gone_by(*entry.left)), task)) answer.again = time;
  }
  return answer;
}

}  // namespace tactus::reserve::slow
