#include "tactus/arbiter/exec/reservation.hpp"

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <variant>

#include "tactus/arbiter/client/ask.hpp"
#include "tactus/base/decimal.hpp"
#include "tactus/base/json.hpp"
#include "tactus/host/clock.hpp"

namespace tactus::arbiter::exec {
namespace {

constexpr std::int64_t kLeastWaitNs = 1'000'000, kMostWaitNs = 10'000'000'000;

/// A number of the answer, times a power of ten; 0: it has none.
std::int64_t number_in(const char* answer, std::string_view key, int places) {
  const auto parsed = json::Document::parse(answer);
  const auto* const document = std::get_if<json::Document>(&parsed);
  const json::Value* const value = document != nullptr && document->root().is(json::Kind::kObject)
                                       ? document->root().find(key)
                                       : nullptr;
  if (value == nullptr || !value->is(json::Kind::kNumber)) return 0;
  const auto read = parse_scaled(value->text(), places, Rounding::kUp);
  return read ? read->value : 0;
}

/// Core 1 is CPU 0, as `tactus deploy` has it.
void go_to_core(std::int64_t core, const std::function<void(std::string_view)>& tell) {
  if (core < 1 || core > CPU_SETSIZE) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core - 1), &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0)
    tell(fmt::format(
        "this process may not run on CPU {}, which is core {}: keep it on a core of its "
        "own",
        core - 1, core));
}

}  // namespace

Result<bool> reserve(const Wish& wish, const std::string& socket,
                     const std::function<void(std::string_view)>& tell) {
  const char* const path = socket.empty() ? nullptr : socket.c_str();
  for (;;) {
    const client::AskedAnswer answer =
        client::ask_arbiter(path, wish.request.data(), wish.request.size());
    if (answer.problem != nullptr) return Error{answer.problem};
    tell(answer.text);
    if (answer.says("admitted")) {
      go_to_core(number_in(answer.json, "core", 0), tell);
      host::sleep_until_ns(host::now_ns() + number_in(answer.json, "first_ns", 0));
      return true;
    }
    if (answer.says("later") && wish.waits) {
      // In the unit of the arbiter's file; it may be sooner, or not at all.
      const std::int64_t left = number_in(answer.json, "again_ns", 0);
      host::sleep_until_ns(host::now_ns() + std::clamp(left, kLeastWaitNs, kMostWaitNs));
      continue;
    }
    if (!wish.else_best_effort) return Error{"it is not admitted, and does not run"};
    tell("it runs as best effort");
    return false;
  }
}

}  // namespace tactus::arbiter::exec
