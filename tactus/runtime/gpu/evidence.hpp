#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tactus/runtime/block_view.hpp"
#include "tactus/runtime/device.hpp"

namespace tactus::runtime::gpu {

/// Where a kernel's blocks record what they did, and what they had to do.
struct Evidence {
  std::size_t first = 0, blocks = 0;  ///< records; none of a barrier
  std::int64_t expected = 0;          ///< logical blocks
  std::int64_t seats = 0;             ///< of a pinned grid: blocks that must have been admitted
};

/// Reads the records of the blocks of an operation's kernels as they are written: while the
/// operation runs, the waiting thread has nothing else to do, and when it has ended, little is left
/// to read. What was read is cleared, for the next operation.
class EvidenceReader {
 public:
  EvidenceReader() = default;
  /// `asked`: of each kernel, in the order they are likely to end.
  EvidenceReader(std::vector<Evidence> asked, std::span<BlockRecord> records);

  /// Reads on, to the first record that is not complete yet.
  void read_on();
  /// The operation has ended: reads the rest. A record that is still missing will not come.
  void read_rest();

  // After `read_rest`:

  /// From the first start to the last end, on the device's clock; nothing when no block ran.
  struct Span {
    std::uint64_t start = 0, end = 0;
  };
  std::optional<Span> span() const;
  /// Why a kernel did not run as asked, or empty.
  std::string problem() const;
  /// What was seen of each kernel, its times moved by `offset` ns; a kernel that never ran has the
  /// times `otherwise`.
  std::vector<KernelSeen> take(std::int64_t offset, Time otherwise);

 private:
  struct Count {
    std::int64_t admitted = 0;
    bool expired = false;
  };
  bool read(BlockRecord& record, std::size_t kernel);

  std::vector<Evidence> asked_;
  std::span<BlockRecord> records_;
  std::size_t kernel_ = 0, block_ = 0;  ///< the record to be read next
  std::vector<KernelSeen> seen_;        ///< on the device's clock
  std::vector<Count> counts_;
};

}  // namespace tactus::runtime::gpu
