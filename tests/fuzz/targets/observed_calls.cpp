// The log of calls that a watched program has in its memory: whatever is written there, `measure` says
// something about it.
#include <cstring>
#include <vector>

#include "tactus/observe/cut_into_jobs.hpp"
#include "tests/fuzz/targets/fuzz.hpp"

using namespace tactus;

namespace {

constexpr std::int64_t kHour = 3'600'000'000'000;  // ns

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  observe::CutOptions options;
  if (data[0] % 3 == 1) options.at = "cuLaunchKernel";
  if (data[0] % 3 == 2) options.idle_gap = Time::from_ns(1);
  std::vector<observe::Call> calls((size - 1) / sizeof(observe::Call));
  if (!calls.empty()) std::memcpy(calls.data(), data + 1, calls.size() * sizeof(observe::Call));
  std::erase_if(calls,
                [](const observe::Call& call) { return !observe::believable(call, 0, kHour); });
  const auto jobs = observe::cut_into_jobs(calls, options);
  if (!jobs) {
    fuzz::demand_one_line(jobs.error().message);
    return 0;
  }
  const observe::Shape shape = observe::shape_of(*jobs);
  fuzz::demand(shape.kinds.size() == shape.seen.size(), "every part was seen");
  return 0;
}
