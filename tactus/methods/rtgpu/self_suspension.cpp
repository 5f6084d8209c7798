#include "tactus/methods/rtgpu/rtgpu_methods.hpp"
#include "tactus/methods/rtgpu/suspension_test.hpp"

/// The multi-segment self-suspension baseline: everything between two
/// CPU segments is one suspension X, and all suspensions share one non-preemptive accelerator.
namespace tactus::rtgpu {
namespace {

constexpr Analysis kSuspensionAnalysis = {PlanKind::kPlain, analyze_given<SuspensionTest>,
                                          search_lexicographically<SuspensionTest>};

}  // namespace

const Method kSelfSuspension = [] {
  Method method =
      family_member("self-suspension",
                    "baseline: copies and kernels as suspensions on one non-preemptive accelerator",
                    Part::kSecondRival);
  method.needs = "the accelerator held for a whole run of copies and kernels, granted by priority";
  method.variants = kBaselineVariants;
  method.analyze = analyze_on_time<analyze_by<kSuspensionAnalysis>, Instead::kSporadic>;
  method.options = kSearchOptions;
  method.behaviour.name = "one-accelerator";
  return method;
}();

}  // namespace tactus::rtgpu
