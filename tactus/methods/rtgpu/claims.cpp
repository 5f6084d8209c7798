#include "tactus/methods/rtgpu/claims.hpp"

#include <fmt/core.h>

#include <unordered_map>

#include "tactus/model/diagnostic.hpp"

namespace tactus::rtgpu {
namespace {

class ClaimReader {
 public:
  ClaimReader(const System& system, const TaskSet& set, const json::Value& plan)
      : system_(system), set_(set), plan_(plan) {
    claims_.tasks.resize(set.real_time);
    for (std::size_t k = 0; k < set.real_time; ++k) ranks_[set.tasks[k].name] = k;
  }

  Claims read() {
    claims_.method = text(plan_, "method");
    claims_.variant = text(plan_, "variant");
    for_each_count("allocation", [&](std::size_t k, std::int64_t n) { claims_.tasks[k].sms = n; });
    for_each_count("priorities", [&](std::size_t k, std::int64_t n) {
      if (n != set_.tasks[k].priority) complain(k, "has another priority in the system");
    });
    if (plan_.find("virtual_sms") != nullptr) {
      for_each_count("virtual_sms", [&](std::size_t k, std::int64_t n) {
        if (n != 2 * claims_.tasks[k].sms) complain(k, "does not have two virtual SMs a real one");
      });
    }
    for_each_item("bounds", [&](TaskClaims& task, const json::Value& item) {
      task.bound = time(item, "bound");
      task.paper = time(item, "paper");
      task.tight = time(item, "tight");
    });
    for_each_item("segments", [&](TaskClaims& task, const json::Value& item) {
      task.segments.push_back({text(item, "node"), text(item, "kind"), time(item, "bound")});
    });
    return std::move(claims_);
  }

 private:
  void complain(std::size_t k, std::string_view problem) {
    claims_.problems.push_back(fmt::format("task {} {}", quote(set_.tasks[k].name), problem));
  }

  static std::string_view text(const json::Value& object, std::string_view key) {
    const json::Value* value = object.find(key);
    return value != nullptr && value->is(json::Kind::kString) ? value->text() : std::string_view();
  }

  /// Rounded down: a claim must not gain by digits below 1 ns.
  std::optional<Time> time(const json::Value& object, std::string_view key) const {
    const json::Value* value = object.find(key);
    if (value == nullptr || !value->is(json::Kind::kNumber)) return std::nullopt;
    const auto number =
        parse_scaled(value->text(), decimal_places(system_.time_unit), Rounding::kDown);
    if (!number) return std::nullopt;
    return Time::from_ns(number->value);
  }

  /// The object `key` has a whole number for every real-time task and nothing else.
  template <typename Visit>
  void for_each_count(std::string_view key, Visit visit) {
    const json::Value* object = plan_.find(key);
    if (object == nullptr || !object->is(json::Kind::kObject)) {
      claims_.problems.push_back(fmt::format("the plan has no `{}`", key));
      return;
    }
    std::vector<bool> seen(set_.real_time);
    for (const json::Member& member : object->members()) {
      const auto rank = ranks_.find(member.key);
      const auto number = member.value.is(json::Kind::kNumber)
                              ? parse_scaled(member.value.text(), 0, Rounding::kDown)
                              : std::nullopt;
      if (rank == ranks_.end() || !number || !number->exact || seen[rank->second]) {
        claims_.problems.push_back(
            fmt::format("`{}` has a wrong entry {}", key, quote(member.key)));
        continue;
      }
      seen[rank->second] = true;
      visit(rank->second, number->value);
    }
    for (std::size_t k = 0; k < set_.real_time; ++k) {
      if (!seen[k]) complain(k, fmt::format("is missing in `{}`", key));
    }
  }

  template <typename Visit>
  void for_each_item(std::string_view key, Visit visit) {
    const json::Value* array = plan_.find(key);
    if (array == nullptr || !array->is(json::Kind::kArray)) {
      claims_.problems.push_back(fmt::format("the plan has no `{}`", key));
      return;
    }
    for (const json::Value& item : array->items()) {
      const auto rank =
          item.is(json::Kind::kObject) ? ranks_.find(text(item, "task")) : ranks_.end();
      if (rank == ranks_.end()) {
        claims_.problems.push_back(fmt::format("`{}` has an item for no known task", key));
      } else {
        visit(claims_.tasks[rank->second], item);
      }
    }
  }

  const System& system_;
  const TaskSet& set_;
  const json::Value& plan_;
  std::unordered_map<std::string_view, std::size_t> ranks_;
  Claims claims_;
};

}  // namespace

Claims read_claims(const System& system, const TaskSet& set, const json::Value& plan) {
  return ClaimReader(system, set, plan).read();
}

}  // namespace tactus::rtgpu
