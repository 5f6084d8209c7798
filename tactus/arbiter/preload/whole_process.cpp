#include "tactus/arbiter/preload/whole_process.hpp"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tactus/arbiter/client/channel_tier.hpp"
#include "tactus/arbiter/client/process_client.hpp"
#include "tactus/arbiter/preload/driver.hpp"
#include "tactus/arbiter/preload/preload.h"
#include "tactus/arbiter/preload/tier_cost.hpp"
#include "tactus/arbiter/protocol.hpp"
#include "tactus/arbiter/urgency_text.hpp"

namespace tactus::arbiter::preload {
namespace {

const client::ChannelFunctions kChannelFunctions = {tactus_channel_stop, tactus_channel_resume};

struct Joining {
  Urgency urgency;
  client::Outcome outcome = client::Outcome::kUnarbitrated;
  sem_t done;
};

void complain(const char* why) { client::tell_user("is not under the arbiter: ", why); }

/// A segment belongs to the thread that began it, and the program's threads come and go; this one
/// stays.
void* hold_segment(void* argument) {
  pthread_setname_np(pthread_self(), "tactus-segment");
  auto* joining = static_cast<Joining*>(argument);
  const char* const cost = getenv(kTierCostVariable);
  client::choose_tier(client::channel_tier(kChannelFunctions),
                      tier_cost_of(cost != nullptr ? cost : ""));
  client::join_any_arbiter();
  const Urgency urgency = joining->urgency;
  joining->outcome = client::begin_segment(urgency);
  bool told_of_share = false;
  bool told = joining->outcome == client::Outcome::kUnarbitrated;  // by the waiting thread
  sem_post(&joining->done);
  // The program may outlive its arbiter: when one has ended, we look for the next one.
  for (;; sleep(1)) {
    if (client::process_connection().share_refused() && !told_of_share) {
      told_of_share = true;
      client::tell_user("is best effort without its share: ",
                        "the arbiter allows its user none, or has promised it to others");
    }
    if (client::process_connection().connected()) continue;
    if (!told) complain("the arbiter is gone");
    client::end_segment();
    told = client::begin_segment(urgency) == client::Outcome::kUnarbitrated;
    if (!told) client::tell_user("is under an arbiter again");
  }
}

}  // namespace

void put_whole_process_under_arbiter() {
  const char* const priority = getenv(kPriorityVariable);
  if (priority == nullptr) return;
  const char* const tier = getenv(kTierVariable);
  if (tier == nullptr || strcmp(tier, "channel") != 0)
    return complain("only the tier channel can hold back a program that does not take part");
  const preload::Driver driver = preload::loaded_driver();
  if (!driver.supported) return complain(driver.reason.c_str());
  static Joining joining;  // of the process: the thread keeps a pointer to it
  joining = {};
  if (!read_urgency(priority, joining.urgency))
    return complain("TACTUS_PRIORITY is not a priority");
  sem_init(&joining.done, 0, 0);
  sigset_t all, before;
  sigfillset(&all);  // the program's handlers must not run on a thread it does not know
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  const int problem = pthread_create(&thread, nullptr, hold_segment, &joining);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (problem != 0) return complain("no thread can be started");
  pthread_detach(thread);
  while (sem_wait(&joining.done) != 0 && errno == EINTR) {
  }
  if (joining.outcome == client::Outcome::kUnarbitrated)
    complain(client::process_connection().problem());
  if (joining.outcome == client::Outcome::kForbidden)
    complain("its user may not use that priority");
}

}  // namespace tactus::arbiter::preload
