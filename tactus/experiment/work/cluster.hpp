#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "tactus/experiment/judge/judge.hpp"
#include "tactus/experiment/work/agenda.hpp"
#include "tactus/experiment/work/ranks.hpp"

/// How the ranks of a run work together. Every rank first sends its number of threads and gets the
/// experiments; then each of its threads says how many sets it wants and what it found, and gets the
/// next work while it does what it got before. Where there is none left, it says what it found last,
/// and that it wants no more.
namespace tactus::experiment {

/// All sets of a chunk, or those before `stop` was requested.
/// @param added the curves that sets which are there already lack
std::vector<JudgedSet> judge_chunk(const Judge& judge, const Chunk& chunk, const CurveSet& added,
                                   const std::stop_token& stop);

/// Calls `work` on this many threads, including this one, and waits for all.
void with_threads(int count, const std::function<void()>& work);

/// What rank 0 answers with.
struct Direction {
  std::string experiments;  ///< of each: id, file, added curves, systems of files
  std::function<Chunk(std::int64_t most)> next;
  std::function<void(std::vector<JudgedSet>&&)> found;
  std::stop_token stop;
};

/// Answers the other ranks until each of their threads has been told that there is nothing left.
/// Ranks that do not ask again soon after `stop` are abandoned.
void direct(Ranks& ranks, const Direction& direction);

/// Tells the other ranks that there is nothing to do.
void dismiss(Ranks& ranks);

/// What the other ranks do.
void serve(Ranks& ranks, int threads, const std::stop_token& stop);

}  // namespace tactus::experiment
