// What is held about a subject, as JSON: the same from the program and from the service.
#pragma once

#include <string>

#include "unscatter/store/workspace.h"

namespace unscatter {

// {"subject":ID,"held":true,"due":null,"graphs":[...]}, in this order.  Dates are 2027-03-01T12:00:00Z or null.
// `hide_neighbours`: the other ends of edges are named by number and not by id, because they are other people.
[[nodiscard]] std::string subject_text(const std::string& id, const HeldSubject& held, bool hide_neighbours);
// [{"id":ID,"graphs":3,"due":null},...]
[[nodiscard]] std::string subject_list_text(const SubjectList& list);

}  // namespace unscatter
