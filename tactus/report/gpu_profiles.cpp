#include <fmt/core.h>

#include "tactus/decide/gpu_costs.hpp"
#include "tactus/model/written.hpp"
#include "tactus/report/gpu.hpp"
#include "tactus/report/text/table.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus::report {

std::string gpu_profiles_text(const Style& style) {
  std::string out;
  for (const decide::GpuProfile& profile : decide::gpu_profiles()) {
    out += heading(profile.name, Ink::kBold,
                   fmt::format(": {}, driver {}, {}", profile.gpu, profile.driver, profile.date),
                   style);
    out += list_entry(fmt::format("for {}", profile.serves), style);
    Table table({{"cost"}, {"longest [ms]", Align::kRight}, {"seen"}, {"written down in"}});
    for (const decide::GpuCost& cost : profile.costs) {
      table.add({fmt::format("{}{}", cost.attribute, cost.per_program ? " *" : ""),
                 format_time(cost.time, TimeUnit::kMs), fmt::format("{} {}", cost.seen, cost.unit),
                 cost.record});
    }
    out += table.render(style, "  ");
    if (!profile.remark.empty()) out += list_entry(std::string(profile.remark), style);
    out += '\n';
  }
  return out + paragraph("*: ", "for each program that may have to leave the GPU at once", style) +
         paragraph(
             "", "No other GPU has been measured yet. On yours: tactus tiers, tactus gpu calibrate",
             style) +
         '\n' +
         heading("", Ink::kPlain,
                 "Fill in what a file lacks: tactus analyze FILE --costs h200/channel", style);
}

std::string gpu_profiles_json() {
  json::Writer out;
  codec::begin_document(out, "gpu-profiles");
  out.key("time_unit").string("ms");
  out.key("profiles").begin_array();
  for (const decide::GpuProfile& profile : decide::gpu_profiles()) {
    out.begin_object().key("name").string(profile.name);
    out.key("gpu").string(profile.gpu).key("driver").string(profile.driver);
    out.key("date").string(profile.date).key("serves").string(profile.serves);
    if (!profile.remark.empty()) out.key("remark").string(profile.remark);
    out.key("costs").begin_array();
    for (const decide::GpuCost& cost : profile.costs) {
      out.begin_object().key("attribute").string(cost.attribute);
      out.key("longest").number(format_time(cost.time, TimeUnit::kMs));
      out.key("per_program").boolean(cost.per_program);
      out.key("seen").string(fmt::format("{} {}", cost.seen, cost.unit));
      out.key("record").string(cost.record).end_object();
    }
    out.end_array().end_object();
  }
  return out.end_array().end_object().take();
}

}  // namespace tactus::report
