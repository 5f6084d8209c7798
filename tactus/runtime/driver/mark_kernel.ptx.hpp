#pragma once

namespace tactus::runtime::driver {

/// One thread that writes when and where it ran: a node of its own at the start and at the end of
/// every graph of a user, inside the partition.
///
///     mark(u64 at)       // [at] %globaltimer, [at + 8] %smid + 1; the time is written last
///
/// The driver compiles it for the GPU at hand.
inline constexpr const char kMarkKernelPtx[] = R"ptx(
.version 7.0
.target sm_75
.address_size 64
.visible .entry mark(.param .u64 p_at)
{
  .reg .b32 %r<3>;
  .reg .b64 %d<3>;
  ld.param.u64 %d1, [p_at];
  mov.u64 %d2, %globaltimer;
  mov.u32 %r1, %smid;
  add.u32 %r2, %r1, 1;
  st.volatile.u32 [%d1+8], %r2;
  membar.sys;
  st.volatile.u64 [%d1], %d2;
  ret;
}
)ptx";

}  // namespace tactus::runtime::driver
