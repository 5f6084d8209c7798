#include "tactus/report/tiers.hpp"

#include <fmt/core.h>

#include "tactus/base/json_writer.hpp"
#include "tactus/base/statistics.hpp"
#include "tactus/model/system.hpp"
#include "tactus/model/written.hpp"
#include "tactus/report/text/table.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus::report {
namespace {

std::string ms(Time time) { return format_time(time, TimeUnit::kMs); }

/// Of work that leaves by itself: until it has. Work that is taken off does not delay other work
/// beyond the update that takes it off.
Time delay_of(const arbiter::tiers::TierFound& tier) {
  return tier.leaves_by_itself ? statistics_of(tier.take_off).max : Time();
}
/// Of one update: a client is taken off, then another one is put back; each as slow as was seen. The
/// wait for work that leaves by itself is not part of it.
Time update_of(const arbiter::tiers::TierFound& tier) {
  return statistics_of(tier.take_off).max + statistics_of(tier.put_back).max - delay_of(tier);
}
/// Of one switch: to take off waits for the point where work can be preempted.
Time switch_of(const arbiter::tiers::TierFound& tier) {
  return std::max(statistics_of(tier.take_off).max, statistics_of(tier.put_back).max);
}

}  // namespace

std::string tiers_text(const arbiter::tiers::TierSurvey& survey, const Style& style) {
  std::string out =
      fmt::format("GPU {}, driver {}\n", survey.machine.empty() ? "none" : survey.machine,
                  survey.driver.empty() ? "none" : survey.driver);
  Table table({{"tier"},
               {"here"},
               {"off p50 [ms]", Align::kRight},
               {"max", Align::kRight},
               {"on p50", Align::kRight},
               {"max", Align::kRight},
               {"remark"}});
  for (const arbiter::tiers::TierFound& tier : survey.tiers) {
    const Statistics off = statistics_of(tier.take_off), on = statistics_of(tier.put_back);
    const auto shown = [&](Time time) { return tier.timed() ? ms(time) : std::string("-"); };
    table.add(
        {tier.name,
         {tier.available ? "yes" : "no", tier.available ? Ink::kGreen : Ink::kRed},
         shown(off.p50),
         shown(off.max),
         shown(on.p50),
         shown(on.max),
         !tier.available ? tier.reason
         : tier.timed()
             ? fmt::format(R"("runlist_update": {}, "context_switch": {}, "preemption_delay": {})",
                           ms(update_of(tier)), ms(switch_of(tier)), ms(delay_of(tier)))
             : "takes off nothing: preemption_delay is the longest launch of any task"});
  }
  out += table.render(style, "  ");
  return out +
         heading("", Ink::kPlain,
                 "Times in ms, for the gpu element of a system file; runlist_update without the "
                 "arbiter's own part, which `tactus top --costs` has.",
                 style);
}

std::string tiers_json(const arbiter::tiers::TierSurvey& survey) {
  json::Writer out;
  const auto times = [&](std::string_view name, const std::vector<Time>& all) {
    const Statistics seen = statistics_of(all);
    out.key(name).begin_object();
    out.key("mean").number(ms(seen.mean));
    out.key("p50").number(ms(seen.p50));
    out.key("p99").number(ms(seen.p99));
    out.key("max").number(ms(seen.max));
    out.key("all").begin_array();
    for (const Time time : all) out.number(ms(time));
    out.end_array().end_object();
  };
  codec::begin_document(out, "tiers");
  out.key("gpu").string(survey.machine);
  out.key("driver").string(survey.driver);
  out.key("time_unit").string("ms");
  out.key("tiers").begin_array();
  for (const arbiter::tiers::TierFound& tier : survey.tiers) {
    out.begin_object();
    out.key("tier").string(tier.name);
    out.key("available").boolean(tier.available);
    if (!tier.available) out.key("reason").string(tier.reason);
    if (tier.timed()) {
      out.key("runlist_update").number(ms(update_of(tier)));
      out.key("context_switch").number(ms(switch_of(tier)));
      out.key("preemption_delay").number(ms(delay_of(tier)));
      times("take_off", tier.take_off);
      times("put_back", tier.put_back);
    }
    out.end_object();
  }
  out.end_array().end_object();
  return out.take();
}

}  // namespace tactus::report
