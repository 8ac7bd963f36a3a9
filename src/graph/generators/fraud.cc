// Only integers, + - * / on doubles, and Sequence decide anything here, as in interest_groups.cc: the same options must
// give the same data set on every machine.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/generators/population.h"
#include "unscatter/base/random.h"
#include "unscatter/graph/generate.h"

namespace unscatter {
namespace {

constexpr std::size_t kMostCases = 10'000'000;
constexpr std::size_t kMostAccounts = 10'000'000;
constexpr std::size_t kLargestCase = 10'000;
constexpr std::size_t kMostBranches = 10'000;
constexpr double kLargestAmount = 1e6;
// Seconds since 1970: all cases are looked at on one day in 2023, and no account is older than 16 years.
constexpr double kToday = 1.7e9;
constexpr double kOldestAccount = 5e8;

enum class Scheme { kNone, kRing, kMule };

Error wrong_option(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

Status check_fraud(const FraudOptions& options) {
  const auto share = [](double value) { return value >= 0 && value <= 1; };
  if (options.graphs < 1 || options.graphs > kMostCases)
    return wrong_option(fmt::format("{} graphs: the number of graphs is 1 to {}", options.graphs, kMostCases));
  if (options.min_size < 8 || options.max_size < options.min_size || options.max_size > kLargestCase) {
    return wrong_option(fmt::format("{} to {} accounts per graph: at least 8, at most {}, the smaller number first",
                                    options.min_size, options.max_size, kLargestCase));
  }
  if (options.accounts < options.max_size || options.accounts > kMostAccounts) {
    return wrong_option(fmt::format("{} accounts: the number of accounts is between the largest graph, {}, and {}",
                                    options.accounts, options.max_size, kMostAccounts));
  }
  if (!share(options.fraud_share) || !share(options.hidden) || !share(options.without_attributes)) {
    return wrong_option(fmt::format("a share of {}, {} or {} is outside [0, 1]", options.fraud_share, options.hidden,
                                    options.without_attributes));
  }
  if (options.branches < 1 || options.branches > kMostBranches)
    return wrong_option(fmt::format("{} branches: their number is 1 to {}", options.branches, kMostBranches));
  if (!std::isfinite(options.scale) || !std::isfinite(options.scale * 1e10))
    return wrong_option(fmt::format("a scale of {} is too large", options.scale));
  return ok_status();
}

// What is known about an account, the same in all graphs.
struct Account {
  double age;      // of its holder, in years
  double foreign;  // 0 or 1
  double opened;   // seconds since 1970
};

std::vector<Account> draw_accounts(std::size_t count, Sequence& random) {
  std::vector<Account> accounts;
  accounts.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    // The mean of two uniform numbers: most holders are of middle age.
    const std::size_t years = 18 + (random.below(73) + random.below(73)) / 2;
    const auto age = static_cast<double>(years);
    const double foreign = random.chance(0.15) ? 1 : 0;
    const double past = random.unit();
    // Squared: more accounts are young than old.  Whole seconds.
    accounts.push_back({age, foreign, kToday - std::floor(kOldestAccount * past * past)});
  }
  return accounts;
}

// One graph: the accounts around a suspicion, and what they paid one another.
class Case {
 public:
  Case(std::size_t size, Sequence& random) : size_(static_cast<NodeIndex>(size)), random_(random) {}

  // What everybody does: shops, friends.  Nobody has to pay, so some accounts stay alone.
  void everyday() {
    const NodeIndex shops = 1 + size_ / 8;
    for (NodeIndex payer = 0; payer < size_; ++payer) {
      for (std::uint64_t left = random_.below(4); left > 0; --left) {
        pay(payer, random_.chance(0.5) ? anyone(shops) : anyone(size_), amount(1));
      }
    }
  }

  // Money goes around.  A savings club does so too, with small amounts.
  void ring(std::span<const NodeIndex> members, std::uint64_t doublings) {
    const double sum = amount(doublings);
    for (std::size_t i = 0; i < members.size(); ++i) {
      // Each one keeps a little.
      pay(members[i], members[(i + 1) % members.size()], sum * (1 - 0.1 * random_.unit()));
    }
  }

  // Many pay one, who passes it on.  A charity or a landlord collects too, and pays nobody.
  void collect(NodeIndex collector, std::span<const NodeIndex> payers, std::span<const NodeIndex> next,
               std::uint64_t doublings) {
    double sum = 0;
    for (const NodeIndex payer : payers) {
      const double paid = amount(doublings);
      pay(payer, collector, paid);
      sum += paid;
    }
    for (const NodeIndex receiver : next) pay(collector, receiver, sum / static_cast<double>(next.size()));
  }

  // All that an account paid and received, in whole cents.
  [[nodiscard]] std::vector<double> turnover() const {
    std::vector<double> sums(size_, 0.0);
    for (const auto& [ends, paid] : paid_) {
      sums[ends.first] += paid;
      sums[ends.second] += paid;
    }
    for (double& sum : sums) sum = std::floor(std::min(sum, kLargestAmount) * 100) / 100;
    return sums;
  }
  [[nodiscard]] const std::map<std::pair<NodeIndex, NodeIndex>, double>& paid() const { return paid_; }
  [[nodiscard]] NodeIndex anyone(std::uint64_t count) const { return static_cast<NodeIndex>(random_.below(count)); }

 private:
  void pay(NodeIndex from, NodeIndex to, double sum) {
    if (from != to) paid_[{from, to}] += std::min(sum, kLargestAmount);
  }
  // 10 to 20, doubled at least `doublings` times: each further doubling has probability 1/2, up to ten.
  [[nodiscard]] double amount(std::uint64_t doublings) const {
    double sum = 10 * (1 + random_.unit());
    for (std::uint64_t i = 0; i < doublings; ++i) sum *= 2;
    for (int i = 0; i < 10 && random_.chance(0.5); ++i) sum *= 2;
    return sum;
  }

  NodeIndex size_;
  Sequence& random_;
  std::map<std::pair<NodeIndex, NodeIndex>, double> paid_;
};

// `count` different nodes.  Of two candidates the one that `better` prefers is taken, so that roles are given to
// accounts that suit them a little, and not only to those.
template <typename Better>
std::vector<NodeIndex> choose(std::size_t count, std::size_t nodes, Sequence& random, Better better) {
  std::vector<NodeIndex> left(nodes);
  for (NodeIndex i = 0; i < nodes; ++i) left[i] = i;
  std::vector<NodeIndex> chosen;
  while (chosen.size() < count && !left.empty()) {
    std::size_t one = random.below(left.size());
    const std::size_t other = random.below(left.size());
    if (better(left[other], left[one])) one = other;
    chosen.push_back(left[one]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(one));
  }
  return chosen;
}

// What happens in a case besides everyday payments.
void act(Scheme scheme, bool seen, const std::vector<Account>& members, Case& story, Sequence& random) {
  const std::size_t nodes = members.size();
  const auto older = [&](NodeIndex a, NodeIndex b) { return members[a].age > members[b].age; };
  const auto newer = [&](NodeIndex a, NodeIndex b) { return members[a].opened > members[b].opened; };
  const auto nobody = [](NodeIndex, NodeIndex) { return false; };
  // Honest things that look like fraud happen in every kind of case.
  if (random.chance(0.2)) story.ring(choose(3 + random.below(3), nodes, random, nobody), 1);
  if (random.chance(0.2)) {
    const auto payers = choose(3 + random.below(4), nodes, random, nobody);
    story.collect(story.anyone(nodes), payers, {}, 2);
  }
  if (!seen || scheme == Scheme::kNone) return;
  for (std::uint64_t times = 1 + random.below(3); times > 0; --times) {
    if (scheme == Scheme::kRing) {
      story.ring(choose(4 + random.below(4), nodes, random, newer), 5 + random.below(3));
      continue;
    }
    const auto victims = choose(5 + random.below(4), nodes, random, older);
    const auto mules = choose(2 + random.below(2), nodes, random, newer);
    story.collect(mules.front(), victims, std::span(mules).subspan(1), 4 + random.below(3));
  }
}

Result<Graph> make_case(const FraudOptions& options, Scheme scheme, std::size_t branch,
                        const std::vector<Account>& accounts, Population& population, Sequence& random) {
  GraphParts parts;
  parts.node_count = options.min_size + random.below(options.max_size - options.min_size + 1);
  std::vector<Account> members;
  for (const std::size_t account : population.draw(parts.node_count, random)) {
    parts.node_ids.push_back(fmt::format("account-{:05}", account));
    members.push_back(accounts[account]);
  }
  Case story(parts.node_count, random);
  story.everyday();
  act(scheme, !random.chance(options.hidden), members, story, random);
  parts.directed =
      options.edges == FraudEdges::kDirected || (options.edges == FraudEdges::kMixed && random.chance(0.5));
  for (const auto& [ends, paid] : story.paid()) {
    // Without directions two accounts have one edge, with all that went either way.
    const auto back = story.paid().find({ends.second, ends.first});
    const bool both = !parts.directed && back != story.paid().end();
    if (both && ends.first > ends.second) continue;
    parts.edges.push_back({ends.first, ends.second});
    if (options.weights) parts.weights.push_back(options.scale * (paid + (both ? back->second : 0)));
  }
  if (options.attributes && !random.chance(options.without_attributes)) {
    const std::vector<double> turnover = story.turnover();
    parts.attribute_count = 4;
    for (std::size_t i = 0; i < parts.node_count; ++i) {
      for (const double value : {turnover[i], members[i].age, members[i].foreign, members[i].opened}) {
        parts.attributes.push_back(options.scale * value);
      }
    }
  }
  if (options.branches > 1) {
    // Most customers of a case are of one branch.
    for (std::size_t i = 0; i < parts.node_count; ++i) {
      const std::size_t other = random.below(options.branches);
      parts.labels.push_back(static_cast<std::int64_t>(random.chance(0.7) ? branch : other));
    }
  }
  return Graph::create(std::move(parts));
}

}  // namespace

Result<Dataset> generate_fraud(const FraudOptions& options) {
  UNSCATTER_CHECK_OK(check_fraud(options));
  Sequence random(options.seed);
  const auto fraud = static_cast<std::size_t>(options.fraud_share * static_cast<double>(options.graphs));
  std::vector<Scheme> schemes(options.graphs, Scheme::kNone);
  for (std::size_t g = 0; g < fraud; ++g) schemes[g] = g % 2 == 0 ? Scheme::kRing : Scheme::kMule;
  random.shuffle(std::span(schemes));
  const std::vector<Account> accounts = draw_accounts(options.accounts, random);
  Population population(options.accounts, random);

  Dataset dataset;
  dataset.name = "fraud";
  dataset.graphs.reserve(options.graphs);
  std::vector<std::string> kinds;
  constexpr std::array kNames = {"normal", "ring", "mule"};
  for (std::size_t g = 0; g < options.graphs; ++g) {
    const std::size_t branch = g % options.branches;
    UNSCATTER_TRY(graph, make_case(options, schemes[g], branch, accounts, population, random));
    dataset.graphs.push_back(std::move(graph));
    dataset.graph_ids.push_back(fmt::format("case-{:05}", g + 1));
    const std::string kind = kNames[static_cast<std::size_t>(schemes[g])];
    kinds.push_back(options.branches > 1 ? fmt::format("{}-{}", kind, branch) : kind);
  }
  ClassIndex classes = index_classes(kinds);
  dataset.class_names = std::move(classes.class_names);
  dataset.labels = std::move(classes.labels);
  return dataset;
}

}  // namespace unscatter
