#include "core.h"
#include "unscatter/base/version.h"

// Bases before what uses them: a type must be known when a function that takes it is declared.
PYBIND11_MODULE(_core, module) {
  using namespace unscatter::python;
  module.doc() = "The compiled part of unscatter.  Import unscatter instead.";
  module.attr("__version__") = std::string(unscatter::version());
  bind_errors(module);
  bind_graphs(module);
  bind_datasets(module);
  bind_embeddings(module);
  bind_promises(module);
  bind_audits(module);
  bind_models(module);
  bind_sessions(module);
  bind_workspaces(module);
  bind_streams(module);
  bind_tuning(module);
}
