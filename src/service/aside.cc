#include "service/aside.h"

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <utility>

namespace unscatter::service {

struct Aside::Inside {
  boost::asio::thread_pool pool{1};
};

Aside::Aside() : inside_(std::make_unique<Inside>()) {}
Aside::~Aside() { finish(); }

void Aside::run(std::function<void()> task) { boost::asio::post(inside_->pool, std::move(task)); }
void Aside::finish() { inside_->pool.join(); }

}  // namespace unscatter::service
