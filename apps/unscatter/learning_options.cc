#include "learning_options.h"

#include <fmt/format.h>

#include "unscatter/embedding/make_embedder.h"
#include "usage.h"

namespace unscatter::cli {

void LearningArguments::add_to(CLI::App& command) {
  const SessionOptions defaults;
  const std::string group = "Learning";
  command.add_option("--loss", loss, "logistic, squared, huber-svm or huber-svm:SMOOTHING")
      ->group(group)
      ->default_str(defaults.loss.describe());
  command.add_option("--lambda", regularisation, "Strength of the regularisation, > 0")
      ->group(group)
      ->check(number_between(1e-15, 1e6, "1e-15 to 1e+06: a certificate rests on it"), "")
      ->default_str(
          fmt::format("{}; {} for other transforms than portrait", kDefaultRegularisation, defaults.regularisation));
  command.add_option("--optimizer", optimizer, "newton or lbfgs")
      ->group(group)
      ->check(CLI::IsMember({"newton", "lbfgs"}))
      ->default_str(std::string(name(defaults.optimizer)));
  command.add_flag("--bias", bias, "One more coordinate, constant 1")->group(group);
}

Status LearningArguments::apply(SessionOptions& options) const {
  if (loss) {
    UNSCATTER_TRY(parsed, Loss::parse(*loss));
    options.loss = parsed;
  }
  if (regularisation) options.regularisation = *regularisation;
  if (optimizer) {
    UNSCATTER_TRY(parsed, parse_optimizer(*optimizer));
    options.optimizer = parsed;
  }
  if (bias) options.bias = true;
  return ok_status();
}

}  // namespace unscatter::cli
