#pragma once

#include <optional>
#include <span>
#include <string>

#include "tactus/decide/advise.hpp"
#include "tactus/decide/remedy.hpp"
#include "tactus/report/text/terminal.hpp"

/// What to deploy, for people and for programs.
namespace tactus::report {

/// What is said where no option is proved.
struct WayOut {
  decide::Remedies remedies;
  std::optional<decide::Advice> one_more_core, one_more_sm;
  std::string only;  ///< the method that the file deploys, where no other was looked at
};

/// Is a way to run it proved, and by what? Without a full stop.
std::string advice_conclusion(const System& system, const decide::Advice& advice,
                              const WayOut& way_out);

/// Within 80 columns: the best option with all that it changes and needs, then the others.
std::string advice_text(const System& system, const decide::Advice& advice, const WayOut& way_out,
                        const Style& style);

/// @param systems also the system and the plan of every option that is proved
std::string advice_json(const System& system, const decide::Advice& advice, const WayOut& way_out,
                        std::span<const decide::Change> changes, bool systems = false);

}  // namespace tactus::report
