#include "tactus/reserve/dry_run.hpp"

#include <algorithm>

namespace tactus::reserve {

std::size_t DryRun::count(Answer::Kind kind) const {
  return static_cast<std::size_t>(
      std::count_if(requests.begin(), requests.end(),
                    [&](const Request& request) { return request.answer.kind == kind; }));
}

std::int64_t room_of(const Task& task, const Values& enforced) {
  const Time deadline = *task.deadline;
  const auto left = static_cast<__int128>((deadline - enforced.response).ns()) * 1'000;
  return static_cast<std::int64_t>(left / deadline.ns());
}

std::optional<DryRun::Room> DryRun::least_room(const System& system) const {
  std::optional<Room> least;
  for (const Standing& standing : standings) {
    const std::int64_t room = room_of(system.tasks[standing.task], standing.enforced);
    if (!least || room < least->thousandths) least = Room{standing.task, room};
  }
  return least;
}

DryRun dry_run(const System& system, const Rules& rules, bool instead,
               const std::stop_token& stop) {
  DryRun made;
  made.rules = rules;
  Controller controller(system, rules);
  const auto index_of = [&](std::string_view name) {
    return static_cast<TaskIndex>(
        std::find_if(system.tasks.begin(), system.tasks.end(),
                     [&](const Task& task) { return task.name == name; }) -
        system.tasks.begin());
  };
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    if (system.tasks[i].best_effort) continue;
    if (stop.stop_requested()) {
      made.stopped = true;
      break;
    }
    DryRun::Request request{i, controller.ask(Time(), system.tasks[i]), {}, {}};
    for (const Controller::Reservation& one : controller.reservations()) {
      if (one.task.name == system.tasks[i].name) request.bound = one.bound;
    }
    if (instead && request.answer.kind == Answer::Kind::kRefused) {
      request.instead = controller.instead_of(system.tasks[i]);
    }
    made.requests.push_back(std::move(request));
  }
  for (const Controller::Reservation& one : controller.reservations()) {
    made.standings.push_back({index_of(one.task.name), one.bound, one.values, one.cuts});
  }
  return made;
}

}  // namespace tactus::reserve
