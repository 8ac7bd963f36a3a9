#include "unscatter/unlearn/request.h"

#include <fmt/format.h>

namespace unscatter {
namespace {

std::string text(const std::variant<std::size_t, std::string>& key) {
  if (const auto* id = std::get_if<std::string>(&key)) return fmt::format("'{}'", *id);
  return fmt::format("{}", std::get<std::size_t>(key));
}

// Words for people, with ids as they are.  What is kept in files uses request_text(), which has one spelling per
// request.
struct Describe {
  std::string operator()(const ForgetFeatures& r) const {
    return fmt::format("features of node {} of graph {}", text(r.node), text(r.graph));
  }
  std::string operator()(const ForgetNode& r) const {
    return fmt::format("node {} of graph {}", text(r.node), text(r.graph));
  }
  std::string operator()(const ForgetEdge& r) const {
    return fmt::format("edge {}, {} of graph {}", text(r.from), text(r.to), text(r.graph));
  }
  std::string operator()(const ForgetGraph& r) const { return fmt::format("graph {}", text(r.graph)); }
  std::string operator()(const ForgetSubject& r) const { return fmt::format("subject '{}'", r.id); }
  std::string operator()(const SetFeatures& r) const {
    return fmt::format("features of node {} of graph {}", text(r.node), text(r.graph));
  }
  std::string operator()(const AddEdge& r) const {
    return fmt::format("new edge {}, {} of graph {}", text(r.from), text(r.to), text(r.graph));
  }
  std::string operator()(const DropEdge& r) const {
    return fmt::format("wrong edge {}, {} of graph {}", text(r.from), text(r.to), text(r.graph));
  }
  std::string operator()(const SetLabel& r) const { return fmt::format("class of graph {}", text(r.graph)); }
};

}  // namespace

std::string describe(const RemovalRequest& request) { return std::visit(Describe(), request); }
std::string describe(const Correction& correction) { return std::visit(Describe(), correction); }

}  // namespace unscatter
