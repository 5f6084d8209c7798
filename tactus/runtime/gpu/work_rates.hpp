#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/runtime/gpu/fits.hpp"

namespace tactus::runtime::gpu {

/// How long one logical block ("item") of a synthetic kernel takes.
struct ItemRate {
  std::string kind;
  std::int64_t threads = 0, resident = 0;  ///< of a block; blocks on every SM meanwhile
  double ns = 0;                           ///< the 99th percentile, the whole GPU at work
};

/// What turns the times of a system file into work on one GPU, as measured there. Kept in a file,
/// because measuring takes a second; valid as long as GPU, driver and clocks are the same.
struct WorkRates {
  std::string key;  ///< GPU, driver, clocks
  std::vector<ItemRate> items;
  double gap_ns = 0;        ///< from the end of a kernel of a graph to the start of the next
  Line to_device, to_host;  ///< copies: ns against bytes

  const ItemRate* find(const std::string& kind, std::int64_t threads, std::int64_t resident) const;
};

/// As many items as fit a `load` that `blocks` blocks share, each beginning with a gap; at least
/// one for each block. Rounded down: the time of a kernel must not exceed what its load promises.
std::int64_t items_for(double load_ns, std::int64_t blocks, double item_ns, double gap_ns);

/// As many bytes as a copy moves in `load_ns`; at least one.
std::int64_t bytes_for(double load_ns, const Line& copy);

std::string rates_to_json(const WorkRates& rates);
/// Nothing when the text is not such a file, or is for another key.
std::optional<WorkRates> rates_from_json(std::string text, const std::string& key);

/// $XDG_CACHE_HOME/tactus/gpu-<digest of key>.json, by default under ~/.cache; empty without a
/// home.
std::string rates_path(const std::string& key);

}  // namespace tactus::runtime::gpu
