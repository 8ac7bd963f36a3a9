#include "core.h"
#include "unscatter/store/promise_text.h"
#include "unscatter/unlearn/certificate.h"
#include "unscatter/unlearn/prepared_removal.h"
#include "unscatter/unlearn/request.h"

namespace unscatter::python {
namespace {

py::object pair_or_none(const std::optional<RemovalGuarantee>& guarantee) {
  if (!guarantee) return py::none();
  return py::make_tuple(guarantee->epsilon, guarantee->delta);
}

py::list constants_of(const Promise& promise) {
  py::list constants;
  for (const ConstantOrigin& origin : promise.constants) {
    constants.append(py::make_tuple(origin.name, std::string(name(origin.kind))));
  }
  return constants;
}

void bind_requests(py::module_& module) {
  py::class_<ForgetGraph>(module, "ForgetGraph", "A graph, or a row, by number or external id.")
      .def(py::init([](GraphKey graph) { return ForgetGraph{std::move(graph)}; }), py::arg("graph"))
      .def_readonly("graph", &ForgetGraph::graph)
      .def("__repr__", [](const ForgetGraph& request) { return describe(request); });
  py::class_<ForgetNode>(module, "ForgetNode", "A node with its features and edges.")
      .def(py::init([](GraphKey graph, NodeKey node) {
             return ForgetNode{std::move(graph), std::move(node)};
           }),
           py::arg("graph"), py::arg("node"))
      .def_readonly("graph", &ForgetNode::graph)
      .def_readonly("node", &ForgetNode::node)
      .def("__repr__", [](const ForgetNode& request) { return describe(request); });
  py::class_<ForgetFeatures>(module, "ForgetFeatures", "The features of a node; its edges stay.")
      .def(py::init([](GraphKey graph, NodeKey node) {
             return ForgetFeatures{std::move(graph), std::move(node)};
           }),
           py::arg("graph"), py::arg("node"))
      .def_readonly("graph", &ForgetFeatures::graph)
      .def_readonly("node", &ForgetFeatures::node)
      .def("__repr__", [](const ForgetFeatures& request) { return describe(request); });
  py::class_<ForgetEdge>(module, "ForgetEdge", "One edge; of a directed graph the one from `source` to `target`.")
      .def(py::init([](GraphKey graph, NodeKey from, NodeKey to) {
             return ForgetEdge{std::move(graph), std::move(from), std::move(to)};
           }),
           py::arg("graph"), py::arg("source"), py::arg("target"))
      .def_readonly("graph", &ForgetEdge::graph)
      .def_readonly("source", &ForgetEdge::from)
      .def_readonly("target", &ForgetEdge::to)
      .def("__repr__", [](const ForgetEdge& request) { return describe(request); });
  py::class_<ForgetSubject>(module, "ForgetSubject", "Every node with this external id, in every graph.")
      .def(py::init([](std::string id) { return ForgetSubject{std::move(id)}; }), py::arg("id"))
      .def_readonly("id", &ForgetSubject::id)
      .def("__repr__", [](const ForgetSubject& request) { return describe(request); });
}

}  // namespace

void bind_promises(py::module_& module) {
  bind_requests(module);
  py::class_<Promise>(module, "Promise", "What is promised, and to whom.  No number here was computed from data.")
      .def_property_readonly("mechanism", [](const Promise& promise) { return std::string(name(promise.mechanism)); })
      .def_property_readonly("epsilon", [](const Promise& promise) { return promise.guarantee.epsilon; })
      .def_property_readonly("delta", [](const Promise& promise) { return promise.guarantee.delta; })
      .def_readonly("noise", &Promise::noise_stddev)
      .def_readonly("shift_limit", &Promise::shift_limit)
      .def_readonly("releases", &Promise::releases)
      .def_readonly("assumptions", &Promise::assumptions)
      .def_property_readonly("constants", &constants_of)
      .def_property_readonly("protect", [](const Promise& promise) { return std::string(name(promise.protection)); })
      .def_readonly("per_subject", &Promise::per_subject)
      .def_readonly("sensitivity", &Promise::sensitivity)
      .def_property_readonly("together", [](const Promise& promise) { return pair_or_none(promise.together); })
      .def_property_readonly("embedding", [](const Promise& promise) { return pair_or_none(promise.embedding); })
      .def_property_readonly("with_embedding",
                             [](const Promise& promise) { return pair_or_none(promise.with_embedding); })
      .def("text", [](const Promise& promise) { return promise_text(promise, kCertificatePromise); });
  py::class_<Certificate>(module, "Certificate", R"(What was promised and what holds.

Its numbers are upper bounds, computed from private data: they are for the owner.)")
      .def_readonly("satisfied", &Certificate::satisfied)
      .def_readonly("promise", &Certificate::promise)
      .def_readonly("graphs", &Certificate::graphs)
      .def_property_readonly("bound", [](const Certificate& found) { return std::string(name(found.binding)); })
      .def_readonly("residual_upper_bound", &Certificate::residual_upper_bound)
      .def_readonly("distance_upper_bound", &Certificate::distance_upper_bound)
      .def_readonly("shift_upper_bound", &Certificate::shift_upper_bound)
      .def_property_readonly("rung", [](const Certificate& found) { return std::string(name(found.rung)); })
      .def_readonly("newton_steps", &Certificate::newton_steps)
      .def("epsilon_upper_bound", [](const Certificate& found) { return value_or_raise(epsilon_upper_bound(found)); });
  py::class_<Exposure>(module, "Exposure",
                       R"(What somebody who kept the models published so far can tell about a removal.

Computed from the removed data without noise: it is for the owner.)")
      .def_readonly("shift", &Exposure::shift)
      .def_readonly("models", &Exposure::models)
      .def_property_readonly("best_guess", [](const Exposure& exposure) { return best_guess(exposure); });
}

}  // namespace unscatter::python
