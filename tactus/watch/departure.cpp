#include "tactus/watch/departure.hpp"

#include <fmt/core.h>

namespace tactus::watch {

using Kind = Departure::Kind;

std::string_view id_of(Kind kind) {
  switch (kind) {
    case Kind::kTime:
      return "time";
    case Kind::kSegments:
      return "segments";
    case Kind::kEarly:
      return "early";
    case Kind::kLate:
      return "late";
    case Kind::kNominal:
      return "nominal";
    case Kind::kBound:
      return "bound";
    case Kind::kDeadline:
      return "deadline";
    case Kind::kGone:
      return "gone";
    case Kind::kUnseen:
      return "unseen";
    case Kind::kAlone:
      return "unarbitrated";
    case Kind::kShared:
      return "shared";
    case Kind::kForced:
      return "forced";
    case Kind::kSlow:
      return "slow";
    case Kind::kCost:
      return "cost";
    case Kind::kClient:
      return "client";
    case Kind::kProcess:
      return "process";
    case Kind::kStart:
      return "start";
    case Kind::kArbiter:
      return "arbiter";
  }
  return {};
}

std::string sentence_of(const System& system, const Departure& departure) {
  const auto shown = [&](const std::optional<Time>& time) {
    return time ? format_time(*time, system.time_unit) : std::string("?");
  };
  const std::string seen = shown(departure.seen), promised = shown(departure.promised);
  const std::string& what = departure.what;
  const auto about = [&](std::string text) {
    return departure.task ? fmt::format("{}: {}", system.tasks[*departure.task].name, text) : text;
  };
  switch (departure.kind) {
    case Kind::kTime:
      return about(fmt::format("{} took {}, more than the {} of the file", what, seen, promised));
    case Kind::kSegments:
      return about(fmt::format("a job had {}", what));
    case Kind::kEarly:
      return about(fmt::format("a job came {} after the one before, sooner than its period of {}",
                               seen, promised));
    case Kind::kLate:
      return about(
          fmt::format("a job was released {} late, more than its jitter of {}", seen, promised));
    case Kind::kNominal:
      return about("a job was released before its nominal arrival: a `bcet` before it is too long");
    case Kind::kBound:
      return about(fmt::format("a job took {}, more than its bound of {}", seen, promised));
    case Kind::kDeadline:
      return about(fmt::format("a job missed its deadline of {}", promised));
    case Kind::kGone:
      return about("its process has ended");
    case Kind::kUnseen:
      return about("jobs came faster than they could be looked at");
    case Kind::kAlone:
      return about("a GPU segment ran without the arbiter");
    case Kind::kShared:
      return about("a GPU segment began while another client had not left the GPU");
    case Kind::kForced:
      return "a program opened its own gate";
    case Kind::kSlow:
      return "a client did not leave the GPU in time";
    case Kind::kCost:
      return fmt::format("{} took {}, more than the {} of the file", what, seen, promised);
    case Kind::kClient:
      return fmt::format("{} has a GPU priority, and is no task of the file", what);
    case Kind::kProcess:
      return fmt::format("{} uses the GPU, and is no task of the file", what);
    case Kind::kStart:
      return what;
    case Kind::kArbiter:
      return "the arbiter has ended, or another one has taken its place";
  }
  return {};
}

}  // namespace tactus::watch
