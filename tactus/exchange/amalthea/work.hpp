#pragma once

#include <map>
#include <string>
#include <vector>

#include "tactus/exchange/amalthea/model.hpp"
#include "tactus/exchange/amalthea/units.hpp"

namespace tactus::exchange::amalthea {

/// A piece of a task, before nodes are made of it.
struct Piece {
  std::string name;
  ElementIndex on = 0;
  Time lower, upper;
};

/// What tasks do, piece by piece; what they trigger on a GPU comes in.
class Work {
 public:
  Work(const Model& model, const Units& units, Told& told)
      : model_(model), units_(units), told_(told) {}

  std::vector<Piece> of(const std::string& task, const XmlElement& element);
  /// Tasks of a CPU that were triggered, and by whom.
  const std::map<std::string, std::string>& triggered() const { return triggered_; }
  /// Who triggers a task of a GPU, which is a part of that; null: nobody.
  const std::string* host_of(const std::string& task) const;

 private:
  void walk(const XmlElement& graph, const std::vector<const Unit*>& units,
            const std::string& owner, std::vector<Piece>& pieces, int depth);
  void add_ticks(const XmlElement& item, const std::vector<const Unit*>& units,
                 const std::string& owner, std::vector<Piece>& pieces);
  void trigger(const XmlElement& item, std::vector<Piece>& pieces, int depth);

  const Model& model_;
  const Units& units_;
  Told& told_;
  std::map<std::string, std::string> host_, triggered_;
  std::string current_;  ///< the task whose pieces are gathered
  std::size_t walked_ = 0;
};

}  // namespace tactus::exchange::amalthea
