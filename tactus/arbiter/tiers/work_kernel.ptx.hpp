#pragma once

namespace tactus::arbiter::tiers {

/// The arbiter's one kernel: a fixed amount of WORK (never a fixed time: a kernel that watches a
/// clock "progresses" while it is switched out), drawn item by item from a counter.
///
///     work(u64 state, u64 seen, u32 items, u32 rounds)
///
/// `state` in device memory: [0] yield word, [4] next item, [8] checksum (64 bits). `seen` is a
/// word of mapped host memory that gets the number of the item drawn last, or 0 for none. Each
/// block loops: its first thread reads the yield word, and unless that is set draws the next item;
/// every thread then does `rounds` steps of a linear congruential generator from a start of its
/// own. What came out is added to the checksum when the block leaves, one addition a warp: atomics
/// of all threads on one word would take longer than the work. A block never leaves an item undone,
/// so a launch that yielded is resumed by the same launch again, and the checksum shows whether
/// every item was done exactly once. The driver compiles it for the GPU at hand.
inline constexpr const char kWorkKernelPtx[] = R"ptx(
.version 7.0
.target sm_75
.address_size 64
.visible .entry work(
  .param .u64 p_state, .param .u64 p_seen, .param .u32 p_items, .param .u32 p_rounds)
{
  .reg .pred %p<6>;
  .reg .b32 %r<20>;
  .reg .b64 %d<8>;
  .shared .align 4 .u32 item;

  ld.param.u64 %d1, [p_state];
  cvta.to.global.u64 %d1, %d1;
  ld.param.u64 %d2, [p_seen];
  ld.param.u32 %r1, [p_items];
  ld.param.u32 %r2, [p_rounds];
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %ntid.x;
  setp.ne.u32 %p1, %r3, 0;
  mov.u64 %d4, 0;

next:
  @%p1 bra drawn;
  mov.u32 %r5, 0xffffffff;
  ld.volatile.global.u32 %r6, [%d1];
  setp.ne.u32 %p2, %r6, 0;
  @%p2 bra publish;
  atom.global.add.u32 %r5, [%d1+4], 1;
  setp.eq.u64 %p3, %d2, 0;
  @%p3 bra publish;
  add.u32 %r7, %r5, 1;
  st.volatile.u32 [%d2], %r7;
publish:
  st.shared.u32 [item], %r5;
drawn:
  bar.sync 0;
  ld.shared.u32 %r8, [item];
  bar.sync 0;
  setp.ge.u32 %p4, %r8, %r1;
  @%p4 bra done;

  mad.lo.u32 %r9, %r8, %r4, %r3;
  mov.u32 %r10, %r2;
round:
  mad.lo.u32 %r9, %r9, 1664525, 1013904223;
  sub.u32 %r10, %r10, 1;
  setp.ne.u32 %p5, %r10, 0;
  @%p5 bra round;
  cvt.u64.u32 %d3, %r9;
  add.u64 %d4, %d4, %d3;
  bra next;

done:
  mov.u32 %r11, 16;
fold:
  mov.b64 {%r12, %r13}, %d4;
  shfl.sync.bfly.b32 %r14, %r12, %r11, 0x1f, 0xffffffff;
  shfl.sync.bfly.b32 %r15, %r13, %r11, 0x1f, 0xffffffff;
  mov.b64 %d5, {%r14, %r15};
  add.u64 %d4, %d4, %d5;
  shr.u32 %r11, %r11, 1;
  setp.ne.u32 %p2, %r11, 0;
  @%p2 bra fold;
  and.b32 %r16, %r3, 31;
  setp.ne.u32 %p3, %r16, 0;
  @%p3 bra end;
  red.global.add.u64 [%d1+8], %d4;
end:
  ret;
}
)ptx";

}  // namespace tactus::arbiter::tiers
