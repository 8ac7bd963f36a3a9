// What a careless program leaves in a file, beside the rows and in unused pages.
#pragma once

#include <string>
#include <vector>

#include "store/sample_workspace.h"
#include "unscatter/base/invariant.h"

namespace unscatter::testing {

// Leaves a short and a long text there.  Returns what a scan has to find.
inline std::vector<std::string> plant_leftovers(const SampleWorkspace& sample) {
  const std::vector<std::string> texts = {std::string(9000, 'L'), std::string(60, 'T')};
  sample.edit([&](const Database& database) {
    for (const std::string& text : texts) {
      const std::string insert = "INSERT INTO receipts VALUES(99, '" + text + "')";
      invariant(database.run("PRAGMA secure_delete = OFF; " + insert).ok() &&
                    database.run("DELETE FROM receipts WHERE sequence = 99").ok(),
                "a row comes and goes");
    }
  });
  return {texts[0].substr(0, 100), texts[1].substr(0, 40)};
}

}  // namespace unscatter::testing
