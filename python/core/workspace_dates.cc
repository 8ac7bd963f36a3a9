// Due dates of a workspace.
#include "locked_workspace.h"

namespace unscatter::python {

py::list LockedWorkspace::due(std::int64_t until) {
  py::list dates;
  for (const DueDate& date : run(py::none(), [&] { return workspace_->due(until); })) {
    dates.append(py::make_tuple(date.what, date.due));
  }
  return dates;
}

py::dict LockedWorkspace::due_summary(std::int64_t now) {
  const DueSummary found = run(py::none(), [&] { return workspace_->due_summary(now); });
  py::dict summary;
  summary["dates"] = found.dates;
  summary["overdue"] = found.overdue;
  summary["oldest"] = found.oldest;
  summary["next"] = found.next ? py::object(py::make_tuple(found.next->what, found.next->due)) : py::none();
  return summary;
}

void LockedWorkspace::set_due(const RemovalRequest& what, std::optional<std::int64_t> due) {
  run(py::none(), [&] { return workspace_->set_due(what, due); });
}

std::optional<Outcome> LockedWorkspace::expire(std::int64_t until, bool keep_salts, bool shred,
                                               const py::object& hand_out, const py::object& report) {
  const SaltChoice salts{keep_salts, shred, hand_out};
  Callbacks calls;
  const ForgetOptions how = calls.options(salts);
  const std::optional<Forgotten> done =
      calls.guard([&] { return run(report, [&] { return workspace_->expire(until, how); }); });
  if (!done) return std::nullopt;
  return outcome_of(*done);
}

}  // namespace unscatter::python
