#include "tests/model/random_system.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "tactus/model/codec.hpp"

namespace tactus {
namespace {

class Maker {
 public:
  explicit Maker(Random& random) : random_(random) {}

  System system() {
    System system;
    if (often()) system.name = text();
    if (seldom()) system.note = text();
    system.time_unit = pick<TimeUnit>(5);
    for (std::size_t count = size(0, 4); count > 0; --count) {
      system.platform.elements.push_back(element(system.platform.elements.size()));
    }
    add_what_depends_on_kinds(system.platform.elements);
    // Nodes need an element to run on.
    const std::size_t tasks = system.platform.elements.empty() ? 0 : size(0, 5);
    for (std::size_t i = 0; i < tasks; ++i) {
      system.tasks.push_back(task(i, system.platform.elements));
    }
    if (seldom()) system.deploy = Deploy{name(0), maybe([&] { return name(1); }), {}};
    if (seldom()) system.interference = interference();
    const bool alone =
        system.interference && system.interference->model == InterferenceModel::kNone;
    if (often()) connect(system.tasks);
    if (often() && !alone) system.batches = batches(system.tasks);
    if (seldom()) system.chains = chains(system.tasks);
    return system;
  }

 private:
  bool often() { return random_.chance(0.6); }
  bool seldom() { return random_.chance(0.3); }
  std::size_t size(std::int64_t low, std::int64_t high) {
    return static_cast<std::size_t>(random_.integer(low, high));
  }
  template <typename E>
  E pick(std::int64_t count) {
    return static_cast<E>(random_.integer(0, count - 1));
  }
  template <typename Make>
  auto maybe(Make make) -> std::optional<decltype(make())> {
    if (!often()) return std::nullopt;
    return make();
  }

  std::string text() {
    static const char* const kPieces[] = {"a",  "é",  "😀", " ",  "\"", "\\", "/",   "//",
                                          "/*", "\t", "{", "\n", "0",  "'",  "\x7f"};
    std::string made;
    for (std::size_t left = size(0, 6); left > 0; --left) made += kPieces[size(0, 14)];
    return made;
  }
  /// Different for different places.
  std::string name(std::size_t place) {
    static const char* const kPieces[] = {"x", "ü", "€", " ", "\"", "\\", "/*", "//", "`"};
    std::string made = std::to_string(place);
    for (std::size_t left = size(0, 3); left > 0; --left) made += kPieces[size(0, 8)];
    return made;
  }

  /// Small, large and largest alike.
  std::int64_t whole(std::int64_t low, std::int64_t high) {
    if (seldom()) return random_.chance(0.5) ? low : high;
    const std::int64_t near = low < 0 ? -100 : low;
    return random_.chance(0.7) ? random_.integer(near, near + 100) : random_.integer(low, high);
  }
  std::int64_t count() { return whole(1, codec::kMaxCount); }
  std::int64_t amount() { return whole(0, codec::kMaxCount); }
  std::int64_t level() { return whole(INT64_MIN, INT64_MAX); }
  Time time(std::int64_t least = 0, std::int64_t most = INT64_MAX) {
    return Time::from_ns(whole(least, std::max(least, most)));
  }
  Factor factor() { return {whole(1'000'000'000, INT64_MAX)}; }

  Element element(std::size_t place) {
    Element made;
    made.name = name(place);
    made.kind = pick<ElementKind>(3);
    made.units = count();
    if (often()) made.lanes = count();
    made.sm = maybe([&] {
      SmLimits limits;
      limits.threads = maybe([&] { return count(); });
      limits.blocks = maybe([&] { return count(); });
      limits.registers = maybe([&] { return count(); });
      limits.shared_memory = maybe([&] { return count(); });
      return limits;
    });
    made.t_min = maybe([&] { return time(1); });
    made.time_slice = maybe([&] { return time(1); });
    made.context_switch = maybe([&] { return time(); });
    made.runlist_update = maybe([&] { return time(); });
    made.preemption_delay = maybe([&] { return time(); });
    made.preempt_cost = maybe([&] { return time(); });
    made.resume_cost = maybe([&] { return time(); });
    made.start_cost = maybe([&] { return time(); });
    return made;
  }

  static std::int64_t cores_of(const std::vector<Element>& elements) {
    std::int64_t cores = 0;
    for (const Element& element : elements) {
      if (element.kind == ElementKind::kCpu) cores = std::max(cores, element.units);
    }
    return cores;
  }

  void add_what_depends_on_kinds(std::vector<Element>& elements) {
    const std::int64_t cores = cores_of(elements);
    for (Element& element : elements) {
      if (cores > 0) element.arbiter_core = maybe([&] { return random_.integer(1, cores); });
      if (element.kind != ElementKind::kCopy) continue;
      element.sharing = maybe([&] { return static_cast<CopySharing>(random_.integer(0, 1)); });
    }
  }

  std::vector<TimesEntry> curve(std::int64_t units) {
    std::vector<TimesEntry> made;
    std::int64_t next = std::min(whole(1, units), units);
    for (std::size_t left = size(1, 4); left > 0 && next <= units; --left) {
      TimesEntry entry;
      entry.units = next;
      entry.wcet = time();
      entry.bcet = Time::from_ns(seldom() ? random_.integer(0, entry.wcet.ns()) : 0);
      made.push_back(entry);
      next += random_.integer(1, 9);
    }
    return made;
  }

  Measured measured() {
    Measured made;
    made.runs = maybe([&] { return count(); });
    made.alone = maybe([&] { return time(); });
    made.worst = maybe([&] { return time(); });
    made.enemy = maybe([&] { return text(); });
    made.margin = maybe([&] { return Margin{whole(0, INT64_MAX)}; });
    made.on = maybe([&] { return text(); });
    made.date = maybe([&] { return text(); });
    return made;
  }

  Command command() {
    Command made;
    made.argv.push_back(name(0));
    for (std::size_t left = size(0, 3); left > 0; --left) made.argv.push_back(text());
    made.cwd = maybe([&] { return name(1); });
    for (std::size_t i = size(0, 3); i > 0; --i) {
      made.env.push_back({"V_" + std::to_string(i), text()});
    }
    made.user = maybe([&] { return name(2); });
    return made;
  }

  Node node(std::size_t place, const std::vector<Element>& elements) {
    Node made;
    made.name = name(place);
    made.on = static_cast<ElementIndex>(size(0, static_cast<std::int64_t>(elements.size()) - 1));
    made.wcet = maybe([&] { return time(); });
    made.load = maybe([&] { return time(); });
    const auto at_most = [&](const std::optional<Time>& limit) {
      if (!seldom()) return Time();
      return limit ? Time::from_ns(random_.integer(0, limit->ns())) : time();
    };
    made.bcet = at_most(made.wcet);
    made.load_min = at_most(made.load);
    made.overhead = at_most(made.load);
    made.parallelism = maybe([&] { return count(); });
    const Element& element = elements[made.on];
    if (element.kind == ElementKind::kGpu && often()) {
      made.times = curve(element.units);
      made.load.reset();
      made.parallelism.reset();
      made.load_min = Time();
      if (!made.wcet) made.bcet = Time();
    }
    if (seldom()) made.measured = measured();
    made.interleave = maybe([&] { return factor(); });
    made.slowdown = maybe([&] { return factor(); });
    if (seldom()) made.launch = time();
    made.overlap = at_most(std::min(made.launch, made.wcet.value_or(made.launch)));
    made.blocks = maybe([&] { return count(); });
    made.threads = maybe([&] { return count(); });
    made.registers = maybe([&] { return amount(); });
    made.shared_memory = maybe([&] { return amount(); });
    return made;
  }

  /// Forward edges of a random order, with a random density; often the plain chain.
  Graph graph(std::size_t nodes) {
    const auto count = static_cast<NodeIndex>(nodes);
    if (!often()) return Graph::chain(count);
    const std::vector<std::uint32_t> order = shuffled(nodes);
    const double density = random_.real();
    std::vector<Edge> edges;
    for (std::size_t a = 0; a < nodes; ++a) {
      for (std::size_t b = a + 1; b < nodes; ++b) {
        if (random_.chance(density)) edges.emplace_back(order[a], order[b]);
      }
    }
    return Graph(count, edges);
  }

  Task task(std::size_t place, const std::vector<Element>& elements) {
    Task made;
    made.name = name(place);
    made.period = maybe([&] { return time(1); });
    made.deadline = maybe([&] { return time(1); });
    if (!made.deadline) made.deadline = made.period;
    if (seldom()) made.offset = time();
    if (seldom()) made.jitter = time();
    if (seldom()) made.command = command();
    made.best_effort = seldom();
    made.priority = maybe([&] { return level(); });
    if (made.priority && !made.best_effort && !priorities_.insert(*made.priority).second) {
      made.priority.reset();
    }
    made.gpu_priority = maybe([&] { return level(); });
    const std::int64_t cores = std::max<std::int64_t>(1, cores_of(elements));
    made.core = maybe([&] { return std::min(count(), cores); });
    made.wait = maybe([&] { return pick<WaitMode>(2); });
    const std::size_t nodes = size(1, 6);
    for (std::size_t i = 0; i < nodes; ++i) made.nodes.push_back(node(i, elements));
    if (const auto own = made.gpu_priority ? made.gpu_priority : made.priority) {
      for (Node& each : made.nodes) {
        each.gpu_threshold = maybe([&] { return std::max(*own, level()); });
      }
    }
    made.graph = graph(nodes);
    return made;
  }

  /// Some tasks are started by one of those before them, whose arrivals become theirs.
  void connect(std::vector<Task>& tasks) {
    for (TaskIndex i = 1; i < tasks.size(); ++i) {
      if (!seldom()) continue;
      Task& task = tasks[i];
      task.after = static_cast<TaskIndex>(size(0, i - 1));
      task.offset = Time();
      const bool implicit = !task.deadline || task.deadline == task.period;
      task.period = tasks[*task.after].period;
      if (implicit) task.deadline = task.period;
    }
  }

  std::vector<Chain> chains(const std::vector<Task>& tasks) {
    std::vector<Chain> made;
    for (std::size_t left = tasks.empty() ? 0 : size(1, 3); left > 0; --left) {
      Chain& chain = made.emplace_back();
      chain.name = name(left);
      chain.tasks = shuffled(tasks.size());
      chain.tasks.resize(size(1, static_cast<std::int64_t>(tasks.size())));
      chain.reaction = maybe([&] { return time(1); });
      chain.age = maybe([&] { return time(1); });
      chain.phases = pick<Chain::Phases>(2);
    }
    return made;
  }

  Interference interference() {
    Interference made;
    made.model = maybe([&] { return pick<InterferenceModel>(3); });
    made.factor = maybe([&] { return factor(); });
    return made;
  }

  std::vector<Batch> batches(const std::vector<Task>& tasks) {
    std::vector<Batch> made;
    std::set<std::pair<bool, std::vector<TaskIndex>>> listed;
    for (std::size_t left = tasks.empty() ? 0 : size(0, 4); left > 0; --left) {
      Batch batch;
      batch.tasks = shuffled(tasks.size());
      batch.tasks.resize(size(1, static_cast<std::int64_t>(tasks.size())));
      batch.ordered = seldom();
      batch.forbid = seldom() && batch.tasks.size() > 1;
      std::vector<TaskIndex> key = batch.tasks;
      if (!batch.ordered) std::sort(key.begin(), key.end());
      if (!listed.emplace(batch.ordered, std::move(key)).second) continue;
      if (!batch.forbid) batch.completion = completion(tasks, batch);
      made.push_back(std::move(batch));
    }
    return made;
  }

  /// At least the wcet of every member of one node; exactly that for such a member alone.
  Time completion(const std::vector<Task>& tasks, const Batch& batch) {
    Time least;
    bool known = false;
    for (TaskIndex member : batch.tasks) {
      const std::vector<Node>& nodes = tasks[member].nodes;
      if (nodes.size() != 1 || !nodes.front().wcet) continue;
      least = std::max(least, *nodes.front().wcet);
      known = true;
    }
    if (known && batch.tasks.size() == 1) return least;
    return Time::from_ns(random_.integer(least.ns(), INT64_MAX));
  }

  std::vector<std::uint32_t> shuffled(std::size_t count) {
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = count; i > 1; --i) {
      std::swap(order[i - 1], order[size(0, static_cast<std::int64_t>(i) - 1)]);
    }
    return order;
  }

  Random& random_;
  std::set<std::int64_t> priorities_;
};

}  // namespace

System random_system(Random& random) { return Maker(random).system(); }

}  // namespace tactus
