#include "tactus/report/bibliography.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace tactus::report {
namespace {

/// A paper, and the part of `Method::paper` by which it is known.
struct Paper {
  std::string_view title;
  std::string_view entry;
};

/// How `Method::paper` begins for a method that is published here: the tool is what to cite.
constexpr std::string_view kOfTactus = "Tactus: ";

constexpr Paper kPapers[] = {
    {"GCAPS: GPU Context-Aware Preemptive",
     R"(@inproceedings{wang2024gcaps,
  author    = {Wang, Yidi and Liu, Cong and Wong, Daniel and Kim, Hyoseung},
  title     = {{GCAPS}: {GPU} Context-Aware Preemptive Priority-Based Scheduling for Real-Time Tasks},
  booktitle = {36th Euromicro Conference on Real-Time Systems (ECRTS 2024)},
  series    = {Leibniz International Proceedings in Informatics (LIPIcs)},
  editor    = {Pellizzoni, Rodolfo},
  publisher = {Schloss Dagstuhl -- Leibniz-Zentrum f{\"u}r Informatik},
  pages     = {11:1--11:24},
  year      = {2024},
  doi       = {10.4230/LIPIcs.ECRTS.2024.11}
}
)"},
    {"RTGPU: Real-Time GPU Scheduling",
     R"(@article{zou2023rtgpu,
  author  = {Zou, An and Li, Jing and Gill, Christopher D. and Zhang, Xuan},
  title   = {{RTGPU}: Real-Time {GPU} Scheduling of Hard Deadline Parallel Tasks with Fine-Grain Utilization},
  journal = {IEEE Transactions on Parallel and Distributed Systems},
  volume  = {34},
  number  = {5},
  pages   = {1450--1465},
  year    = {2023},
  doi     = {10.1109/TPDS.2023.3235439}
}
)"},
    {"Scheduling Processing Graphs of Gang Tasks",
     R"(@unpublished{ahmed-gang,
  author = {Ahmed, Shareef and Massey, Denver and Anderson, James H.},
  title  = {Scheduling Processing Graphs of Gang Tasks on Heterogeneous Platforms},
  note   = {University of North Carolina at Chapel Hill}
}
)"},
    {"Exploiting Dependency and Parallelism",
     R"(@inproceedings{zhang2026exploiting,
  author    = {Zhang, Yuanhai and He, Songyang and Gou, Ruizhe and Cui, Mingyue and Li, Boyang and Zhao, Shuai and Huang, Kai},
  title     = {Exploiting Dependency and Parallelism: Real-Time Scheduling and Analysis for {GPU} Tasks},
  booktitle = {63rd ACM/IEEE Design Automation Conference (DAC)},
  address   = {Long Beach, CA, USA},
  year      = {2026}
}
)"},
    {"Towards Efficient Parallel GPU Scheduling",
     R"(@inproceedings{feddal2024towards,
  author    = {Feddal, Nordine and Zahaf, Houssam-Eddine and Lipari, Giuseppe},
  title     = {Towards Efficient Parallel {GPU} Scheduling: Interference Awareness with Schedule Abstraction},
  booktitle = {32nd International Conference on Real-Time Networks and Systems (RTNS 2024)},
  publisher = {ACM},
  address   = {Porto, Portugal},
  year      = {2024},
  doi       = {10.1145/3696355.3696361}
}
)"},
};

/// Of a method that came from elsewhere: what it says about itself.
std::string own_entry(const Method& method) {
  const auto plain = [](std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (c == '{' || c == '}' || c == '\\') continue;  // nothing may end the field
      if (std::string_view("&%$#_").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
    return out;
  };
  std::string key(method.id);
  std::replace_if(
      key.begin(), key.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '-');
  return fmt::format("@misc{{{},\n  title = {{{}}}\n}}\n", key,
                     plain(method.paper.empty() ? method.title : method.paper));
}

}  // namespace

std::string bibtex(std::span<const Method* const> methods, std::string_view version) {
  std::vector<std::string> entries;
  for (const Method* method : methods) {
    if (method->paper.starts_with(kOfTactus)) continue;
    const auto* const known =
        std::find_if(std::begin(kPapers), std::end(kPapers), [&](const Paper& paper) {
          return method->paper.find(paper.title) != std::string_view::npos;
        });
    std::string entry = known == std::end(kPapers) ? own_entry(*method) : std::string(known->entry);
    if (std::find(entries.begin(), entries.end(), entry) == entries.end()) {
      entries.push_back(std::move(entry));
    }
  }
  entries.push_back(fmt::format(
      "@software{{tactus,\n"
      "  author  = {{{{The Tactus authors}}}},\n"
      "  title   = {{Tactus: proofs, plans, simulations and runs of deadlines for work on a "
      "{{GPU}}}},\n"
      "  version = {{{}}},\n"
      "  year    = {{2026}}\n"
      "}}\n",
      version));
  std::string out;
  for (const std::string& entry : entries) out += (out.empty() ? "" : "\n") + entry;
  return out;
}

}  // namespace tactus::report
