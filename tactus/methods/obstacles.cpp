#include "tactus/methods/obstacles.hpp"

#include <fmt/core.h>

#include "tactus/base/diagnostic.hpp"

namespace tactus {
namespace {

std::string sentence(const Element& element, std::string_view problem) {
  return fmt::format("element {} {}", quote(element.name), problem);
}
std::string sentence(const Task& task, std::string_view problem) {
  return fmt::format("task {} {}", quote(task.name), problem);
}
std::string sentence(const Task& task, const Node& node, std::string_view problem) {
  return fmt::format("task {}: node {} {}", quote(task.name), quote(node.name), problem);
}

}  // namespace

void Obstacles::note(Obstacle obstacle) {
  if (all_.size() < kMost) {
    all_.push_back(std::move(obstacle));
  } else {
    ++more_;
  }
}

void Obstacles::lacks(const Element& element, Give give, std::string_view problem) {
  note({sentence(element, problem), element.at, std::move(give), Obstacle::Whose::kElement,
        element.name});
}

void Obstacles::lacks(const Task& task, Give give, std::string_view problem) {
  note({sentence(task, problem), task.at, std::move(give), Obstacle::Whose::kTask, task.name});
}

void Obstacles::lacks(const Task& task, const Node& node, Give give, std::string_view problem) {
  note(
      {sentence(task, node, problem), node.at, std::move(give), Obstacle::Whose::kNode, node.name});
}

void Obstacles::refuse(const Element& element, std::string_view problem) {
  refuse(sentence(element, problem), element.at);
}

void Obstacles::refuse(const Task& task, std::string_view problem) {
  refuse(sentence(task, problem), task.at);
}

void Obstacles::refuse(const Task& task, const Node& node, std::string_view problem) {
  refuse(sentence(task, node, problem), node.at);
}

void Obstacles::refuse(std::string reason, Position at) { note({std::move(reason), at}); }

void Obstacles::add(Refusal refusal) {
  if (refusal.obstacles.empty()) return refuse(std::move(refusal.reason), refusal.at);
  for (Obstacle& obstacle : refusal.obstacles) note(std::move(obstacle));
  more_ += refusal.more_obstacles;
}

Refusal Obstacles::refusal() && {
  std::string reason = all_.front().reason;
  const Position at = all_.front().at;
  return {std::move(reason), at, std::move(all_), more_};
}

}  // namespace tactus
