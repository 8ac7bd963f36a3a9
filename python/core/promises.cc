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
      .def_readonly("graph", &ForgetGraph::graph, "The graph. A number or an external id.")
      .def("__repr__", [](const ForgetGraph& request) { return describe(request); });
  py::class_<ForgetNode>(module, "ForgetNode", "A node with its features and edges.")
      .def(py::init([](GraphKey graph, NodeKey node) {
             return ForgetNode{std::move(graph), std::move(node)};
           }),
           py::arg("graph"), py::arg("node"))
      .def_readonly("graph", &ForgetNode::graph, "The graph. A number or an external id.")
      .def_readonly("node", &ForgetNode::node, "The node. A number or an external id.")
      .def("__repr__", [](const ForgetNode& request) { return describe(request); });
  py::class_<ForgetFeatures>(module, "ForgetFeatures", "The features of a node; its edges stay.")
      .def(py::init([](GraphKey graph, NodeKey node) {
             return ForgetFeatures{std::move(graph), std::move(node)};
           }),
           py::arg("graph"), py::arg("node"))
      .def_readonly("graph", &ForgetFeatures::graph, "The graph. A number or an external id.")
      .def_readonly("node", &ForgetFeatures::node, "The node. A number or an external id.")
      .def("__repr__", [](const ForgetFeatures& request) { return describe(request); });
  py::class_<ForgetEdge>(module, "ForgetEdge", "One edge; of a directed graph the one from `source` to `target`.")
      .def(py::init([](GraphKey graph, NodeKey from, NodeKey to) {
             return ForgetEdge{std::move(graph), std::move(from), std::move(to)};
           }),
           py::arg("graph"), py::arg("source"), py::arg("target"))
      .def_readonly("graph", &ForgetEdge::graph, "The graph. A number or an external id.")
      .def_readonly("source", &ForgetEdge::from, "Where the edge begins.")
      .def_readonly("target", &ForgetEdge::to, "Where the edge ends.")
      .def("__repr__", [](const ForgetEdge& request) { return describe(request); });
  py::class_<ForgetSubject>(module, "ForgetSubject", "Every node with this external id, in every graph.")
      .def(py::init([](std::string id) { return ForgetSubject{std::move(id)}; }), py::arg("id"))
      .def_readonly("id", &ForgetSubject::id, "The external id.")
      .def("__repr__", [](const ForgetSubject& request) { return describe(request); });
}

}  // namespace

void bind_promises(py::module_& module) {
  bind_requests(module);
  py::class_<Promise>(module, "Promise", "What is promised, and to whom.  No number here was computed from data.")
      .def_property_readonly(
          "mechanism", [](const Promise& promise) { return std::string(name(promise.mechanism)); },
          "release: noise on published weights; objective: noise in training.")
      .def_property_readonly(
          "epsilon", [](const Promise& promise) { return promise.guarantee.epsilon; }, "Of the guarantee.")
      .def_property_readonly(
          "delta", [](const Promise& promise) { return promise.guarantee.delta; }, "Of the guarantee.")
      .def_readonly("noise", &Promise::noise_stddev, "Standard deviation of the noise.")
      .def_readonly("shift_limit", &Promise::shift_limit,
                    "How far apart the two worlds of a published model may be, in units of the noise.")
      .def_readonly("releases", &Promise::releases, "How many published models the guarantee covers together.")
      .def_readonly("assumptions", &Promise::assumptions, "What the guarantee rests on, in sentences.")
      .def_property_readonly("constants", &constants_of, "Names of constants, and where each comes from.")
      .def_property_readonly(
          "protect", [](const Promise& promise) { return std::string(name(promise.protection)); },
          "Whom published models protect: removed or everyone.")
      .def_readonly("per_subject", &Promise::per_subject,
                    "Level everyone: how many graphs one subject may touch; 0: a subject is a whole graph.")
      .def_readonly("sensitivity", &Promise::sensitivity, "Level everyone: how far one subject may move the optimum.")
      .def_property_readonly(
          "together", [](const Promise& promise) { return pair_or_none(promise.together); },
          "(epsilon, delta) of all counts of published models together, or None.")
      .def_property_readonly(
          "embedding", [](const Promise& promise) { return pair_or_none(promise.embedding); },
          "(epsilon, delta) of the function that made the rows, as stated, or None.")
      .def_property_readonly(
          "with_embedding", [](const Promise& promise) { return pair_or_none(promise.with_embedding); },
          "(epsilon, delta) of rows and models together for one subject, or None.")
      .def(
          "text", [](const Promise& promise) { return promise_text(promise, kCertificatePromise); },
          "The promise as JSON, the same in every document.");
  py::class_<Certificate>(module, "Certificate", R"(What was promised and what holds.

Its numbers are upper bounds, computed from private data: they are for the owner.)")
      .def_readonly("satisfied", &Certificate::satisfied, "Whether the promise holds.")
      .def_readonly("promise", &Certificate::promise, "What is promised.")
      .def_readonly("graphs", &Certificate::graphs, "Graphs or rows that are left.")
      .def_property_readonly(
          "bound", [](const Certificate& found) { return std::string(name(found.binding)); },
          "The bound that the residual was computed with.")
      .def_readonly("residual_upper_bound", &Certificate::residual_upper_bound, "On the norm of the gradient residual.")
      .def_readonly("distance_upper_bound", &Certificate::distance_upper_bound,
                    "How far the kept weights are from retrained ones, at most.")
      .def_readonly("shift_upper_bound", &Certificate::shift_upper_bound,
                    "The distance in units of the noise, at most.")
      .def_property_readonly(
          "rung", [](const Certificate& found) { return std::string(name(found.rung)); },
          "How the update was made: fast, exact, newton or retrain.")
      .def_readonly("newton_steps", &Certificate::newton_steps, "How many Newton steps the update took.")
      .def(
          "epsilon_upper_bound", [](const Certificate& found) { return value_or_raise(epsilon_upper_bound(found)); },
          "The epsilon that holds now at the promised delta, at most.");
  py::class_<Exposure>(module, "Exposure",
                       R"(What somebody who kept the models published so far can tell about a removal.

Computed from the removed data without noise: it is for the owner.)")
      .def_readonly("shift", &Exposure::shift, "Between the models before and after, in units of the noise.")
      .def_readonly("models", &Exposure::models, "How many models were published before, since data was last added.")
      .def_readonly("older", &Exposure::older,
                    "How many others knew it; what they tell cannot be computed, and shift is then infinite.")
      .def_property_readonly(
          "best_guess", [](const Exposure& exposure) { return best_guess(exposure); },
          "How often the best guess whether something was removed is right; 0.5 is blind guessing.");
}

}  // namespace unscatter::python
