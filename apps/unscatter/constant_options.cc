#include "constant_options.h"

#include <fmt/format.h>

#include <utility>

#include "locations.h"

namespace unscatter::cli {

void ConstantArguments::add_fit_to(CLI::App& command) {
  command
      .add_option(
          "--fit", fit,
          "Constants that --features leaves out: none (an error), private (from the data, and again after every "
          "removal) or once (from the data; they may give removed data away)")
      ->group("Constants")
      ->check(CLI::IsMember({"none", "private", "once"}))
      ->default_str("none");
}

void ConstantArguments::add_to(CLI::App& command) {
  const std::string group = "Constants";
  add_fit_to(command);
  command
      .add_option("--public-data", public_data,
                  "A data set that is declared public: constants that --features leaves out come from it")
      ->group(group);
  command
      .add_option("--public-share", public_share,
                  "The same from a share of --data, which is not learned from and never removed")
      ->group(group)
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command
      .add_option("--classes", classes,
                  "A,B,C: the classes are these; public: those of the public data; data: those that occur, and a class "
                  "leaves with its last graph")
      ->group(group)
      ->delimiter(',')
      ->default_str("data");
}

Status ConstantArguments::check() const {
  const auto wrong = [](std::string_view what) { return Error{ErrorCode::kInvalidArgument, std::string(what)}; };
  const bool has_public = !public_data.empty() || public_share > 0;
  if (!public_data.empty() && public_share > 0)
    return wrong("--public-data and --public-share are two ways to say one thing");
  if (has_public && !fit.empty()) return wrong("--fit and public data are two places for the same constants");
  if (classes.size() == 1 && classes.front() == "public" && !has_public) {
    return wrong("--classes public needs --public-data or --public-share");
  }
  return ok_status();
}

Result<std::optional<Dataset>> ConstantArguments::read_public(const ReadOptions& how) const {
  if (public_data.empty()) return std::optional<Dataset>();
  UNSCATTER_TRY(catalogue, load_catalogue());
  UNSCATTER_TRY(path, resolve_dataset(public_data, catalogue));
  UNSCATTER_TRY(dataset, read_dataset(path, how));
  if (dataset.size() == 0) return Error{ErrorCode::kInvalidArgument, "the public data set has no graph"};
  return std::optional<Dataset>(std::move(dataset));
}

FitSource ConstantArguments::source(ConstantKind usual, const Dataset* public_part) const {
  if (public_part != nullptr) return FitSource::on_public(*public_part);
  if (fit == "private") return FitSource::private_refit();
  if (fit == "once") return FitSource::once();
  if (fit == "none") return FitSource::none();
  return {usual, nullptr};
}

Status ConstantArguments::set_classes(Dataset& dataset, const Dataset* public_part, SessionOptions& options) const {
  // The preset's own, which follows the data or keeps all classes of the file.
  if (classes.empty()) return ok_status();
  if (classes.size() == 1 && classes.front() == "data") {
    options.classes = ConstantKind::kPrivateFit;
    return ok_status();
  }
  const bool from_public = classes.size() == 1 && classes.front() == "public";
  options.classes = from_public ? ConstantKind::kPublicData : ConstantKind::kStated;
  return state_classes(dataset, from_public ? classes_that_occur(*public_part) : classes);
}

}  // namespace unscatter::cli
