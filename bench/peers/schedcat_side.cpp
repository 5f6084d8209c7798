// SchedCAT's side of bench/peers/schedcat: built by that script against a checkout of SchedCAT, which
// is no part of this repository.
//
//     schedcat_side SETS fmlp|mpcp one|full SECONDS
//
// SETS has a line "set" before each set, then a line per task: period, CPU time, priority (smaller is
// more urgent), core, number of GPU segments and their lengths, in microseconds.
//
// one:  one call of SchedCAT's bound on structures that are ready, with the period as the response
//       time of each task.
// full: the schedulability test that a user of that bound must write: response times from the
//       blocking, and the blocking from the response times, until nothing changes or one is late.
//       SchedCAT's structures hold the response times, so they are built anew in each round.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "sharedres.h"
// The order matters to SchedCAT's headers.
#include "blocking.h"

namespace {

struct Task {
  unsigned long period, cpu;
  unsigned priority, core;
  std::vector<unsigned> sections;
  unsigned longest;
  unsigned long all;  ///< CPU time and sections
};
using Set = std::vector<Task>;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::vector<Set> read_sets(const char* file) {
  std::ifstream in(file);
  std::vector<Set> sets;
  for (std::string line; std::getline(in, line);) {
    if (line == "set") {
      sets.emplace_back();
      continue;
    }
    std::istringstream words(line);
    Task task{};
    std::size_t count = 0;
    words >> task.period >> task.cpu >> task.priority >> task.core >> count;
    task.sections.resize(count);
    task.all = task.cpu;
    for (unsigned& section : task.sections) {
      words >> section;
      task.longest = std::max(task.longest, section);
      task.all += section;
    }
    sets.back().push_back(task);
  }
  return sets;
}

void add(ResourceSharingInfo& info, const Task& task, unsigned long response) {
  info.add_task(task.period, response, task.core, task.priority, task.cpu);
  const auto count = static_cast<unsigned>(task.sections.size());
  if (count > 0) info.add_request(0, count, task.longest);
}

std::unique_ptr<BlockingBounds> bound(const ResourceSharingInfo& info, bool mpcp) {
  return std::unique_ptr<BlockingBounds>(mpcp ? mpcp_bounds(info, false)
                                              : part_fmlp_bounds(info, true));
}

/// The response time of task i with this blocking; beyond its period where there is none.
unsigned long response(const Set& set, std::size_t i, unsigned long blocking,
                       const std::vector<unsigned long>& responses) {
  const Task& own = set[i];
  const unsigned long constant = own.all + blocking;
  unsigned long now = constant, before = 0;
  while (now != before && now <= own.period) {
    before = now;
    now = constant;
    for (std::size_t h = 0; h < set.size(); ++h) {
      const Task& other = set[h];
      if (other.core != own.core || other.priority >= own.priority) continue;
      const unsigned long jitter = responses[h] > other.cpu ? responses[h] - other.cpu : 0;
      now += (before + jitter + other.period - 1) / other.period * other.cpu;
    }
  }
  return now;
}

bool schedulable(const Set& set, bool mpcp) {
  std::vector<unsigned long> responses;
  for (const Task& task : set) responses.push_back(task.all);
  for (bool changed = true; changed;) {
    ResourceSharingInfo info(static_cast<unsigned>(set.size()));
    for (std::size_t i = 0; i < set.size(); ++i) add(info, set[i], responses[i]);
    const auto bounds = bound(info, mpcp);
    changed = false;
    for (std::size_t i = 0; i < set.size(); ++i) {
      const unsigned long found =
          response(set, i, bounds->get_blocking_term(static_cast<unsigned>(i)), responses);
      if (found > set[i].period) return false;
      if (found <= responses[i]) continue;
      responses[i] = found;
      changed = true;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const std::vector<Set> sets = read_sets(argv[1]);
  const bool mpcp = argv[2] == std::string("mpcp"), full = argv[3] == std::string("full");
  const double seconds = std::atof(argv[4]);
  std::vector<std::unique_ptr<ResourceSharingInfo>> infos;
  for (const Set& set : sets) {
    infos.push_back(std::make_unique<ResourceSharingInfo>(static_cast<unsigned>(set.size())));
    for (const Task& task : set) add(*infos.back(), task, task.period);
  }
  std::size_t calls = 0;
  unsigned long sum = 0;  // so that nothing is left out
  const double begin = cpu_seconds();
  double end = begin;
  for (; end - begin < seconds; end = cpu_seconds()) {
    for (std::size_t k = 0; k < sets.size(); ++k, ++calls) {
      sum += full ? (schedulable(sets[k], mpcp) ? 1 : 0)
                  : bound(*infos[k], mpcp)->get_blocking_term(0);
    }
  }
  std::printf("%.4f %lu\n", (end - begin) / static_cast<double>(calls) * 1e6, sum / calls);
}
