// The preloaded library between a program and a resource manager (a fake one): the input is a script of
// ioctls, in blocks of every size, mixed with stops, resumes, refusals and closed files. The blocks and
// their parameters lie at the end of what was allocated, so that a byte too many is noticed.
#include <array>
#include <cerrno>
#include <memory>
#include <vector>

#include "tactus/arbiter/preload/channel_control.hpp"
#include "tests/arbiter/preload/fake_rm.hpp"
#include "tests/fuzz/targets/fuzz.hpp"
#include "tests/fuzz/targets/script.hpp"

using namespace tactus;
using namespace tactus::arbiter::preload;

namespace {

constexpr std::size_t kMostSteps = 200;

/// Few handles and files, so that scripts meet the same ones again.
Handle handle(fuzz::Script& script) { return 0xc0 + static_cast<Handle>(script.choice(12)); }
int file(fuzz::Script& script) { return 3 + static_cast<int>(script.choice(3)); }

std::uint32_t class_of(fuzz::Script& script) {
  constexpr std::array<std::uint32_t, 10> kClasses = {
      0x41, 0x0, kDevice, kSubdevice, kChannelGroup, 0x906f, 0xc86f, 0xc86f, 0xc7c0, 0xffffffff};
  return kClasses[script.choice(kClasses.size())];
}

/// Parameters of an allocation. No size is given by an older libcuda, and then all of them are there.
struct Parameters {
  std::unique_ptr<std::uint8_t[]> bytes;
  std::uint32_t size = 0;
};
Parameters parameters(fuzz::Script& script) {
  constexpr std::array<std::uint32_t, 7> kSizes = {0, 1, 12, 16, 131, 132, 200};
  Parameters made;
  made.size = kSizes[script.choice(kSizes.size())];
  const std::size_t there = made.size == 0 ? 256 : made.size;
  made.bytes = std::make_unique<std::uint8_t[]>(there);
  const auto engine = static_cast<std::uint32_t>(script.choice(11));
  for (const std::size_t offset : {kGroupEngineOffset, kChannelEngineOffset}) {
    if (offset + sizeof engine <= there)
      std::memcpy(made.bytes.get() + offset, &engine, sizeof engine);
  }
  return made;
}

/// The caller's copy of a block, not one byte longer.
template <typename Block>
int ask(ChannelControl& control, int file, unsigned number, const Block& block) {
  const auto copy = std::make_unique<std::uint8_t[]>(sizeof block);
  std::memcpy(copy.get(), &block, sizeof block);
  return control.call(file, _IOC(_IOC_READ | _IOC_WRITE, kMagic, number, sizeof block), copy.get());
}

void allocate(ChannelControl& control, fuzz::Script& script) {
  const int on = file(script);
  AllocHead head{handle(script), handle(script), handle(script), class_of(script), 0};
  if (is_client(head.object_class)) head.client = head.parent = head.object;
  const Parameters made = parameters(script);
  if (script.choice(8) != 0) head.parameters = reinterpret_cast<std::uint64_t>(made.bytes.get());
  if (script.choice(2) == 0) {
    ask(control, on, kAlloc, AllocBlock{head, made.size, 0});
  } else {
    ask(control, on, kAlloc, AllocBlockWithRights{head, 0, made.size, 0, 0});
  }
}

void schedule(ChannelControl& control, fuzz::Script& script) {
  const auto enable = std::make_unique<std::uint8_t>(static_cast<std::uint8_t>(script.choice(2)));
  ControlBlock block{};
  block.client = handle(script);
  block.object = handle(script);
  block.command = script.choice(2) == 0 ? kGroupSchedule : kChannelSchedule;
  block.parameters_size = static_cast<std::uint32_t>(script.choice(2));
  if (script.choice(8) != 0) block.parameters = reinterpret_cast<std::uint64_t>(enable.get());
  ask(control, file(script), kControl, block);
}

/// Whatever else a program may ask of a file. What is a block of ours in size is left to the steps
/// above: its pointers would lead nowhere, and the program itself would be at fault.
void something_else(ChannelControl& control, fuzz::Script& script) {
  const auto number = script.byte();
  const std::size_t size = script.choice(64);
  if (number == kAlloc || number == kControl) return;
  const auto block = std::make_unique<std::uint8_t[]>(size);
  script.fill(block.get(), size);
  const unsigned type = script.choice(2) == 0 ? kMagic : script.byte();
  control.call(file(script), _IOC(_IOC_READ | _IOC_WRITE, type, number, size),
               script.choice(8) == 0 ? nullptr : block.get());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Script script(data, size);
  FakeRm rm;
  ChannelControl control(FakeRm::ioctl);
  bool refused = false;
  for (std::size_t step = 0; step < kMostSteps && !script.ended(); ++step) {
    switch (script.choice(12)) {
      case 0:
      case 1:
      case 2:
      case 3:
        allocate(control, script);
        break;
      case 4:
      case 5:
        schedule(control, script);
        break;
      case 6:
        ask(control, file(script), kFree, FreeBlock{handle(script), 0, handle(script), 0});
        break;
      case 7:
        fuzz::demand(control.stop().done == control.stopped(), "who is stopped is known to be");
        break;
      case 8:
        control.resume();
        fuzz::demand(!control.stopped(), "after a resume nobody is stopped");
        break;
      case 9:
        rm.interrupt_once = true;
        break;
      case 10:
        if (script.choice(2) == 0) {
          rm.refuse_disable_call = rm.disable_calls;
        } else {
          rm.refuse_enable_call = rm.enable_calls;
          refused = true;
        }
        break;
      default:
        something_else(control, script);
        break;
    }
  }
  // Where the driver has refused to put something back it may be off: the next resume tries again.
  rm.refuse_enable_call.reset();
  rm.interrupt_once = false;
  const Switched back = control.resume();
  if (refused) return 0;
  fuzz::demand(rm.reachable_off_count() == 0, "after a resume nothing is off that can be reached");
  fuzz::demand(back.done == (rm.off_count() == 0), "a resume says whether all are back");
  fuzz::demand(back.done || back.error == ENODEV, "a resume fails for want of a handle only");
  return 0;
}
