find_package(benchmark REQUIRED)
add_executable(reembedding_bench reembedding_bench.cc)
target_link_libraries(reembedding_bench PRIVATE unscatter::unscatter fmt::fmt benchmark::benchmark)
unscatter_compile_options(reembedding_bench)
