// Requests as text: JSON, one object per request, one per line in a file.
//
//   {"forget": "features", "graph": 17, "node": 3}              features of node 3 of graph 17; its edges stay
//   {"forget": "node", "graph": "group-0017", "node": "user-3"}  numbers count from 0, text is an external id
//   {"forget": "edge", "graph": 17, "from": 3, "to": 5}
//   {"forget": "graph", "graph": 17}
//   {"forget": "subject", "id": "user-3"}                        every node with this id, in every graph
//
// A line of openings (below) stands for its request.  Corrections are objects of their own:
//
//   {"correct": "features", "graph": 17, "node": 3, "attributes": [0.5, 2], "label": 4}   one of the last two, or both
//   {"correct": "add-edge", "graph": 17, "from": 3, "to": 5, "weight": 0.5}               weight where edges have one
//   {"correct": "drop-edge", "graph": 17, "from": 3, "to": 5}
//   {"correct": "class", "graph": 17, "class": "2"}
//
// An id that is not UTF-8 cannot be text in JSON and is given by its bytes: {"bytes": "ff00"} in place of the text.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"
#include "unscatter/graph/graph.h"
#include "unscatter/unlearn/request.h"

namespace unscatter {

// One object as above.  Fields that are unknown, missing, doubled or of the wrong kind are kMalformedInput, named in
// the message.  So are an empty id, and bytes of an id that could be text.
[[nodiscard]] Result<RemovalRequest> parse_request(std::string_view text);
// The one spelling of a request, different for every two requests.  It has keys in alphabetical order, no spaces, UTF-8
// as it is, and lower-case digits for bytes.  parse_request() reads it back, unless an id is empty.
[[nodiscard]] std::string request_text(const RemovalRequest& request);

// "17" is the number 17, and any other text is an external id.  "id:17" is the external id "17".  This is how the
// command line and CSV lists name graphs and nodes.  Errors: kInvalidArgument for an empty id, a number beyond 64 bits,
// and digits with a zero in front, which could be either.
[[nodiscard]] Result<NodeKey> parse_key(std::string_view text);

// How a list is written (docs/receipts.md, "Lists").
enum class ListFormat {
  kAutomatic,  // by the first line, then by the name
  kJsonLines,  // an object per line, as above
  kCsv,        // a header line with the names of the fields, then a line per request
};
struct ListReading {
  ListFormat format = ListFormat::kAutomatic;
  // A list may have fields of the user's own, for instance "reason" and "ticket".  They are passed over, and the values
  // of these are kept.
  std::vector<std::string> keep = {};
};

// A list of requests.  Empty lines are passed over.
struct RequestFile {
  std::vector<RemovalRequest> requests;
  std::vector<std::size_t> lines;  // where each stands, from 1
  // With ListReading::keep: what was kept beside each request, a JSON object, or empty.
  std::vector<std::string> kept = {};
  struct WrongLine {
    std::size_t line = 0;
    Error error;
  };
  std::vector<WrongLine> wrong = {};  // lines that are no request, in their order
};
// Every line is looked at: one that is no request goes into `wrong`, and the others are read.  `name` is what messages
// call the text.  Errors: kMalformedInput if the header of CSV is wrong; kLimitExceeded beyond 100,000 wrong lines.
[[nodiscard]] Result<RequestFile> scan_requests(std::string_view text, std::string_view name,
                                                const ListReading& how = {});
// The same from a file.  Errors also: kNotFound; kIo; kLimitExceeded beyond 2^30 bytes.  A line beyond 2^20 is wrong.
[[nodiscard]] Result<RequestFile> scan_request_file(const std::filesystem::path& path, const ListReading& how = {});

// The same where every line must be right.  The error names file, line and reason of all wrong ones, a line each, up to
// a hundred of them.
[[nodiscard]] Result<RequestFile> read_requests(const std::filesystem::path& path, const ListReading& how = {});
[[nodiscard]] Result<RequestFile> parse_requests(std::string_view text, std::string_view name,
                                                 const ListReading& how = {});

// What was handed out about one request: with it, somebody can show that a commitment is about this request.
struct Opening {
  std::size_t entry = 0;  // of the ledger
  Digest commitment;
  RemovalRequest request;
  Salt salt;
};
// {"commitment":"...","entry":3,"request":{...},"salt":"..."}: keys sorted, no spaces.  With `kept`, a JSON object,
// also "fields":{...}.
[[nodiscard]] std::string opening_text(const Opening& opening, std::string_view kept = {});
// One per line.  Empty lines are passed over.  Every salt opens its commitment.  Errors as read_requests(); also
// kMalformedInput where a salt does not open.
[[nodiscard]] Result<std::vector<Opening>> read_openings(const std::filesystem::path& path);
[[nodiscard]] Result<std::vector<Opening>> parse_openings(std::string_view text, std::string_view name);

// What the ledger keeps instead of the request: BLAKE2b-256 of request_text(), keyed with the salt.  docs/receipts.md
// says how to compute it elsewhere.
[[nodiscard]] Digest commitment(const RemovalRequest& request, const Salt& salt);

// The same for corrections.  Errors of parse_correction() as those of parse_request().
[[nodiscard]] Result<Correction> parse_correction(std::string_view text);
[[nodiscard]] std::string request_text(const Correction& correction);
[[nodiscard]] Digest commitment(const Correction& correction, const Salt& salt);
// One per line.  Empty lines are passed over, and every line must be right.  Errors as read_requests().
struct CorrectionFile {
  std::vector<Correction> corrections;
  std::vector<std::size_t> lines;  // where each stands, from 1
};
[[nodiscard]] Result<CorrectionFile> parse_corrections(std::string_view text, std::string_view name);
[[nodiscard]] Result<CorrectionFile> read_corrections(const std::filesystem::path& path);

// A graph that was added: {"add":"graph","content":"...","graph":17}.
struct AddedGraph {
  GraphKey graph;  // its id, or its number where graphs have no ids
  Digest content;  // addition_digest() of it
};
// Errors as parse_request().
[[nodiscard]] Result<AddedGraph> parse_added_graph(std::string_view text);
// Of a graph and its class: whoever has both can compute it.
[[nodiscard]] Digest addition_digest(const Graph& graph, std::string_view class_name);
[[nodiscard]] std::string request_text(const AddedGraph& added);
[[nodiscard]] Digest commitment(const AddedGraph& added, const Salt& salt);

// opening_text() of an addition or a correction, whose request_text() is given.  read_openings() checks such lines and
// passes them over: they are no requests to forget.
[[nodiscard]] std::string opening_text(std::size_t entry, const Digest& commitment, std::string_view request,
                                       const Salt& salt);

}  // namespace unscatter
