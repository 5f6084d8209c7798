#include "tactus/experiment/wire.hpp"

#include "tactus/model/reader.hpp"
#include "tactus/model/writer.hpp"

namespace tactus::experiment::wire {
namespace {

/// Instead of a time.
constexpr std::int64_t kNotTaken = -1;

std::optional<std::int64_t> time_in(Decoder& in) {
  const std::int64_t ns = in.number();
  return ns == kNotTaken ? std::nullopt : std::optional(ns);
}

}  // namespace

std::string encode_request(std::int64_t most, std::span<const JudgedSet> found) {
  Encoder out;
  out.number(most);
  for (const JudgedSet& set : found) {
    out.number(set.experiment).number(set.point).number(set.set);
    out.number(set.utilisation).number(set.draw_ns.value_or(kNotTaken));
    out.number(set.added ? 1 : 0);
    out.number(static_cast<std::int64_t>(set.reasons.size()));
    for (const CurveReason& one : set.reasons) {
      out.number(static_cast<std::int64_t>(one.curve)).text(one.reason);
    }
    out.number(static_cast<std::int64_t>(set.curves.size()));
    for (const CurveVerdict& curve : set.curves) {
      out.number(static_cast<std::int64_t>(curve.status)).number(curve.ns.value_or(kNotTaken));
      out.number(curve.value.has_value() ? 1 : 0).number(curve.value.value_or(0));
      out.number(curve.judged ? 1 : 0);
    }
  }
  return out.take();
}

Request decode_request(std::string_view bytes) {
  Decoder in(bytes);
  const std::int64_t most = in.number();
  return {most, in.rest()};
}

std::vector<JudgedSet> decode_sets(std::string_view bytes) {
  std::vector<JudgedSet> sets;
  for (Decoder in(bytes); !in.empty();) {
    JudgedSet& set = sets.emplace_back();
    set.experiment = in.number();
    set.point = in.number();
    set.set = in.number();
    set.utilisation = in.number();
    set.draw_ns = time_in(in);
    set.added = in.number() != 0;
    for (std::int64_t reasons = in.number(); reasons > 0 && !in.empty(); --reasons) {
      CurveReason& one = set.reasons.emplace_back();
      one.curve = static_cast<std::size_t>(in.number());
      one.reason = in.text();
    }
    for (std::int64_t curves = in.number(); curves > 0 && !in.empty(); --curves) {
      CurveVerdict& curve = set.curves.emplace_back();
      curve.status = static_cast<Status>(in.number());
      curve.ns = time_in(in);
      const bool has_value = in.number() != 0;
      const std::int64_t value = in.number();
      if (has_value) curve.value = value;
      curve.judged = in.number() != 0;
    }
  }
  return sets;
}

std::string encode(const Chunk& chunk) {
  Encoder out;
  out.number(chunk.experiment).number(chunk.point).number(chunk.first).number(chunk.count);
  out.number(chunk.added ? 1 : 0);
  return out.take();
}

Chunk decode_chunk(std::string_view bytes) {
  Decoder in(bytes);
  Chunk chunk;
  chunk.experiment = in.number();
  chunk.point = in.number();
  chunk.first = in.number();
  chunk.count = in.number();
  chunk.added = in.number() != 0;
  return chunk;
}

void encode(const OwnSets& sets, Encoder& out) {
  const auto list = [&](const std::vector<std::string>& texts) {
    out.number(static_cast<std::int64_t>(texts.size()));
    for (const std::string& text : texts) out.text(text);
  };
  list(sets.cases);
  list(sets.xs);
  out.number(static_cast<std::int64_t>(sets.groups.size()));
  for (const auto& group : sets.groups) {
    out.number(static_cast<std::int64_t>(group.size()));
    for (const OwnSet& set : group) out.text(write_system_line(set.system));
  }
}

std::shared_ptr<const OwnSets> decode_own_sets(Decoder& in) {
  auto sets = std::make_shared<OwnSets>();
  const auto list = [&](std::vector<std::string>& texts) {
    for (std::int64_t left = in.number(); left > 0 && !in.empty(); --left)
      texts.push_back(in.text());
  };
  list(sets->cases);
  list(sets->xs);
  for (std::int64_t groups = in.number(); groups > 0 && !in.empty(); --groups) {
    auto& group = sets->groups.emplace_back();
    for (std::int64_t left = in.number(); left > 0 && !in.empty(); --left) {
      // Rank 0 has written the line itself. Only it knows places and hashes.
      group.push_back({{}, {}, *read_system(in.text()).system});
    }
  }
  return sets;
}

}  // namespace tactus::experiment::wire
