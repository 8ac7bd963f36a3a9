// What a careless program leaves in a file, beside the rows and in unused pages.
#pragma once

#include <sqlite3.h>

#include <string>
#include <vector>

#include "store/sample_workspace.h"
#include "unscatter/base/invariant.h"

namespace unscatter::testing {

// Leaves a short and a long text there.  Returns what a scan has to find.
inline std::vector<std::string> plant_leftovers(const SampleWorkspace& sample) {
  const std::vector<std::string> texts = {std::string(9000, 'L'), std::string(60, 'T')};
  // By a connection of its own: those of the store clear what they write.
  sqlite3* database = nullptr;
  invariant(sqlite3_open(sample.path().c_str(), &database) == SQLITE_OK, "the sample opens");
  for (const std::string& text : texts) {
    const std::string come_and_go =
        "PRAGMA locking_mode = EXCLUSIVE; PRAGMA secure_delete = OFF; "
        "INSERT INTO receipts VALUES(99, '" +
        text +
        "'); "
        "DELETE FROM receipts WHERE sequence = 99";
    invariant(sqlite3_exec(database, come_and_go.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK,
              "a row comes and goes");
  }
  invariant(sqlite3_close(database) == SQLITE_OK, "the sample closes");
  return {texts[0].substr(0, 100), texts[1].substr(0, 40)};
}

}  // namespace unscatter::testing
