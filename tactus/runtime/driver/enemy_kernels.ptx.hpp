#pragma once

namespace tactus::runtime::driver {

/// What disturbs a neighbour on other SMs (docs/use/graphs.md): arithmetic, a stream through memory,
/// random reads in the L2 cache, atomic additions there.
///
///     compute(u64 out, u32 rounds)              stream(u64 vectors, u64 count)
///     look_up(u64 words, u32 mask, u32 rounds)  add(u64 words, u32 mask, u32 rounds)
///
/// `vectors` are of 16 bytes; `mask` is the number of words, a power of two, less one. The driver
/// compiles them for the GPU at hand.
inline constexpr const char kEnemyKernelsPtx[] = R"ptx(
.version 7.0
.target sm_75
.address_size 64

.visible .entry compute(
  .param .u64 compute_param_0,
  .param .u32 compute_param_1
)
{
  .reg .pred   %p<4>;
  .reg .f32   %f<7>;
  .reg .b32   %r<8>;
  .reg .b64   %rd<3>;
  ld.param.u64   %rd1, [compute_param_0];
  ld.param.u32   %r3, [compute_param_1];
  mov.u32   %r4, %tid.x;
  cvt.rn.f32.u32   %f6, %r4;
  setp.eq.s32   %p1, %r3, 0;
  @%p1 bra   $L__BB0_3;
  mov.u32   %r7, 0;
$L__BB0_2:
  .pragma "nounroll";
  fma.rn.f32   %f6, %f6, 0f3F7FBE77, 0f3E000000;
  add.s32   %r7, %r7, 1;
  setp.lt.u32   %p2, %r7, %r3;
  @%p2 bra   $L__BB0_2;
$L__BB0_3:
  setp.geu.f32   %p3, %f6, 0f00000000;
  @%p3 bra   $L__BB0_5;
  cvta.to.global.u64   %rd2, %rd1;
  mov.u32   %r6, 1;
  st.global.u32   [%rd2], %r6;
$L__BB0_5:
  ret;
}

.visible .entry stream(
  .param .u64 stream_param_0,
  .param .u64 stream_param_1
)
{
  .reg .pred   %p<3>;
  .reg .b32   %r<15>;
  .reg .b64   %rd<15>;
  ld.param.u64   %rd7, [stream_param_0];
  ld.param.u64   %rd8, [stream_param_1];
  mov.u32   %r1, %ntid.x;
  cvt.u64.u32   %rd1, %r1;
  mov.u32   %r2, %ctaid.x;
  mul.wide.u32   %rd9, %r2, %r1;
  mov.u32   %r3, %tid.x;
  cvt.u64.u32   %rd10, %r3;
  add.s64   %rd14, %rd9, %rd10;
  setp.ge.u64   %p1, %rd14, %rd8;
  @%p1 bra   $L__BB1_3;
  mov.u32   %r4, %nctaid.x;
  cvt.u64.u32   %rd11, %r4;
  mul.lo.s64   %rd3, %rd11, %rd1;
  cvta.to.global.u64   %rd4, %rd7;
$L__BB1_2:
  .pragma "nounroll";
  shl.b64   %rd12, %rd14, 4;
  add.s64   %rd13, %rd4, %rd12;
  ld.global.v4.u32   {%r5, %r6, %r7, %r8}, [%rd13];
  add.s32   %r13, %r8, 2;
  add.s32   %r14, %r5, 1;
  st.global.v4.u32   [%rd13], {%r14, %r6, %r7, %r13};
  add.s64   %rd14, %rd14, %rd3;
  setp.lt.u64   %p2, %rd14, %rd8;
  @%p2 bra   $L__BB1_2;
$L__BB1_3:
  ret;
}

.visible .entry look_up(
  .param .u64 look_up_param_0,
  .param .u32 look_up_param_1,
  .param .u32 look_up_param_2
)
{
  .reg .pred   %p<4>;
  .reg .b32   %r<23>;
  .reg .b64   %rd<5>;
  ld.param.u64   %rd2, [look_up_param_0];
  ld.param.u32   %r8, [look_up_param_1];
  ld.param.u32   %r9, [look_up_param_2];
  setp.eq.s32   %p1, %r9, 0;
  @%p1 bra   $L__BB2_5;
  mov.u32   %r12, %tid.x;
  mov.u32   %r13, %ctaid.x;
  mov.u32   %r14, %ntid.x;
  mad.lo.s32   %r15, %r13, %r14, %r12;
  mul.lo.s32   %r22, %r15, -1640531535;
  cvta.to.global.u64   %rd1, %rd2;
  mov.u32   %r20, 0;
  mov.u32   %r21, %r20;
$L__BB2_2:
  .pragma "nounroll";
  mad.lo.s32   %r22, %r22, 1664525, 1013904223;
  shr.u32   %r17, %r22, 7;
  and.b32    %r18, %r17, %r8;
  mul.wide.u32   %rd4, %r18, 4;
  add.s64   %rd3, %rd2, %rd4;

  ld.global.cg.u32 %r16, [%rd3];

  add.s32   %r21, %r16, %r21;
  add.s32   %r20, %r20, 1;
  setp.lt.u32   %p2, %r20, %r9;
  @%p2 bra   $L__BB2_2;
  setp.ne.s32   %p3, %r21, 305419896;
  @%p3 bra   $L__BB2_5;
  mov.u32   %r19, 305419896;
  st.global.u32   [%rd1], %r19;
$L__BB2_5:
  ret;
}

.visible .entry add(
  .param .u64 add_param_0,
  .param .u32 add_param_1,
  .param .u32 add_param_2
)
{
  .reg .pred   %p<3>;
  .reg .b32   %r<18>;
  .reg .b64   %rd<5>;
  ld.param.u64   %rd2, [add_param_0];
  ld.param.u32   %r6, [add_param_1];
  ld.param.u32   %r7, [add_param_2];
  setp.eq.s32   %p1, %r7, 0;
  @%p1 bra   $L__BB3_3;
  mov.u32   %r9, %tid.x;
  mov.u32   %r10, %ctaid.x;
  mov.u32   %r11, %ntid.x;
  mad.lo.s32   %r12, %r10, %r11, %r9;
  mul.lo.s32   %r17, %r12, -1640531535;
  cvta.to.global.u64   %rd1, %rd2;
  mov.u32   %r16, 0;
$L__BB3_2:
  .pragma "nounroll";
  mad.lo.s32   %r17, %r17, 1664525, 1013904223;
  shr.u32   %r13, %r17, 7;
  and.b32    %r14, %r13, %r6;
  mul.wide.u32   %rd3, %r14, 4;
  add.s64   %rd4, %rd1, %rd3;
  atom.global.add.u32   %r15, [%rd4], 1;
  add.s32   %r16, %r16, 1;
  setp.lt.u32   %p2, %r16, %r7;
  @%p2 bra   $L__BB3_2;
$L__BB3_3:
  ret;
}
)ptx";

}  // namespace tactus::runtime::driver
