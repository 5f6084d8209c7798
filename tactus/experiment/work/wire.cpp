#include "tactus/experiment/work/wire.hpp"

#include "tactus/model/reader.hpp"
#include "tactus/model/writer.hpp"

namespace tactus::experiment::wire {
namespace {

/// What a set or a verdict has, beside its status.
constexpr std::int64_t kStatus = 3, kJudged = 4, kHasValue = 8, kHasTime = 16, kAdded = 32;
static_assert(static_cast<std::int64_t>(Status::kNotApplicable) <= kStatus, "all fit in its bits");

void encode_set(const JudgedSet& set, Encoder& out) {
  out.number((set.added ? kAdded : 0) | (set.draw_ns ? kHasTime : 0));
  out.number(set.experiment).number(set.point).number(set.set).number(set.utilisation);
  if (set.draw_ns) out.number(*set.draw_ns);
  out.number(static_cast<std::int64_t>(set.reasons.size()));
  for (const CurveReason& one : set.reasons) {
    out.number(static_cast<std::int64_t>(one.curve)).text(one.reason);
  }
  out.number(static_cast<std::int64_t>(set.curves.size()));
  for (const CurveVerdict& curve : set.curves) {
    out.number(static_cast<std::int64_t>(curve.status) | (curve.judged ? kJudged : 0) |
               (curve.value ? kHasValue : 0) | (curve.ns ? kHasTime : 0));
    if (curve.value) out.number(*curve.value);
    if (curve.ns) out.number(*curve.ns);
  }
}

}  // namespace

std::vector<std::string> encode_request(std::int64_t most, std::span<const JudgedSet> found) {
  constexpr std::size_t kLong = 3500;  // Open MPI takes 4096 at once on one machine, others more
  std::vector<std::string> messages;
  Encoder out;
  const auto finish = [&](std::int64_t wanted) {
    messages.push_back(Encoder().number(wanted).take() + out.take());
  };
  for (const JudgedSet& set : found) {
    encode_set(set, out);
    if (out.size() > kLong) finish(Request::kContinued);
  }
  finish(most);
  return messages;
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
    const std::int64_t flags = in.number();
    set.added = (flags & kAdded) != 0;
    set.experiment = in.number();
    set.point = in.number();
    set.set = in.number();
    set.utilisation = in.number();
    if ((flags & kHasTime) != 0) set.draw_ns = in.number();
    for (std::int64_t reasons = in.number(); reasons > 0 && !in.empty(); --reasons) {
      CurveReason& one = set.reasons.emplace_back();
      one.curve = static_cast<std::size_t>(in.number());
      one.reason = in.text();
    }
    for (std::int64_t curves = in.number(); curves > 0 && !in.empty(); --curves) {
      CurveVerdict& curve = set.curves.emplace_back();
      const std::int64_t has = in.number();
      curve.status = static_cast<Status>(has & kStatus);
      curve.judged = (has & kJudged) != 0;
      if ((has & kHasValue) != 0) curve.value = in.number();
      if ((has & kHasTime) != 0) curve.ns = in.number();
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
