#pragma once

/// Variables that tell a program its place on a path of tasks that start tasks (tactus/client.h).
/// `tactus deploy` sets them. (This is preloaded, too.)
namespace tactus::arbiter {

inline constexpr const char kPathsVariable[] = "TACTUS_PATHS";  ///< the folder where tasks meet
/// The folder where a program writes down its jobs, for `tactus watch`.
inline constexpr const char kWatchVariable[] = "TACTUS_WATCH";
inline constexpr const char kTaskVariable[] = "TACTUS_TASK";    ///< "robot/camera"
inline constexpr const char kAfterVariable[] = "TACTUS_AFTER";  ///< the same of its predecessor
inline constexpr const char kJitterVariable[] = "TACTUS_JITTER_NS";
inline constexpr const char kLeastVariable[] = "TACTUS_LEAST_NS";
inline constexpr const char kPeriodVariable[] = "TACTUS_PERIOD_NS";
inline constexpr const char kOffsetVariable[] = "TACTUS_OFFSET_NS";

}  // namespace tactus::arbiter
