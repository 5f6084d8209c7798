#include "tactus/experiment/wire.hpp"

namespace tactus::experiment::wire {

std::string encode(std::span<const JudgedSet> sets) {
  Encoder out;
  for (const JudgedSet& set : sets) {
    out.number(set.experiment).number(set.point).number(set.set);
    out.number(set.utilisation).number(set.draw_ns);
    out.number(static_cast<std::int64_t>(set.curves.size()));
    for (const CurveVerdict& curve : set.curves) {
      out.number(static_cast<std::int64_t>(curve.status)).number(curve.ns);
      out.number(curve.value.has_value() ? 1 : 0).number(curve.value.value_or(0));
    }
  }
  return out.take();
}

std::vector<JudgedSet> decode_sets(std::string_view bytes) {
  std::vector<JudgedSet> sets;
  for (Decoder in(bytes); !in.empty();) {
    JudgedSet& set = sets.emplace_back();
    set.experiment = in.number();
    set.point = in.number();
    set.set = in.number();
    set.utilisation = in.number();
    set.draw_ns = in.number();
    for (std::int64_t curves = in.number(); curves > 0 && !in.empty(); --curves) {
      CurveVerdict& curve = set.curves.emplace_back();
      curve.status = static_cast<Status>(in.number());
      curve.ns = in.number();
      const bool has_value = in.number() != 0;
      const std::int64_t value = in.number();
      if (has_value) curve.value = value;
    }
  }
  return sets;
}

std::string encode(const Chunk& chunk) {
  Encoder out;
  out.number(chunk.experiment).number(chunk.point).number(chunk.first).number(chunk.count);
  return out.take();
}

Chunk decode_chunk(std::string_view bytes) {
  Decoder in(bytes);
  Chunk chunk;
  chunk.experiment = in.number();
  chunk.point = in.number();
  chunk.first = in.number();
  chunk.count = in.number();
  return chunk;
}

}  // namespace tactus::experiment::wire
