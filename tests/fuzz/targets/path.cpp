// A page through which tasks start tasks: the input is a script of writers that keep to it, of others
// that write anything, and of a follower. Each job is taken once, in its order, and none is lost uncounted.
#include <memory>

#include "tactus/arbiter/client/path_page.hpp"
#include "tests/fuzz/targets/fuzz.hpp"
#include "tests/fuzz/targets/script.hpp"

using namespace tactus;
using namespace tactus::arbiter::client;

namespace {

/// What neighbours write.
void scribble(PathPage& page, fuzz::Script& script) {
  switch (script.choice(3)) {
    case 0:
      return page.told.store(script.number<std::uint32_t>());
    case 1:
      return page.message.store(script.number<std::uint64_t>());
    default:
      return page.ended_ns.store(script.number<std::int64_t>());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Script script(data, size);
  const auto page = std::make_unique<PathPage>();
  if (script.choice(2) == 0) page->message.store(script.number<std::uint64_t>());
  if (script.choice(2) == 0) page->told.store(script.number<std::uint32_t>());
  Follower follower(*page);
  std::uint32_t number =
      page->told.load() == 0 ? UINT32_MAX : message::number(page->message.load());
  while (!script.ended()) {
    switch (script.choice(4)) {
      case 0:
        scribble(*page, script);
        break;
      case 1:
        tell(*page, script.number<std::uint32_t>(), script.number<std::int64_t>(),
             script.number<std::int64_t>());
        break;
      case 2:
        tell(*page, message::number(page->message.load()) + 1, 0, script.byte());
        break;
      default: {
        const auto now = script.number<std::int64_t>() & INT64_MAX;
        Taken taken;
        if (!follower.take(*page, now, taken)) break;
        const std::int32_t further = message::distance(number, taken.number);
        fuzz::demand(further > 0, "a job was taken again");
        fuzz::demand(taken.lost == static_cast<std::uint64_t>(further) - 1,
                     "jobs were lost in silence");
        fuzz::demand(taken.ended_ns >= 0 && taken.ended_ns <= now, "it ends later than now");
        fuzz::demand(taken.arrival_ns <= taken.ended_ns, "it ends before it arrives");
        number = taken.number;
      }
    }
  }
  return 0;
}
