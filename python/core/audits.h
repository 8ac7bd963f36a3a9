// Audits of sessions and workspaces.
#pragma once

#include "core.h"
#include "unscatter/audit/audit.h"

namespace unscatter::python {

// A report, and the confidence of its bounds.
struct Audit {
  AuditReport report;
  double confidence = 0;
};

// Options of the library by name; a word that is not given leaves the library's own.
[[nodiscard]] AuditOptions audit_options(const py::dict& given);

}  // namespace unscatter::python
