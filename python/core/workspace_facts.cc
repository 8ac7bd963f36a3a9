// What a workspace holds and says.
#include <map>

#include "locked_workspace.h"
#include "unscatter/graph/read.h"
#include "unscatter/store/receipt.h"

namespace unscatter::python {
namespace {

const char* direction_word(HeldEdge::Direction direction) {
  switch (direction) {
    case HeldEdge::Direction::kBoth: return "both";
    case HeldEdge::Direction::kFromSubject: return "from";
    case HeldEdge::Direction::kToSubject: return "to";
  }
  return "both";
}

// Everything that the library tells about a subject: an access request leaves nothing out.
py::dict held(const HeldSubject& subject) {
  py::list graphs;
  for (const HeldGraph& graph : subject.graphs) {
    py::list nodes;
    for (const HeldNode& node : graph.nodes) {
      py::list edges;
      for (const HeldEdge& edge : node.edges) {
        py::dict one;
        one["node"] = edge.node;
        one["id"] = edge.id;
        one["direction"] = direction_word(edge.direction);
        one["weight"] = edge.weight;
        edges.append(one);
      }
      py::dict one;
      one["number"] = node.number;
      one["has_features"] = node.has_features;
      one["label"] = node.label;
      one["attributes"] = node.attributes;
      one["position"] = node.position;
      one["edges"] = edges;
      nodes.append(one);
    }
    py::dict one;
    one["number"] = graph.number;
    one["id"] = graph.id;
    one["class"] = graph.class_name;
    one["due"] = graph.due;
    one["nodes"] = nodes;
    graphs.append(one);
  }
  py::dict all;
  all["due"] = subject.due;
  all["graphs"] = graphs;
  return all;
}

}  // namespace

std::string LockedWorkspace::entry(std::size_t sequence) {
  return run(py::none(), [&]() -> Result<std::string> {
    UNSCATTER_TRY(record, workspace_->entry(sequence));
    return ledger_text(record);
  });
}

std::string LockedWorkspace::receipt(std::size_t sequence) {
  return run(py::none(), [&]() -> Result<std::string> {
    UNSCATTER_TRY(found, workspace_->receipt(sequence));
    return receipt_text(found);
  });
}

SharedDataset LockedWorkspace::remaining() {
  return run(py::none(), [&]() -> Result<SharedDataset> {
    UNSCATTER_TRY(left, workspace_->remaining());
    return std::make_shared<Dataset>(std::move(left));
  });
}

py::tuple LockedWorkspace::slot(std::size_t place) {
  std::string class_name;
  SlotSnapshot found = run(py::none(), [&]() -> Result<SlotSnapshot> {
    UNSCATTER_TRY(slot, workspace_->slot(place));
    if (slot.graph) class_name = workspace_->info().class_names.at(slot.label);
    return slot;
  });
  if (!found.graph)
    return py::make_tuple(found.number, py::none(), py::none(), found.node_count_at_creation, py::none());
  const py::object id = found.graph_id.empty() ? py::object(py::none()) : py::object(py::str(found.graph_id));
  return py::make_tuple(found.number, id, class_name, found.node_count_at_creation,
                        std::make_shared<Graph>(*std::move(found.graph)));
}

void LockedWorkspace::export_graphs(const std::filesystem::path& to) {
  run(py::none(), [&]() -> Status {
    // An older copy may hold what was removed since.
    if (const WorkspaceInfo info = workspace_->info(); info.outdated) return *info.outdated;
    UNSCATTER_TRY(left, workspace_->remaining());
    return write_jsonl(left, to, {.owner_only = true});
  });
}

py::dict LockedWorkspace::subject(const std::string& id) {
  return held(run(py::none(), [&] { return workspace_->subject(id); }));
}

py::list LockedWorkspace::subjects(const std::string& text, std::size_t limit, std::size_t offset) {
  const SubjectList found =
      run(py::none(), [&] { return workspace_->subjects({.text = text, .limit = limit, .offset = offset}); });
  py::list entries;
  for (const SubjectList::Entry& one : found.entries) entries.append(py::make_tuple(one.id, one.graphs, one.due));
  return entries;
}

std::string LockedWorkspace::replay_digest() {
  return run(py::none(), [&]() -> Result<Digest> { return workspace_->replay_digest(); }).hex();
}

std::string LockedWorkspace::state_digest() {
  return run(py::none(), [&]() -> Result<Digest> { return workspace_->state_digest(); }).hex();
}

py::array_t<double> LockedWorkspace::kept_weights() {
  return owned(run(py::none(), [&]() -> Result<Matrix> { return Matrix(workspace_->kept_weights()); }));
}

std::string LockedWorkspace::backup(const std::filesystem::path& to, bool replace) {
  return run(py::none(), [&] { return workspace_->backup(to, {.replace = replace}); }).head.hex();
}

py::dict LockedWorkspace::status() {
  const WorkspaceInfo info = run(py::none(), [&]() -> Result<WorkspaceInfo> { return workspace_->info(); });
  py::dict all;
  all["path"] = info.path;
  all["id"] = info.id;
  all["name"] = info.name;
  all["created"] = info.created;
  all["format"] = info.format;
  all["signer"] = info.signer.hex();
  all["features"] = info.features;
  all["transform"] = transform_fields(info.transform);
  all["regularisation"] = info.options.regularisation;
  all["options"] = option_words(info.options);
  all["class_names"] = info.class_names;
  all["slots"] = info.slots;
  all["graphs"] = info.graphs;
  all["entries"] = info.entries;
  all["head"] = info.head.hex();
  all["updates"] = info.updates;
  all["published"] = info.published;
  all["published_in_count"] = info.published_in_count;
  all["rungs"] = counts_by_name(info.rungs, std::map<std::string, std::size_t>());
  all["outdated"] = info.outdated ? py::object(py::str(info.outdated->message)) : py::object(py::none());
  return all;
}

Certificate LockedWorkspace::certificate() {
  return run(py::none(), [&]() -> Result<Certificate> { return workspace_->info().certificate; });
}

Audit LockedWorkspace::audit(const py::dict& words, const py::object& report) {
  AuditOptions options = audit_options(words);
  Audit made;
  made.confidence = options.confidence;
  made.report = run(report, [&]() -> Result<AuditReport> {
    UNSCATTER_TRY(session, workspace_->session());
    // Lives as long as the workspace.
    const std::shared_ptr<const Embedder> embedder(std::shared_ptr<void>(), &workspace_->embedder());
    options.progress = &relay_;
    return unscatter::audit(*session, embedder, options);
  });
  return made;
}

}  // namespace unscatter::python
