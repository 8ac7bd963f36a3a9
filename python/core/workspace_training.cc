// Workspaces that are trained in other ways than from a data set in memory: from a long file, and again.
#include "locked_workspace.h"
#include "unscatter/graph/read.h"

namespace unscatter::python {
namespace {

// The classes of a survey are stated as those of a data set are.
Status state_surveyed_classes(WorkspaceSetup& setup, std::vector<std::string> names) {
  Dataset classes;
  classes.class_names = std::move(setup.dataset.class_names);
  classes.labels = std::move(setup.stream->labels);
  UNSCATTER_CHECK_OK(state_classes(classes, std::move(names)));
  setup.dataset.class_names = std::move(classes.class_names);
  setup.stream->labels = std::move(classes.labels);
  return ok_status();
}

}  // namespace

std::shared_ptr<LockedWorkspace> LockedWorkspace::create_from_file(
    const std::filesystem::path& path, const std::filesystem::path& data, const NamedTransform& transform,
    const std::optional<std::string>& features, const py::object& fit,
    const std::optional<std::vector<std::string>>& classes, const py::dict& words, std::optional<std::int64_t> expires,
    const std::optional<std::filesystem::path>& key, const py::object& report) {
  WorkspaceSetup setup;
  setup.options = make_options(transform, words);
  setup.transform = transform.spec;
  setup.features = features ? stated_features(*features, transform.spec) : usual_features(transform.spec);
  setup.fit = fit_source(fit);
  setup.dataset.name = data.stem().string();
  const std::size_t threads = setup.options.threads;
  auto made = std::make_shared<LockedWorkspace>();
  PythonProgress progress(report);
  const RelayProgress::Turn turn(made->relay_, progress);
  const ReadOptions reading{.limits = {}, .symmetrise = false, .threads = threads, .progress = &made->relay_};
  without_lock(progress, [&]() -> Status {
    UNSCATTER_TRY(format, detect_format(data));
    if (format != DataFormat::kJsonl) {
      return Error{ErrorCode::kUnsupported, "the data cannot be streamed: '" + data.string() + "' is not JSONL but " +
                                                std::string(data_format_name(format))};
    }
    UNSCATTER_CHECK_OK(survey(setup, [&] { return GraphStream::open(data, reading); }, {.threads = threads}));
    if (classes) UNSCATTER_CHECK_OK(state_surveyed_classes(setup, *classes));
    if (expires) setup.stream->due.limit_graphs(setup.stream->labels.size(), *expires);
    // After the data was read: a misspelt file name should not leave a new key behind.
    UNSCATTER_TRY(place, key ? Result<std::filesystem::path>(*key) : usual_key_path());
    UNSCATTER_TRY(signing, load_or_create_key(place));
    WorkspaceOptions how = made->options(threads, signing.path);
    how.key = std::move(signing.key);
    UNSCATTER_TRY(workspace, Workspace::create(path, std::move(setup), how));
    made->workspace_.emplace(std::move(workspace));
    return ok_status();
  });
  return made;
}

std::shared_ptr<LockedWorkspace> LockedWorkspace::retrain(
    const std::filesystem::path& path, const std::optional<NamedTransform>& transform,
    const std::optional<std::string>& features, const py::object& fit,
    const std::optional<std::vector<std::string>>& classes, const py::dict& words,
    const std::optional<std::filesystem::path>& key, const py::object& report) {
  const WorkspaceInfo before = run(py::none(), [&]() -> Result<WorkspaceInfo> { return workspace_->info(); });
  WorkspaceSetup setup;
  setup.options = make_options_again(before.options, transform, words);
  setup.transform = transform ? transform->spec : before.transform;
  setup.features = usual_features(setup.transform);
  if (!transform && !before.rule.empty()) setup.features = before.rule;
  if (features) setup.features = stated_features(*features, setup.transform);
  setup.fit = fit_source(fit);
  const ChosenAnew anew{.transform = transform.has_value(),
                        .constants = !fit.is_none() || classes.has_value() || words.contains("classes")};
  const std::size_t threads = setup.options.threads;
  auto made = std::make_shared<LockedWorkspace>();
  PythonProgress progress(report);
  without_lock(progress, [&]() -> Status {
    // Held until the new file is complete: nothing is removed from the old one meanwhile.
    const OneAtATime::Turn ours(turns_);
    if (!workspace_) return Error{ErrorCode::kInvalidArgument, "the workspace is closed"};
    const RelayProgress::Turn turn(relay_, progress);
    const RelayProgress::Turn other_turn(made->relay_, progress);
    if (workspace_->info().head != before.head) {
      return Error{ErrorCode::kUnavailable, "another thread changed the workspace meanwhile; try again"};
    }
    UNSCATTER_TRY(predecessor, workspace_->predecessor());
    UNSCATTER_TRY(left, workspace_->remaining());
    setup.dataset = std::move(left);
    setup.predecessor = std::move(predecessor);
    UNSCATTER_CHECK_OK(take_over_constants(before, anew, setup));
    if (classes) UNSCATTER_CHECK_OK(state_classes(setup.dataset, *classes));
    UNSCATTER_TRY(place, key ? Result<std::filesystem::path>(*key) : usual_key_path());
    UNSCATTER_TRY(signing, load_or_create_key(place));
    WorkspaceOptions how = made->options(threads, signing.path);
    how.key = std::move(signing.key);
    UNSCATTER_TRY(workspace, Workspace::create(path, std::move(setup), how));
    made->workspace_.emplace(std::move(workspace));
    return ok_status();
  });
  return made;
}

}  // namespace unscatter::python
