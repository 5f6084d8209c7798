#include "tactus/report/answer.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "tactus/decide/gpu_costs.hpp"
#include "tactus/decide/never_run.hpp"
#include "tactus/methods/promise.hpp"
#include "tactus/report/cover.hpp"
#include "tactus/report/end_to_end.hpp"
#include "tactus/report/headline.hpp"
#include "tactus/report/matrix.hpp"
#include "tactus/report/measured.hpp"
#include "tactus/report/obstacles.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus::report {
namespace {

using decide::Group;
using decide::Standing;

std::string name_of(const Analysis& analysis, const Standing& standing) {
  return fmt::format("{} ({})", analysis.method(standing.place).id,
                     analysis.verdicts[standing.place].variant);
}

bool is_proved(const Standing& standing) { return standing.group <= Group::kNotRunHere; }

/// "smallest slack 8 % (planner)".
std::string least_text(const Standing& standing) {
  if (!standing.least) return "it gives no bounds, so no slack is known";
  return fmt::format("smallest slack {} ({})", percent_text(standing.least->permille),
                     standing.least->whose);
}

std::string_view run_text(const Standing& standing) {
  if (standing.group != Group::kRunnable) return ", which tactus does not run here";
  switch (*standing.way) {
    case decide::Way::kArbiter:
      return ", run by tactusd";
    case decide::Way::kLock:
      return ", run by a lock";
    case decide::Way::kRoundRobin:
      return ", run by the stock driver";
    case decide::Way::kPartitions:
      return ", run on divided SMs";
    case decide::Way::kTables:
      return ", run by a table";
  }
  return "";
}

/// What a verdict says, in the words of somebody who has deadlines; bounds that are only printed
/// somewhere prove nothing.
std::string proved_by(const Verdict& verdict, std::string_view whom) {
  if (!is_guaranteed(verdict.variant))
    return fmt::format("every deadline holds by {}, which is no proof", whom);
  return fmt::format("every deadline {}is proved by {}", verdict.chains.empty() ? "" : "and chain ",
                     whom);
}

/// What is said of the one method that counts.
std::string about_one(const Analysis& analysis, const Standing& one, std::string_view which) {
  const std::string name = name_of(analysis, one);
  const Verdict& verdict = analysis.verdicts[one.place];
  switch (verdict.status) {
    case Status::kSchedulable:
      return fmt::format("{}: {}.", proved_by(verdict, name + std::string(which)), least_text(one));
    case Status::kUnschedulable:
      return fmt::format("NOT proved by {}{}.", name, which);
    case Status::kUndecided:
      return fmt::format("undecided by {}{}: {}.", name, which, verdict.reason);
    case Status::kNotApplicable:
      break;
  }
  return fmt::format("{}{}{} does not apply.", name, which, which.empty() ? "" : ",");
}

/// Named methods must all prove it.
std::string about_named(const Analysis& analysis) {
  const Standing& best = analysis.best();
  if (analysis.asked == 1) return about_one(analysis, best, "");
  const auto count = [&](Status status) {
    const auto asked = analysis.asked_verdicts();
    return std::count_if(asked.begin(), asked.end(),
                         [&](const Verdict& verdict) { return verdict.status == status; });
  };
  const auto all = static_cast<std::ptrdiff_t>(analysis.asked);
  const auto no = count(Status::kUnschedulable);
  std::string out;
  if (count(Status::kSchedulable) == all) {
    const auto asked = analysis.asked_verdicts();
    const auto weakest = std::find_if(asked.begin(), asked.end(), [](const Verdict& verdict) {
      return !is_guaranteed(verdict.variant);
    });
    out = proved_by(weakest == asked.end() ? asked.front() : *weakest,
                    fmt::format("each of the {} methods that were named", all)) +
          ".";
  } else if (no > 0) {
    out = fmt::format("NOT proved by {} of the {} methods that were named.", no, all);
  } else {
    out = fmt::format("undecided: not all {} methods that were named could judge it.", all);
  }
  if (is_proved(best)) {
    out +=
        fmt::format(" Best: {}{}, {}.", name_of(analysis, best), run_text(best), least_text(best));
  }
  return out;
}

std::string about_any(const Analysis& analysis) {
  const Standing& best = analysis.best();
  if (is_proved(best)) {
    return fmt::format("{}: {}.",
                       proved_by(analysis.verdicts[best.place],
                                 name_of(analysis, best) + std::string(run_text(best))),
                       least_text(best));
  }
  const auto covering = std::count_if(
      analysis.standings.begin(), analysis.standings.end(),
      [](const Standing& standing) { return standing.group != Group::kNotApplicable; });
  switch (best.group) {
    case Group::kNotProved:
      return fmt::format(
          "NOT proved: none of the {} analyses that apply proves every deadline. Nearest: {}.",
          covering, name_of(analysis, best));
    case Group::kUndecided:
      return "undecided: every method that applies reached a limit.";
    default:
      return "no method covers this file as it is.";
  }
}

/// Another method that would do where the file deploys one that does not.
std::string instead_text(const Analysis& analysis) {
  const Standing& first = analysis.standings.front();
  if (analysis.judged_by != JudgedBy::kDeployed || is_proved(analysis.best()) ||
      !is_proved(first)) {
    return {};
  }
  return fmt::format(" Proved instead: {}{}, {}.", name_of(analysis, first), run_text(first),
                     least_text(first));
}

/// Why the best method is not run, or what it warns of.
std::string remarks_text(const Analysis& analysis, const Style& style) {
  const Standing& best = analysis.best();
  std::string out;
  const bool no_core = best.group == Group::kNotRunHere && best.way.has_value();
  if (best.group == Group::kNotRunHere) out += paragraph("not run here: ", best.why_not, style);
  const Headline headline = headline_of(analysis);
  if (best.group == Group::kRunnable && !headline.needs.empty())
    out += paragraph("needs: ", headline.needs, style);
  if (!headline.now.empty()) out += paragraph("now: ", headline.now, style);
  if (is_proved(best)) out += paragraph("not covered: ", not_covered_text(analysis.system), style);
  for (const std::string& warning : analysis.verdicts[best.place].warnings) {
    if (!no_core) out += paragraph("warning: ", warning, style);  // it has just been said
  }
  for (const std::string& note : analysis.verdicts[best.place].notes) {
    out += paragraph("note: ", note, style);
  }
  for (const auto& one : decide::never_run(analysis.system, analysis.verdicts[best.place])) {
    out += paragraph("note: ", to_string(one, analysis.system), style);
  }
  return out;
}

/// Short enough for a line.
std::string shown_name(std::string_view name, const Style& style) {
  return shortened(name, std::max(16, style.fold / 3), style);
}

/// What the bound that comes closest to its deadline is made of.
std::string tightest_text(const Analysis& analysis, const Style& style) {
  const Standing& best = analysis.best();
  if (!is_proved(best) || !best.least) return {};
  const System& system = analysis.system;
  const Verdict& verdict = analysis.verdicts[best.place];
  if (const std::string chain = chain_made_of(verdict, system, best.least->whose); !chain.empty()) {
    return paragraph("", "Tightest: " + chain, style);
  }
  for (const TaskVerdict& task : verdict.tasks) {
    if (system.tasks[task.task].name != best.least->whose || task.terms.empty()) continue;
    return paragraph(
        "",
        fmt::format("Tightest: {}, {} of {}: {}", shown_name(best.least->whose, style),
                    format_time(*task.bound, system.time_unit),
                    format_time(*task.deadline, system.time_unit), largest_terms(task, system)),
        style);
  }
  return {};
}

/// What would break it first, as what a slack does not show.
std::string growth_text(const Analysis& analysis, const Style& style) {
  const auto least = std::min_element(
      analysis.growth.begin(), analysis.growth.end(),
      [](const decide::Growth& a, const decide::Growth& b) { return a.permille < b.permille; });
  const System& system = analysis.system;
  if (least != analysis.growth.end()) {
    const Task& task = system.tasks[least->task];
    const std::string late = least->breaks ? system.tasks[*least->breaks].name : "another task";
    return paragraph("",
                     fmt::format("Breaks first: {}.{} may grow by {}, then {} is late.",
                                 shown_name(task.name, style), task.nodes[least->node].name,
                                 percent_text(least->permille), late),
                     style);
  }
  return {};
}

std::string variant_option(const Verdict& verdict) {
  return verdict.variant == kSafe ? "" : " --variant " + verdict.variant;
}

/// The command that says how far single times may grow, where that has not been said.
std::string slack_command(const Analysis& analysis) {
  const Standing& best = analysis.best();
  if (!is_proved(best) || analysis.words.empty() || !analysis.growth.empty()) return {};
  return fmt::format("tactus slack {} --method {}{}", analysis.words,
                     analysis.method(best.place).id, variant_option(analysis.verdicts[best.place]));
}

/// Why not, of the first few methods that do not prove it.
std::string why_text(const Analysis& analysis, const Style& style) {
  constexpr std::size_t kMost = 3;
  std::vector<const Standing*> failing;
  for (const Standing& standing : analysis.standings) {
    if (standing.group == Group::kNotProved || standing.group == Group::kUndecided) {
      failing.push_back(&standing);
    }
  }
  // Where something is proved and much is not, nobody asks why of all that.
  if (is_proved(analysis.best()) && (!analysis.all || failing.size() > kMost)) return {};
  std::string out;
  for (std::size_t k = 0; k < std::min(kMost, failing.size()); ++k) {
    const Verdict& verdict = analysis.verdicts[failing[k]->place];
    out += list_entry(
        fmt::format("{}: {}", verdict.method, why_not_proved(verdict, analysis.system)), style);
  }
  if (failing.size() > kMost) {
    out += fmt::format("  {} more: --details\n", failing.size() - kMost);
  }
  return out.empty() ? out : "Why not:\n" + out;
}

/// The name of a system where it is one word for a shell, too.
std::string file_stem(std::string_view name) {
  const bool plain = !name.empty() && name.front() != '-' &&
                     std::all_of(name.begin(), name.end(), [](unsigned char c) {
                       return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
                     });
  return plain ? std::string(name) : "my";
}

/// How many answers the first screen leaves out, and what they are.
std::string folded_text(const Analysis& analysis, const Style& style) {
  const auto left_out = [&](std::initializer_list<Group> groups) {
    return std::count_if(
        analysis.standings.begin(), analysis.standings.end(), [&](const Standing& standing) {
          return std::find(groups.begin(), groups.end(), standing.group) != groups.end() &&
                 !analysis.is_shown(standing);
        });
  };
  std::vector<std::string> parts;
  const auto add = [&](std::ptrdiff_t count, std::string_view what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  add(left_out({Group::kNotRunHere}), "proved but not run here");
  add(left_out({Group::kNotProved}), "not proved");
  add(left_out({Group::kUndecided}), "undecided");
  add(left_out({Group::kNotApplicable}), "that the file does not suit");
  if (parts.empty()) return {};
  return paragraph("Left out: ", fmt::format("{} (--method all)", fmt::join(parts, ", ")), style);
}

/// What fills the gaps of a file that no method covers.
std::string covering_command(const Analysis& analysis) {
  bool costs = false, cores = false;
  for (const Verdict& verdict : analysis.asked_verdicts()) {
    for (const Obstacle& obstacle : verdict.obstacles) {
      for (const std::string_view attribute : obstacle.give) {
        costs = costs || decide::is_gpu_cost(attribute);
        cores = cores || attribute == "core";
      }
    }
  }
  if (!costs && !cores) return fmt::format("tactus analyze {} --method all", analysis.words);
  return fmt::format("tactus {} {}{}", cores ? "advise" : "analyze", analysis.words,
                     costs ? " --costs h200/channel" : "");
}

/// What would have to change; the tasks must move where only that keeps tactusd away.
std::string advise_command(const Analysis& analysis) {
  const bool no_core = std::any_of(
      analysis.standings.begin(), analysis.standings.end(), [&](const Standing& standing) {
        return standing.way == decide::Way::kArbiter && standing.group != Group::kNotApplicable;
      });
  const bool move = no_core && !decide::arbiter_core(analysis.system, decide::CoresOf::kFile);
  return fmt::format("tactus advise {}{}", analysis.words, move ? " --vary cores" : "");
}

}  // namespace

std::string headline_text(const Analysis& analysis, const Style& style) {
  std::string answer = analysis.judged_by == JudgedBy::kDeployed
                           ? about_one(analysis, analysis.best(), ", which the file deploys") +
                                 instead_text(analysis)
                       : analysis.judged_by == JudgedBy::kAny ? about_any(analysis)
                                                              : about_named(analysis);
  std::string out = paragraph("", fmt::format("{}: {}", analysis.system.name, answer), style);
  // The colour comes last: it must not count as width.
  const Status status = judgement(analysis);
  const std::string_view word = status == Status::kSchedulable     ? "every deadline"
                                : status == Status::kUnschedulable ? "NOT proved"
                                                                   : "undecided";
  const bool proof = is_guaranteed(analysis.verdicts[analysis.best().place].variant);
  const Ink ink = status == Status::kSchedulable     ? proof ? Ink::kGreen : Ink::kYellow
                  : status == Status::kUnschedulable ? Ink::kRed
                                                     : Ink::kYellow;
  if (const std::size_t at = out.find(word, analysis.system.name.size()); at != std::string::npos) {
    out.replace(at, word.size(), inked(word, ink, style));
  }
  return out;
}

std::string next_command(const Analysis& analysis) {
  if (analysis.words.empty()) return {};
  const Standing& best = analysis.best();
  const Method& method = analysis.method(best.place);
  const Verdict& verdict = analysis.verdicts[best.place];
  const std::string variant = variant_option(verdict);
  switch (best.group) {
    case Group::kRunnable:
      if (!method.makes_plan) {
        return fmt::format("tactus slack {} --method {}{}", analysis.words, method.id, variant);
      }
      return fmt::format("tactus plan {} --method {}{} -o {}.plan.json", analysis.words, method.id,
                         variant, file_stem(analysis.system.name));
    case Group::kNotRunHere:
      return advise_command(analysis);
    case Group::kNotProved:
      if (analysis.judged_by == JudgedBy::kAny) return advise_command(analysis);
      return fmt::format("tactus slack {} --method {}{}", analysis.words, method.id, variant);
    case Group::kUndecided:
      return fmt::format("tactus analyze {} --details", analysis.words);
    case Group::kNotApplicable:
      return covering_command(analysis);
  }
  return {};
}

std::string answer_text(const Analysis& analysis, const Style& style) {
  std::string out = headline_text(analysis, style) + remarks_text(analysis, style);
  if (const std::string matrix = matrix_text(analysis, style); !matrix.empty()) {
    out += '\n' + matrix;
  }
  const auto add = [&](const std::string& text) {
    if (!text.empty()) out += '\n' + text;
  };
  const bool none = analysis.best().group == Group::kNotApplicable;
  if (!none) out += folded_text(analysis, style);
  add(tightest_text(analysis, style) + growth_text(analysis, style));
  add(why_text(analysis, style));
  if (none || analysis.all) {
    const std::string_view deployed = analysis.judged_by == JudgedBy::kDeployed
                                          ? std::string_view(analysis.method(analysis.deployed).id)
                                          : std::string_view();
    add(obstacles_text(analysis.asked_verdicts(),
                       !none          ? Obstacles::kFirst
                       : analysis.all ? Obstacles::kAll
                                      : Obstacles::kShortest,
                       style, analysis.words, deployed));
  }
  add(measured_text(analysis.system, {}, style));
  // Commands stay whole, so that they can be copied.
  const auto command = [&](std::string_view label, const std::string& words) {
    return words.empty() ? "" : fmt::format("{} {}\n", inked(label, Ink::kBold, style), words);
  };
  const std::string next = next_command(analysis), room = slack_command(analysis);
  add(command("Next:", next) + command("Room:", room == next ? "" : room));
  return out;
}

}  // namespace tactus::report
