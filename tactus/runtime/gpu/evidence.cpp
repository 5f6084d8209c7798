#include "tactus/runtime/gpu/evidence.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace tactus::runtime::gpu {
namespace {

/// The device may be writing it.
template <typename Word>
Word word_of(Word& word) {
  return std::atomic_ref<Word>(word).load(std::memory_order_relaxed);
}

Time on_device(std::uint64_t ns) { return Time::from_ns(static_cast<std::int64_t>(ns)); }

std::string problem_of(const Evidence& asked, const KernelSeen& seen, std::int64_t admitted,
                       bool expired) {
  if (expired) return "a block stopped at its time limit";
  if (seen.pieces_done != asked.expected) {
    return fmt::format("lost work: {} of {} pieces were done", seen.pieces_done, asked.expected);
  }
  if (admitted < asked.seats) {
    return fmt::format("lost blocks: {} of {} seats were taken", admitted, asked.seats);
  }
  return {};
}

}  // namespace

EvidenceReader::EvidenceReader(std::vector<Evidence> asked, std::span<BlockRecord> records)
    : asked_(std::move(asked)), records_(records), seen_(asked_.size()), counts_(asked_.size()) {
  for (std::size_t k = 0; k < asked_.size(); ++k) seen_[k].pieces = asked_[k].expected;
}

void EvidenceReader::read_on() {
  for (; kernel_ < asked_.size(); ++kernel_, block_ = 0) {
    for (; block_ < asked_[kernel_].blocks; ++block_) {
      if (!read(records_[asked_[kernel_].first + block_], kernel_)) return;
    }
  }
}

void EvidenceReader::read_rest() {
  for (; kernel_ < asked_.size(); ++kernel_, block_ = 0) {
    for (; block_ < asked_[kernel_].blocks; ++block_) {
      read(records_[asked_[kernel_].first + block_], kernel_);
    }
  }
}

bool EvidenceReader::read(BlockRecord& record, std::size_t kernel) {
  const std::uint64_t start = word_of(record.start), end = word_of(record.end);
  const std::uint32_t sm_and_1 = word_of(record.sm_and_1), outcome = word_of(record.outcome);
  const std::uint32_t done_and_1 = word_of(record.done_and_1);
  if (start == 0 || end == 0 || sm_and_1 == 0 || done_and_1 == 0 || outcome == 0) return false;
  record = BlockRecord();
  KernelSeen& seen = seen_[kernel];
  Count& count = counts_[kernel];
  const Time from = on_device(start), to = on_device(end);
  if (count.admitted == 0) {
    seen.start = from;
    seen.end = to;
    seen.blocks.reserve(asked_[kernel].seats > 0 ? static_cast<std::size_t>(asked_[kernel].seats)
                                                 : asked_[kernel].blocks);
  }
  ++count.admitted;
  count.expired = count.expired || outcome == BlockRecord::kExpired;
  seen.start = std::min(seen.start, from);
  seen.end = std::max(seen.end, to);
  seen.pieces_done += done_and_1 - 1;
  if (done_and_1 > 1) seen.blocks.push_back({static_cast<std::int32_t>(sm_and_1 - 1), from, to});
  return true;
}

std::optional<EvidenceReader::Span> EvidenceReader::span() const {
  std::optional<Span> all;
  for (std::size_t k = 0; k < seen_.size(); ++k) {
    if (counts_[k].admitted == 0) continue;
    const auto start = static_cast<std::uint64_t>(seen_[k].start.ns());
    const auto end = static_cast<std::uint64_t>(seen_[k].end.ns());
    all = all ? Span{std::min(all->start, start), std::max(all->end, end)} : Span{start, end};
  }
  return all;
}

std::string EvidenceReader::problem() const {
  for (std::size_t k = 0; k < seen_.size(); ++k) {
    std::string why = problem_of(asked_[k], seen_[k], counts_[k].admitted, counts_[k].expired);
    if (!why.empty()) return why;
  }
  return {};
}

std::vector<KernelSeen> EvidenceReader::take(std::int64_t offset, Time otherwise) {
  const auto moved = [offset](Time time) { return Time::from_ns(time.ns() + offset); };
  for (std::size_t k = 0; k < seen_.size(); ++k) {
    if (asked_[k].blocks == 0) continue;
    const bool ran = counts_[k].admitted > 0;
    seen_[k].start = ran ? moved(seen_[k].start) : otherwise;
    seen_[k].end = ran ? moved(seen_[k].end) : otherwise;
    for (BlockSeen& block : seen_[k].blocks) {
      block.start = moved(block.start);
      block.end = moved(block.end);
    }
  }
  return std::exchange(seen_, {});
}

}  // namespace tactus::runtime::gpu
