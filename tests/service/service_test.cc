#include "service/service.h"

#include <gtest/gtest.h>

#include <future>
#include <stdexcept>

#include "crash/small_workspace.h"
#include "support/temporary_folder.h"
#include "unscatter/store/workspace.h"

namespace unscatter::service {
namespace {

// A service over a small workspace, without a server.
class WithService : public ::testing::Test {
 protected:
  void SetUp() override {
    const WorkspaceOptions how = testing::small_options();
    const auto path = folder_.path() / "w.unscatter";
    ASSERT_TRUE(Workspace::create(path, testing::small_setup(), how).ok());
    const NewToken token = make_token(*parse_scopes("submit,operate,read,predict"));
    ASSERT_TRUE(append_token(folder_.path() / "tokens", token).ok());
    token_ = token.text;
    ServiceOptions options;
    options.workspace = path;
    options.token_file = folder_.path() / "tokens";
    options.webhook_file = folder_.path() / "webhooks";
    options.key = how.key;
    options.log = [](std::string_view) {};
    auto opened = Service::open(std::move(options));
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    service_ = *std::move(opened);
  }

  [[nodiscard]] HttpResponse ask(const std::string& method, const std::string& target, Headers headers = {},
                                 const std::string& body = "") {
    HttpRequest request;
    request.method = method;
    request.target = target;
    request.headers = std::move(headers);
    request.headers.emplace_back("host", "localhost");
    request.headers.emplace_back("authorization", "Bearer " + token_);
    request.headers.emplace_back("content-type", "application/json");
    request.body = body;
    std::promise<HttpResponse> answered;
    service_->handle(std::move(request), [&](HttpResponse response) { answered.set_value(std::move(response)); });
    return answered.get_future().get();
  }
  [[nodiscard]] static std::string header(const HttpResponse& response, std::string_view name) {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return "";
  }

  testing::TemporaryFolder folder_;
  std::string token_;
  std::unique_ptr<Service> service_;
};

TEST_F(WithService, AnExceptionOnTheWriterEndsOneRequestAndNotTheProcess) {
  const auto call = std::make_shared<Call>();
  std::promise<HttpResponse> answered;
  call->answer = [&](HttpResponse response) { answered.set_value(std::move(response)); };
  service_->on_writer(call, [](Workspace&, RequestQueue&) { throw std::runtime_error("of somebody"); });
  const HttpResponse response = answered.get_future().get();
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(response.body.find("somebody"), std::string::npos) << response.body;
  EXPECT_EQ(ask("GET", "/v1/subjects").status, 200) << "the writer goes on";
}

TEST_F(WithService, ASecondAnswerIsPassedOver) {
  const auto call = std::make_shared<Call>();
  int answers = 0;
  call->answer = [&](const HttpResponse&) { ++answers; };
  call->finish(Refusal{.status = 404, .detail = "first"});
  call->finish(Refusal{.status = 500, .detail = "second"});
  EXPECT_EQ(answers, 1);
}

TEST_F(WithService, AnIdOfAnyBytesCanBeAskedFor) {
  const HttpResponse response = ask("GET", "/v1/subjects/%ff%fe");
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(Json::parse(response.body).at("subject"), (Json{{"bytes", "fffe"}})) << response.body;
}

TEST_F(WithService, TwoKeysOfIdempotencyAreOneTooMany) {
  const std::string body = R"({"forget":"subject","id":"nobody"})";
  EXPECT_EQ(ask("POST", "/v1/requests", {{"idempotency-key", "a"}, {"idempotency-key", "b"}}, body).status, 400);
  EXPECT_EQ(ask("POST", "/v1/requests", {{"idempotency-key", "a"}}, body).status, 202);
}

TEST_F(WithService, WaitingIsAskedForBesideOtherPreferences) {
  const std::string body = R"({"forget":"subject","id":"nobody"})";
  for (const Headers& prefer : {Headers{{"prefer", "respond-async, wait=30"}},
                                Headers{{"prefer", "handling=lenient"}, {"prefer", "wait=30;x=y"}}}) {
    EXPECT_EQ(Json::parse(ask("POST", "/v1/requests", prefer, body).body).at("state"), "already-absent");
  }
}

TEST_F(WithService, APolicyIsChangedOnlyIfItIsTheOneThatWasRead) {
  const HttpResponse read = ask("GET", "/v1/policy");
  const std::string tag = header(read, "ETag");
  EXPECT_EQ(ask("PUT", "/v1/policy", {{"if-match", "\"other\""}, {"if-match", "\"another\""}}, read.body).status, 412);
  EXPECT_EQ(ask("PUT", "/v1/policy", {{"if-match", "W/" + tag}}, read.body).status, 412);
  EXPECT_EQ(ask("PUT", "/v1/policy", {{"if-match", "\"other\", " + tag}}, read.body).status, 200);
  EXPECT_EQ(ask("PUT", "/v1/policy", {{"if-match", "*"}}, read.body).status, 200);
}

// A tag is strong if equal tags mean equal bytes.
TEST_F(WithService, OtherBytesHaveAnotherTag) {
  const HttpResponse plain = ask("GET", "/v1/openapi.json");
  const HttpResponse packed = ask("GET", "/v1/openapi.json", {{"accept-encoding", "br"}, {"accept-encoding", "gzip"}});
  ASSERT_EQ(header(packed, "Content-Encoding"), "gzip");
  EXPECT_EQ(header(packed, "ETag"), "W/" + header(plain, "ETag"));
  for (const HttpResponse& known : {plain, packed}) {
    EXPECT_EQ(header(known, "Vary"), "Accept-Encoding");
    const HttpResponse again = ask("GET", "/v1/openapi.json", {{"if-none-match", header(known, "ETag")}});
    EXPECT_EQ(again.status, 304);
    EXPECT_EQ(header(again, "Vary"), "Accept-Encoding") << "a cache has to know it of both";
    EXPECT_TRUE(again.body.empty());
  }
}

TEST_F(WithService, OnlyWhatIsThereIsFound) {
  for (const char* target : {"/nothing", "/v2/requests", "/v1x", "/v1%2Fstatus", "/admin"}) {
    EXPECT_EQ(ask("GET", target).status, 404) << target;
    EXPECT_EQ(ask("POST", target).status, 404) << target;
  }
  EXPECT_EQ(ask("GET", "/").status, 200);
  EXPECT_EQ(ask("POST", "/").status, 405);
}

TEST_F(WithService, ACompressedBodyIsRefusedByName) {
  const HttpResponse response = ask("POST", "/v1/requests", {{"content-encoding", "gzip"}}, "\x1f\x8b");
  EXPECT_EQ(response.status, 415) << response.body;
}

}  // namespace
}  // namespace unscatter::service
