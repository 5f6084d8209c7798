#pragma once

namespace tactus::arbiter::client {

/// One thread that says that its segment has started. A kernel, because only that runs behind the
/// switch to its context: a stream's own write of a word is done before it.
///
///     started(u64 word, u32 value)
///
/// The driver compiles it for the GPU at hand.
inline constexpr const char kStartedKernelPtx[] = R"ptx(
.version 7.0
.target sm_75
.address_size 64
.visible .entry started(.param .u64 p_word, .param .u32 p_value)
{
  .reg .b32 %r<2>;
  .reg .b64 %d<2>;
  ld.param.u64 %d1, [p_word];
  ld.param.u32 %r1, [p_value];
  st.volatile.u32 [%d1], %r1;
  ret;
}
)ptx";

}  // namespace tactus::arbiter::client
