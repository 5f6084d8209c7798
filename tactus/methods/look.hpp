#pragma once

namespace tactus {

/// The role of a method in the figures of its paper.
enum class Part {
  kNone,        ///< not stated: it gets a look that is not used yet
  kProposed,    ///< what the paper proposes
  kSimpler,     ///< the same with something left out
  kFirstRival,  ///< what it is compared with
  kSecondRival,
  kThirdRival,
};

/// How the curves of a method look, the same in every chart; `report` has the colours. No two
/// methods of a family may look the same.
struct Look {
  Part part = Part::kNone;
  /// The second of two methods with the same part: open markers and dashes.
  bool second = false;
};

}  // namespace tactus
