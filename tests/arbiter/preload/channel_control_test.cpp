#include "tactus/arbiter/preload/channel_control.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "tests/arbiter/preload/fake_program.hpp"
#include "tests/arbiter/preload/fake_rm.hpp"

namespace tactus::arbiter::preload {
namespace {

constexpr std::uint32_t kComputeClass = 0xc7c0;  // of no interest to us

struct ChannelControlTest : testing::Test {
  FakeRm rm;
  ChannelControl control{FakeRm::ioctl};
  FakeProgram program{[this](int file, unsigned long request, void* block) {
    return control.call(file, request, block);
  }};
};

TEST_F(ChannelControlTest, StopTakesAllComputeChannelsOffAndNoOthers) {
  program.context(0xc1d00001, 5);
  const Switched result = control.stop();
  EXPECT_TRUE(result.done);
  EXPECT_EQ(result.channels, 8u);
  EXPECT_EQ(rm.off_count(), 8u);
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_TRUE(rm.off(0xc1d00001, FakeProgram::compute_channel(i)));
  EXPECT_TRUE(control.stopped());
}

TEST_F(ChannelControlTest, CopyEnginesAreSwitchedOnlyWhereThatIsTriedOut) {
  ChannelControl trying{FakeRm::ioctl, nullptr, RmObjects::Engines::kComputeAndCopies};
  FakeProgram copying{[&](int file, unsigned long request, void* block) {
    return trying.call(file, request, block);
  }};
  copying.context(0xc1d00001, 5);
  EXPECT_EQ(trying.stop().channels, 10u) << "eight of the compute group, two of the copy group";
  EXPECT_TRUE(trying.resume().done);
  EXPECT_EQ(rm.off_count(), 0u);
}

TEST_F(ChannelControlTest, ResumePutsThemBack) {
  program.context(0xc1d00001, 5);
  control.stop();
  EXPECT_TRUE(control.resume().done);
  EXPECT_EQ(rm.off_count(), 0u);
  EXPECT_FALSE(control.stopped());
  EXPECT_TRUE(control.resume().done);  // safe at any time
}

TEST_F(ChannelControlTest, StopsEachChannelOnceHoweverOftenItIsAsked) {
  program.context(0xc1d00001, 5);
  control.stop();
  EXPECT_TRUE(control.stop().done);
  program.schedule(0xc1d00001, 5, FakeProgram::kComputeGroup);  // as a program may, while stopped
  program.channel(0xc1d00001, 5, FakeProgram::kComputeGroup, 0x5c000777);
  EXPECT_EQ(rm.off_count(), 9u);
  control.resume();
  EXPECT_EQ(rm.off_count(), 0u);  // the driver counts: one enable would not undo two
}

using Slices = std::map<Handle, std::vector<std::uint64_t>>;

TEST_F(ChannelControlTest, LeavesTimeSlicesAloneUnlessAsked) {
  program.context(0xc1d00001, 5);
  EXPECT_TRUE(rm.slices.empty());
}

TEST_F(ChannelControlTest, EachComputeGroupGetsTheShortSliceOnceWhenItMayRun) {
  control.shorten_slices(100, nullptr);
  program.client(0xc1d00001, 5);
  program.device(0xc1d00001, 5, FakeProgram::kDeviceHandle, FakeProgram::kSubdeviceHandle);
  program.group(0xc1d00001, 5, FakeProgram::kDeviceHandle, FakeProgram::kComputeGroup, 1);
  program.channel(0xc1d00001, 5, FakeProgram::kComputeGroup, 0x5c000100);
  EXPECT_TRUE(rm.slices.empty());
  program.schedule(0xc1d00001, 5, FakeProgram::kComputeGroup);
  program.schedule(0xc1d00001, 5, FakeProgram::kComputeGroup);
  EXPECT_EQ(rm.slices, (Slices{{FakeProgram::kComputeGroup, {100}}}));  // and no copy group
  program.context(0xc1d00002, 6);
  EXPECT_EQ(rm.slices, (Slices{{FakeProgram::kComputeGroup, {100, 100}}}));
}

TEST_F(ChannelControlTest, SaysOnceThatTheDriverRefusesSlices) {
  static int told = 0;
  told = 0;
  rm.refuse_slices = true;
  control.shorten_slices(100, [] { ++told; });
  program.context(0xc1d00001, 5);
  program.context(0xc1d00002, 6);
  EXPECT_EQ(told, 1);
}

TEST_F(ChannelControlTest, LeavesChannelsAloneThatAreNotYetScheduled) {
  program.client(0xc1d00001, 5);
  program.device(0xc1d00001, 5, FakeProgram::kDeviceHandle, FakeProgram::kSubdeviceHandle);
  program.group(0xc1d00001, 5, FakeProgram::kDeviceHandle, FakeProgram::kComputeGroup, 1);
  program.channel(0xc1d00001, 5, FakeProgram::kComputeGroup, 0x5c000100);
  EXPECT_EQ(control.stop().channels, 0u);
  program.channel(0xc1d00001, 5, FakeProgram::kComputeGroup, 0x5c000101);
  EXPECT_EQ(rm.off_count(), 0u);
  program.schedule(0xc1d00001, 5, FakeProgram::kComputeGroup);
  EXPECT_EQ(rm.off_count(), 2u);
  EXPECT_FALSE(rm.disabled_unscheduled);
  control.resume();
  EXPECT_EQ(rm.off_count(), 0u);
}

TEST_F(ChannelControlTest, EveryContextOfTheProcessStops) {
  program.context(0xc1d00001, 5);
  program.context(0xc1d00002, 6, 3);  // the same handles under another client: another GPU
  EXPECT_EQ(control.stop().channels, 11u);
  EXPECT_EQ(rm.disable_calls, 2);
  EXPECT_TRUE(rm.off(0xc1d00002, FakeProgram::compute_channel(2)));
}

TEST_F(ChannelControlTest, TwoGpusOfOneClientAreSwitchedThroughTheirOwnSubdevices) {
  program.context(0xc1d00001, 5);
  program.device(0xc1d00001, 5, 0x77000001, 0x77000002);
  program.group(0xc1d00001, 5, 0x77000001, 0x77000010, 1);
  program.channel(0xc1d00001, 5, 0x77000010, 0x77000100);
  program.schedule(0xc1d00001, 5, 0x77000010);
  EXPECT_EQ(control.stop().channels, 9u);
  EXPECT_EQ(rm.disable_calls, 2);
}

TEST_F(ChannelControlTest, MoreChannelsThanOneCallHoldsTakeSeveralCalls) {
  program.context(0xc1d00001, 5, 130);
  EXPECT_EQ(control.stop().channels, 130u);
  EXPECT_EQ(rm.counts, (std::vector<std::size_t>{64, 64, 2}));
}

TEST_F(ChannelControlTest, ARefusalHalfWayPutsEverythingBack) {
  program.context(0xc1d00001, 5, 130);
  rm.refuse_disable_call = 1;
  const Switched result = control.stop();
  EXPECT_FALSE(result.done);
  EXPECT_EQ(result.status, 0x1fu);
  EXPECT_EQ(rm.off_count(), 0u);
  EXPECT_FALSE(control.stopped());
}

TEST_F(ChannelControlTest, WhatCouldNotBePutBackAfterARefusalComesBackLater) {
  program.context(0xc1d00001, 5, 130);
  rm.refuse_disable_call = 1;
  rm.refuse_enable_call = 0;
  EXPECT_FALSE(control.stop().done);
  EXPECT_EQ(rm.off_count(), 64u);  // stuck, and known to be
  EXPECT_TRUE(control.resume().done);
  EXPECT_EQ(rm.off_count(), 0u);
  // The same again, and nobody asks to resume: the next stop starts from a clean state.
  rm.refuse_disable_call = rm.disable_calls + 1;
  rm.refuse_enable_call = rm.enable_calls;
  EXPECT_FALSE(control.stop().done);
  EXPECT_TRUE(control.stop().done);
  EXPECT_EQ(rm.off_count(), 130u);
  EXPECT_TRUE(control.resume().done);
  EXPECT_EQ(rm.off_count(), 0u);
}

TEST_F(ChannelControlTest, AnInterruptedCallIsMadeAgain) {
  program.context(0xc1d00001, 5);
  rm.interrupt_once = true;
  EXPECT_TRUE(control.stop().done);
  EXPECT_EQ(rm.off_count(), 8u);
}

TEST_F(ChannelControlTest, AProcessWithoutAContextStopsAtOnceAndItsFirstContextIsBornOff) {
  EXPECT_TRUE(control.stop().done);
  program.context(0xc1d00001, 5);
  EXPECT_EQ(rm.off_count(), 8u);
  control.resume();
  EXPECT_EQ(rm.off_count(), 0u);
}

TEST_F(ChannelControlTest, FreedChannelsAreNotNamedAnyMore) {
  program.context(0xc1d00001, 5);
  program.free(0xc1d00001, 5, FakeProgram::compute_channel(3));
  EXPECT_EQ(control.stop().channels, 7u);
  program.free(0xc1d00001, 5, FakeProgram::kComputeGroup);  // with all channels under it
  EXPECT_TRUE(control.resume().done);
  EXPECT_EQ(control.channels(), 0u);
}

TEST_F(ChannelControlTest, AFreedClientTakesEverythingAlong) {
  program.context(0xc1d00001, 5);
  program.context(0xc1d00002, 6, 2);
  program.free(0xc1d00001, 5, 0xc1d00001);
  EXPECT_EQ(control.stop().channels, 2u);
}

TEST_F(ChannelControlTest, AHandleThatComesAgainIsTheNewObject) {
  program.context(0xc1d00001, 5);
  program.group(0xc1d00001, 5, FakeProgram::kDeviceHandle, FakeProgram::kComputeGroup, 11);
  program.schedule(0xc1d00001, 5, FakeProgram::kComputeGroup);
  EXPECT_EQ(control.channels(), 0u);  // the group is one of a copy engine now
}

TEST_F(ChannelControlTest, AHandleThatComesAgainForAnythingElseIsNotTheOldObject) {
  program.context(0xc1d00001, 5);
  EXPECT_TRUE(control.stop().done);
  program.channel(0xc1d00001, 5, 0xc1d00001, FakeProgram::kComputeGroup, 0, kComputeClass);
  EXPECT_TRUE(control.resume().done);
  EXPECT_EQ(control.channels(), 0u);
}

TEST_F(ChannelControlTest, AClosedFileIsForgottenAndTheOthersStillStop) {
  program.context(0xc1d00001, 5);
  program.context(0xc1d00002, 6, 2);
  rm.close(5);
  const Switched result = control.stop();
  EXPECT_TRUE(result.done);
  EXPECT_EQ(result.channels, 2u);
  EXPECT_TRUE(control.stopped());
}

TEST_F(ChannelControlTest, AChannelWhoseGpuIsUnknownMakesStoppingFailRatherThanPretend) {
  program.client(0xc1d00001, 5);
  program.channel(0xc1d00001, 5, 0xc1d00001, 0x99, 0, kComputeClass);  // no device
  program.group(0xc1d00001, 5, 0x99, 0x5c000010, 1);
  program.channel(0xc1d00001, 5, 0x5c000010, 0x5c000100);
  program.schedule(0xc1d00001, 5, 0x5c000010);
  const Switched result = control.stop();
  EXPECT_FALSE(result.done);
  EXPECT_EQ(result.error, ENODEV);
}

TEST_F(ChannelControlTest, ChannelsThatAreOffAndCannotBeReachedAreNotSaidToBeBack) {
  program.context(0xc1d00001, 5);
  ASSERT_TRUE(control.stop().done);
  program.free(0xc1d00001, 5, FakeProgram::kSubdeviceHandle);  // the handle that switches them
  const Switched result = control.resume();
  EXPECT_FALSE(result.done);
  EXPECT_EQ(result.error, ENODEV);
  EXPECT_EQ(rm.off_count(), 8u);
  program.channel(0xc1d00001, 5, FakeProgram::kDeviceHandle, 0x5c000003, 0, kSubdevice);
  EXPECT_TRUE(control.resume().done);
  EXPECT_EQ(rm.off_count(), 0u);
}

TEST_F(ChannelControlTest, WhatIsOffComesBackEvenIfTheProgramHasUnscheduledIt) {
  program.context(0xc1d00001, 5);
  ASSERT_TRUE(control.stop().done);
  program.schedule(0xc1d00001, 5, FakeProgram::kComputeGroup, kGroupSchedule, false);
  EXPECT_TRUE(control.resume().done);
  EXPECT_EQ(rm.off_count(), 0u);
}

TEST_F(ChannelControlTest, WhatLiesUnderAnObjectOfNoInterestGoesWithIt) {
  program.client(0xc1d00001, 5);
  program.device(0xc1d00001, 5, 0x1, 0x2);
  program.channel(0xc1d00001, 5, 0xc1d00001, 0x99, 0, kComputeClass);
  program.channel(0xc1d00001, 5, 0x99, 0x100);
  program.group(0xc1d00001, 5, 0x1, 0x99, 1);  // the handle comes again
  program.schedule(0xc1d00001, 5, 0x99);
  EXPECT_EQ(control.channels(), 0u);
  EXPECT_TRUE(control.stop().done);
}

TEST_F(ChannelControlTest, AChannelWithoutAGroupCountsByItsOwnEngine) {
  program.client(0xc1d00001, 5);
  program.device(0xc1d00001, 5, 0x1, 0x2);
  program.channel(0xc1d00001, 5, 0x1, 0x100, 1, 0xc56f);
  program.channel(0xc1d00001, 5, 0x1, 0x101, 12, 0xc56f);
  program.schedule(0xc1d00001, 5, 0x100, kChannelSchedule);
  program.schedule(0xc1d00001, 5, 0x101, kChannelSchedule);
  EXPECT_EQ(control.stop().channels, 1u);
}

TEST_F(ChannelControlTest, AfterReleaseNothingStopsAnyMore) {
  program.context(0xc1d00001, 5);
  control.stop();
  control.release();
  EXPECT_EQ(rm.off_count(), 0u);
  EXPECT_EQ(control.stop().error, ESHUTDOWN);
  EXPECT_EQ(rm.off_count(), 0u);
}

TEST_F(ChannelControlTest, TheChildOfAForkLeavesTheParentsChannelsAlone) {
  program.context(0xc1d00001, 5);
  control.stop();
  const int calls = rm.enable_calls;
  control.before_fork();
  control.after_fork_in_child();
  EXPECT_FALSE(control.stopped());
  control.resume();
  EXPECT_EQ(rm.enable_calls, calls);
}

TEST_F(ChannelControlTest, TheParentOfAForkKeepsItsChannels) {
  program.context(0xc1d00001, 5);
  control.before_fork();
  control.after_fork_in_parent();
  EXPECT_GT(control.stop().channels, 0u);
}

TEST_F(ChannelControlTest, OtherIoctlsPassUntouched) {
  std::uint8_t block[64] = {};
  EXPECT_EQ(control.call(3, _IOWR('T', 0x2b, AllocBlock), block), -1);
  EXPECT_EQ(errno, ENOTTY);
  EXPECT_EQ(control.call(3, 0x4600, block), -1);  // a framebuffer's ioctl of the same magic
  EXPECT_EQ(control.channels(), 0u);
}

TEST(RmObjects, IgnoresAllocationsThatFailedAndParametersThatAreTooShort) {
  RmObjects objects;
  AllocBlock block{{0xc1, 0xc1, 0xc1, 0x41, 0}, 0, 0x1f};
  objects.after({4, _IOWR(kMagic, kAlloc, AllocBlock), &block});
  EXPECT_EQ(objects.size(), 0u);
  std::uint32_t words[2] = {1, 1};
  AllocBlock group{{0xc1, 0x1, 0x2, kChannelGroup, reinterpret_cast<std::uint64_t>(words)}, 8, kOk};
  objects.after({4, _IOWR(kMagic, kAlloc, AllocBlock), &group});
  AllocBlock channel{{0xc1, 0x2, 0x3, 0xc86f, 0}, 0, kOk};
  objects.after({4, _IOWR(kMagic, kAlloc, AllocBlock), &channel});
  EXPECT_TRUE(objects.compute_channels(RmObjects::Which::kAll).empty());
}

TEST(RmObjects, SurvivesHandlesThatAreTheirOwnParents) {
  RmObjects objects;
  AllocBlock loop{{0xc1, 0x7, 0x7, kChannelGroup, 0}, 0, kOk};
  objects.after({4, _IOWR(kMagic, kAlloc, AllocBlock), &loop});
  AllocBlock channel{{0xc1, 0x7, 0x8, 0xc86f, 0}, 0, kOk};
  objects.after({4, _IOWR(kMagic, kAlloc, AllocBlock), &channel});
  EXPECT_TRUE(objects.compute_channels(RmObjects::Which::kAll).empty());
  FreeBlock free{0xc1, 0, 0x7, 0};
  objects.before({4, _IOWR(kMagic, kFree, FreeBlock), &free});
  EXPECT_EQ(objects.size(), 0u);
}

}  // namespace
}  // namespace tactus::arbiter::preload
