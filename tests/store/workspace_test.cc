#include "unscatter/store/workspace.h"

#include <gtest/gtest.h>

#include "support/temporary_folder.h"
#include "unlearn/random_session.h"
#include "unscatter/store/verify.h"

namespace unscatter {
namespace {

TEST(Workspace, First) {
  testing::TemporaryFolder folder;
  SecureRandom random;
  WorkspaceOptions options;
  options.key = std::make_shared<const SigningKey>(SigningKey::generate(random));
  const auto path = folder.path() / "w.unscatter";
  {
    WorkspaceSetup setup;
    setup.dataset = testing::random_data(1, {.graphs = 30}).dataset;
    setup.features = "attributes+log-degree";
    setup.transform.scales = 2;
    setup.transform.moments = 1;
    auto made = Workspace::create(path, std::move(setup), options);
    ASSERT_TRUE(made.ok()) << made.error().message;
    std::vector<RemovalRequest> r{ForgetNode{std::size_t{0}, std::size_t{0}}};
    auto f = made->forget(r);
    ASSERT_TRUE(f.ok()) << f.error().message;
    std::cout << receipt_text(f->receipt);
  }
  auto opened = Workspace::open(path, options);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  std::vector<RemovalRequest> r{ForgetGraph{std::size_t{3}}, ForgetNode{std::size_t{0}, std::size_t{1}}};
  ASSERT_TRUE(opened->forget(r).ok());
  ASSERT_TRUE(opened->release().ok());
  { Workspace gone = std::move(*opened); }
  auto v = verify_workspace(path, {.retrain = true});
  ASSERT_TRUE(v.ok());
  for (auto& c : v->checks) std::cout << c.name << " " << c.passed << " " << c.detail << "\n";
}

}  // namespace
}  // namespace unscatter
