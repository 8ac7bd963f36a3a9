// The C++ side of test_same_bytes.py: a step in the life of a workspace, by the public headers alone.
//
//   in_cpp STEP SETTING FOLDER
//
// The folder holds groups.jsonl and list.jsonl.  in_python.py has the same steps and writes the same files:
//
//   create   trains: signing.key, signing.pub, workspace, create.json
//   list     forgets list.jsonl, two requests per update; adds lines to openings
//   one      forgets the first node of graph 9; receipt, one.json; adds a line to openings
//   release  publishes: model
//   look     embeddings and weights (float64, row by row), digests, look.json
//
// STEP.json is the certificate after the step.
#include <array>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "unscatter/unscatter.h"

namespace {

using namespace unscatter;  // NOLINT(google-build-using-namespace): it is about the names that a user sees

struct Setting {
  TransformSpec transform = default_transform();
  SessionOptions options;
};

Result<Setting> setting_of(const std::string& name) {
  Setting setting;
  if (name == "recipe") {
    UNSCATTER_TRY(transform, parse_embedding("auto"));
    setting.transform = transform;
  }
  SessionOptions& options = setting.options;
  if (name == "objective") {
    options.mechanism = Mechanism::kObjective;
    options.noise_stddev = 0.05;
    options.bias = true;
  }
  set_usual_learning(setting.transform, options);
  // Where they come from is for the caller to say.
  options.constants = {{"transform", ConstantKind::kBuiltIn}, {"lambda", ConstantKind::kBuiltIn}};
  return setting;
}

std::string certificate_text(const Certificate& found) {
  std::array<char, 300> text{};
  std::snprintf(text.data(), text.size(),
                R"({"satisfied":%s,"binding":"%s","rung":"%s","newton_steps":%zu,"graphs":%zu,)"
                R"("residual_upper_bound":%.17g,"distance_upper_bound":%.17g,"shift_upper_bound":%.17g,)",
                found.satisfied ? "true" : "false", std::string(name(found.binding)).c_str(),
                std::string(name(found.rung)).c_str(), found.newton_steps, found.graphs, found.residual_upper_bound,
                found.distance_upper_bound, found.shift_upper_bound);
  return std::string(text.data()) + "\"promise\":" + promise_text(found.promise, kCertificatePromise) + "}\n";
}

class Life {
 public:
  Life(const std::string& setting, std::string folder) : setting_(setting_of(setting)), folder_(std::move(folder)) {}

  Status step(const std::string& name) {
    UNSCATTER_CHECK_OK(setting_);
    const std::map<std::string, Status (Life::*)()> steps = {{"create", &Life::create},
                                                             {"list", &Life::forget_list},
                                                             {"one", &Life::forget_one},
                                                             {"release", &Life::release},
                                                             {"look", &Life::look}};
    return (this->*steps.at(name))();
  }

 private:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }

  Status write(const std::string& name, std::string_view text, std::ios::openmode mode = std::ios::trunc) {
    std::ofstream file(path(name), std::ios::binary | mode);
    file << text;
    file.close();
    if (!file) return Error{ErrorCode::kIo, "cannot write " + name};
    return ok_status();
  }
  Status write_rows(const std::string& name, const RowMatrix& rows) {
    const auto bytes = std::as_bytes(std::span(rows.data(), static_cast<std::size_t>(rows.size())));
    return write(name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  Status write_openings(const Forgotten& done) {
    std::string lines;
    for (std::size_t i = 0; i < done.requests.size(); ++i) {
      lines += opening_text({done.entry.sequence, done.entry.commitments[i], done.requests[i], done.salts[i]}) + '\n';
    }
    return write("openings", lines, std::ios::app);
  }

  [[nodiscard]] Result<WorkspaceOptions> with_key() const {
    UNSCATTER_TRY(file, load_or_create_key(path("signing.key")));
    WorkspaceOptions options;
    options.key = file.key;
    options.record = file.path;
    return options;
  }
  [[nodiscard]] Result<Workspace> open() const {
    UNSCATTER_TRY(how, with_key());
    return Workspace::open(path("workspace"), how);
  }

  Status create() {
    UNSCATTER_TRY(dataset, read_dataset(path("groups.jsonl")));
    UNSCATTER_TRY(how, with_key());
    WorkspaceSetup setup{std::move(dataset), usual_features(setting_->transform), setting_->transform,
                         setting_->options};
    UNSCATTER_TRY(workspace, Workspace::create(path("workspace"), std::move(setup), how));
    return write("create.json", certificate_text(workspace.info().certificate));
  }
  Status forget_list() {
    UNSCATTER_TRY(list, read_requests(path("list.jsonl")));
    UNSCATTER_TRY(workspace, open());
    Workspace::ListOptions how;
    how.batch = 2;
    how.hand_out = [this](const Forgotten& done) { return write_openings(done); };
    UNSCATTER_CHECK_OK(workspace.forget_list(list.requests, how));
    return ok_status();
  }
  Status forget_one() {
    UNSCATTER_TRY(workspace, open());
    const std::vector<RemovalRequest> requests = {ForgetNode{9u, 0u}};
    UNSCATTER_TRY(done, workspace.forget(requests));
    UNSCATTER_CHECK_OK(write_openings(done));
    UNSCATTER_CHECK_OK(write("receipt", receipt_text(done.receipt)));
    return write("one.json", certificate_text(done.certificate));
  }
  Status release() {
    UNSCATTER_TRY(workspace, open());
    UNSCATTER_CHECK_OK(workspace.release());
    UNSCATTER_TRY(document, workspace.published_document());
    return write("model", published_model_text(document));
  }
  Status look() {
    UNSCATTER_TRY(dataset, read_dataset(path("groups.jsonl")));
    UNSCATTER_TRY(embedder, make_embedder(usual_features(setting_->transform), setting_->transform, dataset));
    UNSCATTER_TRY(rows, embedder->embed(dataset));
    RowMatrix dense(rows.rows(), rows.columns());
    for (std::size_t i = 0; i < rows.rows(); ++i) rows.copy_row(i, {dense.row(Eigen::Index(i)).data(), rows.columns()});
    UNSCATTER_CHECK_OK(write_rows("embeddings", dense));
    UNSCATTER_TRY(workspace, open());
    UNSCATTER_CHECK_OK(write_rows("weights", workspace.kept_weights()));
    UNSCATTER_TRY(replay, workspace.replay_digest());
    UNSCATTER_TRY(state, workspace.state_digest());
    UNSCATTER_CHECK_OK(write("digests", replay.hex() + '\n' + state.hex() + '\n'));
    return write("look.json", certificate_text(workspace.info().certificate));
  }

  Result<Setting> setting_;
  std::string folder_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  const Status done = Life(arguments[2], arguments[3]).step(arguments[1]);
  if (!done.ok()) std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return done.ok() ? 0 : 1;
}
